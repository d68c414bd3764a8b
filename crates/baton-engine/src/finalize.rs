//! How a handoff comes out of an agent that works in a session, and what stands there when none does.
//!
//! An agent is asked for its handoff when its work is done, with the shape of its dialect; what could not be taken is
//! asked for again in the same session. At the end of all tries there is a handoff that Baton wrote itself, and says so:
//! every step that is over has one.

use baton_courier::Finalization;
use baton_document::dialect::{Strictness, json_schema};
use baton_document::tree::Syntax;
use baton_document::{Brief, Checker, Datum, Meaning};
use baton_kernel::{Key, Reason};

use crate::prompts::{data, render};
use crate::run::Run;

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

/// A delivery that was given up.
#[derive(Clone, Debug)]
pub(crate) struct GivenUp {
    pub(crate) key: Key,
    pub(crate) agent: String,
    pub(crate) step: String,
    pub(crate) reason: Reason,
}

/// The handoff that Baton writes for a step whose agent gave none, in the agent's dialect.
pub(crate) fn own_handoff(
    checker: &Checker,
    run: &Run,
    given_up: &GivenUp,
    dialect: &str,
    now: &str,
) -> String {
    let GivenUp { key, agent, step, reason } = given_up;
    let found = run.rejected(*key).join("; ");
    let why = reason.text();
    let summary = format!(
        "Written by Baton, not by {agent}: the step {step} has no handoff of its own, because {why}."
    );
    let details = if found.is_empty() { why.to_owned() } else { found };
    let text = |text: &str| Datum::text(text.to_owned());
    let says = vec![
        (Meaning::From, text(agent)),
        (Meaning::To, text(if dialect == "pipeline" { "orchestrator" } else { "human" })),
        (Meaning::Thread, text(run.state.run())),
        (Meaning::Flow, text(&run.state.plan().name)),
        (Meaning::Step, text(step)),
        (Meaning::Outcome, text("blocked")),
        (Meaning::Recommendation, text("stop")),
        (Meaning::Reason, text(why)),
        (Meaning::Delivery, text("failed")),
        (Meaning::Summary, text(&summary)),
        (Meaning::Did, text(&summary)),
        (Meaning::Found, text(&details)),
        (Meaning::Questions, Datum::List(vec![text(&format!("What becomes of the step {step}?"))])),
    ];
    let also = [
        ("status", "failure"),
        ("error.type", "NoHandoff"),
        ("error.message", &summary),
        ("error.details", &details),
        ("error.recoverable", "false"),
        ("error.suggested_action", "Look at what the agent said last, then retry or go on by hand"),
    ];
    let also = also.map(|(path, value)| (path.to_owned(), text(value))).to_vec();
    let is_error = dialect == "pipeline";
    let brief = Brief {
        to: dialect,
        says,
        also: if is_error { also } else { Vec::new() },
        now: Some(now),
        ..Brief::default()
    };
    // A dialect that cannot say this gets it in words: nothing is left out because of its form.
    match checker.compose_answer(&brief) {
        Ok(composed) => composed.text,
        Err(_) => summary,
    }
}
