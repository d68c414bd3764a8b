//! What a recorded handoff says.

use baton_document::carrier::Look;
use baton_document::{Checker, Datum, Input, Meaning, Said, Scratch};
use baton_kernel::{Recommendation, bounds};

/// The dialect whose handoffs name their receiver and mean it.
pub(crate) const PACKAGE: &str = "package";

/// What a text says that is a handoff.
pub(crate) fn said(checker: &Checker, scratch: &mut Scratch, text: &[u8]) -> Option<Said> {
    let input = Input { path: None, bytes: text, dialect: None, look: Look::Prose, is_named: true };
    all_said(checker, scratch, input)?.into_iter().next()
}

/// What the handoffs of a text say.
pub(crate) fn all_said(checker: &Checker, scratch: &mut Scratch, input: Input<'_>) -> Option<Vec<Said>> {
    counted();
    checker.said(input, scratch)
}

/// Counts a parse, in tests alone: a text is parsed once on its way from one agent to the next.
pub(crate) fn counted() {
    #[cfg(test)]
    PARSES.with(|parses| parses.set(parses.get() + 1));
}

#[cfg(test)]
thread_local! {
    /// Parses on this thread.
    pub(crate) static PARSES: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Whether a handoff says that the work should not simply go on.
pub(crate) fn is_stopped(said: &Said) -> bool {
    let recommends = said.word(Meaning::Recommendation).and_then(recommendation);
    matches!(recommends, Some(Recommendation::Stop | Recommendation::Repeat))
}

/// The concerns of a handoff, each in a line.
pub(crate) fn concerns(said: &Said) -> Vec<String> {
    let named = said.sayings.iter().filter(|saying| saying.meaning == Meaning::Concerns);
    let mut all = Vec::new();
    for value in named.filter_map(|saying| said.document.at(&saying.path)) {
        if let Datum::List(items) = value {
            for item in items {
                let mut text = String::new();
                flatten(item, &mut text);
                all.push(text.trim().to_owned());
            }
        }
    }
    all
}

pub(crate) fn recommendation(word: &str) -> Option<Recommendation> {
    Some(match word {
        "continue" => Recommendation::Continue,
        "repeat" => Recommendation::Repeat,
        "detour" => Recommendation::Detour,
        "escalate" => Recommendation::Escalate,
        "ask" => Recommendation::Ask,
        "stop" => Recommendation::Stop,
        _ => return None,
    })
}

pub(crate) fn flatten(value: &Datum<'_>, into: &mut String) {
    if into.len() > bounds::TEXT_BYTES_MAX {
        return;
    }
    match value {
        Datum::Text(text) | Datum::Number(text) => {
            into.push_str(text);
            into.push(' ');
        }
        Datum::List(items) => items.iter().for_each(|item| flatten(item, into)),
        Datum::Map(entries) => entries.iter().for_each(|(_, value)| flatten(value, into)),
        Datum::Null | Datum::Boolean(_) => {}
    }
}
