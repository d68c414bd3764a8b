//! Expressions that cannot be evaluated, as people see them: in the log, in what is shown, and in what is asked.

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");

/// A step whose route asks for a number that the agent gives as text.
fn routed(unknown: &str) -> Office {
    Office::with(&format!(
        "  - review:\n      agent: ada\n      routes: [{{ if: \"handoff.status > 2\", to: fix{unknown} }}]\n      then: end\n  \
         - fix: {{ agent: ben, then: end }}\n"
    ))
}

const WHY: &str = "unknown: handoff.status is text, not a number (route `if` of step review)";

#[test]
fn a_route_that_cannot_be_evaluated_asks_which_way_to_go_and_says_why() {
    let office = routed("");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains(WHY), "{shown}");
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains(WHY), "{log}");
    assert!(
        format!("{}{}", ran.stdout, ran.stderr).contains("handoff.status is text, not a number"),
        "{}{}",
        ran.stdout,
        ran.stderr
    );
    for typed in ["--to fix", "--go-on", "TEXT"] {
        assert!(shown.contains("baton clarify article-1/?") && shown.contains(typed), "{typed}: {shown}");
    }
    let json = office.run(&["show", "article-1", "--json"]).json();
    assert!(json["awaits"][0]["text"].as_str().is_some_and(|text| text.contains(WHY)), "{json}");
    assert_eq!(office.calls().len(), 1, "nobody works before a person has said where to go");
    assert_eq!(office.run(&["clarify", "article-1", "--to", "fix"]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    assert_eq!(office.calls().len(), 2, "ben was given the step that the person chose");
}

#[test]
fn a_route_may_say_what_an_unknown_value_counts_as() {
    for (unknown, calls) in [(", unknown: true", 2), (", unknown: false", 1)] {
        let office = routed(unknown);
        assert_eq!(office.run(&["run", "article"]).code, 0);
        assert_eq!(office.calls().len(), calls, "{unknown}");
        let log = office.run(&["log", "article-1"]).stdout;
        assert!(log.contains(WHY), "what counts as something is recorded all the same: {log}");
    }
}

#[test]
fn a_field_that_is_missing_is_unknown_and_has_asks_for_it() {
    let routed = |expression: &str| {
        Office::with(&format!(
            "  - review:\n      agent: ada\n      routes: [{{ if: \"{expression}\", to: fix }}]\n      then: end\n  \
             - fix: {{ agent: ben, then: end }}\n"
        ))
    };
    let office = routed("handoff.routing.can_further_iteration_help");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains("handoff.routing.can_further_iteration_help is missing"), "{shown}");
    let has = "has(handoff.routing.can_further_iteration_help) && handoff.routing.can_further_iteration_help";
    let office = routed(has);
    assert_eq!(office.run(&["run", "article"]).code, 0);
    assert_eq!(office.run(&["show", "article-1", "--json"]).json()["state"], "over");
}

#[test]
fn a_join_that_cannot_be_evaluated_asks_a_person() {
    let office = Office::with(
        "  - both: {parallel: [one, two], join: {if: \"branches.all(b, b.status > 2)\"}}\n  - one: ada\n  - two: ben\n",
    );
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let shown = office.run(&["show", "article-1"]).stdout;
    assert!(shown.contains("(join `if` of step both)") && shown.contains("--go-on"), "{shown}");
    assert!(office.run(&["log", "article-1"]).stdout.contains("(join `if` of step both)"));
    assert_eq!(office.run(&["clarify", "article-1", "--go-on"]).code, 0);
    assert_eq!(office.run(&["resume"]).code, 0);
    assert_eq!(office.run(&["show", "article-1", "--json"]).json()["state"], "over");
}

#[test]
fn a_check_that_cannot_be_evaluated_blocks_its_gate_and_is_shown_as_unknown() {
    let office = Office::with(
        "  - write: ada\n  - ready: {gate: auto, checks: [\"handoff.status == 'VERIFIED'\", \"handoff.status > 2\"]}\n",
    );
    assert_eq!(office.run(&["run", "article"]).code, 0);
    let shown = office.run(&["gate", "show", "article-1"]).stdout;
    assert!(shown.contains("✔ holds: handoff.status == 'VERIFIED'"), "{shown}");
    assert!(
        shown.contains("? unknown: handoff.status > 2 (handoff.status is text, not a number)"),
        "{shown}"
    );
    let checks = &office.run(&["gate", "show", "article-1", "--json"]).json()["checks"];
    assert_eq!(
        (&checks[1]["holds"], &checks[0]["unknown"]),
        (&false.into(), &serde_json::Value::Null),
        "{checks}"
    );
    assert!(checks[1]["unknown"].as_str().is_some_and(|why| why.contains("is text")), "{checks}");
    assert!(
        office.run(&["log", "article-1"]).stdout.contains("unknown: handoff.status is text, not a number")
    );
    assert_eq!(office.run_with(&["gate", "approve", "article-1"], &[KEY]).code, 0);
}

#[test]
fn what_an_unknown_value_counts_as_is_said_only_beside_an_expression() {
    let office = Office::with(
        "  - review: {agent: ada, routes: [{outcome: skipped, to: fix, unknown: true}]}\n  - fix: ben\n",
    );
    let checked = office.run(&["flow", "check", "article"]);
    assert!(
        checked.stdout.contains("only an expression can be unknown"),
        "{}{}",
        checked.stdout,
        checked.stderr
    );
    let office = Office::with(
        "  - review: {agent: ada, routes: [{if: \"true\", to: fix, unknown: maybe}]}\n  - fix: ben\n",
    );
    let checked = office.run(&["flow", "check", "article"]);
    assert!(checked.stdout.contains("not a boolean"), "{}{}", checked.stdout, checked.stderr);
    let office =
        Office::with("  - both: {parallel: [one], join: {quorum: 1, unknown: true}}\n  - one: ada\n");
    assert!(office.run(&["flow", "check", "article"]).stdout.contains("only an expression can be unknown"));
}
