//! How a run stands: what is under way, who is awaited, and what to type next.

use baton_kernel::{
    Choice, Does, Doing, GateKind, Lane, Millis, Outcome, Pass, Reason, Standing, State, StepId, When,
};

use super::follow::View;
use super::text as table;
use super::{caps, moment, tale};

/// How late an agent is asked again at most where somebody drives the run.
const LATE_MS: u64 = 5_000;

/// Something that a run waits for.
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
    /// Why a person is asked, if one is.
    reason: Option<Reason>,
    /// The steps that routes by an expression lead to from there.
    ways: Vec<String>,
    /// Whether branches are joined there.
    is_join: bool,
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
    let agent = |id: baton_kernel::AgentId| {
        state.plan().agents.get(usize::from(id.0)).map_or("", |agent| agent.name.as_str())
    };
    match state.plan().step(step).map(|step| &step.does) {
        Some(Does::Pass(pass)) => agent(pass.agent).to_owned(),
        Some(Does::Microloop(both)) => format!("{} ⇄ {}", agent(both.author), agent(both.critic)),
        Some(Does::Gate(_)) => "gate".to_owned(),
        Some(Does::Parallel(parallel)) => format!("{} branches", parallel.branches.len()),
        Some(Does::Wait(wait)) => match &wait.signal {
            Some(signal) => format!("signal {signal}"),
            None => format!("wait {}", moment::span(wait.for_ms)),
        },
        Some(Does::Escalate) => "a person".to_owned(),
        Some(Does::End(outcome)) => format!("end: {}", tale::outcome(*outcome)),
        None => String::new(),
    }
}

/// All that a run waits for, agents first.
pub(crate) fn awaited(view: &View) -> Vec<Awaited> {
    let state = &view.state;
    let run = state.run();
    let mut all = Vec::new();
    for lane in state.lanes() {
        let step = step_name(state, lane.step).to_owned();
        let agent = |id: baton_kernel::AgentId| {
            state.plan().agents.get(usize::from(id.0)).map_or("", |agent| agent.name.as_str())
        };
        let (id, kind, text) = match &lane.doing {
            Doing::Delivery(delivery) => {
                let (to, id) = (agent(delivery.to), format!("{run}/{}", delivery.key));
                match delivery.standing {
                    Standing::Paused { until, .. } => {
                        // Whoever drives a run asks when it is time; of one that was stopped nobody is there to.
                        let is_left = delivery.interrupted || until.after(LATE_MS) < moment::now();
                        let when = if is_left {
                            "when somebody resumes the run".to_owned()
                        } else {
                            format!("at {}", moment::clock(until))
                        };
                        (id, Kind::Retry, format!("{to} is asked again {when}"))
                    }
                    // Nothing is taken for it any more, and whoever drives the run next says what becomes of it.
                    Standing::Out | Standing::Failed { .. }
                        if view.inboxes.contains(to)
                            && delivery.expires.is_some_and(|expires| expires <= moment::now()) =>
                    {
                        (
                            id,
                            Kind::Expired,
                            format!("{to} did not answer in time, and its delivery has expired"),
                        )
                    }
                    Standing::Out | Standing::Failed { .. } if view.inboxes.contains(to) => {
                        let taken = if delivery.stages.started { "works" } else { "is awaited" };
                        (id, Kind::Inbox, format!("{to} {taken}"))
                    }
                    Standing::Out | Standing::Failed { .. } => {
                        let attempt =
                            (delivery.attempt > 1).then(|| format!(", attempt {}", delivery.attempt));
                        (id, Kind::Agent, format!("{to} works{}", attempt.unwrap_or_default()))
                    }
                }
            }
            Doing::Gate(gate) if gate.checking => continue,
            Doing::Gate(gate) => {
                let late = if gate.overdue { ", overdue" } else { "" };
                (format!("{run}/{step}"), Kind::Gate, format!("gate {step}{late}"))
            }
            Doing::Person(question) => {
                let kind = match (question.reason, lane.dead.is_some()) {
                    (Reason::PermissionAsked, true) => Kind::Permission,
                    (_, true) => Kind::Dead,
                    (_, false) => Kind::Question,
                };
                (format!("{run}/?{}", question.ask.0), kind, asked(view, lane, &step, question.reason))
            }
            Doing::Wait { until } => {
                let signal = match state.plan().step(lane.step).map(|step| &step.does) {
                    Some(Does::Wait(wait)) => wait.signal.as_deref(),
                    Some(
                        Does::Pass(_)
                        | Does::Microloop(_)
                        | Does::Gate(_)
                        | Does::Parallel(_)
                        | Does::Escalate
                        | Does::End(_),
                    )
                    | None => None,
                };
                let until = format!("{} {}", moment::day(*until), moment::clock(*until));
                let text = match signal {
                    Some(signal) => format!("signal {signal}, until {until}"),
                    None => format!("until {until}"),
                };
                (format!("{run}/{step}"), Kind::Time, text)
            }
            Doing::Between | Doing::Join(_) => continue,
        };
        let reason = if let Doing::Person(question) = &lane.doing { Some(question.reason) } else { None };
        let does = state.plan().step(lane.step).map(|step| &step.does);
        let ways = match does {
            Some(Does::Pass(pass)) => ways(state, pass),
            Some(
                Does::Microloop(_)
                | Does::Gate(_)
                | Does::Parallel(_)
                | Does::Wait(_)
                | Does::Escalate
                | Does::End(_),
            )
            | None => Vec::new(),
        };
        let is_join = matches!(does, Some(Does::Parallel(_)));
        all.push(Awaited { id, kind, step, text, reason, ways, is_join });
    }
    all.sort_by_key(|awaited| awaited.kind.is_person());
    all
}

/// The steps that the routes by an expression lead to.
fn ways(state: &State, pass: &Pass) -> Vec<String> {
    let mut ways: Vec<String> = Vec::new();
    for route in pass.routes.iter().filter(|route| matches!(route.when, When::Holds(_))) {
        let name = step_name(state, route.to).to_owned();
        if !ways.contains(&name) {
            ways.push(name);
        }
    }
    ways
}

/// Why a person is asked at a step: what the flow itself says, or what the kernel does.
fn asked(view: &View, lane: &Lane, step: &str, reason: Reason) -> String {
    if let Some(why) = view.unknown.get(&lane.id).filter(|_| reason == Reason::ExpressionUnknown) {
        return table::one_line(why);
    }
    let said = view.asks.get(step).filter(|_| reason == Reason::PlanEscalates);
    said.map_or_else(|| reason.text().to_owned(), |said| format!("the flow asks: {}", table::one_line(said)))
}

/// How a run stands, in a few words.
pub(crate) fn words(view: &View) -> String {
    if let Some(ending) = view.state.ending() {
        let (what, why) = tale::ended(ending);
        return format!("over: {what}{}", why.map(|why| format!(" – {why}")).unwrap_or_default());
    }
    let awaited = awaited(view);
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
pub(crate) fn word(view: &View) -> &'static str {
    let awaited = awaited(view);
    if view.state.ending().is_some() {
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
pub(crate) fn next(view: &View) -> Vec<(String, String)> {
    let run = view.state.run();
    if view.state.ending().is_some() {
        return vec![(format!("baton log {run}"), "what happened, and why".to_owned())];
    }
    let mut steps: Vec<(String, String)> = Vec::new();
    let mut push = |typed: String, does: &str| steps.push((typed, does.to_owned()));
    for one in awaited(view) {
        let id = &one.id;
        match one.kind {
            Kind::Gate => {
                push(format!("baton gate show {id}"), "what it is about");
                push(format!("baton gate approve {id}"), "go on");
                push(format!("baton gate reject {id}"), "not like this");
                if let Some(due) = passes_at(&view.state, &one.step) {
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
                if let Some(key) = dead_key(&view.state, id) {
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
                let is_unknown = one.reason == Some(Reason::ExpressionUnknown);
                for to in one.ways.iter().filter(|_| is_unknown) {
                    push(format!("baton clarify {id} --to {to}"), "go there, as if the expression held");
                }
                if is_unknown && !one.is_join {
                    push(format!("baton clarify {id} --go-on"), "go on, as if the expression did not hold");
                    push(format!("baton clarify {id} TEXT"), "say something, and the step is done again");
                } else if is_unknown || matches!(one.reason, Some(Reason::JoinFailed | Reason::JoinBlocked)) {
                    push(format!("baton show {id}"), "what its branches ended with");
                    push(format!("baton clarify {id} --go-on"), "go on with that");
                    push(
                        format!("baton clarify {id} TEXT"),
                        "say something, and all branches are done again",
                    );
                } else if one.reason == Some(Reason::PlanEscalates) {
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

/// When a gate at a step passes unanswered, if it only informs.
fn passes_at(state: &State, step: &str) -> Option<Millis> {
    state.lanes().iter().find_map(|lane| {
        let Doing::Gate(gate) = &lane.doing else { return None };
        let spec = state.plan().step(lane.step).filter(|spec| spec.name == step)?;
        let is_informative = matches!(&spec.does, Does::Gate(of) if of.kind == GateKind::Informative);
        gate.due.filter(|_| is_informative)
    })
}

/// How the cap is raised that would stop a choice at once, and what that gives; nothing where none would.
fn raised_for(one: &Awaited, choice: Choice) -> (String, String) {
    let reason = one.reason.filter(|reason| reason.holds_against(choice));
    let raising = reason.and_then(caps::raising);
    raising.map(|(option, gives)| (format!(" {option}"), format!(", with {gives}"))).unwrap_or_default()
}

/// The delivery that a question is about.
fn dead_key(state: &State, id: &str) -> Option<String> {
    let of = |lane: &Lane| match (&lane.doing, &lane.dead) {
        (Doing::Person(question), Some(dead)) => {
            (format!("{}/?{}", state.run(), question.ask.0) == id).then(|| dead.key.to_string())
        }
        _ => None,
    };
    state.lanes().iter().find_map(of)
}
