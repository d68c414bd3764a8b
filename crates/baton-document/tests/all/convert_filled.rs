//! What a handoff is filled with on its way: values that are given as JSON, sources that stand in for others, names that
//! must be there, and what XML writes in a way of its own.

use crate::convert::{canonical, checker, convert, faults};

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
