//! What a handoff is filled with on its way: values that are given as JSON, sources that stand in for others, names that
//! must be there, and what XML writes in a way of its own.

use crate::convert::{canonical, checker, convert, faults, try_convert};
use crate::users::{definition, with_one};

#[test]
fn the_name_of_an_entry_must_be_there() {
    let checker = with_one(&definition("crew"));
    let text = "<handoff><from>implementer-agent</from><to>b</to><status>error</status></handoff>";
    let given = [("state", "busy"), ("shift", "2026-06-01")];
    let converted = try_convert(&checker, text, "crew", &given).unwrap();
    let gaps: Vec<_> = converted.handoffs[0].gaps.iter().map(|gap| gap.path.as_str()).collect();
    assert_eq!(gaps, ["agent"], "{}", converted.text);
    let [state, shift] = given;
    let made = convert(&checker, text, "crew", &[state, shift, ("agent", "builder")]);
    assert!(made.contains("builder:") && faults(&checker, &made).is_empty(), "{made}");
    let fitting = convert(&checker, &text.replace("implementer-agent", "builder"), "crew", &given);
    assert!(fitting.contains("builder:"), "{fitting}");
}

#[test]
fn every_character_comes_back_from_xml() {
    let checker = checker();
    let text = r#"{"task_id":"t","phase":"write","status":"complete","decision":"PROCEED","findings":{},
        "context_summary":"src/a.rs \uffff x","foo":"\ufffe \u0000 \u0001","\uffff":"\uffff"}"#;
    let there = convert(&checker, text, "pipeline", &[]);
    assert_eq!(faults(&checker, &there), [""; 0], "{there}");
    let back = convert(&checker, &there, "exchange", &[]);
    assert_eq!(canonical(&checker, &back), canonical(&checker, text), "{there}");
}
