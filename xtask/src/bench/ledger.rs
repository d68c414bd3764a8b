//! Handoffs through the engine, each durable before the next, beside bare commits of one row on the same disk.

use std::path::Path;

use anyhow::Result;

use super::figures::{Figures, Limit};
use super::page::Page;
use crate::cargo;

/// The title of the section, by which it is found in the page.
pub(super) const TITLE: &str = "Flows and their ledger";

/// Handoffs that the large ledger grows to.
const HANDOFFS: &str = "1000000";

const ONE: Limit = Limit::AtLeast(0.9);
const MANY: Limit = Limit::AtLeast(8.0);
const FALL: Limit = Limit::AtMost(1.1);
const WAIT_MS: Limit = Limit::AtMost(50.0);
const MEMORY_MIB: Limit = Limit::AtMost(64.0);
const BYTES: Limit = Limit::AtMost(2.0);

/// Runs the flows and adds their section.
pub(super) fn measure(_: &Path, page: &mut Page) -> Result<()> {
    page.section(
        TITLE,
        "Two agents that answer at once hand an envelope of about 1.1 KB to each other, with everything on that the product\n\
         has: checking, the hash chain, payloads, labels, leases. A raw commit is one row with the same text in SQLite, WAL\n\
         and FULL; the same behind a bare check of the text is the least that any program could take which checks what it\n\
         stores. The 64 flows are shared by two drivers, one for each core. The contenders run in short turns on the same disk,\n\
         and each figure is the median of its turns.",
    );
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    let figures = Figures::read(&cargo::output(
        "flows",
        &["bench", "--package", "baton-engine", "--bench", "flows", "--", folder, HANDOFFS],
    )?)?;
    let micros = |name: &str| figures.nanos(name).map(|seconds| format!("{:.1}", seconds * 1e6));
    let mut rows = Vec::new();
    for name in ["raw commit", "check and raw commit"] {
        let ratio = figures.ratio("raw commit", name)?;
        rows.push(vec![name.to_owned(), micros(name)?, format!("{ratio:.2}"), String::new(), String::new()]);
    }
    for (name, limit) in [("one flow", ONE), ("64 flows", MANY)] {
        let ratio = figures.ratio("raw commit", name)?;
        let holds = page.holds(name, ratio, limit);
        rows.push(vec![name.to_owned(), micros(name)?, format!("{ratio:.2}"), limit.to_string(), holds]);
    }
    page.table(&["what", "µs per handoff", "times the rate of raw commits", "limit", "holds"], &rows);
    page.words(&format!("A ledger of {} handoffs:", figures.nanos("handoffs")?));
    let millis = |name: &str| figures.nanos(name).map(|seconds| seconds * 1e3);
    let fall = figures.ratio("last handoffs", "first handoffs")?;
    let bytes = figures.ratio("bytes per handoff", "bytes of its text")?;
    let memory = figures.nanos("peak KiB")? / 1024.0;
    let mut rows = Vec::new();
    for (what, figure, limit) in [
        ("time of a handoff at its end, times that at its start", fall, FALL),
        ("opening it, ms", millis("open")?, WAIT_MS),
        ("listing 50 runs, ms", millis("list")?, WAIT_MS),
        ("listing 10 000 runs by their summaries, ms", millis("list all")?, WAIT_MS),
        ("folding one run of 3 400 handoffs for a list, ms", millis("fold")?, WAIT_MS),
        ("showing one run of 100 handoffs, ms", millis("show")?, WAIT_MS),
        ("memory of the process, MiB", memory, MEMORY_MIB),
        ("bytes on disk, times those of the text", bytes, BYTES),
    ] {
        let holds = page.holds(what, figure, limit);
        rows.push(vec![what.to_owned(), format!("{figure:.2}"), limit.to_string(), holds]);
    }
    page.table(&["what", "figure", "limit", "holds"], &rows);
    page.words(&format!(
        "Replay of a run of {:.0} events: {:.0} events per second.",
        figures.nanos("events replayed")?,
        figures.nanos("events replayed per second")?
    ));
    Ok(())
}
