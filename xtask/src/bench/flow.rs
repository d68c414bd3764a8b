//! Programs as agents: the time between the end of one and the start of the next, and a thousand runs at once.

use std::path::Path;

use anyhow::Result;

use super::figures::{Figures, Limit};
use super::page::Page;
use crate::cargo;

/// The title of the section, by which it is found in the page.
pub(super) const TITLE: &str = "Programs as agents";

const GAP_MS: Limit = Limit::AtMost(5.0);

/// Runs the programs and adds their section.
pub(super) fn measure(_: &Path, page: &mut Page) -> Result<()> {
    page.section(
        TITLE,
        "A program answers with an envelope of about 0.5 KB and ends; the time until the next one has begun is what Baton\n\
         takes: it notices the end, checks the answer, decides, records it durably, and starts the next. Beside it stands\n\
         the same program, started bare in a loop. All medians.",
    );
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../target");
    let figures = Figures::read(&cargo::output(
        "programs",
        &["bench", "--package", "baton-engine", "--bench", "programs", "--", folder],
    )?)?;
    let millis = |name: &str| figures.nanos(name).map(|nanos| nanos / 1e6);
    let gap = millis("through baton")?;
    let holds = page.holds("from one agent to the next, ms", gap, GAP_MS);
    let bare = millis("bare start")?;
    page.table(
        &["what", "ms", "times a bare start", "limit, ms", "holds"],
        &[
            vec!["bare start".into(), format!("{bare:.2}"), "1.00".into(), String::new(), String::new()],
            vec![
                "from one agent to the next".into(),
                format!("{gap:.2}"),
                format!("{:.2}", gap / bare),
                GAP_MS.to_string(),
                holds,
            ],
        ],
    );
    let handoffs = figures.nanos("handoffs at once")?;
    page.words(&format!(
        "A thousand runs at once on two cores, {handoffs:.0} handoffs by as many programs, none lost: {:.0} handoffs a second, \
         where bare starts of the same programs come to {:.0}; the process that drives them needs {:.0} MiB.",
        handoffs / figures.nanos("seconds at once")?,
        handoffs / figures.nanos("bare seconds at once")?,
        figures.nanos("peak KiB")? / 1024.0
    ));
    Ok(())
}
