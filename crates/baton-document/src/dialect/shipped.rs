//! The dialects and forms that ship with Baton.
//!
//! They are written in `dialects/*.yaml`, in the form users write their own in. `data/dialects.txt` is made from these
//! files, so that a start reads what it needs and no more: the keys they name, by which documents are compared; of
//! each file what tells its documents apart; and all of it, for when one of its documents comes.
//!
//! Invariant: what is read from there is what the definition files say, as a test shows.

use std::borrow::Cow;
use std::sync::{LazyLock, OnceLock};

use super::form::{brief, forms};
use super::{Dialect, Forms, Keys, Settings, read};
use crate::datum::Datum;
use crate::handoff::EXTENSION;
use crate::tree::{Block, Limits, Spare, Syntax, Tree, parse};
use crate::write;

/// Generated from the definition files: a line of keys, a line each that tells them apart, a line each with all.
const MADE: &str = include_str!("../../data/dialects.txt");

/// A definition file that ships with Baton.
#[derive(Debug)]
pub struct BuiltIn {
    /// The name of the dialect.
    pub name: &'static str,
    /// The text of its file.
    pub text: &'static str,
    /// True if it describes handoffs, and not files of Baton itself.
    pub is_handoff: bool,
    forms: OnceLock<Forms>,
}

/// The definition files that ship with Baton, in the order in which they are asked.
pub static BUILT_IN: [BuiltIn; 8] = [
    BuiltIn::of_handoffs("manifest", include_str!("../../dialects/manifest.yaml")),
    BuiltIn::of_handoffs("envelope", include_str!("../../dialects/envelope.yaml")),
    BuiltIn::of_handoffs("exchange", include_str!("../../dialects/exchange.yaml")),
    BuiltIn::of_handoffs("package", include_str!("../../dialects/package.yaml")),
    BuiltIn::of_handoffs("pipeline", include_str!("../../dialects/pipeline.yaml")),
    BuiltIn::own("dialect", include_str!("../../dialects/dialect.yaml")),
    BuiltIn::own("flow", include_str!("../../dialects/flow.yaml")),
    BuiltIn::own("config", include_str!("../../dialects/config.yaml")),
];

impl BuiltIn {
    const fn of_handoffs(name: &'static str, text: &'static str) -> Self {
        Self { name, text, is_handoff: true, forms: OnceLock::new() }
    }

    const fn own(name: &'static str, text: &'static str) -> Self {
        Self { name, text, is_handoff: false, forms: OnceLock::new() }
    }

    /// Its dialect, of which no more is read than what tells its documents apart.
    pub(super) fn dialect(&'static self, settings: &Settings) -> Dialect {
        let dialect = brief(&tree(line(1 + self.position())), settings, self);
        dialect.expect("the definition files that ship are right, as their tests show")
    }

    /// Forms of its documents.
    #[inline]
    pub(super) fn forms(&'static self) -> &'static Forms {
        self.forms.get_or_init(|| {
            let forms = forms(&tree(line(1 + BUILT_IN.len() + self.position())));
            forms.expect("the definition files that ship are right, as their tests show")
        })
    }

    fn position(&self) -> usize {
        BUILT_IN.iter().take_while(|file| file.name != self.name).count()
    }
}

/// The keys that the files name, and the one that every document may have.
pub(super) fn keys() -> &'static Keys {
    static KEYS: LazyLock<Keys> = LazyLock::new(|| Keys::of(line(0).split(' ')));
    &KEYS
}

fn line(number: usize) -> &'static str {
    let mut rest = MADE;
    for _ in 0..number {
        let end = memchr::memchr(b'\n', rest.as_bytes()).map_or(rest.len(), |at| at + 1);
        rest = &rest[end..];
    }
    let end = memchr::memchr(b'\n', rest.as_bytes()).unwrap_or(rest.len());
    &rest[..end]
}

fn tree(text: &str) -> Tree<'_> {
    let block = Block { text, base: 0, syntax: Syntax::Json };
    parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut Vec::new())
}

/// The keys of a definition file that a document is not recognised by.
const UNSEEN: [&str; 3] = ["fields", "shapes", "entries"];

/// The keys of a kind that a document is recognised by.
const SEEN_OF_KIND: [&str; 3] = ["like", "root", "root-aliases"];

/// Makes `data/dialects.txt` from the definition files; `cargo xtask gen dialects` puts it in its place.
pub fn shipped_text() -> String {
    let mut keys = Keys::default();
    let mut lines = vec![String::new(); 1 + 2 * BUILT_IN.len()];
    for (at, file) in BUILT_IN.iter().enumerate() {
        let mut findings = Vec::new();
        read(file.text, &Settings::default(), &mut keys, &mut findings);
        let block = Block { text: file.text, base: 0, syntax: Syntax::Yaml };
        let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut findings);
        let all = tree.roots().next().map_or(Datum::Null, |root| Datum::of(&tree, root));
        lines[1 + at] = write::json_line(&seen(&all));
        lines[1 + BUILT_IN.len() + at] = write::json_line(&all);
    }
    keys.intern(EXTENSION);
    lines[0] = keys.texts().collect::<Vec<_>>().join(" ");
    lines.iter().flat_map(|line| [line, "\n"]).collect()
}

/// Of a definition file what its documents are recognised by.
fn seen<'d>(all: &Datum<'d>) -> Datum<'d> {
    let of_kind = |(name, kind): &(Cow<'d, str>, Datum<'d>)| {
        let entries = kind.entries().iter().filter(|(key, _)| SEEN_OF_KIND.contains(&&**key));
        (name.clone(), Datum::Map(entries.cloned().collect()))
    };
    let entries = all.entries().iter().filter(|(key, _)| !UNSEEN.contains(&&**key));
    let seen = entries.map(|(key, value)| match &**key {
        "kinds" => (key.clone(), Datum::Map(value.entries().iter().map(of_kind).collect())),
        _ => (key.clone(), value.clone()),
    });
    Datum::Map(seen.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_made_is_what_the_definition_files_say() {
        assert!(MADE == shipped_text(), "`cargo xtask gen dialects` makes data/dialects.txt again");
        let mut keys = Keys::default();
        for (at, file) in BUILT_IN.iter().enumerate() {
            let mut findings = Vec::new();
            let settings = Settings::default();
            let whole = read(file.text, &settings, &mut keys, &mut findings).expect("it can be used").dialect;
            assert!(findings.is_empty(), "{}: {findings:?}", file.name);
            assert_eq!((file.position(), &*whole.name), (at, file.name));
            let shipped = file.dialect(&settings);
            assert_eq!(said(&shipped), said(&whole), "{}", file.name);
        }
        keys.intern(EXTENSION);
        assert!(keys.texts().eq(super::keys().texts()));
    }

    /// All that a dialect says.
    fn said(dialect: &Dialect) -> String {
        let Dialect { name, title, about, carriers, syntaxes, places, recognise, .. } = dialect;
        let Dialect { roots, captures, has_extensions, .. } = dialect;
        let head = format!("{name} {title} {about} {carriers:?} {syntaxes:?} {places:?} {recognise:?}");
        format!("{head} {roots:?} {captures:?} {has_extensions} {:?}", **dialect)
    }
}
