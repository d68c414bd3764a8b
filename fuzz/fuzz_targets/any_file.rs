//! What the targets do with their bytes.
#![expect(dead_code, reason = "each target uses a part of it")]

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{
    Checker, Conversion, Fixed, Input, Level, Levels, Limits, LineIndex, NoWorld, Order, Scratch, Wanted,
};

thread_local! {
    static CHECKER: Checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
}

/// The names that the first byte of an input chooses from, so that every carrier and place is met.
const NAMES: [&str; 8] = [
    "a.json",
    "a.yaml",
    "a.xml",
    "a.md",
    "a.jsonl",
    "a.txt",
    "meta/handoff.yaml",
    ".runs/r1/build/handoffs/step-agent.draft.json",
];

/// Does something with the bytes as a file of the name that the first one chooses.
pub fn named(bytes: &[u8], act: fn(&str, &[u8])) {
    if let Some((first, rest)) = bytes.split_first() {
        act(NAMES[usize::from(*first) % NAMES.len()], rest);
    }
}

/// Fixes the bytes as a file of this name: a fixed text has nothing left to fix and no error more.
pub fn fix(path: &str, bytes: &[u8]) {
    let Some(fixed) = fixed(path, bytes) else { return };
    assert!(fixed.count > 0 && fixed.text.as_bytes() != bytes, "something was fixed");
    assert_eq!(self::fixed(path, fixed.text.as_bytes()), None, "fixing again changes nothing");
    let mut before = errors(path, bytes).into_iter();
    let is_old = |rule: &String| before.any(|old| old == *rule);
    assert!(errors(path, fixed.text.as_bytes()).iter().all(is_old), "no error is new");
}

/// Converts the bytes as a file of this name into every dialect: the result reads again, as that dialect, and can be
/// converted on into any other.
pub fn convert(path: &str, bytes: &[u8]) {
    CHECKER.with(|checker| {
        for dialect in &checker.dialects().handoffs {
            let Some(made) = converted(checker, path, bytes, &dialect.name) else { continue };
            let file = match dialect.usual_syntax().name() {
                "xml" => "a.xml",
                "yaml" => "a.yaml",
                _ => "a.json",
            };
            let checked = checker.check(input(file, made.as_bytes()), &NoWorld, &mut Scratch::default());
            let first = checked.handoffs.first().map(|handoff| &*checker.dialect_of(handoff).name);
            assert_eq!(first, Some(&*dialect.name), "{made}");
            for other in &checker.dialects().handoffs {
                let _ = converted(checker, file, made.as_bytes(), &other.name);
            }
        }
    });
}

/// The text of another dialect, where the handoffs are not of it already and nothing is missing.
fn converted(checker: &Checker, path: &str, bytes: &[u8], to: &str) -> Option<String> {
    let order = Order { to, set: &[], now: Some("2026-03-01T12:00:00Z"), wants_report: true };
    // Handoffs that would not stand together in one text are refused.
    let converted = checker.convert(input(path, bytes), order, &mut Scratch::default()).unwrap_or_default()?;
    let is_moved = |one: &Conversion| one.from.0 != to && one.gaps.is_empty();
    (!converted.handoffs.is_empty() && converted.handoffs.iter().all(is_moved)).then_some(converted.text)
}

fn fixed(path: &str, bytes: &[u8]) -> Option<Fixed> {
    let wanted = Wanted { safe: true, secrets: false };
    let fix = |checker: &Checker| checker.fix(input(path, bytes), &NoWorld, wanted, &mut Scratch::default());
    CHECKER.with(fix).unwrap_or_default()
}

/// The rules that find an error, sorted, each as often as it finds one.
fn errors(path: &str, bytes: &[u8]) -> Vec<String> {
    CHECKER.with(|checker| {
        let findings = checker.check(input(path, bytes), &NoWorld, &mut Scratch::default()).findings;
        let errors = findings.iter().filter(|finding| finding.level == Level::Error);
        let mut rules: Vec<String> = errors.map(|finding| finding.rule.to_string()).collect();
        rules.sort();
        rules
    })
}

fn input<'i>(path: &'i str, bytes: &'i [u8]) -> Input<'i> {
    Input { path: Some(path), bytes, dialect: None, look: Look::Prose, is_named: true }
}

/// Checks the bytes as a file of this name.
pub fn check(path: &str, bytes: &[u8]) {
    let input = input(path, bytes);
    CHECKER.with(|checker| {
        let checked = checker.check(input, &NoWorld, &mut Scratch::default());
        let Some(text) = checked.text else { return };
        let index = LineIndex::new(text);
        for finding in &checked.findings {
            let spans = finding.span.into_iter().chain(finding.related.iter().map(|related| related.span));
            let edits = finding.fix.iter().flat_map(|fix| &fix.edits).map(|edit| edit.span);
            for span in spans.chain(edits) {
                assert!(text.get(span.range()).is_some(), "a span lies in the text: {finding:?}");
                let place = index.place(span.start);
                assert!(place.line >= 1 && place.column >= 1);
            }
        }
        let _ = checker.canonical(input, &mut Scratch::default());
    });
}
