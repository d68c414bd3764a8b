//! Agents of all five dialects in one flow: each reads and writes only its own.

use super::{given, play};

const GOAL: (&str, &str) = ("goal", "limit loans to five");

const PLAN: &str = "version: 1\nsource_file: discussion/007-planner-response.md\ngenerated_at: \"2026-02-09\"\nfrom: planner\nto: builder\nbranch: handoff/7-planner-to-builder\nwork_queue_items: [loan-limit]\nfiles_changed: [docs/loans.md]\nstatus: pending\n";
const BUILT: &str = r#"{"meta":{"step_id":"build","flow_key":"babel","agent_key":"builder","timestamp":"2026-02-09T10:00:00Z"},"status":"UNVERIFIED","summary":{"what_i_did":"Limited loans in src/loans.py.","what_i_found":"Old loans stay.","key_decisions":["Five is a constant"],"evidence":{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{}}},"concerns":[{"severity":"LOW","description":"No index on loans","recommendation":"Add one"}],"assumptions":[],"routing":{"recommendation":"CONTINUE","reason":"built"}}"#;
const CHECKED: &str = r#"{"task_id":"scene-1","phase":"validate","status":"complete","decision":"PROCEED","findings":{"checks":{"types":{"passed":true,"errors":[],"warnings":[]},"lint":{"passed":true,"errors":[],"warnings":[]},"tests":{"passed":true,"total":6,"passed_count":6,"failed_count":0,"coverage":80,"failures":[]},"security":{"passed":true,"issues":[]}},"overall_passed":true,"blocking_issues":[],"warnings":[]},"context_summary":"All 6 tests of src/loans.py pass."}"#;
const APPROVED: &str = "handoff:\n  from:\n    agent: architect\n    step: approve\n  to:\n    agent: closer\n    reason: Approved\n  context:\n    summary: \"The limit of 5 loans in src/loans.py is sound\"\n    artifacts:\n      - path: src/loans.py\n";
const CLOSED: &str = "<handoff>\n  <from>closer</from>\n  <to>orchestrator</to>\n  <status>success</status>\n  <summary>Written down in CHANGELOG.md</summary>\n</handoff>\n";

// proves S-01: an agent that writes YAML hands to one that reads JSON, and on to XML; each sees only its own format.
#[test]
fn each_agent_sees_only_its_own_dialect() {
    play("babel", GOAL, |scene| {
        let dialects = |delivery: &baton_courier::Delivery| delivery.dialect.clone();
        let first = scene.answer("planner", PLAN);
        assert_eq!(first.prompt.as_deref(), Some("Plan: limit loans to five"));

        let second = scene.answer("builder", BUILT);
        let text = given(&second);
        assert_eq!(dialects(&second), "envelope");
        assert!(text.contains("\"agent_key\": \"planner\""), "it says who was there before: {text}");
        assert!(text.contains("\"step_id\": \"plan\"") && text.contains("\"flow_key\": \"babel\""), "{text}");
        assert!(text.contains("docs/loans.md") && text.contains("loan-limit"), "{text}");
        assert!(!text.contains("\"absent\""), "nobody converts it back: {text}");

        let third = scene.answer("checker", CHECKED);
        let text = given(&third);
        assert_eq!(dialects(&third), "exchange");
        assert!(text.contains("\"phase\": \"validate\"") && text.contains("limit loans to five"), "{text}");
        assert!(text.contains("Limited loans in src/loans.py. Old loans stay."), "{text}");
        assert!(text.contains("No index on loans"), "what worries the sender goes along: {text}");
        assert!(text.contains("\"src/loans.py\"") && !text.contains("agent_key"), "{text}");

        let fourth = scene.answer("architect", APPROVED);
        let text = given(&fourth);
        assert_eq!(dialects(&fourth), "package");
        assert!(text.contains("summary: All 6 tests of src/loans.py pass."), "{text}");
        assert!(text.contains("agent: checker") && text.contains("agent: architect"), "{text}");
        assert!(text.contains("deliverable: Look at the whole."), "{text}");
        assert!(text.contains("decision: PROCEED") && !text.contains("passed_count"), "no findings: {text}");

        let fifth = scene.answer("closer", CLOSED);
        let text = given(&fifth);
        assert_eq!(dialects(&fifth), "pipeline");
        assert!(text.contains("<from>architect</from>") && text.contains("<to>closer</to>"), "{text}");
        assert!(text.contains("The limit of 5 loans in src/loans.py is sound"), "{text}");
        assert!(scene.ending().is_some());
    });
}
