//! A delivery that is owed into one that a courier can make: the handoff in the receiver's dialect, with what the flow
//! says to whoever works there.

use std::cell::OnceCell;
use std::path::PathBuf;
use std::sync::Arc;

use baton_courier::id::{Id, Names};
use baton_courier::{Cause, Delivery, Failure, Finalization, Key};
use baton_document::carrier::Look;
use baton_document::tree::Syntax;
use baton_document::{Brief, Checker, Datum, Input, Meaning, Order, Said, Scratch};
use baton_kernel::{AgentId, Content, GateAnswer, Millis, OwedDelivery, Role, StepId, position};

use crate::outbound::checklist::Reception;
use crate::outbound::finalize::{Place, finalization};
use crate::outbound::prompts::{Part, joined};
use crate::outbound::reply_context::{Handed, handed};
use crate::project::agents::{Agents, Setup};
use crate::records::checklist::Wanting;
use crate::records::reading;
use crate::run::Run;
use crate::run::flow_context::Notes;
use crate::run::lane_contents::{Away, Left, Text};
use crate::templates::{data, render};

/// What is delivered, where, and to whom.
pub(crate) struct Parcel<'p> {
    pub(crate) key: Key,
    pub(crate) owed: &'p OwedDelivery,
    pub(crate) run: &'p Run,
    pub(crate) receiver: &'p str,
    pub(crate) setup: &'p Setup,
    pub(crate) agents: &'p Agents,
    pub(crate) root: PathBuf,
    pub(crate) now: Millis,
}

/// What is handed on where only the summary is.
const SUMMARY_ONLY: [Meaning; 4] = [Meaning::Summary, Meaning::Did, Meaning::Found, Meaning::Thread];

/// Makes the delivery, or says why there can be none.
pub(crate) fn delivery(
    checker: &Checker,
    scratch: &mut Scratch,
    parcel: Parcel<'_>,
) -> Result<Delivery, Failure> {
    // An older Baton may have recorded what an agent called its session, whatever that was.
    let session = parcel.owed.session.as_deref().map(|session| Id::new(Names::Session, session));
    session.transpose().map_err(|bad| bad.recorded())?;
    let packer = Packer { checker, parcel: &parcel, now: OnceCell::new() };
    let handoff = match parcel.run.packed(parcel.owed) {
        Some(packed) => packed.to_vec(),
        None => packer.packed(scratch)?,
    };
    let prompt = packer.prompt(&handoff, scratch)?;
    let finalization = packer.finalization()?;
    let is_reask = is_reask(&parcel);
    let permits = parcel.run.permissions.permits(parcel.owed.key);
    let Parcel { key, owed, receiver, setup, root, .. } = parcel;
    let dialect = checker.dialects().find(&setup.dialect);
    let extension = dialect.map_or("txt", |dialect| match dialect.usual_syntax() {
        Syntax::Json => "json",
        Syntax::Yaml => "yaml",
        Syntax::Xml => "xml",
        Syntax::Toml => "toml",
    });
    Ok(Delivery {
        key,
        attempt: u32::from(owed.attempt),
        receiver: receiver.to_owned(),
        handoff,
        dialect: setup.dialect.clone(),
        extension: extension.to_owned(),
        prompt,
        finalization,
        is_reask,
        permits,
        session: owed.session.clone(),
        limits: setup.limits,
        environment: setup.environment.clone(),
        directory: setup.directory.clone(),
        root,
        sandbox: None,
    })
}

/// Whether a receiver has a checklist for what it is to be handed.
pub(crate) fn has_checklist(setup: &Setup, owed: &OwedDelivery) -> bool {
    setup.dialect == reading::PACKAGE && owed.from.is_some() && owed.role != Role::Question
}

/// Goes through the checklist of a receiver that has one: what is wanting in what it would be handed, and that itself.
pub(crate) fn reception(
    checker: &Checker,
    scratch: &mut Scratch,
    parcel: &Parcel<'_>,
) -> Option<(Vec<Wanting>, Vec<u8>)> {
    let Parcel { owed, run, receiver, agents, root, .. } = parcel;
    // What cannot be written is a failure of its delivery.
    let handoff = Packer { checker, parcel, now: OnceCell::new() }.packed(scratch).ok()?;
    let reception = Reception {
        receiver,
        is_delegated: owed.role == Role::Delegated,
        is_answered: owed.content.is_some_and(|content| !run.annotations(owed.key.lane, content).is_empty()),
        agents,
        root,
    };
    Some((reception.wanting(checker, scratch, &handoff), handoff))
}

/// Whether the work is done in a session that can be asked again, and only its handoff is wanting.
fn is_reask(parcel: &Parcel<'_>) -> bool {
    let Parcel { owed, run, setup, .. } = parcel;
    setup.finalizes && owed.session.is_some() && !run.rejected(owed.key).is_empty()
}

fn list(lines: &[String]) -> String {
    lines.iter().map(|line| format!("- {line}")).collect::<Vec<_>>().join("\n")
}

/// Whether the task of a step is meant for whoever gets something there.
fn has_task(role: Role) -> bool {
    match role {
        Role::Work | Role::Review => true,
        // What they are to do is what the agent says that delegates or asks.
        Role::Delegated | Role::Question => false,
    }
}

/// What is composed from a handoff.
enum Base {
    Said(Said),
    Plain(Vec<u8>),
}

struct Packer<'p> {
    checker: &'p Checker,
    parcel: &'p Parcel<'p>,
    /// The moment, written only where it is needed.
    now: OnceCell<Option<String>>,
}

impl Packer<'_> {
    /// How the agent is asked for its handoff at the end, if it works in a session.
    fn finalization(&self) -> Result<Option<Finalization>, Failure> {
        let Parcel { owed, run, receiver, setup, .. } = self.parcel;
        if !setup.finalizes {
            return Ok(None);
        }
        let place = Place {
            agent: receiver,
            dialect: &setup.dialect,
            step: &self.step_name().unwrap_or_default(),
            flow: &run.state.plan().name,
            run: run.state.run(),
            now: self.now().unwrap_or_default(),
        };
        let asked = finalization(self.checker, &place, run.rejected(owed.key));
        let most = setup.prompt_tokens_max;
        if let Some(asked) = &asked {
            let parts = vec![Part::needed(asked.prompt.clone())];
            joined(parts, asked.schema.as_bytes(), most).map_err(|count| too_long(count, most))?;
        }
        Ok(asked)
    }

    /// What the agent is told beside the handoff: what it always is, what it is to do here, and what was wrong with its
    /// last answer.
    fn prompt(&self, handoff: &[u8], scratch: &mut Scratch) -> Result<Option<String>, Failure> {
        let Parcel { owed, run, setup, .. } = self.parcel;
        // What the project wrote for this agent takes the place of what Baton always says.
        let own = setup.prompt_file.as_deref().and_then(|path| run.pin(path));
        let own = own.map(str::to_owned).or_else(|| setup.prompt.clone());
        let mut parts: Vec<Part> = own.into_iter().map(Part::needed).collect();
        let task = run.notes.as_ref().and_then(|notes| notes.task(owed.step));
        parts.extend(task.filter(|_| has_task(owed.role)).map(Part::needed));
        let returned = self.returned();
        match owed.role {
            Role::Delegated if returned.is_none() => {
                parts.push(Part::needed(render("delegated", &[("sender", self.waiting())])));
            }
            Role::Question => parts.push(Part::needed(render("question", &[]))),
            Role::Work | Role::Review | Role::Delegated => {}
        }
        if let Some(returned) = returned {
            parts.push(Part::needed(self.continued(returned)));
            let mut short = |contents: &[Content]| {
                let said = |text: Text| match text.said(self.checker, scratch) {
                    Some(said) => asked_for(&said),
                    None => String::from_utf8_lossy(&text.bytes).into_owned(),
                };
                let texts: Vec<String> = run.texts(contents).into_iter().map(said).collect();
                Some(texts.join("\n")).filter(|text| !text.trim().is_empty()).map(|text| data(&text))
            };
            parts.extend(short(&[returned.asked.into()]).map(|asked| match returned.to {
                Away::Delegated(_) => {
                    Part { text: render("returned", &[("asked", &asked)]), spare: Some("What you delegated") }
                }
                Away::Detour(_) => {
                    let by = run.given_by(returned.asked).filter(|by| *by != owed.to);
                    let who = by.and_then(|by| self.agent(by)).unwrap_or("you");
                    Part {
                        text: render("before", &[("who", who), ("asked", &asked)]),
                        spare: Some("What was said before the detour"),
                    }
                }
            }));
            parts.extend(short(&returned.worked).map(|worked| Part {
                text: render("working", &[("worked", &worked)]),
                spare: Some("What you were working on"),
            }));
        }
        let wanting = run.wanting(owed.key);
        if !wanting.is_empty() {
            let text = render("wanting", &[("findings", &data(&list(wanting)))]);
            parts.push(Part { text, spare: Some("What is missing or unclear in the handoff") });
        }
        if let Some((asked, answered)) = run.permissions.answer_to(owed.key) {
            let word = if answered.allowed { "yes, this once" } else { "no; go on without it" };
            let because =
                answered.because.as_ref().map(|why| format!(", because: {why}")).unwrap_or_default();
            let answer = format!("{word}{because}");
            parts.push(Part::needed(render(
                "permitted",
                &[("answer", &answer), ("asked", &data(&asked.text))],
            )));
        }
        let rejected = run.rejected(owed.key);
        if !rejected.is_empty() {
            parts.push(Part::needed(render("rejected", &[("findings", &data(&list(rejected)))])));
        }
        let most = setup.prompt_tokens_max;
        let text = joined(parts, handoff, most).map_err(|count| too_long(count, most))?;
        Ok((!text.is_empty()).then_some(text))
    }

    /// What is handed over, in the receiver's dialect and with what the flow says.
    fn packed(&self, scratch: &mut Scratch) -> Result<Vec<u8>, Failure> {
        match &self.parcel.run.notes {
            Some(notes) => self.briefed(notes, scratch),
            None => {
                let Parcel { owed, run, .. } = self.parcel;
                let texts = match owed.content {
                    Some(content) => run.text(content).into_iter().collect(),
                    None => run.branches(owed.key.lane),
                };
                self.plain(&texts, scratch)
            }
        }
    }

    /// The texts themselves, each in the receiver's dialect.
    fn plain(&self, texts: &[Text], scratch: &mut Scratch) -> Result<Vec<u8>, Failure> {
        let mut handoff = Vec::new();
        for text in texts {
            if !handoff.is_empty() {
                handoff.push(b'\n');
            }
            handoff.extend(self.in_dialect(text, scratch)?);
        }
        Ok(handoff)
    }

    /// The handoff with what the flow says besides.
    fn briefed(&self, notes: &Notes, scratch: &mut Scratch) -> Result<Vec<u8>, Failure> {
        let Parcel { owed, run, receiver, setup, .. } = self.parcel;
        // An answer, or a question, is about the handoffs before it.
        let Handed { texts, said, remarks, before, cut_off: _ } =
            handed(run, self.checker, scratch, owed.key.lane, owed.content.map(Content::from));
        let dialect = self.checker.dialects().find(&setup.dialect);
        let has_request = dialect.is_some_and(|dialect| dialect.kinds.iter().any(|kind| kind.is_request));
        let earlier = if notes.accumulates(owed.step) { self.earlier(scratch) } else { Vec::new() };
        let mut brief = Brief {
            to: &setup.dialect,
            give: if has_task(owed.role) { notes.give(owed.step) } else { Vec::new() },
            also: workflow_state(run, owed.step),
            only: notes.is_summary_only(owed.step).then_some(&SUMMARY_ONLY),
            earlier: &earlier,
            now: self.now(),
            says: vec![(Meaning::To, Datum::text((*receiver).to_owned()))],
        };
        let task = notes.task(owed.step).filter(|_| has_task(owed.role));
        // A request always says what to do, whether or not the flow has a task for it.
        let task = task.or_else(|| has_request.then(|| self.implied_task(notes, &said)));
        brief.says.extend(task.map(|task| (Meaning::Deliverable, Datum::text(task))));
        let is_about = !remarks.is_empty();
        let remarks: Vec<String> = before.into_iter().chain(remarks).chain(self.at_gates()).collect();
        let remark = (!remarks.is_empty()).then(|| remarks.join("\n"));
        if has_request || said.is_empty() {
            brief.says.push((Meaning::Thread, Datum::text(run.state.run().to_owned())));
            brief.says.push((Meaning::Summary, Datum::text(notes.subject())));
            let is_all = !notes.is_summary_only(owed.step);
            let short = |said: &Arc<Said>| in_short(said, is_all);
            let found = said.iter().map(short).chain(remark.clone()).collect::<Vec<_>>().join("\n");
            if !found.is_empty() {
                brief.says.push((Meaning::Found, Datum::text(found)));
            }
            let files: Vec<Datum<'static>> = said.iter().flat_map(|said| files(said)).collect();
            if !files.is_empty() && is_all {
                brief.says.push((Meaning::Artifacts, Datum::List(files)));
            }
            brief.says.push((Meaning::From, Datum::text(self.sender().unwrap_or("user").to_owned())));
            brief.says.push((Meaning::Flow, Datum::text(notes.flow().name.value.clone())));
            if has_request {
                brief.says.extend(self.step_name().map(|step| (Meaning::Step, Datum::text(step))));
            }
            return match self.checker.compose(None, &brief) {
                // Nobody has handed anything over yet that could be written so: what the run is about goes as text. An
                // agent that is asked in requests is never asked otherwise.
                Ok(composed)
                    if said.is_empty()
                        && !has_request
                        && !(composed.is_asking && composed.gaps.is_empty()) =>
                {
                    let lines: Vec<String> = std::iter::once(notes.subject()).chain(remark).collect();
                    Ok(lines.join("\n").into_bytes())
                }
                Ok(composed) if composed.gaps.is_empty() => Ok(composed.text.into_bytes()),
                Ok(composed) => Err(no_source(&setup.dialect, &composed.gaps[0].path)),
                Err(error) => Err(impossible(&setup.dialect, &error)),
            };
        }
        let Some((first, others)) = texts.split_first() else { return Ok(Vec::new()) };
        if !others.is_empty() && remark.is_none() {
            return self.plain(&texts, scratch);
        }
        let mut base = match self.base(first, said.first(), scratch)? {
            Base::Said(base) => base,
            Base::Plain(text) => return Ok(text),
        };
        if let Some(remark) = remark {
            let summary = base.text(Meaning::Summary).map(ToOwned::to_owned);
            let meaning = if summary.is_some() { Meaning::Summary } else { Meaning::Found };
            let before = summary.or_else(|| base.text(Meaning::Found).map(ToOwned::to_owned));
            let text = before.map_or_else(|| remark.clone(), |before| format!("{before}\n{remark}"));
            brief.says.push((meaning, Datum::text(text)));
        }
        if !is_about {
            // An agent may be called otherwise in its dialect, or not at all.
            brief.says.extend(self.sender().map(|sender| (Meaning::From, Datum::text(sender.to_owned()))));
            if said.first().is_some_and(|said| said.dialect != setup.dialect) {
                let step = owed.content.and_then(|content| run.given_at(content));
                brief.says.extend(step.map(|step| (Meaning::Step, Datum::text(step.to_owned()))));
                brief.says.push((Meaning::Flow, Datum::text(notes.flow().name.value.clone())));
            }
        }
        readdress(&mut base, receiver);
        let composed = self.checker.compose(Some(&base), &brief);
        let mut handoff = composed.map_err(|error| impossible(&setup.dialect, &error))?.text.into_bytes();
        // What was said about all of them stands in the first.
        if !others.is_empty() {
            handoff.push(b'\n');
            handoff.extend(self.plain(others, scratch)?);
        }
        Ok(handoff)
    }

    /// What is composed from a handoff: what it says in the receiver's dialect, or its text where that says nothing there.
    fn base(&self, text: &Text, said: Option<&Arc<Said>>, scratch: &mut Scratch) -> Result<Base, Failure> {
        let dialect = &self.parcel.setup.dialect;
        if let Some(said) = said.filter(|said| said.dialect == *dialect)
            && text.dialect.as_ref().is_none_or(|of| **of == **dialect)
        {
            return Ok(Base::Said(Said::clone(said)));
        }
        let text = self.in_dialect(text, scratch)?;
        let input =
            Input { path: None, bytes: &text, dialect: Some(dialect), look: Look::Prose, is_named: true };
        let said = reading::all_said(self.checker, scratch, input);
        Ok(said.and_then(|said| said.into_iter().next()).map_or(Base::Plain(text), Base::Said))
    }

    /// What is to be done where the flow has no task for it: what the handoff before asks for, else the step itself.
    fn implied_task(&self, notes: &Notes, said: &[Arc<Said>]) -> String {
        let Parcel { owed, .. } = self.parcel;
        let asked = match said {
            [one] if !notes.is_summary_only(owed.step) => one.text(Meaning::Deliverable),
            _ => None,
        };
        let step = |does: &str| {
            let (step, flow) = (self.step_name().unwrap_or_default(), &notes.flow().name.value);
            let subject = notes.subject();
            let about = if subject == *flow { String::new() } else { format!(": {subject}") };
            render("step", &[("does", does), ("step", &step), ("flow", flow), ("about", &about)])
        };
        match (owed.role, asked) {
            (Role::Question, _) => render("question", &[]),
            (Role::Work | Role::Delegated, Some(asked)) => asked.to_owned(),
            (Role::Delegated, None) => match self.returned() {
                Some(returned) => self.continued(returned),
                None => render("delegated", &[("sender", self.waiting())]),
            },
            (Role::Work, None) => step("Do"),
            (Role::Review, _) => step("Review the work of"),
        }
    }

    /// What the receiver had left for what it is handed now.
    fn returned(&self) -> Option<&Left> {
        let Parcel { run, owed, .. } = self.parcel;
        match owed.role {
            Role::Work | Role::Review | Role::Delegated => run.returned(owed.key.lane, owed.content),
            Role::Question => None,
        }
    }

    /// What came back, and who waits for the answer of the receiver.
    fn continued(&self, returned: &Left) -> String {
        let onward = match self.parcel.owed.role {
            Role::Delegated => format!(" Your own answer goes to {}, who delegated to you.", self.waiting()),
            Role::Work | Role::Review | Role::Question => String::new(),
        };
        match returned.to {
            Away::Delegated(to) => {
                let sender = self.agent(to).unwrap_or("another agent");
                render("continued", &[("sender", sender), ("onward", &onward)])
            }
            Away::Detour(to) => {
                let step = self.parcel.run.state.plan().step(to).map_or("", |step| &step.name);
                render("detoured", &[("step", step), ("onward", &onward)])
            }
        }
    }

    /// Who waits for the answer of the receiver.
    fn waiting(&self) -> &str {
        let Parcel { run, owed, .. } = self.parcel;
        let waiting = run.state.lane(owed.key.lane).and_then(|lane| lane.waiting(run.state.plan()));
        waiting.and_then(|agent| self.agent(agent)).or_else(|| self.sender()).unwrap_or("the user")
    }

    fn agent(&self, agent: AgentId) -> Option<&str> {
        let plan = self.parcel.run.state.plan();
        plan.agents.get(usize::from(agent.0)).map(|agent| agent.name.as_str())
    }

    /// What people said at the gates before, to whoever works with it.
    fn at_gates(&self) -> impl Iterator<Item = String> {
        let Parcel { run, owed, .. } = self.parcel;
        run.gate_comments_of(owed.key.lane).iter().filter_map(|spoken| match (spoken.answer, owed.role) {
            (GateAnswer::Approve, _) => Some(spoken.line("Approved")),
            (GateAnswer::Reject, _) => Some(spoken.line("Rejected")),
            (GateAnswer::Question, Role::Question) => Some(spoken.line("Question")),
            (GateAnswer::Question, Role::Work | Role::Review | Role::Delegated) => None,
        })
    }

    /// What earlier agents of the receiver's dialect have said.
    fn earlier(&self, scratch: &mut Scratch) -> Vec<Datum<'static>> {
        let answers = self.parcel.run.answers();
        let said = answers.filter_map(|text| text.said(self.checker, scratch));
        let own = said.filter(|said| said.dialect == self.parcel.setup.dialect);
        own.map(|said| said.document.clone()).collect()
    }

    /// Who handed it over, if an agent did.
    fn sender(&self) -> Option<&str> {
        self.agent(self.parcel.owed.from?)
    }

    fn now(&self) -> Option<&str> {
        self.now.get_or_init(|| moment(self.parcel.now)).as_deref()
    }

    fn step_name(&self) -> Option<String> {
        let Parcel { run, owed, .. } = self.parcel;
        run.state.plan().step(owed.step).map(|step| step.name.clone())
    }

    /// A text in the dialect of its receiver. What is no handoff goes as it is: an input, a question, an answer.
    fn in_dialect(&self, text: &Text, scratch: &mut Scratch) -> Result<Vec<u8>, Failure> {
        let dialect = &self.parcel.setup.dialect;
        if text.dialect.as_deref() == Some(&**dialect) {
            return Ok(text.bytes.to_vec());
        }
        let input =
            Input { path: None, bytes: &text.bytes, dialect: None, look: Look::Prose, is_named: true };
        let mut set: Vec<(String, String)> = Vec::new();
        loop {
            let order = Order { to: dialect, set: &set, now: self.now(), wants_report: false };
            reading::counted();
            let converted = self.checker.convert(input, order, scratch);
            let converted = converted.map_err(|error| impossible(dialect, &error))?;
            let Some(converted) = converted.filter(|converted| !converted.handoffs.is_empty()) else {
                return Ok(text.bytes.to_vec());
            };
            let mut gaps = converted.handoffs.iter().flat_map(|handoff| &handoff.gaps);
            let Some(gap) = gaps.next() else { return Ok(converted.text.into_bytes()) };
            // Who takes over is known here, whatever the sender's dialect can say.
            let is_receiver = gap.path == "to" || gap.path == "to.agent";
            if !is_receiver || !set.is_empty() {
                return Err(no_source(dialect, &gap.path));
            }
            set.push((gap.path.clone(), self.parcel.receiver.to_owned()));
        }
    }
}

/// Takes out of a package what it said to somebody else: what a person was asked at a gate, and why it went there.
fn readdress(base: &mut Said, receiver: &str) {
    if base.dialect != reading::PACKAGE || base.text(Meaning::To) == Some(receiver) {
        return;
    }
    base.document.remove("to.reason");
    if base.kind == "gate" {
        base.document.remove("gate");
        base.document.remove("validation_request");
        "sequential".clone_into(&mut base.kind);
    }
}

/// Where the workflow stands, as packages say it.
fn workflow_state(run: &Run, step: StepId) -> Vec<(String, Datum<'static>)> {
    let plan = run.state.plan();
    let name = |step: &StepId| plan.step(*step).map(|step| Datum::text(step.name.clone()));
    let names = |steps: &[StepId]| Datum::List(steps.iter().filter_map(name).collect());
    let position = position(&run.state);
    let mut state = vec![("workflow_state.name".to_owned(), Datum::text(plan.name.clone()))];
    state.extend(name(&step).map(|step| ("workflow_state.current_step".to_owned(), step)));
    state.push(("workflow_state.completed_steps".to_owned(), names(&position.completed)));
    state.push(("workflow_state.remaining_steps".to_owned(), names(&position.remaining)));
    state
}

/// What a handoff says in short, with what stands in the way; with all concerns, where not only the summary is wanted.
pub(crate) fn in_short(said: &Said, is_all: bool) -> String {
    let text = |meaning| said.text(meaning).map(ToOwned::to_owned);
    let did_and_found = || {
        let both: Vec<String> = [Meaning::Did, Meaning::Found].into_iter().filter_map(text).collect();
        (!both.is_empty()).then(|| both.join(" "))
    };
    let mut short = text(Meaning::Summary).or_else(did_and_found).unwrap_or_default();
    if is_all || reading::is_stopped(said) {
        for concern in reading::concerns(said) {
            short.push_str("\n- ");
            short.push_str(&concern);
        }
    }
    short
}

/// What a handoff asks for, with what it says in short.
fn asked_for(said: &Said) -> String {
    let deliverable = said.text(Meaning::Deliverable).map(ToOwned::to_owned);
    let short = Some(in_short(said, true)).filter(|short| !short.trim().is_empty());
    deliverable.into_iter().chain(short).collect::<Vec<_>>().join("\n")
}

/// The files that a handoff names.
fn files(said: &Said) -> Vec<Datum<'static>> {
    let named = said.sayings.iter().filter(|saying| saying.meaning == Meaning::Artifacts);
    let lists = named.filter_map(|saying| said.document.at(&saying.path));
    lists
        .flat_map(|list| match list {
            Datum::List(items) => items.clone(),
            Datum::Null | Datum::Boolean(_) | Datum::Number(_) | Datum::Text(_) | Datum::Map(_) => Vec::new(),
        })
        .filter_map(|item| match &item {
            Datum::Text(_) => Some(item),
            Datum::Map(_) => item.get("path").cloned(),
            Datum::Null | Datum::Boolean(_) | Datum::Number(_) | Datum::List(_) => None,
        })
        .collect()
}

fn too_long(count: usize, most: usize) -> Failure {
    let message = format!("the message to the agent has {count} tokens, and may have {most}");
    Failure::new(Cause::Impossible, message).with_hint(
        "trying again changes nothing, since a run goes by its files as they were when it started: `baton clarify … --go-on` goes \
         on without the step; for a new run, let the step hand on less with `passes: summary`, shorten its task or prompt, or \
         raise `prompt-tokens` of the agent",
    )
}

fn impossible(dialect: &str, error: &dyn std::fmt::Display) -> Failure {
    Failure::new(Cause::Impossible, format!("the handoff cannot be written as {dialect}: {error}"))
}

fn no_source(dialect: &str, path: &str) -> Failure {
    let message = format!("the handoff cannot be written as {dialect}: `{path}` has no source");
    Failure::new(Cause::Impossible, message).with_hint(
        "let the sender say it, set it with `give` in the flow, or give the receiver another dialect",
    )
}

/// A moment as handoffs write it.
pub(crate) fn moment(now: Millis) -> Option<String> {
    let now = i64::try_from(now.0).ok()?;
    jiff::Timestamp::from_millisecond(now).ok().map(|now| now.to_string())
}
