//! The defaults of a dialect file, held against the fields that they would stand in.

use super::Levels;
use super::mend::Style;
use super::shape::{Slot, Walk};
use crate::datum::Datum;
use crate::dialect::{Dialect, Field, Keys};
use crate::finding::{Finding, Level};
use crate::rules::dialect::impossible;
use crate::span::Span;
use crate::tree::{Block, Limits, Spare, Symbol, Syntax, parse};
use crate::world::NoWorld;
use crate::write::json;

/// What stands in a field when nothing says it.
pub(crate) struct Given {
    /// Where the dialect file says so.
    pub(crate) span: Span,
    /// The field.
    pub(crate) field: Field,
    /// The value.
    pub(crate) value: Datum<'static>,
}

/// Says which defaults the dialect itself would find fault with; what it takes with an info will do.
pub(crate) fn misfits(dialect: &Dialect, given: &[Given], keys: &Keys, out: &mut Vec<Finding>) {
    let around = dialect.entries.as_ref().map(|entries| &entries.around);
    let slots_max = dialect.kinds.iter().chain(around).map(|kind| kind.slots).max().unwrap_or_default();
    let Some(kind) = dialect.kinds.first() else { return };
    let levels = Levels::default();
    for Given { span, field, value } in given {
        let text = json(value);
        let block = Block { text: &text, base: 0, syntax: Syntax::Json };
        let tree = parse(block, keys, &Limits::default(), Spare::default(), &mut Vec::new());
        let Some(document) = tree.roots().next() else { continue };
        let (mut slots, mut found) = (vec![Slot::default(); slots_max], Vec::new());
        Walk {
            tree: &tree,
            dialect,
            kind,
            world: &NoWorld,
            levels: &levels,
            reserved: Symbol::UNKNOWN,
            slots: &mut slots,
            out: &mut found,
            handoff: 0,
            document,
            looks: 0,
            counted: None,
            style: Style::Block,
        }
        .one(field);
        for wrong in found.into_iter().filter(|finding| finding.level != Level::Info) {
            let message = format!("the default cannot stand there: {}", wrong.message);
            let mut finding = impossible::finding(*span, message);
            (finding.found, finding.expected, finding.help) = (wrong.found, wrong.expected, wrong.help);
            out.push(finding);
        }
    }
}
