//! What happened in a run, as lines that people read: when, who, what, why.

use crate::run::unknown;
use baton_kernel::{
    AgentId, AskId, Choice, Doing, Ending, Event, FailureKind, GateAnswer, GateId, Held, How, Key, LaneId,
    Outcome, Reason, Role, Stage, State, StepId, Target, Truth, Verdict,
};

use crate::mirror::manifests::{FAILED, GENERATED, REPLACED, SENDING, SENT};
use baton_ledger::Record;
use serde_json::Value;

use super::text as table;
use super::{caps, moment};

/// Who decides where things go.
const BATON: &str = "baton";

/// One thing that happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Line {
    /// Who did it: an agent, a person, or Baton.
    pub(crate) who: String,
    /// What was done.
    pub(crate) what: String,
    /// Why, where somebody decided.
    pub(crate) why: Option<String>,
}

/// What a record of the project's manifests says.
pub(crate) fn manifest(record: &Record) -> Option<Line> {
    let body: Value = serde_json::from_slice(&record.body).ok()?;
    let word = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or_default();
    let (what, why) = match record.kind.as_str() {
        GENERATED => (format!("makes a manifest: {}", word("about")), None),
        REPLACED => ("takes in the manifest that another hand had written".to_owned(), None),
        SENDING => (format!("sends the manifest in {}", word("run")), None),
        SENT => (format!("has sent the manifest in {}", word("run")), None),
        FAILED => {
            (format!("could not send the manifest in {}", word("run")), Some(word("reason").to_owned()))
        }
        _ => return None,
    };
    Some(Line { who: BATON.to_owned(), what, why })
}

/// What an event says, told from the state before it; `answers` were accepted before.
pub(crate) fn line(state: &State, event: &Event, answers: usize) -> Line {
    let teller = Teller { state };
    let run = state.run();
    let (who, what, why) = match event {
        Event::RunStarted { run, plan, .. } => {
            let steps = table::counted(plan.steps.len(), "step");
            (BATON.into(), format!("starts {run}: flow {}, {steps}", plan.name), None)
        }
        Event::PlanChanged { by, .. } => (by.clone(), "goes on with changed files".into(), None),
        Event::Routed { lane, candidates, winner, reason, contradiction } => {
            let mut why = reason.text().to_owned();
            let others = candidates.iter().filter(|other| *other != winner);
            let others: Vec<String> = others.map(|other| teller.target(*lane, *other)).collect();
            if !others.is_empty() {
                why += &format!(" (it could have gone to {})", others.join(", "));
            }
            if *contradiction {
                why += "; the answer recommends otherwise";
            }
            (BATON.into(), teller.move_of(*lane, *winner), Some(why))
        }
        Event::DeliveryStarted { key, attempt, to, role, how, .. } => {
            (teller.agent(*to), teller.given(*key, *attempt, *role, *how), None)
        }
        Event::SessionKnown { key, session, .. } => {
            (teller.receiver(*key), format!("works in session {session}"), None)
        }
        Event::Acknowledged { key, stage, .. } => {
            let what = match stage {
                Stage::Received => "has received it",
                Stage::Accepted => "takes it",
                Stage::Started => "has begun",
            };
            (teller.receiver(*key), what.into(), None)
        }
        Event::Progressed { key, .. } => (teller.receiver(*key), "is at work".into(), None),
        Event::DraftTaken { key, .. } => (teller.receiver(*key), "has a draft".into(), None),
        Event::Questioned { key, .. } => (teller.receiver(*key), "asks what was meant".into(), None),
        Event::Answered { key, facts, .. } => {
            let number = answers + 1;
            let why = unknown::routes(state, *key, facts);
            (teller.receiver(*key), format!("answers {run}/{number}: {}", outcome(facts.outcome)), why)
        }
        Event::AttemptFailed { key, failure, .. } => {
            let why = match failure.kind {
                FailureKind::TimedOut => Some("its time is over".to_owned()),
                FailureKind::Interrupted => Some("whoever drove the run was asked to end".to_owned()),
                FailureKind::Agent | FailureKind::Courier | FailureKind::Answer | FailureKind::Permission => {
                    failure.signature.clone()
                }
            };
            let what = match failure.kind {
                FailureKind::Answer => "gives an answer that is not taken",
                FailureKind::Interrupted => "is interrupted",
                FailureKind::Permission => "asks whether it may do something",
                FailureKind::Agent | FailureKind::Courier | FailureKind::TimedOut => "fails",
            };
            (teller.receiver(*key), what.into(), why)
        }
        Event::RetryPlanned { key, due } => {
            let is_interrupted = state.delivery(*key).is_some_and(|delivery| delivery.interrupted);
            let when = if is_interrupted {
                "when somebody resumes the run".to_owned()
            } else {
                format!("at {}", moment::clock(*due))
            };
            (BATON.into(), format!("asks {} again {when}", teller.receiver(*key)), None)
        }
        Event::LateReport { key, .. } => {
            (teller.receiver(*key), "reports too late; it counts for nothing".into(), None)
        }
        Event::DeadLettered { key, reason } => {
            let verb = if *reason == Reason::PermissionAsked { "holds up" } else { "gives up" };
            let what = format!("{verb} {run}/{key} to {}", teller.receiver(*key));
            (BATON.into(), what, Some(reason.text().to_owned()))
        }
        Event::DeliveryStopped { key } => {
            (BATON.into(), format!("stops {}", teller.receiver(*key)), Some("it is no longer wanted".into()))
        }
        Event::Bounced { receiver, .. } => {
            let why = "the flow has no agent of that name".to_owned();
            (BATON.into(), format!("cannot hand on to {receiver}"), Some(why))
        }
        Event::GateOpened { lane, due, .. } => {
            let until = due.map(|due| format!(", due {} {}", moment::day(due), moment::clock(due)));
            let what = format!("opens gate {run}/{}{}", teller.at(*lane), until.unwrap_or_default());
            (BATON.into(), what, None)
        }
        Event::GateShows { gate, .. } => {
            (BATON.into(), format!("shows what gate {} is about", teller.gate(*gate)), None)
        }
        Event::GateChecked { gate, held, checks, .. } => {
            let why = failed_checks(checks);
            let what = if *held { "hold" } else { "do not hold, a person is asked" };
            (BATON.into(), format!("checks gate {}: its checks {what}", teller.gate(*gate)), why)
        }
        Event::GateOverdue { gate } => {
            (BATON.into(), format!("notes that gate {} is overdue", teller.gate(*gate)), None)
        }
        Event::GateUnanswered { gate, .. } => {
            (BATON.into(), format!("passes gate {} unanswered", teller.gate(*gate)), None)
        }
        Event::GateAnswered { gate, answer, by, .. } => {
            let verb = match answer {
                GateAnswer::Approve => "approves",
                GateAnswer::Reject => "rejects",
                GateAnswer::Question => "asks about",
            };
            (by.clone(), format!("{verb} gate {}", teller.gate(*gate)), None)
        }
        Event::Forked { lane, branches, .. } => {
            (BATON.into(), format!("opens {branches} branches at {}", teller.at(*lane)), None)
        }
        Event::BranchEnded { lane, verdict, passed } => {
            let passes = if *passed { "passes" } else { "does not pass" };
            let what = format!("ends the branch {}: {}, {passes}", teller.at(*lane), worth(*verdict));
            (BATON.into(), what, None)
        }
        Event::ValueAwaited { lane } => {
            (BATON.into(), format!("looks at all branches of {}", teller.at(*lane)), None)
        }
        Event::Joined { lane, passed, verdict, counts: _, unknown } => {
            let result = match (unknown, passed) {
                (None, true) => "passes",
                (None, false) => "does not pass",
                (Some(_), true) => "unknown, which counts as passed",
                (Some(_), false) => "unknown",
            };
            let what = format!("joins {}: {}, {result}", teller.at(*lane), worth(*verdict));
            (BATON.into(), what, unknown::join(state, event))
        }
        Event::WaitStarted { until, .. } => {
            (BATON.into(), format!("waits until {} {}", moment::day(*until), moment::clock(*until)), None)
        }
        Event::WaitEnded { signalled, .. } => {
            let why = if *signalled { "the signal came" } else { "the time is over" };
            (BATON.into(), "waits no longer".into(), Some(why.into()))
        }
        Event::PersonAsked { ask, reason, .. } => {
            (BATON.into(), format!("asks a person, {run}/?{}", ask.0), Some(reason.text().to_owned()))
        }
        Event::PersonAnswered { ask: _, choice, by, kept: Some(kept), .. } => {
            let why = format!("that was the answer to {run}/?{}, where the same was asked", kept.0);
            (by.clone(), format!("said: {}", teller.choice(*choice)), Some(why))
        }
        Event::PersonAnswered { ask, choice, by, more, .. } => {
            let more = more.map(|more| format!(", {}", caps::raised(teller.why_asked(*ask), more)));
            let more = more.unwrap_or_default();
            (by.clone(), format!("says: {}{more}", teller.choice(*choice)), None)
        }
        Event::RunEnded { ending, .. } => {
            let (what, why) = ended(ending);
            (BATON.into(), format!("ends {run}: {what}"), why)
        }
    };
    Line { who, what, why }
}

/// The checks of a gate that failed, and those that nothing is known of.
fn failed_checks(checks: &[Held]) -> Option<String> {
    let failed = checks.iter().filter_map(|check| match &check.truth {
        Truth::Holds => None,
        Truth::Fails => Some(format!("does not hold: {}", check.name)),
        Truth::Unknown(why) => Some(format!("unknown: {why} (check {})", check.name)),
    });
    let failed: Vec<String> = failed.collect();
    (!failed.is_empty()).then(|| failed.join("; "))
}

/// How a run ended, and why if that is not plain.
pub(crate) fn ended(ending: &Ending) -> (String, Option<String>) {
    match ending {
        Ending::Finished(how) => (outcome(*how).to_owned(), None),
        Ending::Halted(reason) => ("halted".to_owned(), Some(reason.text().to_owned())),
        Ending::Cancelled(by) => (format!("cancelled by {by}"), None),
    }
}

/// An outcome in a word.
pub(crate) fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Done => "done",
        Outcome::Concerns => "done with concerns",
        Outcome::Partial => "partly done",
        Outcome::Blocked => "blocked",
        Outcome::Failed => "failed",
        Outcome::Skipped => "skipped",
        Outcome::Running => "still at work",
    }
}

fn worth(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Blocked => "blocked",
        Verdict::Unverified => "not verified",
        Verdict::Verified => "verified",
    }
}

struct Teller<'t> {
    state: &'t State,
}

impl Teller<'_> {
    fn agent(&self, id: AgentId) -> String {
        self.state.plan().agents.get(usize::from(id.0)).map_or_else(String::new, |agent| agent.name.clone())
    }

    fn step(&self, id: StepId) -> String {
        self.state.plan().step(id).map_or_else(String::new, |step| step.name.clone())
    }

    /// The step that a lane is at.
    fn at(&self, lane: LaneId) -> String {
        self.state.lane(lane).map_or_else(String::new, |lane| self.step(lane.step))
    }

    /// The agent that has a delivery, also one that was given up.
    fn receiver(&self, key: Key) -> String {
        let lane = self.state.lane(key.lane);
        let dead = lane.and_then(|lane| lane.dead.as_ref()).filter(|dead| dead.key == key);
        self.state.delivery(key).or(dead).map_or_else(|| "an agent".to_owned(), |it| self.agent(it.to))
    }

    fn gate(&self, gate: GateId) -> String {
        let is_it = |doing: &Doing| matches!(doing, Doing::Gate(open) if open.gate == gate);
        let lane = self.state.lanes().iter().find(|lane| is_it(&lane.doing));
        let step = lane.map_or_else(String::new, |lane| self.step(lane.step));
        format!("{}/{step}", self.state.run())
    }

    /// Why a person is asked, while the question is open.
    fn why_asked(&self, ask: AskId) -> Option<Reason> {
        self.state.lanes().iter().find_map(|lane| match &lane.doing {
            Doing::Person(question) if question.ask == ask => Some(question.reason),
            Doing::Between
            | Doing::Delivery(_)
            | Doing::Gate(_)
            | Doing::Wait { .. }
            | Doing::Join(_)
            | Doing::Person(_) => None,
        })
    }

    fn given(&self, key: Key, attempt: u16, role: Role, how: How) -> String {
        let step = self.at(key.lane);
        let what = match role {
            Role::Work => format!("is given {step}"),
            Role::Review => format!("is given {step} to look at"),
            Role::Delegated => format!("is given a part of {step}"),
            Role::Question => format!("is asked about {step}"),
        };
        let again = match how {
            How::First => return what,
            How::Retry => "it failed before",
            How::Resent => "sent again after a crash",
            How::Resumed => "resumed after a crash",
            How::Asked => "a person asked for it",
            How::Interrupted => "it was interrupted",
            How::Answered => "a person has answered",
        };
        format!("{what}, attempt {attempt}: {again}")
    }

    fn move_of(&self, lane: LaneId, winner: Target) -> String {
        let from = self.at(lane);
        if let Target::Step(to) = winner
            && self.step(to) == from
        {
            return format!("goes to {from}");
        }
        format!("goes from {from} to {}", self.target(lane, winner))
    }

    fn target(&self, lane: LaneId, target: Target) -> String {
        let step = self.state.lane(lane).and_then(|lane| self.state.plan().step(lane.step));
        match target {
            Target::Step(id) => self.step(id),
            Target::Detour(index) => {
                let detour = step.and_then(|step| step.detours.get(usize::from(index)));
                detour.map_or_else(|| "a detour".to_owned(), |detour| format!("the detour {}", detour.kind))
            }
            Target::Author => "its author".to_owned(),
            Target::Critic => "its critic".to_owned(),
            Target::Delegate(agent) => format!("{}, who does a part", self.agent(agent)),
            Target::Sender(agent) => format!("{}, who is asked", self.agent(agent)),
            Target::Back => "where it came from".to_owned(),
            Target::Again => "the same again".to_owned(),
            Target::Person => "a person".to_owned(),
            Target::Join => "its join".to_owned(),
            Target::End => "the end".to_owned(),
            Target::Halt => "a halt".to_owned(),
        }
    }

    fn choice(&self, choice: Choice) -> String {
        match choice {
            Choice::Again => "once more".to_owned(),
            Choice::GoOn => "go on".to_owned(),
            Choice::Go(step) => format!("go to {}", self.step(step)),
            Choice::Halt => "halt".to_owned(),
        }
    }
}
