//! What a run asks of the engine itself: what gates show, their checks, the value of joins.

use std::sync::Arc;

use baton_document::{Said, Scratch};
use baton_kernel::{
    Content as Carried, CutOff, Digest, Does, Gate, GateKind, Held, Lane, LaneId, Millis, OwedDelivery,
    Report, Truth, What,
};

use super::{Engine, courier_key, receiver_of};
use crate::outbound::compose;
use crate::outbound::compose::{Parcel, moment};
use crate::outbound::finalize::{Own, own_handoff};
use crate::outbound::reply_context::{handed, shown};
use crate::records::checklist::Checklist;
use crate::records::content::Content;
use crate::records::reading;
use crate::records::substitute::Made;
use crate::run::Run;
use crate::run::environment::Environment;

/// The dialect in which Baton speaks where no agent has one.
const ENVELOPE: &str = "envelope";
/// Why nothing is known of an expression over something else.
const NO_HANDOFF: &str = "what it is about is no handoff";
/// How many things a run may ask of the engine after one report.
const DUTIES_MAX: usize = 1_000;

impl Engine<'_> {
    /// Does what a run asks of the engine itself: shows what gates are about, runs their checks, values joins.
    pub(super) fn perform_tasks(&mut self, name: &str, now: Millis) {
        self.guard(name);
        // What a join is decided by includes what stands for branches that gave nothing.
        self.write_own(name, now);
        let Some(run) = self.runs.get_mut(name) else { return };
        for _ in 0..DUTIES_MAX {
            let asked = Asked { run, environment: &run.environment, now };
            let Some((what, content)) = asked.duty(&mut self.scratch) else { break };
            if run.hear(what, content, now).is_err() {
                break;
            }
        }
        self.receive(name, now);
    }

    /// Goes through the checklists of those who are to receive something, before any of it goes out. A strict receiver does
    /// not get what it could not start with: its sender is asked, as if the receiver had.
    fn receive(&mut self, name: &str, now: Millis) {
        for _ in 0..DUTIES_MAX {
            let Some(run) = self.runs.get_mut(name) else { return };
            let is_new = |owed: &&OwedDelivery| owed.attempt == 1 && !run.is_received(owed.key);
            let environment = Arc::clone(&run.environment);
            let agents = &environment.agents;
            let looked = run.owed.deliveries.iter().filter(is_new).find_map(|owed| {
                let receiver = receiver_of(run, owed);
                let setup = agents.get(receiver).filter(|setup| compose::has_checklist(setup, owed))?;
                let key = courier_key(name, owed.key);
                if self.watched.contains_key(&key) {
                    return None;
                }
                let root = self.settings.root.clone();
                let parcel = Parcel { key, owed, run, receiver, setup, agents, root, now };
                let (findings, handoff) =
                    compose::reception(&environment.checker, &mut self.scratch, &parcel)?;
                let handed_over = findings.is_empty() || !setup.is_strict;
                let checklist = Checklist { key: owed.key, handed_over, findings };
                Some((checklist, handoff, receiver.to_owned()))
            });
            let Some((checklist, handoff, receiver)) = looked else { return };
            run.receive(&checklist, handoff);
            if !checklist.handed_over {
                let content = Content::plain(checklist.question(&receiver).into_bytes());
                let report = Report::Question(content.digest);
                // What the kernel refuses is over already.
                let _ = run.hear(What::Report { key: checklist.key, attempt: 1, report }, Some(content), now);
            }
        }
    }

    /// Writes a handoff for every step whose agent is asked no more and gave none; what went wrong it may have said itself.
    fn write_own(&mut self, name: &str, now: Millis) {
        let Some(run) = self.runs.get_mut(name) else { return };
        for given_up in run.take_given_up() {
            let environment = Arc::clone(&run.environment);
            let dialect = environment.agents.get(&given_up.agent).map_or("", |setup| setup.dialect.as_str());
            let now = moment(now).unwrap_or_default();
            let error = run.error_of(given_up.key).map(|text| text.bytes.to_vec());
            let is_error = error.is_some();
            let text = error.unwrap_or_else(|| {
                own_handoff(&environment.checker, run, &given_up, dialect, &now).into_bytes()
            });
            let made = Made { key: given_up.key, agent: given_up.agent, step: given_up.step, is_error };
            run.keep_made(&made, text);
        }
    }
}

/// A run that asks something of the engine, and what that is found out with.
struct Asked<'a> {
    run: &'a Run,
    environment: &'a Environment,
    now: Millis,
}

impl Asked<'_> {
    /// The next thing that a run asks of the engine.
    fn duty(&self, scratch: &mut Scratch) -> Option<(What, Option<Content>)> {
        let Self { run, environment, .. } = self;
        let judge = &environment.judge;
        for gate in &run.owed.gates {
            let carried = run.state.lane(gate.lane).and_then(Lane::content);
            let is_about = carried.is_some_and(|carried| !run.annotations(gate.lane, carried).is_empty());
            let Some(showing) = gate.shown.filter(|shown| !is_about || Some(*shown) != carried) else {
                // What lies behind a join is shown as what each branch ended with, and an answer with what it is about: what
                // is shown is what goes on.
                let contents = carried.map_or_else(|| run.ended(gate.lane), |carried| vec![carried.into()]);
                let content = Content::plain(shown(run, &environment.checker, scratch, gate.lane, &contents));
                return Some((What::ShowAtGate { gate: gate.gate, shown: content.digest }, Some(content)));
            };
            if gate.checking {
                let said = self.shown_at(gate.lane, carried, is_about, showing, scratch);
                let checks = match run.state.plan().step(gate.step).map(|step| &step.does) {
                    Some(Does::Gate(Gate { kind: GateKind::Auto(checks), .. })) => checks.as_slice(),
                    _ => &[],
                };
                let asked: Vec<&str> = checks.iter().map(String::as_str).collect();
                let truths = match &said {
                    Some(said) => judge.over_handoffs(&asked, &said.iter().collect::<Vec<_>>()),
                    None => vec![Truth::Unknown(NO_HANDOFF.to_owned()); checks.len()],
                };
                let held = checks.iter().zip(truths).map(|(name, truth)| Held { name: name.clone(), truth });
                let checks = held.collect();
                return Some((What::CheckGate { gate: gate.gate, shown: Some(showing), checks }, None));
            }
        }
        let lane = *run.owed.values.first()?;
        let step = run.state.lane(lane).and_then(|lane| run.state.plan().step(lane.step));
        let expression = match step.map(|step| &step.does) {
            Some(Does::Parallel(parallel)) => parallel.expression.as_deref().unwrap_or_default(),
            _ => "",
        };
        let truth = match self.ended(lane, scratch) {
            Some(said) => judge.over_branches(expression, &said),
            None => Truth::Unknown(NO_HANDOFF.to_owned()),
        };
        Some((What::JoinValue { lane, truth }, None))
    }

    /// What the checks of a gate are held against: every handoff that it shows, and what Baton says of branches that gave
    /// none. Nothing, if something is shown that is no handoff.
    fn shown_at(
        &self,
        lane: LaneId,
        carried: Option<Digest>,
        is_about: bool,
        showing: Digest,
        scratch: &mut Scratch,
    ) -> Option<Vec<Said>> {
        let Self { run, environment, .. } = self;
        let checker = &environment.checker;
        if carried.is_some() && !is_about {
            return Some(vec![Arc::unwrap_or_clone(run.text(showing)?.said(checker, scratch)?)]);
        }
        if carried.is_none() {
            self.ended(lane, scratch)?;
        }
        let handed = handed(run, checker, scratch, lane, carried.map(Carried::from));
        let mut all: Vec<Said> = handed.said.into_iter().map(Arc::unwrap_or_clone).collect();
        for cut_off in handed.cut_off {
            all.push(self.said_of(cut_off, scratch)?);
        }
        Some(all).filter(|all| !all.is_empty())
    }

    /// What the branches of a lane ended with; nothing, if one of them ended with what is no handoff.
    fn ended(&self, lane: LaneId, scratch: &mut Scratch) -> Option<Vec<Said>> {
        let Self { run, environment, .. } = self;
        let checker = &environment.checker;
        let mut all = Vec::new();
        for content in run.ended(lane) {
            if let Carried::CutOff(cut_off) = content {
                all.push(self.said_of(cut_off, scratch)?);
                continue;
            }
            let said = handed(run, checker, scratch, lane, Some(content)).said;
            if said.is_empty() {
                return None;
            }
            all.extend(said.into_iter().map(Arc::unwrap_or_clone));
        }
        Some(all)
    }

    /// What Baton says of a branch that was ended from outside, in the dialect of the step where it ended.
    fn said_of(&self, cut_off: CutOff, scratch: &mut Scratch) -> Option<Said> {
        let Self { run, environment, now } = self;
        let Environment { checker, agents, .. } = *environment;
        let plan = run.state.plan();
        let step = plan.step(cut_off.step)?;
        let agent = match &step.does {
            Does::Pass(pass) => Some(pass.agent),
            Does::Microloop(microloop) => Some(microloop.author),
            Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate | Does::End(_) => None,
        };
        let agent = agent.and_then(|agent| plan.agents.get(usize::from(agent.0))).map(|agent| &*agent.name);
        let dialect = agent.and_then(|agent| agents.get(agent)).map_or(ENVELOPE, |setup| &setup.dialect);
        let now = moment(*now).unwrap_or_default();
        let own = Own {
            agent: agent.unwrap_or("baton"),
            step: &step.name,
            flow: &plan.name,
            run: run.state.run(),
            reason: cut_off.reason,
            found: "",
            now: &now,
        };
        reading::said(checker, scratch, own.written(checker, dialect, Vec::new()).as_bytes())
    }
}
