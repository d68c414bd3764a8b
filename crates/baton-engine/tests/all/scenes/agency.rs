//! A web agency: packages, acknowledgements, delegation and return, and the three kinds of gates.

use baton_courier::Delivery;
use baton_kernel::{Choice, Ending, Event, GateAnswer, Outcome, Reason, Stage};

use super::{RUN, Scene, given, play, play_text};
use baton_engine::project::plan::SHIPPED;

const WISH: (&str, &str) = ("wish", "A shop with 40 products, online before May.");
const HOUR_MS: u64 = 60 * 60 * 1_000;

/// A package from an agent at a step to somebody.
fn package(from: &str, step: &str, to: &str, summary: &str) -> String {
    format!(
        "handoff:\n  from:\n    agent: {from}\n    step: {step}\n  to:\n    agent: {to}\n    reason: \"Suite\"\n  context:\n    summary: \"{summary}\"\n    artifacts:\n      - path: docs/{from}.md\n        type: doc\n"
    )
}

fn specify(scene: &mut Scene<'_>) -> Delivery {
    let text = package("specification", "specify", "architecture", "12 stories for a shop of 40 products");
    scene.answer("specification", &text)
}

/// Nobody answers the gate behind the specification.
fn specified(scene: &mut Scene<'_>) {
    specify(scene);
    scene.go_on(5 * HOUR_MS);
}

fn design(scene: &mut Scene<'_>, services: u8) -> Delivery {
    let summary = format!("{services} services, 9 endpoints");
    scene.answer("architecture", &package("architecture", "design", "development", &summary))
}

fn designed(scene: &mut Scene<'_>) {
    specified(scene);
    design(scene, 4);
    scene.gate(GateAnswer::Approve);
}

fn develop(scene: &mut Scene<'_>, what: &str) -> Delivery {
    scene.answer("development", &package("development", "develop", "delivery", what))
}

// proves P-03, P-12: agent to agent, and to people at the gates; an informative gate goes on unanswered when due.
#[test]
fn a_wish_becomes_a_site_with_people_at_the_gates() {
    play("agency", WISH, |scene| {
        let asked = given(&specify(scene));
        assert!(asked.contains("agent: user") && asked.contains("agent: specification"), "{asked}");
        assert!(asked.contains("summary: \"A shop with 40 products, online before May.\""), "{asked}");
        assert!(
            asked.contains("deliverable: \"Write the specification of what the client wants: A shop"),
            "{asked}"
        );
        assert!(
            !asked.contains("step: specify\n  to"),
            "whoever starts the run is at no step of it: {asked}"
        );
        assert_eq!(scene.view().pending.gates.len(), 1, "people may read along");
        scene.go_on(3 * HOUR_MS);
        assert_eq!(scene.at_work(), 0, "the answer is not due yet");
        scene.go_on(2 * HOUR_MS);
        assert_eq!(scene.reasons().last(), Some(&Reason::GateUnanswered));
        let asked = given(&design(scene, 4));
        assert!(
            asked.contains("12 stories for a shop of 40 products") && asked.contains("docs/specification.md"),
            "{asked}"
        );
        assert!(asked.contains("deliverable: Design what the specification asks for"), "{asked}");
        scene.gate(GateAnswer::Approve);
        let asked = given(&develop(scene, "4 services built, 31 tests pass"));
        assert!(
            asked.contains("4 services, 9 endpoints") && asked.contains("agent: architecture"),
            "{asked}"
        );
        assert!(scene.reasons().contains(&Reason::GateChecksHeld), "{:?}", scene.reasons());
        scene.answer(
            "delivery",
            &package("delivery", "hand-over", "orchestrator", "Site of 40 products handed over"),
        );
        assert_eq!(scene.ending(), Some(Ending::Finished(Outcome::Done)));
    });
}

// proves P-12: a blocking gate waits for ever, and what a person rejects is designed again.
#[test]
fn a_blocking_gate_waits_and_rejects_to_design() {
    play("agency", WISH, |scene| {
        specified(scene);
        design(scene, 4);
        for _ in 0..30 {
            scene.go_on(24 * HOUR_MS);
        }
        assert_eq!((scene.at_work(), scene.view().pending.gates.len()), (0, 1), "no time passes it");
        scene.gate_with(GateAnswer::Reject, Some("Three services are enough."));
        assert_eq!(scene.reasons().last(), Some(&Reason::GateRejected));
        let asked = given(&design(scene, 3));
        assert!(asked.contains("4 services, 9 endpoints"), "what was rejected: {asked}");
        assert!(asked.contains("Rejected: Three services are enough."), "and why: {asked}");
        scene.gate(GateAnswer::Approve);
        assert!(given(&develop(scene, "3 services built")).contains("3 services, 9 endpoints"));
    });
}

// proves P-12: a question of a person goes to the agent that handed over, and the gate opens again with its answer.
#[test]
fn a_question_at_a_gate_goes_to_the_architect() {
    play("agency", WISH, |scene| {
        specified(scene);
        design(scene, 4);
        scene.gate_with(GateAnswer::Question, Some("Why four?"));
        let answer = package("architecture", "design", "human", "4 services because each team owns one");
        let asked = given(&scene.answer("architecture", &answer));
        assert!(
            asked.contains("4 services, 9 endpoints") && asked.contains("Question: Why four?"),
            "{asked}"
        );
        assert_eq!(scene.view().pending.gates.len(), 1, "{:?}", scene.reasons());
        scene.gate_with(GateAnswer::Approve, Some("Good."));
        let asked = given(&develop(scene, "4 services built"));
        assert!(asked.contains("4 services, 9 endpoints"), "the design goes on: {asked}");
        assert!(asked.contains("each team owns one") && asked.contains("Approved: Good."), "{asked}");
    });
}

/// What the open gate shows, which is what an answer to it is about.
fn shown(scene: &Scene<'_>) -> String {
    let view = scene.view();
    let shown = view.pending.gates.first().and_then(|gate| gate.shown).expect("it shows something");
    let text = view.text(shown).expect("what is shown is there");
    assert_eq!(baton_ledger::digest(&text), shown, "it is named by all that is shown");
    String::from_utf8(text).expect("it is text")
}

// proves P-12: what is shown, and signed, is what goes on: the work with all that was asked and answered about it.
#[test]
fn a_gate_that_was_asked_something_shows_the_work_with_the_answers() {
    play("agency", WISH, |scene| {
        specified(scene);
        design(scene, 4);
        let answers = [
            ("Why four?", "4 services because each team owns one"),
            ("How many teams?", "4 teams, named in docs/teams.md"),
        ];
        for (question, answer) in answers {
            scene.gate_with(GateAnswer::Question, Some(question));
            let answer = package("architecture", "design", "human", answer);
            let asked = given(&scene.answer("architecture", &answer));
            assert!(asked.contains("4 services, 9 endpoints"), "the design is asked about: {asked}");
        }
        let shown = shown(scene);
        for part in ["4 services, 9 endpoints", "docs/architecture.md", answers[0].1, answers[1].1] {
            assert!(shown.contains(part), "{part} is not in {shown}");
        }
        scene.gate(GateAnswer::Approve);
        let asked = given(&develop(scene, "4 services built"));
        for part in ["4 services, 9 endpoints", answers[0].1, answers[1].1] {
            assert!(asked.contains(part), "{part} is not in {asked}");
        }
    });
}

// proves P-12: an automatic gate whose checks fail is a blocking one.
#[test]
fn an_automatic_gate_blocks_when_its_checks_fail() {
    play("agency", WISH, |scene| {
        designed(scene);
        let nothing = "handoff:\n  from:\n    agent: development\n    step: develop\n  to:\n    agent: delivery\n  context:\n    summary: \"4 services built, 31 tests pass\"\n    artifacts: []\n";
        scene.answer("development", nothing);
        scene.go_on(48 * HOUR_MS);
        assert_eq!((scene.at_work(), scene.view().pending.gates.len()), (0, 1), "nothing was built");
        scene.gate(GateAnswer::Reject);
        develop(scene, "4 services built, in src");
        assert_eq!(scene.reasons().last(), Some(&Reason::GateChecksHeld));
    });
}

// proves P-12: a package that is itself a gate opens the gate that follows, and the receiver behind it gets a package
// that is addressed to it.
#[test]
fn a_gate_package_opens_the_gate() {
    play("agency", WISH, |scene| {
        specified(scene);
        let gate = "handoff:\n  from:\n    agent: architecture\n    step: design\n  to:\n    agent: human\n    reason: \"Gate BLOQUANTE atteinte\"\n  gate:\n    type: bloquante\n    name: validation-architecture\n    step: design\n  context:\n    summary: \"4 services, 9 endpoints\"\n  validation_request:\n    items:\n      - \"Découpage en 4 services\"\n    options:\n      approve: \"Continuer\"\n      reject: \"Reprendre\"\n      question: \"Préciser\"\n";
        scene.answer("architecture", gate);
        assert_eq!(scene.view().pending.gates.len(), 1, "{:?}", scene.reasons());
        scene.gate(GateAnswer::Approve);
        let asked = given(&develop(scene, "4 services built"));
        assert!(asked.contains("agent: development") && asked.contains("4 services, 9 endpoints"), "{asked}");
        assert!(
            !asked.contains("gate:") && !asked.contains("validation_request"),
            "the gate is passed: {asked}"
        );
        assert!(!asked.contains("BLOQUANTE"), "why it went to a person is no reason for an agent: {asked}");
    });
}

// proves P-02, P-03: to a human is an escalation, with the question; what the person says goes back.
#[test]
fn a_package_to_a_human_is_an_escalation() {
    play("agency", WISH, |scene| {
        specified(scene);
        let text = package("architecture", "design", "human", "Approach A in 5 days or B in 12 days");
        scene.answer("architecture", &text);
        assert_eq!(scene.asked(), Some(Reason::EscalationAsked));
        scene.person(Choice::Again, Some("B, quality first."));
        let asked = given(&design(scene, 4));
        assert!(asked.contains("B, quality first.") && asked.contains("Approach A in 5 days"), "{asked}");
    });
}

// proves P-02, P-11: a target that is not next is a delegation; it returns to who delegated, and nested ones in order.
#[test]
fn delegations_return_in_order() {
    play("agency", WISH, |scene| {
        specified(scene);
        let report = "Review the login of 9 endpoints";
        scene.answer("architecture", &package("architecture", "design", "security-check", report));
        assert_eq!(scene.reasons().last(), Some(&Reason::DelegationAsked));
        let asked = scene.answer(
            "security-check",
            &package("security-check", "null", "development", "Which crypto library is used, 1 or 2?"),
        );
        assert!(given(&asked).contains(report), "{}", given(&asked));
        assert!(
            !given(&asked).contains("deliverable"),
            "the task of the step is not its own: {}",
            given(&asked)
        );
        let prompt = asked.prompt.as_deref().unwrap_or_default();
        assert!(prompt.starts_with("architecture delegates this to you, and gets your answer."), "{prompt}");
        assert_eq!(scene.reasons().last(), Some(&Reason::DelegationAsked), "a delegated agent delegates");
        let asked = scene.answer(
            "development",
            &package("development", "null", "security-check", "Version 2, since March"),
        );
        assert!(given(&asked).contains("Which crypto library is used"), "{}", given(&asked));
        let asked = scene.answer(
            "security-check",
            &package("security-check", "null", "architecture", "2 risks, both answered"),
        );
        assert!(given(&asked).contains("Version 2, since March"), "{}", given(&asked));
        let prompt = asked.prompt.as_deref().unwrap_or_default();
        let told = "This is what development answers to what you delegated. Your own answer goes to architecture, who delegated to you.";
        assert!(prompt.starts_with(told) && !prompt.contains("delegates this to you"), "{prompt}");
        assert!(prompt.contains("```text\nWhich crypto library is used"), "{prompt}");
        let returned = design(scene, 4);
        let prompt = returned.prompt.as_deref().unwrap_or_default();
        assert!(prompt.contains("instructs you:\n```text\nReview the login of 9 endpoints"), "{prompt}");
        assert!(
            prompt.contains("What you were working on, as data:\n```text\n12 stories for a shop"),
            "{prompt}"
        );
        let asked = given(&returned);
        assert!(asked.contains("2 risks, both answered"), "{asked}");
        assert!(asked.contains("agent: security-check") && asked.contains("agent: architecture"), "{asked}");
        assert_eq!(scene.view().pending.gates.len(), 1, "and on from there");
        let back = scene.reasons().into_iter().filter(|reason| *reason == Reason::DelegationOver);
        assert_eq!(back.count(), 2);
    });
}

// proves P-11: what an agent is told of delegations is true, however often it delegates, and to whom.
#[test]
fn who_delegates_twice_asks_twice() {
    play("agency", WISH, |scene| {
        specified(scene);
        let delegates = |summary: &str, deliverable: &str| {
            let package = package("architecture", "design", "security-check", summary);
            format!("{package}  expectations:\n    deliverable: \"{deliverable}\"\n")
        };
        scene.answer("architecture", &delegates("9 endpoints, 2 of them public", "A list of risks"));
        let found = |summary: &str| package("security-check", "null", "architecture", summary);
        scene.answer("security-check", &found("2 risks in src/login.rs"));
        let asked = scene
            .answer("architecture", &delegates("Both risks are mended in src/login.rs", "A second look"));
        let prompt = asked.prompt.unwrap_or_default();
        assert!(prompt.contains("This is what security-check answers to what you delegated."), "{prompt}");
        assert!(!prompt.contains("Your own answer goes to"), "nobody delegated to it: {prompt}");
        assert!(prompt.contains("```text\nA list of risks"), "what it asked for: {prompt}");
        let asked = scene.answer("security-check", &found("No risk is left in src/login.rs"));
        let prompt = asked.prompt.unwrap_or_default();
        assert!(prompt.starts_with("architecture delegates this to you, and gets your answer."), "{prompt}");
        assert!(!prompt.contains("you delegated") && !prompt.contains("2 risks"), "{prompt}");
        let prompt = design(scene, 4).prompt.unwrap_or_default();
        assert!(prompt.contains("```text\nA second look"), "{prompt}");
        assert!(
            prompt.contains("as data:\n```text\n12 stories for a shop"),
            "it works on the same: {prompt}"
        );
    });
}

// proves P-02: nobody of that name works here, and that is said.
#[test]
fn a_delegation_to_nobody_bounces() {
    play("agency", WISH, |scene| {
        specified(scene);
        scene.answer("architecture", &package("architecture", "design", "lawyer", "Review 3 contracts"));
        assert_eq!(scene.asked(), Some(Reason::UnknownReceiver));
    });
}

// proves P-08: the checklist of the receiver is gone through, and what is wanting is told: summary, artifacts,
// deliverable, constraints beyond what it can.
#[test]
fn what_is_wanting_in_a_package_is_told_to_its_receiver() {
    let flow = SHIPPED.iter().find(|(name, _)| *name == "agency").expect("it is shipped").1;
    let flow = flow.replace(
        "architecture: { dialect: package }",
        "architecture: { dialect: package, capabilities: [design] }",
    );
    play_text(&flow, WISH, |scene| {
        scene.write("docs/specification.md", "12 stories");
        let whole = "handoff:\n  from:\n    agent: specification\n    step: specify\n  to:\n    agent: architecture\n  context:\n    summary: \"12 stories for a shop of 40 products\"\n    artifacts:\n      - path: docs/specification.md\n  expectations:\n    deliverable: \"Design\"\n    constraints:\n      - \"Design within 3 days\"\n";
        scene.answer("specification", whole);
        scene.go_on(5 * HOUR_MS);
        let vague = "handoff:\n  from:\n    agent: architecture\n    step: design\n  to:\n    agent: security-check\n  context:\n    summary: \"Various improvements were made as discussed\"\n    artifacts:\n      - path: docs/missing.md\n  expectations:\n    constraints:\n      - \"Keep the design\"\n";
        let asked = scene.answer("architecture", vague);
        let told = asked.prompt.unwrap_or_default();
        assert!(!told.contains("Missing or unclear"), "all of it is there: {told}");
        let asked = scene.answer(
            "security-check",
            &package("security-check", "null", "architecture", "No risk in 9 endpoints"),
        );
        let told = asked.prompt.unwrap_or_default();
        for wanting in [
            "`summary` names nothing specific",
            "docs/missing.md",
            "`expectations.deliverable` is missing",
            "the constraint `Keep the design` asks for design, which architecture can and security-check cannot",
        ] {
            assert!(told.contains(wanting), "{wanting} is not in {told}");
        }
    });
}

// proves P-10: partial understanding with blockers goes back to the sender; the handoff goes on with its answer.
#[test]
fn blockers_are_cleared_up_by_the_sender() {
    play("agency", WISH, |scene| {
        specified(scene);
        let unclear = "acknowledgment:\n  received: true\n  understood: partial\n  blockers:\n    - \"docs/feature.md is not there\"\n    - \"'Fast' cannot be measured\"\n  action: request_clarification\n";
        scene.answer("architecture", unclear);
        assert_eq!(scene.reasons().last(), Some(&Reason::SenderAsked));
        let answer = package(
            "specification",
            "specify",
            "architecture",
            "It is docs/specification.md, and fast is 200 ms",
        );
        let asked = given(&scene.answer("specification", &answer));
        assert!(
            asked.contains("docs/feature.md is not there") && asked.contains("'Fast' cannot be measured"),
            "{asked}"
        );
        assert!(asked.contains("12 stories"), "with what it is about: {asked}");
        let asked = given(&design(scene, 4));
        assert!(asked.contains("12 stories for a shop of 40 products"), "the original goes on: {asked}");
        assert!(asked.contains("fast is 200 ms"), "with the answer: {asked}");
    });
}

// proves P-09, P-10: received, accepted and started are facts of their own, and none of them is the work.
#[test]
fn an_acknowledgement_is_no_answer() {
    play("agency", WISH, |scene| {
        specified(scene);
        let takes = "acknowledgment:\n  received: true\n  from: specification\n  understood:\n    task: \"Design a shop\"\n    constraints: \"Before May\"\n  questions: []\n  starting: true\n";
        scene.answer("architecture", takes);
        let stages = scene.events().into_iter().filter_map(|event| {
            if let Event::Acknowledged { stage, .. } = event { Some(stage) } else { None }
        });
        assert_eq!(stages.collect::<Vec<_>>(), [Stage::Received, Stage::Accepted, Stage::Started]);
        scene.go_on(60_000);
        design(scene, 4);
        assert_eq!(scene.view().pending.gates.len(), 1);
    });
}

// proves P-13: what each agent is told of the workflow is true.
#[test]
fn the_workflow_state_is_true() {
    play("agency", WISH, |scene| {
        let steps = ["specify", "read-along", "design", "approve-design", "develop", "ready", "hand-over"];
        let is_at = |asked: &str, at: usize| {
            let list =
                |steps: &[&str]| steps.iter().map(|step| format!("      - {step}\n")).collect::<String>();
            let list = |name: &str, steps: &[&str]| match steps {
                [] => format!("    {name}: []\n"),
                _ => format!("    {name}:\n{}", list(steps)),
            };
            let state = format!(
                "  workflow_state:\n    name: agency\n    current_step: {}\n{}{}",
                steps[at],
                list("completed_steps", &steps[..at]),
                list("remaining_steps", &steps[at + 1..]),
            );
            assert!(asked.contains(&state), "{asked}\nis not\n{state}");
        };
        is_at(&given(&specify(scene)), 0);
        scene.go_on(5 * HOUR_MS);
        is_at(&given(&design(scene, 4)), 2);
        scene.gate(GateAnswer::Reject);
        is_at(&given(&design(scene, 3)), 2);
        scene.gate(GateAnswer::Approve);
        is_at(&given(&develop(scene, "3 services built")), 4);
    });
}

// proves P-14: each handoff is listed with its status, and archived under its id.
#[test]
fn handoffs_are_listed_and_archived() {
    play("agency", WISH, |scene| {
        specified(scene);
        design(scene, 4);
        scene.go_on(0);
        let list = scene.file("state/current.json");
        let rows: Vec<String> =
            list.split("\"id\"").skip(1).map(|row| row.split_whitespace().collect()).collect();
        assert_eq!(rows.len(), 2, "{list}");
        assert!(
            rows[0].contains(r#""from":"specification","to":"architecture","status":"completed""#),
            "{list}"
        );
        assert!(rows[1].contains(r#""from":"architecture","to":"human","status":"pending""#), "{list}");
        let archive = format!(".project/07-audit/sessions/{RUN}/handoffs");
        let first = scene.file(&format!("{archive}/HO-001.yaml"));
        assert!(first.contains("id: HO-001") && first.contains("12 stories"), "{first}");
        scene.gate(GateAnswer::Reject);
        scene.go_on(0);
        let second = scene.file(&format!("{archive}/HO-002.yaml"));
        assert!(second.contains("current_step: design") && second.contains("9 endpoints"), "{second}");
    });
}
