//! Hostile YAML.

use super::{Hostile, LARGE, MEGABYTE, alone, filled, numbered};

/// A package up to its `handoff` map, indented by two.
const PACKAGE: &str = "\
handoff:
  from:
    agent: specification
  to:
    agent: architecture
  context:
    summary: 12 user stories in docs/stories.md
";

/// A manifest, at no indentation.
const MANIFEST: &str = "\
version: 1
source_file: discussion/012-nora-response.md
generated_at: \"2026-03-02\"
from: nora
to: milo
status: pending
";

const MANIFEST_PATH: &str = "meta/handoff.yaml";

/// Depth of the deep ones.
const DEEP: usize = 100_000;

pub(super) const FILES: &[Hostile] = &[
    alone("YAML: aliases of aliases (alias bomb)", "a.yaml", bomb),
    alone("YAML: one large anchor, many aliases", "a.yaml", || {
        let anchor = format!("{PACKAGE}  a: &a [{}]\n  b:\n", "x, ".repeat(900));
        filled(MEGABYTE, &anchor, "    - *a\n", "")
    }),
    alone("YAML: 15 MB of aliases", "a.yaml", || {
        filled(LARGE, &format!("{PACKAGE}  a: &a x\n  b:\n"), "    - *a\n", "")
    }),
    alone("YAML: 15 MB of anchors", "a.yaml", || {
        numbered(&format!("{PACKAGE}  b:\n"), |at| format!("    - &a{at} x\n"), "")
    }),
    alone("YAML: an alias to itself", "a.yaml", || format!("{PACKAGE}  a: &a [*a, *a]\n").into_bytes()),
    alone("YAML: 15 MB of merge keys", "a.yaml", || {
        filled(LARGE, &format!("{PACKAGE}  a: &a {{x: 1}}\n"), "  <<: *a\n", "")
    }),
    alone("YAML: flow lists 100 000 deep", MANIFEST_PATH, || {
        [MANIFEST, "a: ", &"[".repeat(DEEP), &"]".repeat(DEEP), "\n"].concat().into_bytes()
    }),
    alone("YAML: flow maps 100 000 deep", MANIFEST_PATH, || {
        [MANIFEST, "a: ", &"{a: ".repeat(DEEP), &"}".repeat(DEEP), "\n"].concat().into_bytes()
    }),
    alone("YAML: block lists 100 000 deep in one line", MANIFEST_PATH, || {
        [&"- ".repeat(DEEP), "a\n"].concat().into_bytes()
    }),
    alone("YAML: block maps 5 000 deep", MANIFEST_PATH, || {
        (0..5000).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect::<String>().into_bytes()
    }),
    alone("YAML: explicit keys 100 000 deep", MANIFEST_PATH, || {
        [&"? ".repeat(DEEP), "a\n"].concat().into_bytes()
    }),
    alone("YAML: 15 MB of `[`", MANIFEST_PATH, || filled(LARGE, MANIFEST, "[", "")),
    alone("YAML: 15 MB of `{`", MANIFEST_PATH, || filled(LARGE, MANIFEST, "{", "")),
    alone("YAML: 15 MB of `- ` in one line", MANIFEST_PATH, || filled(LARGE, "", "- ", "")),
    alone("YAML: 15 MB of `- ` items", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}files_changed:\n"), "- a\n", "")
    }),
    alone("YAML: 15 MB of empty items", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}files_changed:\n"), "-\n", "")
    }),
    alone("YAML: 15 MB of wrong items", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}files_changed:\n"), "- {}\n", "")
    }),
    alone("YAML: 15 MB of items that are unknown ids", MANIFEST_PATH, || {
        numbered(&format!("{MANIFEST}work_queue_items:\n"), |at| format!("- id-{at}\n"), "")
    }),
    alone("YAML: 15 MB of flow entries", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}files_changed: ["), "1,", "1]\n")
    }),
    alone("YAML: 15 MB of distinct keys", MANIFEST_PATH, || {
        numbered(MANIFEST, |at| format!("k{at}: 1\n"), "")
    }),
    alone("YAML: 15 MB of one key again and again", MANIFEST_PATH, || filled(LARGE, MANIFEST, "k: 1\n", "")),
    alone("YAML: one plain scalar of 15 MB", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}branch: "), "x", "\n")
    }),
    alone("YAML: one plain scalar over many lines", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}branch: x\n"), "  x\n", "")
    }),
    alone("YAML: one quoted scalar of 15 MB", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}branch: \""), "\\x41 ", "\"\n")
    }),
    alone("YAML: one literal scalar of 15 MB", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}branch: |\n"), "  x\n", "")
    }),
    alone("YAML: one folded scalar of 15 MB", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}branch: >\n"), "  x\n\n", "")
    }),
    alone("YAML: a quote that never ends", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}branch: \""), "x ", "")
    }),
    alone("YAML: an error in the last line of 15 MB", MANIFEST_PATH, || {
        numbered(MANIFEST, |at| format!("k{at}: text of a line\n"), "a: b: c: [\n")
    }),
    alone("YAML: 15 MB of errors", MANIFEST_PATH, || filled(LARGE, MANIFEST, "a: b: c\n", "")),
    alone("YAML: 15 MB of tabs", MANIFEST_PATH, || filled(LARGE, MANIFEST, "\t", "")),
    alone("YAML: 15 MB of line breaks", MANIFEST_PATH, || filled(LARGE, MANIFEST, "\n", "")),
    alone("YAML: 15 MB of comments", MANIFEST_PATH, || filled(LARGE, MANIFEST, "#\n", "")),
    alone("YAML: 15 MB of documents", MANIFEST_PATH, || filled(LARGE, MANIFEST, "---\na: 1\n", "")),
    alone("YAML: 15 MB of manifests", "a.yaml", || filled(LARGE, "", &format!("---\n{MANIFEST}"), "")),
    alone("YAML: 15 MB of tags", MANIFEST_PATH, || {
        filled(LARGE, &format!("{MANIFEST}files_changed:\n"), "- !!str a\n", "")
    }),
    alone("YAML: 15 MB of directives", MANIFEST_PATH, || {
        numbered("", |at| format!("%TAG !t{at}! tag:example.org,2026:\n"), &format!("---\n{MANIFEST}"))
    }),
    alone("YAML: a simple key of 15 MB", MANIFEST_PATH, || filled(LARGE, MANIFEST, "x", ": 1\n")),
];

/// Nine times nine times nine…
fn bomb() -> Vec<u8> {
    let mut text = format!("{PACKAGE}  a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = format!("*a{}", level - 1);
        text += &format!("  a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(", "));
    }
    text.into_bytes()
}
