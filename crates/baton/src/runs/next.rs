//! The commands that can be typed next, as lines.

use baton_engine::service::NextStep;

use super::table;

/// A line for each command.
pub(crate) fn lines(next: &[NextStep]) -> Vec<String> {
    let rows = next.iter().map(|next| vec![format!("  {}", next.command), next.does.clone()]);
    table::lines(&[], &rows.collect::<Vec<_>>(), 1, table::width())
}
