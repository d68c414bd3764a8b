//! Converts a handoff from one dialect into another, through the common model.
//!
//! A document is read as its dialect means it (`normal`), taken apart into what it says (`facts`), put
//! together as the other dialect says it (`fill`, `cast`), and what would not come back is kept beside it
//! (`extension`). A handoff that came from elsewhere goes home first.

mod cast;
mod compose;
mod extension;
mod facts;
mod fill;
mod normal;
mod place;
mod report;
mod reread;
mod said;
mod set;

pub use compose::{Brief, Composed};
pub(crate) use extension::KEY;
pub use report::{Carried, Fate, Gap};
pub use said::{Said, Saying, Telling};
pub use set::SetError;

use crate::check::{Candidate, Checker, Input, Scratch};
use crate::dialect::{BODY, Carrier, Dialect, DialectKind, Entries, Room};
use crate::handoff::Meanings;
use crate::plain::{Maker, Plain, Pool};
use crate::tree::{self, Block, Spare, Syntax, Tree};
use crate::write;
use extension::{Extension, Restored};
use facts::{Fact, Facts, gather, with_implied};
use fill::{Draft, Filled, Given, draft, fill};
use normal::Normal;
use report::Report;
use reread::{Again, as_written};

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

/// Brings a handoff back into the dialect it was converted from, and on from there, up to the target.
fn home<'v>(
    checker: &'v Checker,
    document: Document<'v>,
    target: usize,
    maker: &mut Maker<'v>,
) -> Document<'v> {
    let dialects = &checker.dialects().handoffs;
    let mut document = document;
    for _ in 0..extension::DEPTH_MAX {
        if document.dialect == target {
            break;
        }
        let converted = &dialects[document.dialect];
        let kind = &converted.kinds[document.kind];
        let Some((extension, rest)) = extension_of(checker, kind, document.value, maker) else { break };
        let is_named = |dialect: &Dialect| *dialect.name == *extension.dialect;
        let at = dialects.iter().position(is_named).filter(|at| *at != document.dialect);
        let Some(dialect) = at else { break };
        let to = &dialects[dialect];
        let Some(original) = to.kinds.iter().position(|kind| *kind.name == *extension.kind) else { break };
        let as_written =
            |made: Plain<'v>, maker: &mut Maker<'v>| as_written(checker, converted, kind, made, maker);
        let kinds = Kinds { original: &to.kinds[original], converted: kind };
        let restored = extension.restore(&converted.name, kinds, rest, as_written, maker);
        let Some(Restored { value, is_changed, left }) = restored else { break };
        document = Document { dialect, kind: original, value, whole: value, facts: None };
        if is_changed && !to.kinds[original].when.needs_file() {
            let is_now =
                |kind: &DialectKind| kind.has_root_of(&to.kinds[original]) && kind.when.holds_of_plain(value);
            document.kind = to.kinds.iter().position(is_now).unwrap_or(original);
        }
        // What is left goes along; the handoff is not taken back to it.
        if let Some(mut left) = left.filter(|_| to.has_extensions) {
            let kind = &to.kinds[document.kind];
            if let Some(before) = value.get(KEY) {
                left.fields = left.fields.with(KEY, before, maker);
            }
            document.value = attach(to.usual_syntax(), kind, value, left, maker);
            document.whole = document.value;
            break;
        }
    }
    document
}

/// The extension of a document, and the document without it.
fn extension_of<'v>(
    checker: &Checker,
    kind: &'v DialectKind,
    document: Plain<'v>,
    maker: &mut Maker<'v>,
) -> Option<(Extension<'v>, Plain<'v>)> {
    let (found, rest) = match document.get(KEY) {
        Some(found) => (found, document.without(KEY, maker)),
        None => {
            let payload = facts::payload_key(kind)?;
            let inner = document.get(payload)?;
            let found = inner.get(KEY)?;
            let rest = inner.without(KEY, maker);
            let is_left = !rest.entries().is_empty();
            let rest =
                if is_left { document.with(payload, rest, maker) } else { document.without(payload, maker) };
            (found, rest)
        }
    };
    let extension = match found {
        // In XML it is JSON in the text of its element.
        Plain::Text(text) => Extension::read(read_json(checker, text, maker)?),
        Plain::Null | Plain::Boolean(_) | Plain::Number(_) | Plain::List(_) | Plain::Map(_) => {
            Extension::read(found)
        }
    };
    extension.map(|extension| (extension, rest))
}

/// A value that is written as JSON, every figure of its numbers kept.
fn read_json<'v>(checker: &Checker, text: &str, maker: &mut Maker<'v>) -> Option<Plain<'v>> {
    let block = Block { text, base: 0, syntax: Syntax::Json };
    let mut faults = Vec::new();
    let keys = &checker.dialects().keys;
    let tree = tree::parse(block, keys, checker.limits(), Spare::default(), &mut faults);
    let root = tree.roots().next().filter(|_| faults.is_empty())?;
    let pool = Pool::default();
    Some(Plain::copied(Plain::of(&tree, root, &mut Maker::new(&pool)), maker))
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
        let back = fill(original, &again, Given::NOTHING, self.maker);
        let both = [document.whole, back.document];
        let extension = Extension::between(&source.name, original, both, given, self.maker);
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
                back: &back.uses,
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

    /// The kind for what is said: the one that holds the most and lacks nothing, otherwise the one that what is said
    /// makes it, otherwise the one that lacks the least.
    fn best_kind(&mut self, dialect: &'v Dialect, facts: &Facts<'v>) -> Result<Best<'v>, SetError> {
        let is_usable = |kind: &DialectKind| !kind.is_open && !kind.room.is_told_by_file;
        let kinds = dialect.kinds.iter().enumerate().rev().filter(|(_, kind)| is_usable(kind));
        let mut ranked: Vec<_> = kinds.map(|(at, kind)| (at, score(&kind.room, facts.said))).collect();
        ranked.sort_by_key(|(_, score)| std::cmp::Reverse(*score));
        let is_only = ranked.len() == 1;
        let mut refused = None;
        let mut tried: Vec<Tried<'v>> = Vec::new();
        let mut meant = None;
        for turn in 0..ranked.len() {
            let at = ranked[turn].0;
            let kind = &dialect.kinds[at];
            let set = match set::values(dialect, kind, self.order.set, self.maker) {
                Ok(set) => set,
                Err(why) => {
                    refused =
                        refused.filter(|before| matches!(before, SetError::NoValue { .. })).or(Some(why));
                    continue;
                }
            };
            let given = Given { set: &set, now: self.order.now, makes_up: true };
            let draft = draft(kind, facts, given, self.maker);
            // A document that its dialect would take for another kind is none of this kind.
            let read_as = kind_of(dialect, kind, &draft);
            let (gaps, holds_nothing, is_itself) = (draft.gaps(), draft.holds_nothing(), read_as == Some(at));
            if is_only || (gaps == 0 && is_itself && !holds_nothing) {
                let (filled, told) = draft.done_and_told(Again::of(self.checker, dialect, kind));
                return Ok(Best { kind: at, filled, told, set });
            }
            if let Some(other) = read_as.filter(|_| gaps == 0 && !is_itself) {
                meant = meant.or(Some(other));
                first_of(&mut ranked[turn + 1..], other);
            }
            tried.push(Tried { at, set, gaps, holds_nothing, is_itself });
        }
        let rank = |one: &Tried<'_>| (one.holds_nothing, meant != Some(one.at), !one.is_itself, one.gaps);
        let no_kind = || SetError::NoDialect(dialect.name.to_string());
        let Tried { at, set, .. } =
            tried.into_iter().min_by_key(rank).ok_or_else(|| refused.unwrap_or_else(no_kind))?;
        let given = Given { set: &set, now: self.order.now, makes_up: true };
        let filled = fill(&dialect.kinds[at], facts, given, self.maker);
        Ok(Best { kind: at, filled, told: None, set })
    }
}

/// The kind that a handoff becomes.
struct Best<'v> {
    /// Its position.
    kind: usize,
    /// The document of that kind.
    filled: Filled<'v>,
    /// What it will say when it is read again, where that is known.
    told: Option<Facts<'v>>,
    /// What was given for it.
    set: set::Values<'v>,
}

/// The kind that a document of a kind would be taken for.
fn kind_of(dialect: &Dialect, kind: &DialectKind, draft: &Draft<'_, '_>) -> Option<usize> {
    dialect.kinds.iter().position(|other| other.has_root_of(kind) && other.when.holds_of(draft, None))
}

/// Puts a kind in front of those that are left, if it is one of them.
fn first_of(left: &mut [(usize, i64)], kind: usize) {
    if let Some(at) = left.iter().position(|(at, _)| *at == kind) {
        left.swap(0, at);
    }
}

/// A kind that was tried and did not do.
struct Tried<'v> {
    at: usize,
    /// What was given for it.
    set: set::Values<'v>,
    /// How many fields that must be there have no source.
    gaps: usize,
    /// Whether it has room for nothing of what is said.
    holds_nothing: bool,
    /// Whether its dialect would take it for this kind, once all is there that must be.
    is_itself: bool,
}

/// How well a kind holds what is said: what it has room for counts, and what it lacks counts more.
fn score(room: &Room, said: Meanings) -> i64 {
    let lacks = room.needs.iter().filter(|need| !need.meets(said)).count();
    6 * i64::from(room.holds.shared(said)) - 10 * i64::try_from(lacks).unwrap_or_default()
}

/// A document with an extension in it.
fn attach<'v>(
    syntax: Syntax,
    kind: &'v DialectKind,
    document: Plain<'v>,
    extension: Extension<'v>,
    maker: &mut Maker<'v>,
) -> Plain<'v> {
    let value = extension.into_plain(maker);
    if syntax != Syntax::Xml {
        return document.with(KEY, value, maker);
    }
    let pool = maker.pool;
    let text = pool.written(|out| write::json::write_line(&value, out), |text| pool.text(text));
    let text = Plain::Text(text);
    let data = kind.map.fields.iter().find(|field| &*field.key.text == "data");
    match data {
        Some(field) => {
            let data = document.get(&field.key.text).unwrap_or(Plain::EMPTY).with(KEY, text, maker);
            document.with(&field.key.text, data, maker)
        }
        None => document.with(KEY, text, maker),
    }
}

/// A document as the text of a file, under the key of its kind and with its line end.
fn text_of<'v>(
    dialect: &'v Dialect,
    kind: &'v DialectKind,
    document: Plain<'v>,
    maker: &mut Maker<'v>,
) -> String {
    let body = if dialect.has_body { document.get(BODY) } else { None };
    let document = if body.is_some() { document.without(BODY, maker) } else { document };
    let document = match &kind.root {
        Some(root) => maker.map_of(&root.text, document),
        None => document,
    };
    let document = match &dialect.entries {
        Some(entries) => among_entries(entries, document, maker),
        None => document,
    };
    let write = |out: &mut String| match dialect.usual_carrier() {
        Carrier::Text(Syntax::Json) => {
            write::json::write(&document, 0, out);
            out.push('\n');
        }
        Carrier::Text(Syntax::Yaml) => write::yaml::write(&document, out),
        Carrier::Text(Syntax::Toml) => out.push_str(&write::toml(&document.into_datum())),
        Carrier::Text(Syntax::Xml) => {
            document.entries().iter().for_each(|(name, value)| write::xml::element(name, value, 0, out));
        }
        Carrier::Line => {
            write::json::write_line(&document, out);
            out.push('\n');
        }
        Carrier::FrontMatter => {
            let body = body.and_then(Plain::as_text).unwrap_or_default();
            out.push_str("---\n");
            write::yaml::write(&document, out);
            out.push_str("---\n\n");
            out.push_str(body);
            out.push_str(if body.ends_with('\n') || body.is_empty() { "" } else { "\n" });
        }
    };
    maker.pool.written(write, str::to_owned)
}

/// A document as the only one in the list or map where its dialect has many; what they share stands around it.
fn among_entries<'v>(entries: &'v Entries, document: Plain<'v>, maker: &mut Maker<'v>) -> Plain<'v> {
    let (mut document, mut around) = (document, Plain::EMPTY);
    for shared in &entries.shared {
        if let Some(value) = document.at(&shared.text) {
            document = document.without(&shared.text, maker);
            around = around.with(&shared.text, value, maker);
        }
    }
    let held = match &entries.key {
        Some(key) => {
            let name = document.at(&key.text).and_then(Plain::as_text).unwrap_or_default();
            let document = document.without(&key.text, maker);
            maker.map_of(name, document)
        }
        None => maker.list_of(document),
    };
    around.with(&entries.at.text, held, maker)
}
