//! Brings a handoff back into the dialect it was converted from.

use super::conversion_report::{Step, joined};
use super::extension::{self, Extension, Restored};
use super::reread::as_written;
use super::text::attach;
use super::{Carried, Document, Kinds, facts};
use crate::arena_value::{ArenaValue, Maker, Pool};
use crate::check::Checker;
use crate::dialect::{Dialect, DialectKind};
use crate::handoff::EXTENSION;
use crate::tree::{self, Block, Spare, Syntax};

/// Brings a handoff back into the dialect it was converted from, and on from there, up to the target. What became of its
/// fields on the way is told where `wants_report` says so; nothing where it went nowhere.
pub(super) fn round_trip<'v>(
    checker: &'v Checker,
    document: Document<'v>,
    (target, wants_report): (usize, bool),
    maker: &mut Maker<'v>,
) -> (Document<'v>, Option<Vec<Carried>>) {
    let mut way: Option<Vec<Carried>> = None;
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
            |made: ArenaValue<'v>, maker: &mut Maker<'v>| as_written(checker, converted, kind, made, maker);
        let kinds = Kinds { original: &to.kinds[original], converted: kind };
        let (kept, given) = (extension.fields, extension.given);
        let whole = match document.whole.lies_with(document.value) {
            true => rest,
            false => extension_of(checker, kind, document.whole, maker).map_or(rest, |(_, whole)| whole),
        };
        let restored = extension.restore(&converted.name, kinds, (rest, whole), as_written, maker);
        let Some(restored) = restored else { break };
        if wants_report {
            let original = &to.kinds[original];
            let payload = facts::payload_key(kind).filter(|_| document.value.get(EXTENSION).is_none());
            let key =
                payload.map_or_else(|| EXTENSION.to_owned(), |payload| format!("{payload}.{EXTENSION}"));
            let restored = &restored;
            let has_room = to.has_extensions;
            let step = Step { document: whole, key: &key, kept, given, original, restored, has_room };
            way = Some(match way {
                Some(before) => joined(before, step.fields()),
                None => step.fields(),
            });
        }
        let Restored { value, left, .. } = restored;
        document = Document { dialect, kind: original, value, whole: value, facts: None };
        // A document that was changed, or written by hand, may be of another kind.
        if !to.kinds[original].when.needs_file() {
            let is_now =
                |kind: &DialectKind| kind.has_root_of(&to.kinds[original]) && kind.when.holds_of_plain(value);
            document.kind = to.kinds.iter().position(is_now).unwrap_or(original);
        }
        // What is left goes along; the handoff is not taken back to it.
        if let Some(mut left) = left.filter(|_| to.has_extensions) {
            let kind = &to.kinds[document.kind];
            if let Some(before) = value.get(EXTENSION) {
                left.fields = left.fields.with(EXTENSION, before, maker);
            }
            document.value = attach(to.usual_syntax(), kind, value, left, maker);
            document.whole = document.value;
            break;
        }
    }
    (document, way)
}

/// The extension of a document, and the document without it.
pub(super) fn extension_of<'v>(
    checker: &Checker,
    kind: &'v DialectKind,
    document: ArenaValue<'v>,
    maker: &mut Maker<'v>,
) -> Option<(Extension<'v>, ArenaValue<'v>)> {
    let (found, rest) = match document.get(EXTENSION) {
        Some(found) => (found, document.without(EXTENSION, maker)),
        None => {
            let payload = facts::payload_key(kind)?;
            let inner = document.get(payload)?;
            let found = inner.get(EXTENSION)?;
            let rest = inner.without(EXTENSION, maker);
            let is_left = !rest.entries().is_empty();
            let rest =
                if is_left { document.with(payload, rest, maker) } else { document.without(payload, maker) };
            (found, rest)
        }
    };
    let extension = match found {
        // In XML it is JSON in the text of its element.
        ArenaValue::Text(text) => Extension::read(read_json(checker, text, maker)?),
        ArenaValue::Null
        | ArenaValue::Boolean(_)
        | ArenaValue::Number(_)
        | ArenaValue::List(_)
        | ArenaValue::Map(_) => Extension::read(found),
    };
    extension.map(|extension| (extension, rest))
}

/// A value that is written as JSON, every figure of its numbers kept.
fn read_json<'v>(checker: &Checker, text: &str, maker: &mut Maker<'v>) -> Option<ArenaValue<'v>> {
    let block = Block { text, base: 0, syntax: Syntax::Json };
    let mut faults = Vec::new();
    let keys = &checker.dialects().keys;
    let tree = tree::parse(block, keys, checker.limits(), Spare::default(), &mut faults);
    let root = tree.roots().next().filter(|_| faults.is_empty())?;
    let pool = Pool::default();
    Some(ArenaValue::copied(ArenaValue::of(&tree, root, &mut Maker::new(&pool)), maker))
}
