//! A checked document into what the kernel understands: the only file that knows both vocabularies.
//!
//! Invariant: what came in is kept, whether it can be read or not; what has a secret is kept without it.

use baton_document::carrier::Look;
use baton_document::secrets::redacted;
use baton_document::{Checker, Datum, Input, Level, Meaning, NoWorld, Said, Scratch};
use baton_kernel::{Digest, Facts, Failure, FailureKind, Outcome, Recommendation, bounds, signature};
use baton_ledger::digest;

/// What changes by itself from one handoff to the next.
const CHANGES: [Meaning; 3] = [Meaning::Id, Meaning::Written, Meaning::Tokens];

/// Where a critic of the envelope says whether another round helps.
const FURTHER_HELP: &str = "routing.can_further_iteration_help";

/// Something that came in, ready to be decided on.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    /// Names what is handed on.
    pub(crate) digest: Digest,
    /// The bytes that are kept.
    pub(crate) bytes: Vec<u8>,
    /// The dialect of a handoff.
    pub(crate) dialect: Option<String>,
}

impl Content {
    /// Text that is no handoff: a question, an answer of a person.
    pub(crate) fn plain(bytes: Vec<u8>) -> Self {
        let bytes = without_secrets(bytes);
        Self { digest: digest(&bytes), bytes, dialect: None }
    }
}

/// What an answer comes to.
#[derive(Clone, Debug)]
pub(crate) enum Taken {
    /// A handoff that can be acted on, and what it says.
    Answer(Facts, Box<Said>),
    /// Something else, which is kept and counts as a failure of the attempt.
    Unusable(Failure),
}

/// Reads an answer in the dialect of the agent that gave it.
pub(crate) fn answer(
    checker: &Checker,
    scratch: &mut Scratch,
    dialect: &str,
    bytes: Vec<u8>,
) -> (Taken, Content) {
    let input =
        Input { path: None, bytes: &bytes, dialect: Some(dialect), look: Look::Prose, is_named: true };
    let (checked, said) = checker.check_and_say(input, &NoWorld, scratch);
    let fault = checked.findings.iter().find(|finding| finding.level == Level::Error);
    let fault = fault.map(|finding| format!("{}: {}", finding.rule, finding.message));
    let count = checked.handoffs.len();
    let fault = fault.or_else(|| (count != 1).then(|| format!("{count} handoffs where one is expected")));
    if let Some(fault) = fault {
        let failure = Failure {
            kind: FailureKind::Agent,
            recoverable: true,
            signature: Some(signature(&fault)),
            tokens: 0,
        };
        return (Taken::Unusable(failure), Content::plain(bytes));
    }
    let Some(said) = said.into_iter().next() else {
        let failure = Failure { kind: FailureKind::Agent, recoverable: true, signature: None, tokens: 0 };
        return (Taken::Unusable(failure), Content::plain(bytes));
    };
    let named = name(&said);
    let content =
        Content { digest: named, bytes: without_secrets(bytes), dialect: Some(said.dialect.clone()) };
    (Taken::Answer(facts(&said, named), Box::new(said)), content)
}

/// What a text says that is a handoff.
pub(crate) fn said(checker: &Checker, scratch: &mut Scratch, text: &[u8]) -> Option<Said> {
    let input = Input { path: None, bytes: text, dialect: None, look: Look::Prose, is_named: true };
    checker.said(input, scratch)?.into_iter().next()
}

/// Names what a handoff hands on, without what changes by itself.
fn name(said: &Said) -> Digest {
    let changing = said.sayings.iter().filter(|saying| CHANGES.contains(&saying.meaning));
    let skipped: Vec<&str> = changing.map(|saying| saying.path.as_str()).collect();
    let mut bytes = Vec::with_capacity(2_048);
    spell(&said.document, &skipped, &mut bytes);
    digest(&bytes)
}

/// Writes a value so that two are written alike only if they are alike, without the fields at some paths.
fn spell(value: &Datum<'_>, skipped: &[&str], into: &mut Vec<u8>) {
    let mut text = |tag: u8, text: &str| {
        into.push(tag);
        into.extend_from_slice(&(text.len() as u64).to_le_bytes());
        into.extend_from_slice(text.as_bytes());
    };
    match value {
        Datum::Null => into.push(b'0'),
        Datum::Boolean(value) => into.push(if *value { b'y' } else { b'n' }),
        Datum::Number(number) => text(b'#', number),
        Datum::Text(words) => text(b't', words),
        Datum::List(items) => {
            into.push(b'[');
            items.iter().for_each(|item| spell(item, &[], into));
            into.push(b']');
        }
        Datum::Map(entries) => {
            into.push(b'{');
            for (key, inner) in entries {
                if skipped.contains(&&**key) {
                    continue;
                }
                let below = skipped.iter().filter_map(|path| path.strip_prefix(&**key)?.strip_prefix('.'));
                let below: Vec<&str> = below.collect();
                spell(&Datum::Text((&**key).into()), &[], into);
                spell(inner, &below, into);
            }
            into.push(b'}');
        }
    }
}

fn facts(said: &Said, content: Digest) -> Facts {
    let recommendation = said.word(Meaning::Recommendation).and_then(recommendation);
    let outcome = said.word(Meaning::Outcome).and_then(outcome).unwrap_or(match recommendation {
        Some(Recommendation::Stop | Recommendation::Escalate | Recommendation::Ask) => Outcome::Blocked,
        Some(Recommendation::Continue | Recommendation::Repeat | Recommendation::Detour) | None => {
            if said.value(Meaning::Error).is_some() { Outcome::Failed } else { Outcome::Done }
        }
    });
    let detour = match recommendation {
        Some(Recommendation::Detour) => said.text(Meaning::To).map(clipped),
        _ => None,
    };
    Facts {
        recommendation,
        further_help: boolean(said, FURTHER_HELP),
        decision: said.text(Meaning::Outcome).map(clipped),
        detour,
        signature: wrong(said).map(|text| signature(&text)),
        tokens: number(said.value(Meaning::Tokens)).unwrap_or_default(),
        recoverable: boolean(said, "error.recoverable").unwrap_or_default(),
        ..Facts::new(outcome, content)
    }
}

fn outcome(word: &str) -> Option<Outcome> {
    Some(match word {
        "done" => Outcome::Done,
        "done-with-concerns" => Outcome::Concerns,
        "partial" => Outcome::Partial,
        "blocked" => Outcome::Blocked,
        "failed" => Outcome::Failed,
        "skipped" => Outcome::Skipped,
        "running" => Outcome::Running,
        _ => return None,
    })
}

fn recommendation(word: &str) -> Option<Recommendation> {
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

/// What the handoff says is wrong.
fn wrong(said: &Said) -> Option<String> {
    let value = said.value(Meaning::Error).or_else(|| said.value(Meaning::Concerns))?;
    let mut text = String::new();
    flatten(value, &mut text);
    (!text.is_empty()).then_some(text)
}

fn flatten(value: &Datum<'_>, into: &mut String) {
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

fn boolean(said: &Said, path: &str) -> Option<bool> {
    match said.document.at(path)? {
        Datum::Boolean(value) => Some(*value),
        Datum::Text(text) => text.parse().ok(),
        Datum::Null | Datum::Number(_) | Datum::List(_) | Datum::Map(_) => None,
    }
}

fn number(value: Option<&Datum<'_>>) -> Option<u64> {
    match value? {
        Datum::Number(text) | Datum::Text(text) => text.parse().ok(),
        Datum::Null | Datum::Boolean(_) | Datum::List(_) | Datum::Map(_) => None,
    }
}

fn clipped(text: &str) -> String {
    text[..text.floor_char_boundary(bounds::TEXT_BYTES_MAX)].to_owned()
}

fn without_secrets(bytes: Vec<u8>) -> Vec<u8> {
    match std::str::from_utf8(&bytes) {
        Ok(text) => match redacted(text, None) {
            (_, 0) => bytes,
            (text, _) => text.into_bytes(),
        },
        Err(_) => bytes,
    }
}
