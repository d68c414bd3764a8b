//! How a handoff comes out of an agent that works in a session, and what stands there when none does.
//!
//! An agent is asked for its handoff when its work is done, with the shape of its dialect; what could not be taken is
//! asked for again in the same session. At the end of all tries there is a handoff that Baton wrote itself, and says so:
//! every step that is over has one.

use baton_courier::Finalization;
use baton_document::dialect::{Strictness, json_schema};
use baton_document::tree::Syntax;
use baton_document::{Brief, Checker, Datum, Meaning, Scratch, yaml};
use baton_kernel::{Digest, Reason};

use crate::records::substitute::GivenUp;
use crate::run::Run;
use crate::templates::{data, render};

/// The dialect whose documents say whether they were delivered, and not how work came out.
const MANIFEST: &str = "manifest";
/// The dialect that has a kind of its own for what went wrong.
const PIPELINE: &str = "pipeline";
/// What a response repeats of its request.
const ECHOED: [&str; 2] = ["task_id", "phase"];

/// Who is asked, and where.
pub(crate) struct Place<'p> {
    pub(crate) agent: &'p str,
    pub(crate) dialect: &'p str,
    pub(crate) step: &'p str,
    pub(crate) flow: &'p str,
    pub(crate) run: &'p str,
    pub(crate) now: &'p str,
}

/// How an agent is asked for its handoff; `rejected` is what was wrong with the last one.
pub(crate) fn finalization(
    checker: &Checker,
    place: &Place<'_>,
    rejected: &[String],
) -> Option<Finalization> {
    let dialect = checker.dialects().find(place.dialect)?;
    let schema = json_schema(dialect, Strictness::Strict).to_string();
    let findings = match rejected {
        [] => String::new(),
        findings => {
            let list: Vec<String> = findings.iter().map(|finding| format!("- {finding}")).collect();
            format!("\nYour last handoff was not taken, because of this:\n{}\n", data(&list.join("\n")))
        }
    };
    let form = match dialect.usual_syntax() {
        // The schema describes XML as JSON, and Baton writes the elements.
        Syntax::Xml => ", in which elements are keys, attributes begin with `@` and text is `#text`",
        Syntax::Json | Syntax::Yaml | Syntax::Toml => "",
    };
    let filled = [
        ("dialect", place.dialect),
        ("schema", form),
        ("agent", place.agent),
        ("step", place.step),
        ("flow", place.flow),
        ("run", place.run),
        ("now", place.now),
        ("findings", &findings),
    ];
    let prompt = render("finalize", &filled);
    Some(Finalization { prompt, schema })
}

/// The handoff that Baton writes for a step whose agent gave none, in the agent's dialect.
pub(crate) fn own_handoff(
    checker: &Checker,
    run: &Run,
    given_up: &GivenUp,
    dialect: &str,
    now: &str,
) -> String {
    let GivenUp { key, agent, step, reason, given } = given_up;
    let found = run.rejected(*key).join("; ");
    let (thread, flow) = (run.state.run(), run.state.plan().name.as_str());
    let own = Own { agent, step, flow, run: thread, reason: *reason, found: &found, now };
    if dialect == MANIFEST
        && let Some(failed) = failed_manifest(checker, run, *given, &own.headline())
    {
        return failed;
    }
    let at = run.state.plan().step_named(step).unwrap_or(key.step);
    let echoed = run.notes.as_ref().map(|notes| notes.give(at)).unwrap_or_default();
    own.written(checker, dialect, echoed)
}

/// What Baton says of a step that it gave up, in any dialect.
pub(crate) struct Own<'o> {
    pub(crate) agent: &'o str,
    pub(crate) step: &'o str,
    pub(crate) flow: &'o str,
    pub(crate) run: &'o str,
    pub(crate) reason: Reason,
    /// What was wrong with the last answer, if one came.
    pub(crate) found: &'o str,
    pub(crate) now: &'o str,
}

impl Own<'_> {
    /// What it says first: who wrote it, and why.
    fn headline(&self) -> String {
        let Self { agent, step, reason, .. } = self;
        let why = reason.text();
        format!("Written by Baton, not by {agent}: the step {step} has no handoff of its own, because {why}.")
    }

    /// The handoff itself; `echoed` is what the flow had given along, of which an answer says some again.
    pub(crate) fn written(
        &self,
        checker: &Checker,
        dialect: &str,
        echoed: Vec<(String, Datum<'static>)>,
    ) -> String {
        let (summary, why) = (self.headline(), self.reason.text());
        let details = if self.found.is_empty() { why } else { self.found };
        let text = |text: &str| Datum::text(text.to_owned());
        let is_error = dialect == PIPELINE;
        let mut says = vec![
            (Meaning::From, text(self.agent)),
            (Meaning::To, text(if is_error { "orchestrator" } else { "human" })),
            (Meaning::Thread, text(self.run)),
            (Meaning::Flow, text(self.flow)),
            (Meaning::Step, text(self.step)),
            (Meaning::Recommendation, text("stop")),
            (Meaning::Reason, text(why)),
            (Meaning::Delivery, text("failed")),
            (Meaning::Summary, text(&summary)),
        ];
        let mut also = Vec::new();
        if is_error {
            // Elsewhere in a pipeline an outcome is that of a review or a merge, which nobody made.
            let error = [
                ("status", "failure"),
                ("error.type", "NoHandoff"),
                ("error.message", &summary),
                ("error.details", details),
                ("error.recoverable", "false"),
                ("error.suggested_action", "Look at what the agent said last, then retry or go on by hand"),
            ];
            also.extend(error.map(|(path, value)| (path.to_owned(), text(value))));
        } else {
            let question = text(&format!("What becomes of the step {}?", self.step));
            says.push((Meaning::Outcome, text("blocked")));
            says.push((Meaning::Did, text(&summary)));
            says.push((Meaning::Found, text(details)));
            says.push((Meaning::Questions, Datum::List(vec![question])));
            // An answer echoes which task and phase were asked for.
            also.extend(echoed.into_iter().filter(|(path, _)| ECHOED.contains(&path.as_str())));
        }
        let brief = Brief { to: dialect, says, also, now: Some(self.now), ..Brief::default() };
        // A dialect that cannot say this gets it in words: nothing is left out because of its form.
        match checker.compose_answer(&brief) {
            Ok(composed) => composed.text,
            Err(_) => summary,
        }
    }
}

/// The manifest that was to be answered, failed: a manifest of its own would have no source to name.
fn failed_manifest(checker: &Checker, run: &Run, given: Option<Digest>, headline: &str) -> Option<String> {
    let said = run.text(given?)?.said(checker, &mut Scratch::default())?;
    let mut document = Some(said).filter(|said| said.dialect == MANIFEST)?.document.clone();
    document.put("status", Datum::text("failed"));
    document.put("sent_at", Datum::Null);
    document.put("session_key", Datum::Null);
    document.put("x-baton.made", Datum::text(headline.to_owned()));
    Some(yaml(&document))
}
