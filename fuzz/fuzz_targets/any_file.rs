//! What every target does with its bytes.

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{Checker, Input, Levels, Limits, LineIndex, NoWorld, Scratch};

thread_local! {
    static CHECKER: Checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
}

/// Checks the bytes as a file of this name.
pub fn check(path: &str, bytes: &[u8]) {
    let input = Input { path: Some(path), bytes, dialect: None, look: Look::Prose, is_named: true };
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
