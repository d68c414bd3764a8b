//! Converts a handoff from one dialect into another, through the common model.
//!
//! A document is read as its dialect means it (`normal`), taken apart into what it says (`facts`), put
//! together as the other dialect says it (`kinds`, `fill`, `cast`), and what would not come back is kept beside it
//! (`extension`, `text`). A handoff that came from elsewhere goes home first (`home`).

mod cast;
mod compose;
mod extension;
mod facts;
mod fill;
mod home;
mod kinds;
mod name;
mod normal;
mod place;
mod report;
mod reread;
mod said;
mod set;
mod text;

pub use compose::{Brief, Composed};
pub(crate) use extension::KEY;
pub use report::{Carried, Fate, Gap};
pub use said::{Said, Saying, Telling};
pub use set::SetError;

use crate::check::{Candidate, Checker, Input, Scratch};
use crate::dialect::{Carrier, Dialect, DialectKind};
use crate::plain::{Maker, Plain, Pool};
use crate::tree::{Syntax, Tree};
use extension::Extension;
use facts::{Fact, Facts, gather, with_implied};
use fill::{Filled, Given, draft};
use home::home;
use kinds::Best;
use normal::Normal;
use report::Report;
use reread::as_written;
use text::{attach, text_of};

/// What a handoff is to become.
#[derive(Clone, Copy, Debug)]
pub struct Order<'o> {
    /// The dialect.
    pub to: &'o str,
    /// Values for its fields, by their dotted path.
    pub set: &'o [(String, String)],
    /// The time to write where one must be written and none is said.
    pub now: Option<&'o str>,
    /// Whether it should be said what became of each field.
    pub wants_report: bool,
}

/// A handoff in another dialect.
#[derive(Clone, Debug)]
pub struct Conversion {
    /// The dialect and kind it was.
    pub from: (String, String),
    /// The dialect and kind it became.
    pub to: (String, String),
    /// The notation of its text.
    pub syntax: Syntax,
    /// Its text; of a handoff that stays in its dialect the text as it stands.
    pub text: String,
    /// What became of each field, where that is asked for.
    pub fields: Vec<Carried>,
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
    value: Plain<'v>,
    /// The same with the attributes that stand beside single values in XML.
    whole: Plain<'v>,
    /// What its fields say, where that is known.
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

/// Gathers the conversions of one file.
#[derive(Debug)]
pub(crate) struct Gathering<'g> {
    checker: &'g Checker,
    order: Order<'g>,
    target: usize,
    handoffs: Vec<Conversion>,
    /// Whether any handoff changes its dialect.
    is_moved: bool,
    /// Whether any stays in it.
    has_stayed: bool,
}

impl<'g> Gathering<'g> {
    pub(crate) fn new(checker: &'g Checker, order: Order<'g>) -> Result<Self, SetError> {
        let dialects = &checker.dialects().handoffs;
        let target = dialects.iter().position(|dialect| *dialect.name == *order.to);
        let target = target.ok_or_else(|| SetError::NoDialect(order.to.to_owned()))?;
        Ok(Self { checker, order, target, handoffs: Vec::new(), is_moved: false, has_stayed: false })
    }

    /// Whether any handoff stays in its dialect.
    pub(crate) fn has_stayed(&self) -> bool {
        self.has_stayed
    }

    /// The text of a file with what is set in handoffs that stay in their dialect; nothing where it stays as it is.
    pub(crate) fn changed(
        &self,
        input: Input<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<String>, SetError> {
        place::changed(self.checker, input, self.target, self.order.set, scratch)
    }

    /// Converts the handoff of a candidate, in the memory of a pool.
    pub(crate) fn add(
        &mut self,
        tree: &Tree<'_>,
        candidate: &Candidate,
        pool: &Pool,
    ) -> Result<(), SetError> {
        let dialect = &self.checker.dialects().handoffs[candidate.dialect];
        let kind = &dialect.kinds[candidate.kind];
        let mut own = Maker::new(pool);
        let maker = &mut own;
        let Normal { value, whole, facts } = normal::with_facts(tree, kind, candidate.document, maker);
        let from = (String::from(&*dialect.name), String::from(&*kind.name));
        let conversion = if candidate.dialect == self.target {
            self.has_stayed = true;
            let span = tree.span(candidate.whole);
            let range = (span.start - tree.base()) as usize..(span.end - tree.base()) as usize;
            let text = tree.source().get(range).unwrap_or_default().to_owned();
            let (to, syntax) = (from.clone(), tree.syntax());
            Conversion {
                from,
                to,
                syntax,
                text,
                fields: report::unchanged(kind, value, pool),
                gaps: Vec::new(),
            }
        } else {
            self.is_moved = true;
            let document = Document { dialect: candidate.dialect, kind: candidate.kind, value, whole, facts };
            let document = home(self.checker, document, self.target, maker);
            let mut converter = Converter { checker: self.checker, order: &self.order, maker };
            converter.convert(document, self.target, from)?
        };
        self.handoffs.push(conversion);
        own.done();
        Ok(())
    }

    /// All of them together; `text` is the text of the file.
    pub(crate) fn finish(self, text: &str) -> Converted {
        if self.is_moved {
            let carrier = self.checker.dialects().handoffs[self.target].usual_carrier();
            return Converted { text: joined(&self.handoffs, carrier), handoffs: self.handoffs };
        }
        Converted { text: text.to_owned(), handoffs: self.handoffs }
    }
}

/// Several handoffs in one text: a list in JSON, documents in YAML, elements in XML, lines, files in a row.
fn joined(handoffs: &[Conversion], carrier: Carrier) -> String {
    if let [one] = handoffs {
        return one.text.clone();
    }
    let texts: Vec<&str> = handoffs.iter().map(|one| one.text.as_str()).collect();
    match carrier {
        Carrier::Text(Syntax::Yaml) => texts.join("---\n"),
        Carrier::Text(Syntax::Json) => {
            // No line ends inside a string of JSON, so that every line can be moved.
            let moved: Vec<_> = texts.iter().map(|text| text.trim_end().replace('\n', "\n  ")).collect();
            format!("[\n  {}\n]\n", moved.join(",\n  "))
        }
        Carrier::Text(Syntax::Xml | Syntax::Toml) | Carrier::FrontMatter | Carrier::Line => texts.concat(),
    }
}
struct Converter<'c, 'v> {
    checker: &'v Checker,
    order: &'v Order<'v>,
    maker: &'c mut Maker<'v>,
}

impl<'v> Converter<'_, 'v> {
    fn convert(
        &mut self,
        document: Document<'v>,
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
            let mut value = document.value;
            for (path, wanted) in set::values(to, original, self.order.set, self.maker)? {
                value = value.with(path, wanted, self.maker);
            }
            if !self.order.set.is_empty() {
                value = fill::in_order(&original.map, value, self.maker);
            }
            let fields = report::unchanged(original, value, pool);
            let text = text_of(to, original, value, self.maker);
            let kinds = (to.name.to_string(), original.name.to_string());
            return Ok(Conversion { from, to: kinds, syntax, text, fields, gaps: Vec::new() });
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
        let mut given = Plain::EMPTY;
        let again = told.unwrap_or_else(|| {
            let read = as_written(self.checker, to, kind, made, self.maker);
            // What is given for this conversion alone is not to come back.
            for (path, _) in &set {
                if let Some(value) = read.at(path) {
                    given = given.with(path, value, self.maker);
                }
            }
            gather(kind, extension::without(read, given, self.maker), pool)
        });
        let mut back = draft(original, &again, Given::NOTHING, self.maker);
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
                document: made,
                syntax,
                converted: kind,
                said: &again.all,
                back: &back,
            };
            report.fields(extension.as_ref().map(|kept| kept.fields), has_room)
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
        Ok(Conversion { from, to: kinds, syntax, text, fields, gaps })
    }

    /// Whether what was told of a document is what would be read.
    fn is_right(
        &mut self,
        dialect: &'v Dialect,
        kind: &'v DialectKind,
        made: Plain<'v>,
        told: Option<&Facts<'v>>,
    ) -> bool {
        let Some(told) = told else { return true };
        let read = as_written(self.checker, dialect, kind, made, self.maker);
        told.is_same(&gather(kind, read, self.maker.pool))
    }
}
