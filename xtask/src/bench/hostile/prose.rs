//! Hostile Markdown and plain text.

use super::{Hostile, LARGE, alone, filled};

pub(super) const FILES: &[Hostile] = &[
    alone("Markdown: 15 MB of `{`", "a.md", || filled(LARGE, "", "{", "")),
    alone("Markdown: 15 MB of `{` on lines", "a.md", || filled(LARGE, "", "{\n", "")),
    alone("Markdown: 15 MB of `{\"a\": `", "a.md", || filled(LARGE, "", "{\"a\": ", "")),
    alone("Markdown: 15 MB of `{\"`", "a.md", || filled(LARGE, "", "{\"", "")),
    alone("Markdown: 15 MB of `{}`", "a.md", || filled(LARGE, "", "{} ", "")),
    alone("Markdown: 15 MB of `{…}` that look like handoffs", "a.md", || {
        filled(LARGE, "", "{\"task_id\": 1, \"phase\": 2, \"findings\": 3}\n\n", "")
    }),
    alone("Markdown: 15 MB of `<handoff>`", "a.md", || filled(LARGE, "", "<handoff>", "")),
    alone("Markdown: 15 MB of `<handoff>` on lines", "a.md", || filled(LARGE, "", "<handoff>\n", "")),
    alone("Markdown: 15 MB of small XML handoffs", "a.md", || {
        filled(LARGE, "", "<handoff><from>a</from></handoff>\n\n", "")
    }),
    alone("Markdown: 15 MB of fences", "a.md", || filled(LARGE, "", "```\n", "")),
    alone("Markdown: 15 MB of JSON fences", "a.md", || filled(LARGE, "", "```json\n{\n```\n", "")),
    alone("Markdown: 15 MB of YAML fences", "a.md", || {
        filled(LARGE, "", "```yaml\nhandoff:\n  from: a\n```\n", "")
    }),
    alone("Markdown: 15 MB of fences, each longer", "a.md", || {
        (3..5400).map(|length| format!("{}\n", "`".repeat(length))).collect::<String>().into_bytes()
    }),
    alone("Markdown: 15 MB of backticks", "a.md", || filled(LARGE, "", "`", "")),
    alone("Markdown: a fence of 15 MB that never closes", "a.md", || {
        filled(LARGE, "```json\n", "{\"a\":\n", "")
    }),
    alone("Markdown: 15 MB of quote marks", "a.md", || filled(LARGE, "", ">", "")),
    alone("Markdown: 15 MB of quoted fences", "a.md", || filled(LARGE, "", "> ```json\n> {\n> ```\n", "")),
    alone("Markdown: front matter that never ends", "a.md", || filled(LARGE, "---\n", "a: 1\n", "")),
    alone("Markdown: front matter of 15 MB", "a.md", || {
        filled(LARGE, "---\nhandoff:\n", "  a: 1\n", "---\n")
    }),
    alone("Plain text: 15 MB of words", "a.txt", || filled(LARGE, "", "handoff from to status ", "")),
    alone("Plain text: 15 MB of one line of `a:`", "a.txt", || filled(LARGE, "", "a: ", "")),
    alone("Plain text: 15 MB of `{}` lines", "a.txt", || filled(LARGE, "", "{}\n", "")),
];
