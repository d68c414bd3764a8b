//! The figures of a run, computed from its history: what was passed on, what it cost, what came of it.
//!
//! Tokens are counted here, on the texts; what agents say that they used is told beside it and never added to it.
//! Cannot: read a clock or the disk.

use std::collections::BTreeMap;
use std::sync::Arc;

use baton_document::tokens::count;
use baton_document::{Checker, Datum, Meaning, Said, Scratch};
use baton_kernel::{Does, Plan, Role, StepId};
use serde::Serialize;

use crate::error::Error;
use crate::history::projection::{Handoff, Projection};
use crate::outbound::compose::{in_short, moment};
use crate::records::entry::Entry;
use crate::records::reading::said;

/// What a flow says that its figures depend on.
#[derive(Clone, Copy, Debug, Default)]
pub struct Measure<'m> {
    /// The tokens that each step may take.
    pub budgets: &'m [(StepId, u64)],
    /// The steps to which only the summary of what came before is passed.
    pub summarised: &'m [StepId],
}

/// The figures of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Metrics {
    /// Its name.
    pub run: String,
    /// Its flow.
    pub flow: String,
    /// When it started.
    pub started: String,
    /// When it ended, if it has.
    pub ended: Option<String>,
    /// How long it took, or has taken until its last handoff, in words.
    pub cycle_time: String,
    /// Its handoffs, in order.
    pub handoffs: Vec<HandoffMetrics>,
    /// Its steps, in the order of the flow.
    pub steps: Vec<StepMetrics>,
    /// Tokens that agents were given.
    pub input_tokens: u64,
    /// Tokens that agents wrote.
    pub output_tokens: u64,
    /// Tokens that agents say they used; nothing where none says so.
    pub tokens_used: Option<u64>,
    /// What passing summaries saved.
    pub saved: Savings,
    /// What became of the issue, as far as handoffs say.
    #[serde(flatten)]
    pub work: Work,
}

/// The figures of one handoff.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct HandoffMetrics {
    /// Its name: the run and its number in it.
    pub handoff: String,
    /// Who wrote it, or was to write it.
    pub from: String,
    /// Whether Baton wrote it, because its writer gave none.
    pub by_baton: bool,
    /// Who got it last, if anybody has.
    pub to: Option<String>,
    /// The step that it ended.
    pub step: String,
    /// Its dialect; none where it cannot be read any more.
    pub dialect: Option<String>,
    /// When its writer was first asked for it.
    pub started: String,
    /// When it was written.
    pub answered: String,
    /// The time between the two.
    pub elapsed_ms: u64,
    /// How often its writer was asked.
    pub attempts: u16,
    /// Tokens that its writer was given, with every attempt.
    pub input_tokens: u64,
    /// Tokens of the handoff.
    pub output_tokens: u64,
    /// Tokens that its writer says it used.
    pub tokens_used: Option<u64>,
}

/// The figures of one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepMetrics {
    /// Its name.
    pub step: String,
    /// Handoffs that it came to.
    pub handoffs: u64,
    /// Tokens that its agents were given.
    pub input_tokens: u64,
    /// Tokens that its agents wrote.
    pub output_tokens: u64,
    /// Tokens that its agents say they used; nothing where none says so.
    pub tokens_used: Option<u64>,
    /// Tokens that it may take, if the flow says so.
    pub budget: Option<u64>,
    /// Tokens that it took beyond that.
    pub over: u64,
}

/// What passing on less than everything saved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Savings {
    /// Tokens that agents would have been given with all that was handed over before.
    pub raw: u64,
    /// Tokens that they were given.
    pub passed: u64,
    /// The difference.
    pub tokens: u64,
}

/// What handoffs say about the work on an issue.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Work {
    /// Rounds of review.
    pub review_iterations: u64,
    /// Commits.
    pub total_commits: u64,
    /// Tests.
    pub tests_added: u64,
    /// The test coverage, as it was said last.
    pub coverage: Option<String>,
    /// What was done, in the words of those who did it.
    pub actions_taken: Vec<String>,
}

/// The figures of a run, from its history.
pub fn metrics(checker: &Checker, history: &[Entry], measure: Measure<'_>) -> Result<Metrics, Error> {
    let projection = Projection::of(history).ok_or_else(|| Error::History {
        run: history.first().map_or_else(String::new, |entry| entry.record.stream.clone()),
        seq: 0,
        what: "it has no beginning".to_owned(),
    })?;
    Ok(measured(checker, &projection, measure))
}

/// The figures of a run that was folded with its texts.
pub fn measured(checker: &Checker, projection: &Projection, measure: Measure<'_>) -> Metrics {
    let sayings = sayings(checker, projection);
    let claims: Vec<Option<u64>> = sayings.iter().map(|said| said.as_ref().and_then(claimed)).collect();
    let mut counts = Counts::default();
    // What Baton wrote itself took no agent's tokens.
    let by_agent = |handoff: &&Handoff| !handoff.by_baton;
    let of_handoff = |handoff: &Handoff| {
        let text = Some(handoff).filter(by_agent).and_then(|handoff| handoff.text.as_ref());
        text.map_or(0, |text| counts.of(text))
    };
    let texts: Vec<u64> = projection.handoffs.iter().map(of_handoff).collect();
    let name = |step: StepId| projection.plan().step(step).map(|step| step.name.as_str());
    let is_summarised = |step: &str| measure.summarised.iter().any(|id| name(*id) == Some(step));
    // Whoever gets requests gets what came before in short.
    let is_asked = |agent: &str| {
        let dialect = projection.handoffs.iter().zip(&sayings).find_map(|(handed, said)| {
            said.as_ref().filter(|_| handed.from == agent).map(|said| said.dialect.as_str())
        });
        let dialect = dialect.and_then(|dialect| checker.dialects().find(dialect));
        dialect.is_some_and(|dialect| dialect.kinds.iter().any(|kind| kind.is_request))
    };
    let mut saved = Savings::default();
    let mut given = Vec::with_capacity(projection.deliveries.len());
    for sent in &projection.deliveries {
        let handoffs = sent.handoffs.iter().filter_map(|at| sayings.get(*at)?.as_ref());
        let mut handoffs = handoffs.peekable();
        let is_short = handoffs.peek().is_some() && (is_summarised(&sent.step) || is_asked(&sent.to));
        let passed: u64 = if is_short {
            handoffs.map(|said| count(&in_short(said, false)) as u64).sum()
        } else {
            sent.given.iter().map(|text| counts.of(text)).sum()
        };
        let attempts = u64::from(sent.attempts.max(1));
        // Whoever works first is given all there is.
        let raw = texts.iter().take(sent.before).sum::<u64>().max(passed);
        saved.raw += raw * attempts;
        saved.passed += passed * attempts;
        given.push(passed * attempts);
    }
    saved.tokens = saved.raw - saved.passed;
    let handoffs: Vec<HandoffMetrics> = (1..)
        .zip(&projection.handoffs)
        .zip(sayings.iter().zip(&texts))
        .filter_map(|((number, handed), (said, tokens))| {
            let sent = projection.answered(handed)?;
            Some(HandoffMetrics {
                handoff: format!("{}/{number}", projection.run()),
                from: handed.from.clone(),
                by_baton: handed.by_baton,
                to: projection.receiver(handed).map(str::to_owned),
                step: sent.step.clone(),
                dialect: said.as_ref().map(|said| said.dialect.clone()),
                started: moment(sent.started).unwrap_or_default(),
                answered: moment(handed.at).unwrap_or_default(),
                elapsed_ms: handed.at.0.saturating_sub(sent.started.0),
                attempts: sent.attempts,
                input_tokens: given.get(handed.answers).copied().unwrap_or_default(),
                output_tokens: *tokens,
                tokens_used: said.as_ref().and_then(claimed),
            })
        })
        .collect();
    let last = projection.handoffs.iter().map(|handed| handed.at).max();
    let until = projection.ended.or(last).unwrap_or(projection.began());
    Metrics {
        flow: projection.plan().name.clone(),
        started: moment(projection.began()).unwrap_or_default(),
        ended: projection.ended.and_then(moment),
        cycle_time: in_words(until.0.saturating_sub(projection.began().0)),
        steps: steps(projection, &given, &texts, &claims, measure.budgets),
        input_tokens: given.iter().sum(),
        output_tokens: texts.iter().sum(),
        tokens_used: claims.iter().fold(None, added),
        saved,
        work: work(projection, &sayings),
        handoffs,
        run: projection.run().to_owned(),
    }
}

/// What each handoff of a run says; nothing of one that was erased or cannot be read any more.
pub(crate) fn sayings(checker: &Checker, projection: &Projection) -> Vec<Option<Said>> {
    let mut scratch = Scratch::default();
    projection.handoffs.iter().map(|handed| said(checker, &mut scratch, handed.text.as_deref()?)).collect()
}

/// The tokens that a handoff claims. What counts against a cap is another figure, and may be higher.
fn claimed(said: &Said) -> Option<u64> {
    let saying = said.sayings.iter().find(|saying| saying.meaning == Meaning::Tokens)?;
    said.document.word_at(&saying.path)?.trim().parse().ok()
}

/// A sum of what is known.
fn added(sum: Option<u64>, claim: &Option<u64>) -> Option<u64> {
    match (sum, claim) {
        (Some(sum), Some(claim)) => Some(sum.saturating_add(*claim)),
        (sum, None) => sum,
        (None, claim) => *claim,
    }
}

/// Tokens of texts, each counted once: what one agent wrote is given to the next.
#[derive(Default)]
struct Counts(BTreeMap<(usize, usize), u64>);

impl Counts {
    fn of(&mut self, text: &Arc<[u8]>) -> u64 {
        let place = (text.as_ptr().addr(), text.len());
        *self.0.entry(place).or_insert_with(|| count(&String::from_utf8_lossy(text)) as u64)
    }
}

fn steps(
    projection: &Projection,
    given: &[u64],
    texts: &[u64],
    claims: &[Option<u64>],
    budgets: &[(StepId, u64)],
) -> Vec<StepMetrics> {
    let plan = projection.plan();
    let mut all = Vec::new();
    for (id, step) in (0..).map(StepId).zip(&plan.steps) {
        let members = members(plan, id);
        let is_member = |name: &str| members.contains(&name);
        let mut made = StepMetrics {
            step: step.name.clone(),
            handoffs: 0,
            input_tokens: 0,
            output_tokens: 0,
            tokens_used: None,
            budget: budgets.iter().find(|(of, _)| *of == id).map(|(_, budget)| *budget),
            over: 0,
        };
        for (sent, given) in projection.deliveries.iter().zip(given) {
            if is_member(&sent.step) {
                made.input_tokens += given;
            }
        }
        for ((handed, tokens), claim) in projection.handoffs.iter().zip(texts).zip(claims) {
            if projection.answered(handed).is_some_and(|sent| is_member(&sent.step)) {
                made.handoffs += 1;
                made.output_tokens += tokens;
                made.tokens_used = added(made.tokens_used, claim);
            }
        }
        let total = made.input_tokens + made.output_tokens;
        made.over = made.budget.map_or(0, |budget| total.saturating_sub(budget));
        all.push(made);
    }
    all
}

/// The names of the steps that count for a step: itself, and of a parallel one all its branches.
fn members(plan: &Plan, id: StepId) -> Vec<&str> {
    let Some(step) = plan.step(id) else { return Vec::new() };
    let mut members = vec![step.name.as_str()];
    if let Does::Parallel(parallel) = &step.does {
        let mut ahead: Vec<StepId> = parallel.branches.clone();
        while let Some(next) = ahead.pop().and_then(|id| plan.step(id)) {
            if !members.contains(&next.name.as_str()) {
                members.push(&next.name);
                ahead.extend(next.next);
            }
        }
    }
    members
}

/// What the handoffs say about the work.
pub(crate) fn work(projection: &Projection, sayings: &[Option<Said>]) -> Work {
    let mut work = Work::default();
    let mut seen = Seen::default();
    let mut commits: Vec<String> = Vec::new();
    let by_agents = projection.handoffs.iter().zip(sayings).filter(|(handed, _)| handed.given_up.is_none());
    for (handed, said) in by_agents {
        let reviews = projection.answered(handed).is_some_and(|sent| sent.role == Role::Review);
        let Some(document) = said.as_ref().map(|said| &said.document) else {
            work.review_iterations += u64::from(reviews);
            continue;
        };
        let is_new = |seen: &mut Seen, path| seen.is_new(handed, document, path);
        let is_review = reviews || is_new(&mut seen, "review_status");
        work.review_iterations += u64::from(is_review);
        if is_new(&mut seen, "tests_added") {
            work.tests_added += number(document, "tests_added");
        }
        if is_new(&mut seen, "commits_added") {
            work.total_commits += number(document, "commits_added");
        }
        for commit in list(document, "commits.commit") {
            let sha = commit.word_at("@sha").or_else(|| commit.as_text()).unwrap_or_default().to_owned();
            if !commits.contains(&sha) {
                commits.push(sha);
            }
        }
        let coverage = ["validation_summary.coverage", "metrics.coverage", "coverage"];
        let coverage = coverage.iter().find_map(|path| document.word_at(path));
        work.coverage = coverage.map(str::to_owned).or(work.coverage);
        if document.word_at("merge_status") == Some("merged") && is_new(&mut seen, "merge_sha") {
            let sha = document.word_at("merge_sha").unwrap_or_default();
            let strategy = document.word_at("merge_strategy").unwrap_or("merge");
            work.actions_taken.push(format!("Pull request merged as {sha} ({strategy})"));
        }
        for action in list(document, "actions_taken.action").iter().filter_map(Datum::as_text) {
            if !work.actions_taken.iter().any(|taken| taken == action) {
                work.actions_taken.push(action.to_owned());
            }
        }
    }
    work.total_commits += commits.len() as u64;
    work
}

/// What was said, and who said it first: an agent that repeats another passes on, and adds nothing.
#[derive(Default)]
struct Seen(Vec<(&'static str, String, String)>);

impl Seen {
    fn is_new(&mut self, handed: &Handoff, document: &Datum<'_>, path: &'static str) -> bool {
        let Some(value) = document.word_at(path) else { return false };
        let first = self.0.iter().find(|(of, said, _)| *of == path && said == value);
        match first {
            Some((_, _, who)) => *who == handed.from,
            None => {
                self.0.push((path, value.to_owned(), handed.from.clone()));
                true
            }
        }
    }
}

fn number(document: &Datum<'_>, path: &str) -> u64 {
    document.word_at(path).and_then(|text| text.trim().parse().ok()).unwrap_or_default()
}

/// A list, or the one entry that stands in the place of one.
fn list<'d>(document: &'d Datum<'static>, path: &str) -> &'d [Datum<'static>] {
    match document.at(path) {
        Some(Datum::List(items)) => items,
        Some(one) => std::slice::from_ref(one),
        None => &[],
    }
}

/// A time in words, in its two largest units.
pub fn in_words(ms: u64) -> String {
    const UNITS: [(&str, u64); 4] = [("day", 86_400), ("hour", 3_600), ("minute", 60), ("second", 1)];
    let seconds = ms / 1_000;
    let first = UNITS.iter().position(|(_, unit)| seconds >= *unit).unwrap_or(UNITS.len() - 1);
    let mut rest = seconds;
    let mut words = Vec::new();
    for (name, unit) in UNITS.iter().skip(first).take(2) {
        let count = rest / unit;
        rest %= unit;
        if count > 0 || words.is_empty() {
            words.push(format!("{count} {name}{}", if count == 1 { "" } else { "s" }));
        }
    }
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_told_in_its_two_largest_units() {
        // proves L-08
        let hour = 3_600_000;
        assert_eq!(in_words(52 * hour), "2 days 4 hours");
        assert_eq!(in_words(25 * hour + 59_000), "1 day 1 hour");
        assert_eq!(in_words(24 * hour + 60_000), "1 day");
        assert_eq!(in_words(90_000), "1 minute 30 seconds");
        assert_eq!(in_words(61_000), "1 minute 1 second");
        assert_eq!(in_words(999), "0 seconds");
    }
}
