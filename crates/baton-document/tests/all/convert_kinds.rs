//! Which kind a handoff becomes when it is converted, and what is asked for where none can be completed.

use baton_document::dialect::{DialectFile, Settings};
use baton_document::{Checker, Converted, Levels, Limits};

use crate::convert::{PACKAGE, canonical, checker, convert, dialect_of, try_convert};

fn envelope(from: &str, to: &str, measurements: &str) -> String {
    format!(
        r#"{{"meta": {{"step_id": "review", "flow_key": "build", "agent_key": "{from}", "timestamp": "2026-01-02T03:04:05Z"}},
        "status": "VERIFIED", "summary": {{"what_i_did": "Reviewed src/auth.py", "evidence": {{"measurements": {measurements}}}}},
        "routing": {{"recommendation": "CONTINUE", "next_step_suggestion": "{to}", "reason": "fine"}}}}"#
    )
}

fn missing(converted: &Converted) -> Vec<&str> {
    converted.handoffs.iter().flat_map(|handoff| &handoff.gaps).map(|gap| &*gap.path).collect()
}

#[test]
fn figures_do_not_make_a_handoff_the_end_of_the_workflow() {
    // proves A-08, A-16
    let checker = checker();
    for figures in
        [r#"{"coverage": 0.931}"#, r#"{"tests_added": 3}"#, r#"{"total_commits": 2, "review_iterations": 1}"#]
    {
        let text = envelope("critic", "implement", figures);
        let pipeline = convert(&checker, &text, "pipeline", &[]);
        assert_eq!(dialect_of(&checker, &pipeline), Some(("pipeline".to_owned(), "other".to_owned())));
        let back = convert(&checker, &pipeline, "envelope", &[]);
        assert_eq!(canonical(&checker, &back), canonical(&checker, &text));
    }
}

#[test]
fn what_is_asked_for_is_what_the_pair_needs_all_of_it_at_once() {
    // proves A-16
    let checker = checker();
    let text = envelope("implementer-agent", "reviewer-agent", r#"{"coverage": 0.931}"#);
    let converted = try_convert(&checker, &text, "pipeline", &[]).unwrap();
    let needed =
        ["issue_url", "issue_number", "pr_url", "pr_number", "branch", "files_changed", "tests_added"];
    assert_eq!(missing(&converted), needed);
    let set = needed.map(|path| (path, "7"));
    assert_eq!(missing(&try_convert(&checker, &text, "pipeline", &set).unwrap()), [""; 0]);

    // The whole of a map that must be there, each field of it.
    let text = envelope("prep-agent", "implementer-agent", "{}");
    let asked = missing(&try_convert(&checker, &text, "pipeline", &[]).unwrap()).join(" ");
    assert!(asked.ends_with("validation.dependencies validation.build validation.dev_server"), "{asked}");
}

#[test]
fn what_is_set_in_a_map_joins_what_is_said_of_it() {
    let checker = checker();
    let text = envelope("critic", "implement", r#"{"total_commits": 3, "coverage": "0.931"}"#);
    let set = [("metrics.review_iterations", "2"), ("metrics.tests_added", "4")];
    let form = canonical(&checker, &convert(&checker, &text, "pipeline", &set));
    assert_eq!(
        form["handoff"]["metrics"],
        serde_json::json!({"review_iterations": 2, "total_commits": 3, "tests_added": 4})
    );
}

#[test]
fn a_figure_stands_once_where_the_dialect_has_a_place_for_it() {
    // proves A-08
    let checker = checker();
    let figures = r#"{"coverage": "n/a", "total_commits": 3, "tests_added": 7, "files_changed": 2}"#;
    let text = envelope("critic", "implement", figures);
    let pipeline = convert(&checker, &text, "pipeline", &[]);
    let form = canonical(&checker, &pipeline);
    // Each has a field of its own, unless that cannot hold it or there is none.
    assert_eq!(form["handoff"]["tests_added"], 7);
    assert_eq!(form["handoff"]["files_changed"], 2);
    assert_eq!(form["handoff"]["metrics"], serde_json::json!({"total_commits": 3, "coverage": "n/a"}));
    assert_eq!(form["handoff"].get("coverage"), None);
    assert_eq!(
        canonical(&checker, &convert(&checker, &pipeline, "envelope", &[])),
        canonical(&checker, &text)
    );

    // What must be there is where it stands.
    let set = [
        ("issue_number", "1"),
        ("issue_url", "https://example.com/1"),
        ("pr_number", "2"),
        ("pr_url", "https://example.com/2"),
        ("cycle_time", "2 days"),
        ("metrics.review_iterations", "2"),
        ("actions_taken.action", "closed"),
    ];
    let figures = r#"{"coverage": "93%", "total_commits": 3, "tests_added": 7, "files_changed": 2}"#;
    let text = envelope("critic", "none", figures).replace(r#""next_step_suggestion": "none", "#, "");
    let complete = canonical(&checker, &convert(&checker, &text, "pipeline", &set));
    let complete = &complete["workflow-complete"];
    let metrics =
        serde_json::json!({"review_iterations": 2, "total_commits": 3, "tests_added": 7, "coverage": "93%"});
    assert_eq!(complete["metrics"], metrics, "{complete}");
    assert_eq!((complete.get("coverage"), complete.get("tests_added")), (None, None));
    assert_eq!(complete["files_changed"], 2);
}

#[test]
fn of_figures_with_the_same_name_the_first_counts_however_many_there_are() {
    let checker = checker();
    for count in [2, 100] {
        let figures = |value: &str| -> String {
            (0..count).map(|at| format!("<figure-{at}>{value}</figure-{at}>")).collect()
        };
        let text = format!(
            "<handoff><from>critic</from><to>writer</to><summary>Measured</summary><metrics>{}</metrics>\
             <data><metrics>{}<other>3</other></metrics></data></handoff>",
            figures("1"),
            figures("2"),
        );
        let form = canonical(&checker, &convert(&checker, &text, "envelope", &[]));
        let figures = &form["summary"]["evidence"]["measurements"];
        assert_eq!(figures.as_object().map(serde_json::Map::len), Some(count + 1), "{form}");
        assert_eq!((&figures["figure-0"], &figures["other"]), (&"1".into(), &"3".into()));
        assert_eq!(figures[format!("figure-{}", count - 1)], "1");
    }
}

#[test]
fn a_kind_that_holds_nothing_of_what_is_said_is_not_meant() {
    // proves A-16
    let checker = checker();
    let text = r#"{"status": "VERIFIED", "summary": {"what_i_found": "src/auth.py meets the requirements"},
        "concerns": [],
        "routing": {"recommendation": "CONTINUE", "can_further_iteration_help": false, "reason": "No issues"}}"#;
    let converted = try_convert(&checker, text, "package", &[]).unwrap();
    assert_eq!(missing(&converted), ["from.agent", "to.agent"]);
    let package = convert(&checker, text, "package", &[("from.agent", "critic"), ("to.agent", "writer")]);
    assert_eq!(dialect_of(&checker, &package), Some(("package".to_owned(), "sequential".to_owned())));
}

#[test]
fn a_kind_without_gaps_comes_before_one_that_holds_more() {
    // proves A-08, A-09
    let two = "\
dialect: two
written-in: [yaml]
recognise: {all: [role, note]}
kinds:
  work:
    when: {field: role, is: worker}
    required: [role, note]
    fields:
      role: {words: [worker], means: from}
      note: {type: text, means: summary}
      files: {of: path, means: artifacts}
  done:
    when: files
    required: [role, note, by]
    fields:
      role: {type: name, means: from}
      note: {type: text, means: summary}
      files: {of: path, means: artifacts}
      by: name
  any:
    required: [role, note]
    fields:
      role: {type: name, means: from}
      note: {type: text, means: summary}
      files: {of: path, means: artifacts}
";
    let users = [DialectFile { path: "two.yaml", text: two }];
    let checker = Checker::with_dialects(&Settings::default(), Levels::default(), Limits::default(), &users);
    assert!(checker.unusable().is_empty(), "{:?}", checker.unusable());
    let there = convert(&checker, PACKAGE, "two", &[]);
    assert_eq!(dialect_of(&checker, &there), Some(("two".to_owned(), "any".to_owned())), "{there}");
    let back = convert(&checker, &there, "package", &[]);
    assert_eq!(canonical(&checker, &back), canonical(&checker, PACKAGE));
}
