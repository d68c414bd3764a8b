//! A handoff of a run: who wrote it, where it went, how it was received, its text.

use baton_document::carrier::Look;
use baton_document::{Input, Scratch};
use baton_kernel::{Does, Millis};
use baton_ledger::{Erasure, Ledger};
use schemars::JsonSchema;
use serde::Serialize;

use super::follow::Run;
use super::reception::Reception;
use super::{event_text, moment, standing};
use crate::evidence::{Verdict, verdicts};
use crate::history::projection::Went;
use crate::project::Project;
use crate::project::fault::Result;
use crate::records::entry::{Entry, history};
use crate::records::ids::Ids;

/// A handoff of a run.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct HandoffReply {
    /// Its id.
    pub id: String,
    /// The run.
    pub run: String,
    /// Who wrote it, or was to write it.
    pub from: String,
    /// Whether Baton wrote it, because that agent gave none.
    pub by_baton: bool,
    /// Where it went.
    pub to: String,
    /// The step that it ended.
    pub step: String,
    /// Its outcome.
    pub outcome: String,
    /// When it was recorded.
    pub at: String,
    /// Its dialect.
    pub dialect: Option<String>,
    /// Its text, unless it was erased.
    pub text: Option<String>,
    /// Who erased its text.
    pub erased: Option<ErasedText>,
    /// What came of looking at its evidence last.
    #[schemars(with = "Option<serde_json::Value>")]
    pub verdict: Option<Verdict>,
    /// When that was.
    pub verified_at: Option<String>,
    /// How it was received, if an agent got it.
    pub reception: Option<Reception>,
}

/// An erased text.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ErasedText {
    /// When.
    pub at: String,
    /// By whom.
    pub by: String,
    /// Why.
    pub because: String,
}

/// The handoff that has an id of its own, as RUN/NUMBER.
pub(super) fn by_own_id(ledger: &dyn Ledger, id: &str) -> Result<Option<String>> {
    let ids = Ids::read(ledger)?;
    let Some(place) = ids.find(id).map(|given| given.place.clone()) else { return Ok(None) };
    let before = history(ledger, &place.run)?.into_iter().take_while(|entry| entry.record.seq <= place.seq);
    let number = before.filter(Entry::is_handoff).count();
    Ok(Some(format!("{}/{number}", place.run)))
}

/// The n-th handoff of a run.
pub(super) fn handoff(
    ledger: &dyn Ledger,
    project: &Project,
    run: &Run,
    number: usize,
) -> Result<Option<HandoffReply>> {
    let history = &run.history;
    let Some(it) = number.checked_sub(1).and_then(|at| history.handoffs.get(at)) else { return Ok(None) };
    let name = run.state().run();
    let text = it.text.as_deref().map(|bytes| String::from_utf8_lossy(bytes).into_owned());
    // The last erasure counts: a text that came back was erased again.
    let names_it = |(_, erasure): &&(Millis, Erasure)| {
        it.payload.is_some_and(|payload| erasure.digests.contains(&payload))
    };
    let erased = history.erasures.iter().rfind(names_it).filter(|_| text.is_none());
    let key = history.answered(it).map(|delivery| delivery.key).filter(|_| !it.is_substitute());
    let verdict = match key {
        Some(key) => verdicts(ledger, name)?.into_iter().rfind(|(_, recorded)| recorded.key == key),
        None => None,
    };
    let (verified_at, verdict) = verdict.map(|(at, recorded)| (moment::stamp(at), recorded.verdict)).unzip();
    Ok(Some(HandoffReply {
        id: format!("{name}/{number}"),
        run: name.to_owned(),
        from: it.from.clone(),
        by_baton: it.by_baton,
        to: receiver(&it.went),
        step: it.step().to_owned(),
        outcome: event_text::outcome(it.facts.outcome).to_owned(),
        at: moment::stamp(it.recorded),
        dialect: text.as_deref().and_then(|text| dialect(project, text)),
        text,
        erased: erased.map(|(at, Erasure { by, because, .. })| ErasedText {
            at: moment::stamp(*at),
            by: by.clone(),
            because: because.clone(),
        }),
        verdict,
        verified_at,
        reception: history.next_of(it).map(|delivery| Reception::new(name, &delivery.receipt)),
    }))
}

/// The receiver of a handoff, as far as the plan says.
fn receiver(went: &Went) -> String {
    match went {
        Went::Nowhere => String::new(),
        Went::Step(name, Does::Gate(_), _) => format!("gate {name}"),
        Went::Step(_, does, agents) => standing::doing(does, agents),
        Went::Agent(agent) => agent.clone(),
        Went::Person => "a person".to_owned(),
        Went::Join => "its join".to_owned(),
        Went::End => "the end".to_owned(),
        Went::Halt => "nobody: the run halts".to_owned(),
    }
}

/// The dialect of the first handoff in a text.
fn dialect(project: &Project, text: &str) -> Option<String> {
    let input =
        Input { path: None, bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let mut scratch = Scratch::default();
    let checked = project.checker.check(input, &project.world, &mut scratch);
    let first = checked.handoffs.first()?;
    Some(project.checker.dialect_of(first).name.to_string())
}
