//! A checked document into what the kernel understands: the only file that knows both vocabularies.
//!
//! Invariant: what came in is kept, whether it can be read or not; what has a secret is kept without it.

pub(crate) mod provenance;
mod rework;

use std::cell::LazyCell;
use std::sync::Arc;

use baton_document::carrier::Look;
use baton_document::tree::Syntax;
use baton_document::{
    ArenaValue, Checker, Finding, Input, Level, LineIndex, Meaning, NoWorld, OpenReading, Scratch, tokens,
};
use baton_kernel::{Digest, Facts, Failure, FailureKind, Outcome, Recommendation, Stage, bounds, signature};
use baton_ledger::digest;

use crate::intake::rework::is_reworkable;
use crate::records::content::Content;
use crate::records::content::without_secrets;
use crate::records::reading;
use crate::records::reading::PACKAGE;
use crate::records::reading::flatten;
use crate::records::reading::recommendation;

/// Where a critic of the envelope says whether another round helps.
const FURTHER_HELP: &str = "routing.can_further_iteration_help";

/// What an answer comes to.
#[derive(Clone, Debug)]
pub(crate) enum Taken<T> {
    /// A handoff that can be acted on: what it says, and what that is where it was given.
    Answer(Facts, T),
    /// Something else, which is kept and counts as a failure of the attempt; with all that is wrong with it.
    Unusable(Failure, Vec<String>),
}

/// How many faults of an answer are told to whoever is asked again.
const FAULTS_MAX: usize = 20;

/// Reads an answer in the dialect of the agent that gave it. `place` says what it is where it was given, of which nothing
/// counts should it turn out to be no good; `keeps` what the answer says, for whoever composes something of it.
pub(crate) fn answer<T>(
    checker: &Checker,
    scratch: &mut Scratch,
    dialect: &str,
    bytes: Vec<u8>,
    keeps: bool,
    mut place: impl FnMut(&mut Facts, &OpenReading<'_>) -> T,
) -> (Taken<T>, Content) {
    let bytes = as_written(checker, dialect, bytes);
    let input =
        Input { path: None, bytes: &bytes, dialect: Some(dialect), look: Look::Prose, is_named: true };
    let mut read = None;
    reading::counted();
    let checked = checker.check_and_tell(input, &NoWorld, scratch, |telling| {
        // Only one alone is taken.
        if read.is_none() {
            let mut facts = facts(telling, digest(telling.spelled()));
            let placed = place(&mut facts, telling);
            let said = keeps.then(|| Arc::new(telling.to_said()));
            read = Some((facts, placed, Arc::from(telling.dialect), said));
        }
    });
    // Most answers have no fault, and need no lines.
    let lines = LazyCell::new(|| checked.text.map(LineIndex::new));
    let errors = checked.findings.iter().filter(|finding| blocks(finding));
    let mut faults: Vec<String> = errors
        .take(FAULTS_MAX)
        .map(|finding| {
            let place = (*lines).as_ref().zip(finding.span).map(|(lines, span)| lines.place(span.start));
            let place = place.map(|place| format!("line {}, column {}: ", place.line, place.column));
            format!("{}{} ({})", place.unwrap_or_default(), finding.message, finding.rule)
        })
        .collect();
    let count = checked.handoffs.len();
    let signed = checked.findings.iter().find(|finding| blocks(finding));
    let signed = signed.map(|finding| format!("{}: {}", finding.rule, finding.message));
    if faults.is_empty() && count != 1 {
        faults.push(format!("{count} handoffs where one in the dialect {dialect} is expected"));
    }
    let (Some((facts, placed, dialect, said)), true) = (read, faults.is_empty()) else {
        let signature = signed.as_ref().or(faults.first()).map(|fault| signature(fault));
        let failure = Failure { kind: FailureKind::Answer, recoverable: true, signature, tokens: 0 };
        return (Taken::Unusable(failure, faults), Content::plain(bytes));
    };
    // What has a secret is kept without it, and then says something else.
    let (bytes, said) = if checked.has_no_secret() { (bytes, said) } else { (without_secrets(bytes), None) };
    let content = Content { digest: facts.content, bytes, dialect: Some(dialect), said };
    (Taken::Answer(facts, placed), content)
}

/// An answer in the notation of its dialect: an agent that was given the schema of an XML dialect answers in JSON.
fn as_written(checker: &Checker, dialect: &str, bytes: Vec<u8>) -> Vec<u8> {
    let is_xml =
        checker.dialects().find(dialect).is_some_and(|dialect| dialect.usual_syntax() == Syntax::Xml);
    if !is_xml {
        return bytes;
    }
    let text = std::str::from_utf8(&bytes).ok().filter(|text| text.trim_start().starts_with('{'));
    text.and_then(|text| checker.from_canonical(dialect, text)).map_or(bytes, String::into_bytes)
}

/// Whether an answer with this finding is not taken: an error, and a text that is longer than its receiver may be given.
fn blocks(finding: &Finding) -> bool {
    finding.level == Level::Error || finding.level == Level::Warning && finding.rule.ends_with("-tokens")
}

/// What a flow knows of the place where an answer was given.
#[derive(Debug, Default)]
pub(crate) struct Standing<'s> {
    /// The agent that answers.
    pub(crate) agent: &'s str,
    /// Whether it was set to work by the flow, and not asked or delegated to by another agent.
    pub(crate) is_work: bool,
    /// Whether it was asked what it meant.
    pub(crate) is_asked: bool,
    /// The agents that come next, whatever is decided.
    pub(crate) next: Vec<&'s str>,
    /// Whether a gate comes next.
    pub(crate) is_before_gate: bool,
    /// The words that routes ask for.
    pub(crate) words: Vec<&'s str>,
    /// The detours from there: of what kind, and the step that each leads to.
    pub(crate) detours: Vec<(&'s str, &'s str)>,
}

/// Who a handoff may name and that is no agent of the flow.
const NOBODY: [&str; 3] = ["human", "orchestrator", "user"];

/// Reads an answer by where it was given: what the words of a dialect mean depends on what comes next.
pub(crate) fn fit(facts: &mut Facts, telling: &OpenReading<'_>, standing: &Standing<'_>) {
    let texts = telling.texts(&[Meaning::Outcome, Meaning::Recommendation]);
    let mut asked = texts.filter(|text| standing.words.iter().any(|word| word.eq_ignore_ascii_case(text)));
    if let Some(word) = asked.next_back() {
        facts.decision = Some(clipped(word));
    }
    // A detour may be asked for by its kind, or by the step that it leads to.
    let named = facts.detour.as_ref().and_then(|name| standing.detours.iter().find(|(_, step)| step == name));
    if let Some((kind, _)) = named {
        facts.detour = Some((*kind).to_owned());
    }
    if telling.dialect == PACKAGE {
        package(facts, telling, standing);
    }
    // Most answers have no findings, and are asked once.
    if let Some(findings) = telling.at("findings") {
        (facts.mendable, facts.passed) = (is_reworkable(findings), passed(findings));
    }
}

/// Counts the tokens of an answer, which may say less.
pub(crate) fn count_tokens(facts: &mut Facts, text: &[u8]) {
    let counted = std::str::from_utf8(text).map_or(0, tokens::count);
    facts.tokens = facts.tokens.max(counted as u64);
}

/// What a package says by whom it names: a delegation, where that is not who comes next.
fn package(facts: &mut Facts, telling: &OpenReading<'_>, standing: &Standing<'_>) {
    // Whoever is asked answers, whomever the answer names.
    if (telling.kind == "gate" && standing.is_before_gate) || standing.is_asked {
        facts.recommendation = None;
        facts.outcome = Outcome::Done;
        return;
    }
    let Some(to) = telling.text(Meaning::To).filter(|_| standing.is_work) else { return };
    let is_expected = standing.next.iter().any(|next| next.eq_ignore_ascii_case(to));
    if !is_expected && to != standing.agent && !NOBODY.contains(&to.to_lowercase().as_str()) {
        facts.delegate = Some(clipped(to));
    }
}

/// What a receiver says in its acknowledgement.
pub(crate) struct Received {
    /// How far it has come: each is a fact of its own.
    pub(crate) stages: Vec<Stage>,
    /// What it asks before it goes on.
    pub(crate) asks: Option<String>,
}

/// What a receiver says in its acknowledgement; nothing if this is none.
pub(crate) fn received(telling: &OpenReading<'_>) -> Option<Received> {
    if telling.dialect != PACKAGE || telling.kind != "acknowledgment" {
        return None;
    }
    let mut questions = Vec::new();
    for list in ["blockers", "questions"].into_iter().filter_map(|path| telling.at(path)) {
        let items = if let ArenaValue::List(items) = list { items } else { &[list] };
        for item in items {
            let mut text = String::new();
            flatten(&item.into_datum(), &mut text);
            questions.push(text.trim().to_owned());
        }
    }
    questions.retain(|question| !question.is_empty());
    let understood = telling.at("understood");
    let is_partial = understood.and_then(ArenaValue::as_text).is_some() || telling.at("action").is_some();
    if questions.is_empty() && is_partial {
        questions.push("What exactly is to be done?".to_owned());
    }
    let says = [
        (Stage::Received, boolean(telling.at("received")) == Some(true)),
        (Stage::Accepted, understood.is_some() && !is_partial && questions.is_empty()),
        (Stage::Started, boolean(telling.at("starting")) == Some(true) && questions.is_empty()),
    ];
    let stages = says.into_iter().filter(|(_, is_said)| *is_said).map(|(stage, _)| stage).collect();
    let asks = (!questions.is_empty()).then(|| questions.join("\n"));
    Some(Received { stages, asks })
}

/// Whether a branch passes, where it says so itself.
fn passed(findings: ArenaValue<'_>) -> Option<bool> {
    ["overall_passed", "aggregation.overall_passed"].into_iter().find_map(|path| boolean(findings.at(path)))
}

fn facts(telling: &OpenReading<'_>, content: Digest) -> Facts {
    let recommendation = telling.word(Meaning::Recommendation).and_then(recommendation);
    let outcome = telling.word(Meaning::Outcome).and_then(outcome).unwrap_or(match recommendation {
        Some(Recommendation::Stop) => Outcome::Blocked,
        // Somebody is wanted, and the recommendation says for what.
        Some(Recommendation::Escalate | Recommendation::Ask) => {
            if telling.value(Meaning::Error).is_some() {
                Outcome::Failed
            } else {
                Outcome::Partial
            }
        }
        Some(Recommendation::Continue | Recommendation::Repeat | Recommendation::Detour) | None => {
            if telling.value(Meaning::Error).is_some() { Outcome::Failed } else { Outcome::Done }
        }
    });
    let detour = match recommendation {
        Some(Recommendation::Detour) => telling.text(Meaning::To).map(clipped),
        _ => None,
    };
    Facts {
        recommendation,
        further_help: boolean(telling.at(FURTHER_HELP)),
        decision: telling.text(Meaning::Outcome).map(clipped),
        detour,
        signature: wrong(telling).map(|text| signature(&text)),
        tokens: number(telling.value(Meaning::Tokens)).unwrap_or_default(),
        recoverable: boolean(telling.at("error.recoverable")).unwrap_or_default(),
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

/// What the handoff says is wrong.
fn wrong(telling: &OpenReading<'_>) -> Option<String> {
    let value = telling.value(Meaning::Error).or_else(|| telling.value(Meaning::Concerns))?;
    let mut text = String::new();
    flatten(&value.into_datum(), &mut text);
    (!text.is_empty()).then_some(text)
}

fn boolean(value: Option<ArenaValue<'_>>) -> Option<bool> {
    match value? {
        ArenaValue::Boolean(value) => Some(value),
        ArenaValue::Text(text) => text.parse().ok(),
        ArenaValue::Null | ArenaValue::Number(_) | ArenaValue::List(_) | ArenaValue::Map(_) => None,
    }
}

fn number(value: Option<ArenaValue<'_>>) -> Option<u64> {
    match value? {
        ArenaValue::Number(text) | ArenaValue::Text(text) => text.parse().ok(),
        ArenaValue::Null | ArenaValue::Boolean(_) | ArenaValue::List(_) | ArenaValue::Map(_) => None,
    }
}

fn clipped(text: &str) -> String {
    text[..text.floor_char_boundary(bounds::TEXT_BYTES_MAX)].to_owned()
}
