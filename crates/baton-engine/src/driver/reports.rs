//! What couriers report, as what the kernel hears.

use std::path::PathBuf;

use baton_courier::id::{Id, Names};
use baton_courier::{Again, Cause, Report, What as Said};
use baton_document::OpenReading;
use baton_document::secrets::{ExcerptPart, excerpt, find, redacted};
use baton_kernel::{
    AgentId, Does, Facts, Failure, FailureKind, Frame, Held, Key, Millis, Outcome, Refusal, Report as Heard,
    Role, Step, StepId, What, When, bounds, signature,
};

use super::{Engine, Later, Watched, courier_key};
use crate::evidence::{Depth, Recorded, Seen};
use crate::intake;
use crate::intake::provenance;
use crate::intake::{Received, Standing, Taken};
use crate::outbound::worktree;
use crate::project::agents::Setup;
use crate::records::codec;
use crate::records::content::Content;
use crate::run::Run;
use crate::run::environment::Environment;
use crate::run::judge::Judge;

/// After what time an agent that is still at work, and ended, is asked again; then after twice that, and so on.
const LOOK_AGAIN_MS: u64 = 5_000;
/// The longest time after which it is asked again.
const LOOK_AGAIN_MS_MAX: u64 = 10 * 60 * 1_000;

/// The bytes of the last words of an agent that are kept.
const WORDS_BYTES_MAX: usize = 4 * 1024;

impl Engine<'_> {
    /// Hears a report; gives the run that it was about.
    pub(super) fn hear(&mut self, report: Report, now: Millis) -> Option<String> {
        let watched = self.watched.get(&report.key)?;
        if u32::from(watched.attempt) != report.attempt {
            return None;
        }
        let report = self.examined_first(report, now)?;
        let is_final = report.what.is_final();
        let watched =
            if is_final { self.watched.remove(&report.key) } else { self.watched.get(&report.key).cloned() };
        self.heard(watched?, report.what, None, now).ok().flatten()
    }

    /// Hears of all who are left alone for a while that they were stopped; gives their runs.
    pub(super) fn interrupt(&mut self, now: Millis) -> Vec<String> {
        let left: Vec<_> = self.later.extract_if(.., |_, later| later.at.is_some()).collect();
        let mut touched = Vec::new();
        for (_, Later { watched, .. }) in left {
            let why = format!("{} was stopped before it was asked again", watched.receiver);
            let stopped = Said::Failure(baton_courier::Failure::new(Cause::Stopped, why));
            touched.extend(self.heard(watched, stopped, None, now).ok().flatten());
        }
        touched
    }

    /// The folder that an agent works in: that of the project, or a worktree of its own.
    pub(super) fn works_in(&self, watched: &Watched) -> PathBuf {
        let root = &self.settings.root;
        let is_apart = watched.setup().is_some_and(|setup| setup.worktree);
        let own = is_apart.then(|| worktree::there(root, &watched.run, &watched.receiver)).flatten();
        own.unwrap_or_else(|| root.clone())
    }

    /// Hears what somebody said of an attempt; gives the run that it was about.
    pub(super) fn heard(
        &mut self,
        watched: Watched,
        said: Said,
        seen: Option<Seen>,
        now: Millis,
    ) -> Result<Option<String>, Refusal> {
        let Watched { run: name, key, attempt, receiver, environment } = watched;
        let is_final = said.is_final();
        let Some(run) = self.runs.get_mut(&name) else { return Ok(None) };
        if is_final {
            self.output.over(&name, key);
        }
        let mut rejected = None;
        let mut verdict = None;
        let mut wants = None;
        let mut is_running = false;
        let (heard, content) = match said {
            // It says nothing that counts: people follow it, and no record has it.
            Said::Progress(line) => {
                self.output.keep(&name, key, attempt, &line, now);
                return Ok(None);
            }
            Said::Draft(bytes) => {
                let content = Content::plain(bytes);
                (Heard::Draft(content.digest), Some(content))
            }
            Said::Question(text) => {
                let content = Content::plain(text.into_bytes());
                (Heard::Question(content.digest), Some(content))
            }
            // A courier refuses it before; what came by another way is recorded by no record.
            Said::Session(session) if Id::new(Names::Session, &session).is_err() => return Ok(None),
            // A session goes by its name alone: with a mark in place of a secret it would be another.
            Said::Session(session) if !find(&session).is_empty() => return Ok(None),
            Said::Session(session) => (Heard::Session(session), None),
            Said::Answer(bytes) => {
                let dialect = environment.agents.get(&receiver).map_or("", |setup| &setup.dialect);
                let asked = Asked { environment: &environment, run, key, agent: &receiver };
                let checker = &environment.checker;
                // Only what a flow says beside the plan is composed with what a handoff says.
                let keeps = run.notes.is_some();
                let (taken, content) =
                    intake::answer(checker, &mut self.scratch, dialect, bytes, keeps, |facts, telling| {
                        asked.placed(facts, telling)
                    });
                match taken {
                    Taken::Answer(mut facts, placed) => {
                        if let Some(Received { stages, asks }) = placed.received {
                            let mut content = Some(content);
                            for stage in stages {
                                let report = Heard::Acknowledge(stage);
                                let is_new = run.hear(
                                    What::Report { key, attempt, report },
                                    content.clone().map(|content| Content::plain(content.bytes)),
                                    now,
                                );
                                // What it said before is no new fact; its words stand with the first that is.
                                if is_new.is_ok() {
                                    content = None;
                                }
                            }
                            match asks {
                                Some(question) => {
                                    let content = Content::plain(question.into_bytes());
                                    (Heard::Question(content.digest), Some(content))
                                }
                                // It said that it has the handoff, and not yet what came of it.
                                None => {
                                    is_running = true;
                                    (Heard::Progress, None)
                                }
                            }
                        } else {
                            if run.state.plan().caps.tokens.is_some() {
                                intake::count_tokens(&mut facts, &content.bytes);
                            }
                            is_running = facts.outcome == Outcome::Running;
                            verdict =
                                seen.filter(|_| !is_running).map(|seen| seen.verdict(checker).redacted());
                            let mut findings = placed.faults;
                            if let Some(verdict) = verdict.as_ref().filter(|verdict| !verdict.holds) {
                                findings.extend(verdict.findings.iter().cloned());
                            }
                            for finding in &mut findings {
                                *finding = redacted(finding, None).0;
                            }
                            if findings.is_empty() {
                                (Heard::Answer(facts), Some(content))
                            } else {
                                is_running = false;
                                let signature = findings.first().map(|finding| signature(finding));
                                let (kind, recoverable) = (FailureKind::Answer, true);
                                rejected = Some(findings);
                                let failure = Failure { kind, recoverable, signature, tokens: facts.tokens };
                                (Heard::Failure(failure), Some(Content::plain(content.bytes)))
                            }
                        }
                    }
                    Taken::Unusable(failure, faults) => {
                        rejected = Some(faults);
                        (Heard::Failure(failure), Some(content))
                    }
                }
            }
            Said::Failure(mut failure) => {
                wants = failure.wants.take();
                let words = words_of(&failure);
                let mut heard = as_heard(&failure);
                if self.is_leaving && failure.cause == Cause::Stopped {
                    heard.kind = FailureKind::Interrupted;
                }
                (Heard::Failure(heard), (!words.is_empty()).then(|| Content::plain(words)))
            }
        };
        // Whoever looks for its work itself is not asked.
        let is_asked = || !environment.agents.get(&receiver).is_some_and(Setup::is_kept);
        if is_running && is_asked() {
            let again = courier_key(&name, key);
            let before = self.later.get(&again).filter(|later| later.watched.attempt == attempt);
            let pause_ms = before.map_or(LOOK_AGAIN_MS, |later| later.pause_ms);
            let at = Some(now.after(pause_ms));
            let pause_ms = pause_ms.saturating_mul(2).min(LOOK_AGAIN_MS_MAX);
            let watched = Watched { run: name.clone(), key, attempt, receiver, environment };
            self.later.insert(again, Later { watched, at, pause_ms });
        } else if is_final && !self.later.is_empty() {
            self.later.remove(&courier_key(&name, key));
        }
        // A report that counts for nothing (late, doubled, of a run that is over) is no fault of the run.
        let before = run.unrecorded();
        run.hear(What::Report { key, attempt, report: heard }, content, now)?;
        if let Some(wants) = wants {
            run.ask_for(key, &wants);
        }
        if let Some(verdict) = verdict {
            run.note(codec::noted(codec::VERIFIED, &Recorded { key, verdict }));
        }
        if let Some(faults) = rejected {
            // The attempt failed first, and this is why.
            run.reject(key, faults, before + 1);
        }
        Ok(Some(name))
    }
}

/// Who was asked, and in which run.
struct Asked<'r> {
    environment: &'r Environment,
    run: &'r Run,
    key: Key,
    agent: &'r str,
}

/// What an answer is where it was given.
struct Placed {
    /// What it acknowledges, if it is no more than that.
    received: Option<Received>,
    /// What it says of itself that is not true of what was asked.
    faults: Vec<String>,
}

impl Asked<'_> {
    /// Reads an answer by where it was given, while its document is at hand.
    fn placed(&self, facts: &mut Facts, telling: &OpenReading<'_>) -> Placed {
        let &Self { environment, run, key, agent } = self;
        if let Some(received) = intake::received(telling) {
            return Placed { received: Some(received), faults: Vec::new() };
        }
        facts.held = held(run, key, &*environment.judge, telling);
        intake::fit(facts, telling, &standing(run, key, agent));
        let faults = provenance::faults(&environment.checker, run, key, agent, telling);
        Placed { received: None, faults }
    }
}

/// How much of the evidence of an answer must hold for it to count.
pub(super) fn verifies(run: &Run, key: Key) -> Option<Depth> {
    let delivery = run.state.delivery(key).filter(|delivery| delivery.role == Role::Work)?;
    let step = run.state.lane(delivery.key.lane).map_or(key.step, |lane| lane.step);
    run.notes.as_ref()?.verify(step)
}

/// Where an answer is given: what comes next, and what is asked there.
fn standing<'r>(run: &'r Run, key: Key, agent: &'r str) -> Standing<'r> {
    let plan = run.state.plan();
    let lane = run.state.lane(key.lane);
    let role = run.state.delivery(key).map(|delivery| delivery.role);
    let mut standing = Standing {
        agent,
        is_work: matches!(role, Some(Role::Work | Role::Delegated)),
        is_asked: role == Some(Role::Question),
        ..Standing::default()
    };
    let Some(step) = plan.step(lane.map_or(key.step, |lane| lane.step)) else { return standing };
    let name = |agent: AgentId| plan.agents.get(usize::from(agent.0)).map(|agent| agent.name.as_str());
    let workers = |step: &Step| match &step.does {
        Does::Pass(pass) => [Some(pass.agent), None],
        Does::Microloop(microloop) => [Some(microloop.author), Some(microloop.critic)],
        Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate | Does::End(_) => [None, None],
    };
    if role == Some(Role::Delegated) {
        // What was delegated goes back: to whoever delegated it, and through them to those who delegated before.
        let delegated = lane.into_iter().flat_map(|lane| &lane.frames).filter_map(|frame| match frame {
            Frame::Delegation { to } | Frame::Asked { to } => name(*to),
            Frame::Loop(_) | Frame::Detour { .. } => None,
        });
        standing.next.extend(delegated);
        standing.next.extend(workers(step).into_iter().flatten().filter_map(name));
        return standing;
    }
    let leads = |to: StepId| plan.step(to).map_or("", |step| step.name.as_str());
    standing.detours = step.detours.iter().map(|detour| (detour.kind.as_str(), leads(detour.to))).collect();
    let mut follows: Vec<StepId> = step.next.into_iter().collect();
    if let Does::Pass(pass) = &step.does {
        follows.extend(pass.routes.iter().map(|route| route.to));
        follows.extend(pass.rework.map(|rework| rework.to));
        standing.words = pass.routes.iter().filter_map(|route| decides(&route.when)).collect();
    } else {
        standing.next.extend(workers(step).into_iter().flatten().filter_map(name));
    }
    let mut at = 0;
    while let Some(step) = follows.get(at).and_then(|step| plan.step(*step)) {
        at += 1;
        standing.is_before_gate |= matches!(step.does, Does::Gate(_));
        standing.next.extend(workers(step).into_iter().flatten().filter_map(name));
        // Where nobody works, whoever works behind it comes next.
        let behind: Vec<StepId> = match &step.does {
            Does::Pass(_) | Does::Microloop(_) | Does::End(_) => Vec::new(),
            Does::Parallel(parallel) => parallel.branches.clone(),
            Does::Gate(gate) => step.next.into_iter().chain(gate.on_reject).collect(),
            Does::Wait(_) | Does::Escalate => step.next.into_iter().collect(),
        };
        let new: Vec<StepId> = behind.into_iter().filter(|step| !follows.contains(step)).collect();
        follows.extend(new);
    }
    standing
}

fn decides(when: &When) -> Option<&str> {
    match when {
        When::Decision(word) => Some(word),
        When::Outcome(_) | When::Holds(_) => None,
    }
}

/// What came of the expressions that the routes of a delivery's step ask for.
fn held(run: &Run, key: Key, judge: &dyn Judge, telling: &OpenReading<'_>) -> Vec<Held> {
    let step = run.state.lane(key.lane).map_or(key.step, |lane| lane.step);
    let Some(Step { does: Does::Pass(pass), .. }) = run.state.plan().step(step) else { return Vec::new() };
    let wanted = pass.routes.iter().filter_map(|route| match &route.when {
        When::Holds(expression) => Some(expression),
        When::Decision(_) | When::Outcome(_) => None,
    });
    let wanted: Vec<&str> = wanted.map(String::as_str).collect();
    if wanted.is_empty() {
        return Vec::new();
    }
    let truths = judge.over_handoffs(&wanted, &[&telling.to_said()]);
    wanted.into_iter().zip(truths).map(|(name, truth)| Held { name: name.to_owned(), truth }).collect()
}

/// What is kept of a failure for whoever goes on by hand: the last words of the agent, and what would mend it.
fn words_of(failure: &baton_courier::Failure) -> Vec<u8> {
    let last = String::from_utf8_lossy(&failure.last_words);
    let mut words = excerpt(&last, ExcerptPart::Last(WORDS_BYTES_MAX)).into_bytes();
    if let Some(hint) = &failure.hint {
        if !words.is_empty() && !words.ends_with(b"\n") {
            words.push(b'\n');
        }
        words.extend_from_slice(format!("hint: {hint}\n").as_bytes());
    }
    words
}

fn as_heard(failure: &baton_courier::Failure) -> Failure {
    let kind = match failure.cause {
        Cause::TimeUp => FailureKind::TimedOut,
        Cause::Permission => FailureKind::Permission,
        Cause::Stopped
        | Cause::TooMuch
        | Cause::Empty
        | Cause::Asked
        | Cause::Exited(_)
        | Cause::Killed(_)
        | Cause::Failed
        | Cause::Status(_)
        | Cause::Unreachable
        | Cause::Missing
        | Cause::Forbidden
        | Cause::Impossible
        | Cause::Broken => FailureKind::Courier,
    };
    let recoverable = match failure.cause.again() {
        Again::MayHelp => true,
        Again::OnceAnswered | Again::Pointless => false,
    };
    // Agents are quoted in it.
    let text = excerpt(&failure.message, ExcerptPart::First(bounds::TEXT_BYTES_MAX));
    let text = &text[..text.floor_char_boundary(bounds::TEXT_BYTES_MAX)];
    Failure { kind, recoverable, signature: Some(signature(text)), tokens: 0 }
}
