//! Converts a handoff from one dialect into another, through the common model.
//!
//! A document is read as its dialect means it (`normal`), taken apart into what it says (`facts`), put
//! together as the other dialect says it (`kinds`, `fill`, `cast`), and what would not come back is kept beside it
//! (`extension`, `text`). A handoff that came from elsewhere goes home first (`home`).

mod cast;
mod compose;
mod conversion_report;
mod extension;
mod facts;
mod fill;
mod join;
mod kinds;
mod name;
mod normal;
mod place;
mod put;
mod reading;
mod report;
mod reread;
mod round_trip;
mod set;
mod several;
mod text;
mod whole;

pub use compose::{Brief, Composed};
pub use reading::{OpenReading, Said, Saying};
pub use report::{Carried, Fate, Gap};
pub use set::SetError;

use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::check::{Candidate, Checker};
use crate::dialect::{Dialect, DialectKind, Field};
use crate::handoff::Meaning;
use crate::tree::{Syntax, Tree};
use extension::Extension;
use facts::{Fact, Facts, gather, with_implied};
use fill::{FillDefaults, Filled, draft};
use join::Stayed;
use kinds::Best;
use normal::Normal;
use put::Put;
use report::Report;
use reread::as_written;
use round_trip::round_trip;
use text::{attach, text_of};

/// An order to convert.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    /// The dialect.
    pub to: &'o str,
    /// Values for its fields, by their dotted path.
    pub set: &'o [(String, String)],
    /// The time to write where one must be written and none is said.
    pub now: Option<&'o str>,
    /// True if it should be said what became of each field.
    pub wants_report: bool,
}

/// A handoff in another dialect.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The dialect and kind it was.
    pub from: (String, String),
    /// The dialect and kind it became.
    pub to: (String, String),
    /// Start in the file.
    pub start: u32,
    /// The notation of its text.
    pub syntax: Syntax,
    /// Its text; of a handoff that stays in its dialect the text as it stands, unless it must stand beside others.
    pub text: String,
    /// Fate of each field, where that is asked for.
    pub fields: Vec<Carried>,
    /// The fields that got the value that was given for them, by their dotted path.
    pub given: Vec<String>,
    /// The fields that must be there and have no source; with any of them the text is not complete.
    pub gaps: Vec<Gap>,
}

/// The kind a handoff was and the kind it became.
#[derive(Clone, Copy, Debug)]
struct Kinds<'k> {
    original: &'k DialectKind,
    converted: &'k DialectKind,
}

/// A document with its dialect and kind, by position.
struct Document<'v> {
    dialect: usize,
    kind: usize,
    value: ArenaValue<'v>,
    /// The same with the attributes that stand beside single values in XML.
    whole: ArenaValue<'v>,
    /// Facts of its fields, where they are known.
    facts: Option<Vec<Fact<'v>>>,
}

/// The handoffs of a file in another dialect.
#[derive(Clone, Debug, Default)]
pub struct Converted {
    /// The text of all of them; where none changes its dialect, the file with what was set in it.
    pub text: String,
    /// Each of them, in the order of the text.
    pub handoffs: Vec<Conversion>,
}

/// Options for the handoffs of one file.
#[derive(Clone, Copy, Debug, Default)]
struct Beside {
    /// Number of them, where that is known.
    count: usize,
    /// True if what is given is put only where a handoff says nothing.
    fills_only: bool,
    /// True if one that stays in its dialect is written to stand beside those that were converted.
    is_joined: bool,
}

/// Gathers the conversions of one file.
#[derive(Debug)]
struct Gathering<'g> {
    checker: &'g Checker,
    order: Order<'g>,
    target: usize,
    beside: Beside,
    /// Values put into handoffs that stay in their dialect, each with the position of its handoff.
    puts: Vec<(usize, Put)>,
    handoffs: Vec<Conversion>,
    /// Number of handoffs that stay in their dialect.
    stayed: usize,
}

impl<'g> Gathering<'g> {
    fn new(checker: &'g Checker, order: Order<'g>) -> Result<Self, SetError> {
        let dialects = &checker.dialects().handoffs;
        let target = dialects.iter().position(|dialect| *dialect.name == *order.to);
        let target = target.ok_or_else(|| SetError::NoDialect(order.to.to_owned()))?;
        let beside = Beside::default();
        Ok(Self { checker, order, target, beside, puts: Vec::new(), handoffs: Vec::new(), stayed: 0 })
    }

    /// Tells whether any handoff changes its dialect.
    fn is_moved(&self) -> bool {
        self.stayed < self.handoffs.len()
    }

    /// Converts the handoff of a candidate, in the memory of a pool.
    fn add(&mut self, tree: &Tree<'_>, candidate: &Candidate, pool: &Pool) -> Result<(), SetError> {
        let dialect = &self.checker.dialects().handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let mut own = Maker::new(pool);
        let maker = &mut own;
        let Normal { value, whole, facts } = normal::with_facts(tree, kind, candidate.document, maker);
        let from = (String::from(&*dialect.name), String::from(&*kind.name));
        let mut conversion = if candidate.dialect == self.target {
            let stayed = Stayed { checker: self.checker, dialect, kind, value, tree, candidate };
            self.stay(&stayed, from, maker)?
        } else {
            let document = Document { dialect: candidate.dialect, kind: candidate.kind, value, whole, facts };
            let (document, way) =
                round_trip(self.checker, document, (self.target, self.order.wants_report), maker);
            let fills_only = self.beside.fills_only;
            let mut converter = Converter { checker: self.checker, order: &self.order, fills_only, maker };
            converter.convert((document, way), self.target, from)?
        };
        conversion.start = tree.span(candidate.whole).start;
        // Most files have one, and room for more would be set aside unasked.
        if self.handoffs.is_empty() {
            self.handoffs.reserve_exact(1);
        }
        self.handoffs.push(conversion);
        own.done();
        Ok(())
    }

    /// A handoff that stays in its dialect.
    fn stay<'v>(
        &mut self,
        stayed: &Stayed<'_, 'v>,
        from: (String, String),
        maker: &mut Maker<'v>,
    ) -> Result<Conversion, SetError> {
        let at = self.stayed;
        self.stayed += 1;
        let puts = self.puts.iter().filter(|(of, _)| *of == at).map(|(_, put)| put.clone());
        let puts: Vec<Put> = puts.collect();
        let (syntax, text) = match self.beside.is_joined {
            true => (stayed.dialect.usual_syntax(), stayed.text(maker).ok_or_else(|| self.too_many())?),
            false => (stayed.tree.syntax(), stayed.own_text().to_owned()),
        };
        let fields = report::unchanged(stayed.kind, stayed.value, &puts, maker.pool);
        let given = puts.into_iter().map(|put| put.path).collect();
        let to = from.clone();
        Ok(Conversion { from, to, start: 0, syntax, text, fields, given, gaps: Vec::new() })
    }
}

struct Converter<'c, 'v> {
    checker: &'v Checker,
    order: &'v Order<'v>,
    /// True if what is given is put only where the handoff says nothing.
    fills_only: bool,
    maker: &'c mut Maker<'v>,
}

impl<'v> Converter<'_, 'v> {
    fn convert(
        &mut self,
        (document, way): (Document<'v>, Option<Vec<Carried>>),
        target: usize,
        from: (String, String),
    ) -> Result<Conversion, SetError> {
        let dialects = &self.checker.dialects().handoffs;
        let pool = self.maker.pool;
        let source = &dialects[document.dialect];
        let original = &source.kinds[document.kind];
        let to = &dialects[target];
        let syntax = to.usual_syntax();
        if document.dialect == target {
            return self.came_home(&document, way.unwrap_or_default(), from);
        }
        let facts = match document.facts {
            Some(facts) => with_implied(original, facts, document.value, pool),
            None => gather(original, document.value, pool),
        };
        debug_assert!(facts.is_same(&gather(original, document.value, pool)), "{facts:?}");
        let Best { kind: at, filled, told, set } = self.best_kind(to, &facts)?;
        let kind = &to.kinds[at];
        let Filled { document: made, uses, made_up, missing } = filled;
        debug_assert!(self.is_right(to, kind, made, told.as_ref()), "{made:?}: {told:?}");
        let mut given = ArenaValue::EMPTY;
        let again = told.map(|told| self.without_clock(told, (made, &made_up), &mut given));
        let again = again.unwrap_or_else(|| {
            let read = as_written(self.checker, to, kind, made, self.maker);
            // What is given for this conversion alone is not to come back.
            let clock = made_up.iter().filter(|field| field.means == Some(Meaning::Written));
            for path in set.iter().map(|(path, _)| *path).chain(clock.map(|field| &*field.path)) {
                if let Some(value) = read.at(path) {
                    given = given.with(path, value, self.maker);
                }
            }
            gather(kind, extension::without(read, given, self.maker), pool)
        });
        let mut back = draft(original, &again, FillDefaults::NOTHING, self.maker);
        let kept = back.kept(document.whole);
        let back = back.uses();
        let extension = Extension::of(&source.name, original, kept, given);
        let has_room = to.has_extensions;
        let fields = if self.order.wants_report {
            let report = Report {
                original,
                facts: &facts.all,
                uses: &uses,
                made_up: &made_up,
                set: &set,
                document: made,
                syntax,
                converted: kind,
                said: &again.all,
                back: &back,
            };
            let fields = report.fields(extension.as_ref().map(|kept| kept.fields), has_room);
            match way {
                Some(way) => conversion_report::joined(way, fields),
                None => fields,
            }
        } else {
            Vec::new()
        };
        let gaps = missing.iter().map(|field| report::gap(field, &to.shapes)).collect();
        let made = match extension.filter(|_| has_room) {
            Some(extension) => attach(syntax, kind, made, extension, self.maker),
            None => made,
        };
        let text = text_of(to, kind, made, self.maker);
        let kinds = (String::from(&*to.name), String::from(&*kind.name));
        let given = set.iter().map(|(path, _)| (*path).to_owned()).collect();
        Ok(Conversion { from, to: kinds, start: 0, syntax, text, fields, given, gaps })
    }

    /// A document without the time that was made up for it, unless that was changed since.
    fn without_clock(
        &mut self,
        told: Facts<'v>,
        (made, made_up): (ArenaValue<'v>, &[&'v Field]),
        given: &mut ArenaValue<'v>,
    ) -> Facts<'v> {
        let mut clock = made_up.iter().filter(|field| field.means == Some(Meaning::Written)).peekable();
        if clock.peek().is_none() {
            return told;
        }
        for field in clock {
            if let Some(value) = made.at(&field.path) {
                *given = given.with(&field.path, value, self.maker);
            }
        }
        Facts::new(told.all.into_iter().filter(|fact| given.at(fact.path).is_none()).collect())
    }

    /// Tells whether what was told of a document is what would be read.
    fn is_right(
        &mut self,
        dialect: &'v Dialect,
        kind: &'v DialectKind,
        made: ArenaValue<'v>,
        told: Option<&Facts<'v>>,
    ) -> bool {
        let Some(told) = told else { return true };
        let read = as_written(self.checker, dialect, kind, made, self.maker);
        told.is_same(&gather(kind, read, self.maker.pool))
    }
}
