//! The defaults of a dialect file, held against the fields that they would stand in.

use crate::check::Walk;
use crate::dialect::{self, DefaultValue, Dialect, Settings};
use crate::edits::Style;
use crate::finding::{Finding, Level};
use crate::rule::{Levels, Slot};
use crate::tree::{Block, Keys, Limits, Spare, Symbol, Syntax, Tree, parse};
use crate::world::NoWorld;
use crate::write::json;

/// Compiles the definition file in a tree, its defaults included.
pub(super) fn compile(
    tree: &Tree<'_>,
    settings: &Settings,
    keys: &mut Keys,
    findings: &mut Vec<Finding>,
) -> Option<Dialect> {
    let compiled = dialect::compile(tree, settings, keys, findings)?;
    misfits(&compiled.dialect, &compiled.defaults, keys, findings);
    Some(compiled.dialect)
}

/// Reads one definition file, its defaults included; what is wrong with it goes to `findings`.
pub fn read_dialect(
    text: &str,
    settings: &Settings,
    keys: &mut Keys,
    findings: &mut Vec<Finding>,
) -> Option<Dialect> {
    let compiled = dialect::read(text, settings, keys, findings)?;
    misfits(&compiled.dialect, &compiled.defaults, keys, findings);
    Some(compiled.dialect)
}

/// Says which defaults the dialect itself would find fault with; what it takes with an info will do.
fn misfits(dialect: &Dialect, given: &[DefaultValue], keys: &Keys, out: &mut Vec<Finding>) {
    let around = dialect.entries.as_ref().map(|entries| &entries.around);
    let slots_max = dialect.kinds.iter().chain(around).map(|kind| kind.slots).max().unwrap_or_default();
    let Some(kind) = dialect.kinds.first() else { return };
    let levels = Levels::default();
    for DefaultValue { span, field, value } in given {
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
            let mut finding = dialect::findings::impossible(*span, message);
            (finding.found, finding.expected, finding.help) = (wrong.found, wrong.expected, wrong.help);
            out.push(finding);
        }
    }
}
