//! The YAML files beside a manifest, read as far as they can be.

use baton_document::dialect::Keys;
use baton_document::tree::{Block, Spare, Syntax, parse};
use baton_document::{Datum, Limits, World};

/// A YAML file below the root; nothing where there is none, or it cannot be read.
pub(super) fn read(world: &dyn World, path: &str) -> Option<Datum<'static>> {
    value(&world.read(path)?).0
}

/// A YAML text as a value, and whether all of it could be read.
pub(super) fn value(text: &str) -> (Option<Datum<'static>>, bool) {
    let mut syntax = Vec::new();
    let block = Block { text, base: 0, syntax: Syntax::Yaml };
    let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut syntax);
    let value = tree.roots().next().map(|root| Datum::of(&tree, root).into_owned());
    (value, syntax.is_empty())
}

/// The items of a list under a key.
pub(super) fn items<'d>(file: &'d Datum<'static>, key: &str) -> &'d [Datum<'static>] {
    match file.get(key) {
        Some(Datum::List(items)) => items,
        Some(Datum::Null | Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) | Datum::Map(_)) | None => {
            &[]
        }
    }
}

/// The words under a key: those of a list, or the only one.
pub(super) fn words(file: &Datum<'static>, key: &str) -> Option<Vec<String>> {
    let word = |value: &Datum<'static>| value.as_text().map(|word| word.trim().to_owned());
    let words: Vec<String> = match file.get(key)? {
        Datum::List(items) => items.iter().filter_map(word).collect(),
        one @ (Datum::Null | Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) | Datum::Map(_)) => {
            word(one).into_iter().collect()
        }
    };
    Some(words.into_iter().filter(|word| !word.is_empty()).collect())
}
