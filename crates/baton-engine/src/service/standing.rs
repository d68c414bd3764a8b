//! How a run stands: what is under way, who is awaited, and what to type next.

use crate::run::awaited::{self as history, Question, Waiting, Why};
use crate::run::summary::Summary;
use baton_kernel::{AgentId, Choice, Does, Millis, Outcome, Reason, State, StepId};

use super::text as table;
use super::{caps, event_text, moment};

/// How late an agent is asked again at most where somebody drives the run.
const LATE_MS: u64 = 5_000;

/// Something that a run waits for, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Awaited {
    /// What it is called.
    pub(crate) id: String,
    /// What it is.
    pub(crate) kind: Kind,
    /// The step that waits.
    pub(crate) step: String,
    /// Who or what, in a few words.
    pub(crate) text: String,
    /// The question to a person, if one is asked.
    question: Option<Question>,
    /// When it passes unanswered, if it is a gate that only informs.
    passes_at: Option<Millis>,
}

/// What can be awaited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// An agent's answer.
    Agent,
    /// The answer of an agent that looks for its work itself.
    Inbox,
    /// Somebody who records that what lay in an inbox has expired.
    Expired,
    /// The time of the next attempt.
    Retry,
    /// A person's answer to a gate.
    Gate,
    /// A person's word, about a delivery that was given up.
    Dead,
    /// A person's word, whether an agent may do something.
    Permission,
    /// A person's word.
    Question,
    /// A time or a signal.
    Time,
}

impl Kind {
    /// Whether only a person can go on.
    pub(crate) fn is_person(self) -> bool {
        match self {
            Self::Gate | Self::Dead | Self::Permission | Self::Question => true,
            Self::Agent | Self::Inbox | Self::Expired | Self::Retry | Self::Time => false,
        }
    }

    /// Whether Baton itself can do nothing about it but wait.
    pub(crate) fn is_elsewhere(self) -> bool {
        self.is_person() || self == Self::Inbox
    }

    /// The word for scripts.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Inbox => "inbox",
            Self::Expired => "expired",
            Self::Retry => "retry",
            Self::Gate => "gate",
            Self::Dead => "dead",
            Self::Permission => "permission",
            Self::Question => "question",
            Self::Time => "time",
        }
    }
}

/// The name of a step.
pub(crate) fn step_name(state: &State, step: StepId) -> &str {
    state.plan().step(step).map_or("", |step| &step.name)
}

/// Who works at a step, or what happens there.
pub(crate) fn doer(state: &State, step: StepId) -> String {
    let Some(step) = state.plan().step(step) else { return String::new() };
    let agent = |id: AgentId| {
        state.plan().agents.get(usize::from(id.0)).map_or_else(String::new, |agent| agent.name.clone())
    };
    let agents = match &step.does {
        Does::Pass(pass) => vec![agent(pass.agent)],
        Does::Microloop(both) => vec![agent(both.author), agent(both.critic)],
        Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate | Does::End(_) => Vec::new(),
    };
    doing(&step.does, &agents)
}

/// Who works at a step that does this with these agents, or what happens there.
pub(crate) fn doing(does: &Does, agents: &[String]) -> String {
    match does {
        Does::Pass(_) | Does::Microloop(_) => agents.join(" ⇄ "),
        Does::Gate(_) => "gate".to_owned(),
        Does::Parallel(parallel) => format!("{} branches", parallel.branches.len()),
        Does::Wait(wait) => match &wait.signal {
            Some(signal) => format!("signal {signal}"),
            None => format!("wait {}", moment::span(wait.for_ms)),
        },
        Does::Escalate => "a person".to_owned(),
        Does::End(outcome) => format!("end: {}", event_text::outcome(*outcome)),
    }
}

/// All that a run waits for, agents first.
pub(crate) fn awaited(summary: &Summary) -> Vec<Awaited> {
    let words = |one: &history::Awaited| {
        let (kind, text) = worded(one);
        let question = if let Waiting::Person(question) = &one.what { Some(question.clone()) } else { None };
        let passes_at = if let Waiting::Gate { due, informs: true, .. } = one.what { due } else { None };
        Awaited { id: one.id.clone(), kind, step: one.step.clone(), text, question, passes_at }
    };
    summary.awaited.iter().map(words).collect()
}

/// What is awaited, and who or what it is in a few words.
fn worded(one: &history::Awaited) -> (Kind, String) {
    match &one.what {
        Waiting::Retry { to, until, interrupted } => {
            // A run that was stopped has no driver that asks when it is time.
            let is_left = *interrupted || until.after(LATE_MS) < moment::now();
            let when = if is_left {
                "when somebody resumes the run".to_owned()
            } else {
                format!("at {}", moment::clock(*until))
            };
            (Kind::Retry, format!("{to} is asked again {when}"))
        }
        // Nothing is taken for it any more, and whoever drives the run next says what becomes of it.
        Waiting::Inbox { to, expires, .. } if expires.is_some_and(|expires| expires <= moment::now()) => {
            (Kind::Expired, format!("{to} did not answer in time, and its delivery has expired"))
        }
        Waiting::Inbox { to, started, .. } => {
            (Kind::Inbox, format!("{to} {}", if *started { "works" } else { "is awaited" }))
        }
        Waiting::Agent { to, attempt } => {
            let attempt = (*attempt > 1).then(|| format!(", attempt {attempt}"));
            (Kind::Agent, format!("{to} works{}", attempt.unwrap_or_default()))
        }
        Waiting::Gate { overdue, .. } => {
            (Kind::Gate, format!("gate {}{}", one.step, if *overdue { ", overdue" } else { "" }))
        }
        Waiting::Person(question) => {
            let kind = match &question.dead {
                Some(_) if question.is_permission() => Kind::Permission,
                Some(_) => Kind::Dead,
                None => Kind::Question,
            };
            (kind, asked(question))
        }
        Waiting::Time { until, signal } => {
            let until = format!("{} {}", moment::day(*until), moment::clock(*until));
            let text = match signal {
                Some(signal) => format!("signal {signal}, until {until}"),
                None => format!("until {until}"),
            };
            (Kind::Time, text)
        }
    }
}

/// Why a person is asked: what the flow itself says, or what the kernel does.
fn asked(question: &Question) -> String {
    match &question.why {
        Some(Why::Unknown(why)) => table::one_line(why),
        Some(Why::Flow(said)) => format!("the flow asks: {}", table::one_line(said)),
        None => question.reason.text().to_owned(),
    }
}

/// How a run stands, in a few words.
pub(crate) fn words(summary: &Summary) -> String {
    if let Some(ending) = &summary.ending {
        let (what, why) = event_text::ended(ending);
        return format!("over: {what}{}", why.map(|why| format!(" – {why}")).unwrap_or_default());
    }
    let awaited = awaited(summary);
    let person = awaited.iter().find(|one| one.kind.is_person());
    let other = awaited.iter().find(|one| !one.kind.is_person());
    let other = other.map(|one| match one.kind {
        Kind::Time | Kind::Retry | Kind::Inbox | Kind::Expired => format!("waits: {}", one.text),
        Kind::Agent | Kind::Gate | Kind::Dead | Kind::Permission | Kind::Question => "working".to_owned(),
    });
    let person = person.map(|one| format!("waits for you: {}", one.text));
    match (other, person) {
        (Some(other), Some(person)) => format!("{other}; {person}"),
        (Some(words), None) | (None, Some(words)) => words,
        (None, None) => "working".to_owned(),
    }
}

/// The state as one word for scripts: `working`, `waiting` (for people and inboxes only) or `over`.
pub(crate) fn word(summary: &Summary) -> &'static str {
    let awaited = awaited(summary);
    if summary.ending.is_some() {
        "over"
    } else if !awaited.is_empty() && awaited.iter().all(|one| one.kind.is_elsewhere()) {
        "waiting"
    } else {
        "working"
    }
}

/// Whether a run that is over came to a good end.
pub(crate) fn is_good(outcome: Outcome) -> bool {
    match outcome {
        Outcome::Done | Outcome::Concerns | Outcome::Skipped => true,
        Outcome::Partial | Outcome::Blocked | Outcome::Failed | Outcome::Running => false,
    }
}

/// What a person can type now, each with what it does.
pub(crate) fn next(summary: &Summary) -> Vec<(String, String)> {
    let run = &summary.run;
    if summary.ending.is_some() {
        return vec![(format!("baton log {run}"), "what happened, and why".to_owned())];
    }
    let mut steps: Vec<(String, String)> = Vec::new();
    let mut push = |typed: String, does: &str| steps.push((typed, does.to_owned()));
    for one in awaited(summary) {
        let id = &one.id;
        let reason = one.question.as_ref().map(|question| question.reason);
        match one.kind {
            Kind::Gate => {
                push(format!("baton gate show {id}"), "what it is about");
                push(format!("baton gate approve {id}"), "go on");
                push(format!("baton gate reject {id}"), "not like this");
                if let Some(due) = one.passes_at {
                    let due = format!("{} {}", moment::day(due), moment::clock(due));
                    let does =
                        format!("it passes unanswered at its due time, {due}, while somebody drives the run");
                    push(format!("baton resume {run}"), &does);
                }
            }
            Kind::Permission => {
                push(format!("baton gate show {id}"), "what it wants to do");
                push(format!("baton gate approve {id}"), "it may");
                push(format!("baton gate reject {id}"), "it may not, and goes on without");
            }
            Kind::Dead => {
                if let Some(key) =
                    one.question.as_ref().and_then(|question| Some(&question.dead.as_ref()?.key))
                {
                    let (more, gives) = raised_for(&one, Choice::Again);
                    push(format!("baton retry {run}/{key}{more}"), &format!("try it again{gives}"));
                }
                let (more, gives) = raised_for(&one, Choice::GoOn);
                push(format!("baton clarify {id} --go-on{more}"), &format!("go on without it{gives}"));
                push(format!("baton cancel {run}"), "give up");
            }
            Kind::Question => {
                let (more, gives) = raised_for(&one, Choice::GoOn);
                if !more.is_empty() {
                    push(format!("baton clarify {id} --go-on{more}"), &format!("go on{gives}"));
                }
                let is_unknown = reason == Some(Reason::ExpressionUnknown);
                let is_join = one.question.as_ref().is_some_and(|question| question.is_join);
                let ways = one.question.iter().flat_map(|question| &question.ways);
                for to in ways.filter(|_| is_unknown) {
                    push(format!("baton clarify {id} --to {to}"), "go there, as if the expression held");
                }
                if is_unknown && !is_join {
                    push(format!("baton clarify {id} --go-on"), "go on, as if the expression did not hold");
                    push(format!("baton clarify {id} TEXT"), "say something, and the step is done again");
                } else if is_unknown || matches!(reason, Some(Reason::JoinFailed | Reason::JoinBlocked)) {
                    push(format!("baton show {id}"), "what its branches ended with");
                    push(format!("baton clarify {id} --go-on"), "go on with that");
                    push(
                        format!("baton clarify {id} TEXT"),
                        "say something, and all branches are done again",
                    );
                } else if reason == Some(Reason::PlanEscalates) {
                    push(format!("baton clarify {id} TEXT"), "answer, and go on with it");
                } else if raised_for(&one, Choice::Again).0.is_empty() {
                    push(format!("baton clarify {id} TEXT"), "answer, and the step is done again");
                }
                push(format!("baton cancel {run}"), "give up");
            }
            Kind::Inbox => {
                let agent = one.text.split(' ').next().unwrap_or("");
                push(format!("baton inbox {agent}"), "what lies there");
                push(format!("baton return {id} FILE"), "hand in the answer");
            }
            Kind::Expired => {
                push(format!("baton resume {run}"), "record that it expired, and decide what becomes of it");
            }
            Kind::Agent | Kind::Retry | Kind::Time => {}
        }
    }
    if steps.is_empty() {
        steps.push((format!("baton resume {run}"), "go on, should nobody drive it".to_owned()));
        steps.push((format!("baton log {run} -f"), "watch it".to_owned()));
    }
    steps
}

/// How the cap is raised that would stop a choice at once, and what that gives; nothing where none would.
fn raised_for(one: &Awaited, choice: Choice) -> (String, String) {
    let reason = one.question.as_ref().map(|question| question.reason);
    let reason = reason.filter(|reason| reason.holds_against(choice));
    let raising = reason.and_then(caps::raising);
    raising.map(|(option, gives)| (format!(" {option}"), format!(", with {gives}"))).unwrap_or_default()
}
