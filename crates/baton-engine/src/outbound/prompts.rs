//! Messages to agents: their parts, and what is left out where a message has too many tokens.

use baton_courier::Finalization;
use baton_document::{Checker, tokens};

use crate::outbound::finalize::{Place, finalization};
use crate::project::agents::Setup;
use crate::templates::{data, render, version};

/// A text that an agent is sent, with what is filled in only in a run as `{name}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// When it is sent.
    pub name: String,
    /// Where it comes from: `built-in`, or the path of a file.
    pub source: String,
    /// Names the text as it is.
    pub version: String,
    /// Its tokens.
    pub tokens: usize,
    /// The text.
    pub text: String,
}

impl Shown {
    /// A text from somewhere.
    pub fn new(name: impl Into<String>, source: &str, text: String) -> Self {
        let (version, tokens) = (version(&text), tokens::count(&text));
        Self { name: name.into(), source: source.to_owned(), version, tokens, text }
    }
}

/// What an agent is sent at the end of its work, and when its handoff could not be taken.
pub fn endings(checker: &Checker, agent: &str, setup: &Setup, flow: &str) -> Vec<Shown> {
    let findings = ["{findings}".to_owned()];
    if !setup.finalizes {
        let text = render("rejected", &[("findings", &data(&findings[0]))]);
        return vec![Shown::new("re-ask", BUILT_IN, text)];
    }
    let place = Place { agent, dialect: &setup.dialect, step: "{step}", flow, run: "{run}", now: "{now}" };
    let asked = [("finalization", &[][..]), ("re-ask", &findings[..])];
    let mut all = Vec::new();
    for (name, rejected) in asked {
        let Some(Finalization { prompt, schema }) = finalization(checker, &place, rejected) else { continue };
        all.push(Shown::new(name, BUILT_IN, prompt));
        if rejected.is_empty() {
            all.push(Shown::new("schema", BUILT_IN, schema));
        }
    }
    all
}

/// Where a text comes from that is Baton's own.
pub const BUILT_IN: &str = "built-in";

/// A part of what an agent is told.
pub(crate) struct Part {
    pub(crate) text: String,
    /// What it is, where the agent can do without it.
    pub(crate) spare: Option<&'static str>,
}

impl Part {
    /// What must be told.
    pub(crate) fn needed(text: String) -> Self {
        Self { text, spare: None }
    }
}

/// The parts of a message as one text of at most so many tokens, with what else the message has. What can be spared is
/// left out whole, the last first, and that is said; nothing is cut in the middle. Gives the tokens that it has where
/// they are too many all the same.
pub(crate) fn joined(mut parts: Vec<Part>, rest: &[u8], tokens_max: usize) -> Result<String, usize> {
    let whole = |parts: &[Part]| parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n\n");
    // No token is shorter than a byte: most messages need no counting.
    let bytes = parts.iter().map(|part| part.text.len() + 2).sum::<usize>() + rest.len();
    if bytes <= tokens_max {
        return Ok(whole(&parts));
    }
    let rest = tokens::count(&String::from_utf8_lossy(rest));
    loop {
        let text = whole(&parts);
        let count = tokens::count(&text) + rest;
        if count <= tokens_max {
            return Ok(text);
        }
        let Some(part) = parts.iter_mut().rev().find(|part| part.spare.is_some()) else { return Err(count) };
        let (what, own) = (part.spare.take().unwrap_or_default(), tokens::count(&part.text).to_string());
        let most = tokens_max.to_string();
        part.text = render("left-out", &[("what", what), ("count", &own), ("most", &most)]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_has_a_budget_and_nothing_is_cut_in_the_middle() {
        let needed = || Part::needed("Do it well.".to_owned());
        let spare =
            |what| Part { text: format!("{what}: {}", data(&"word ".repeat(500))), spare: Some(what) };
        let all = || vec![needed(), spare("one"), spare("two")];
        assert!(joined(all(), b"rest", 10_000).is_ok_and(|text| !text.contains("left out")));
        let text = joined(all(), b"rest", 700).expect("it fits");
        assert!(text.contains("one: ```text") && text.contains("(two is left out here: it has 5"), "{text}");
        assert_eq!(text.matches("```").count(), 2, "what is left out goes with its fence: {text}");
        let text = joined(all(), b"rest", 100).expect("it fits");
        assert!(text.starts_with("Do it well.") && text.matches("is left out here").count() == 2, "{text}");
        assert!(joined(all(), "word ".repeat(900).as_bytes(), 100).is_err_and(|count| count > 900));
    }
}
