//! Values that are hard to judge: long ones that rules read word by word or token by token.

use super::{Hostile, LARGE, MEGABYTE, alone, filled};

/// An answer up to the inside of its summary, and its end.
const SUMMARY: &str = r#"{"task_id":"a","phase":"write","status":"complete","decision":"PROCEED","findings":{},"context_summary":""#;
const SUMMARY_END: &str = "\"}\n";

pub(super) const FILES: &[Hostile] = &[
    alone("summary: 1 MB of spaces", "a.json", || summary(" ")),
    alone("summary: 1 MB of `a`", "a.json", || summary("a")),
    alone("summary: 1 MB of `ab`", "a.json", || summary("ab")),
    alone("summary: 1 MB of words", "a.json", || summary("the next phase ")),
    alone("summary: 1 MB of digits", "a.json", || summary("7")),
    alone("summary: 1 MB of punctuation", "a.json", || summary("=-")),
    alone("summary: 1 MB of line breaks", "a.json", || summary("\\n")),
    alone("summary: 1 MB of emoji", "a.json", || summary("👩‍👩‍👧‍👦")),
    alone("summary: 1 MB of Chinese", "a.json", || summary("你好世界")),
    alone("summary: 1 MB of combining marks", "a.json", || summary("\u{301}")),
    alone("summary: 1 MB of code", "a.json", || summary("def f(x):\\n    return x\\n")),
    alone("summaries: 15 of 1 MB of `a`", "a.jsonl", || {
        let one = String::from_utf8_lossy(&summary("a")).into_owned();
        filled(LARGE, "", &one, "")
    }),
    alone("summaries: 15 of 1 MB of words", "a.jsonl", || {
        let one = String::from_utf8_lossy(&summary("I will now look at the file ")).into_owned();
        filled(LARGE, "", &one, "")
    }),
    alone("package: a summary of 1 MB of vague words", "a.yaml", || {
        package("todo etc ", "some stuff and various things ")
    }),
    alone("package: a summary of 1 MB of questions", "a.yaml", || package("", "which one? ")),
    alone("package: 15 MB of criteria that cannot be measured", "a.yaml", || {
        let head = String::from_utf8_lossy(&package("x", "y")).into_owned();
        filled(
            LARGE,
            &format!("{head}  expectations:\n    success_criteria:\n"),
            "      - it works well\n",
            "",
        )
    }),
    alone("envelope: 15 MB of placeholders", "a.json", || {
        let head = r#"{"meta":{"step_id":"a","flow_key":"b","agent_key":"c","timestamp":"2026-01-31T09:30:00Z"},"status":"VERIFIED","routing":{"recommendation":"CONTINUE","reason":"x"},"summary":{"what_i_did":"x","what_i_found":"y","key_decisions":["#;
        filled(LARGE, head, "\"<TODO>\",\"{{x}}\",", "\"x\"]}}")
    }),
    alone("envelope: 15 MB of concerns in idioms that name nothing", "a.json", || {
        let head = r#"{"meta":{"step_id":"a","flow_key":"b","agent_key":"c","timestamp":"2026-01-31T09:30:00Z"},"status":"UNVERIFIED","summary":{"what_i_did":"x","what_i_found":"y"},"routing":{"recommendation":"LOOP","reason":"x"},"concerns":["#;
        let concern = filled(20_000, r#"{"severity":"LOW","description":""#, "it won't fly ", "\"},");
        filled(LARGE, head, &String::from_utf8_lossy(&concern), "{}]}")
    }),
    alone("envelope: a timestamp of 1 MB", "a.json", || {
        filled(
            MEGABYTE,
            r#"{"meta":{"step_id":"a","flow_key":"b","agent_key":"c","timestamp":"2026-01-31T09:30:00."#,
            "0",
            r#"Z"},"status":"VERIFIED","summary":{"what_i_did":"x","what_i_found":"y"},"routing":{"recommendation":"CONTINUE","reason":"x"}}"#,
        )
    }),
    alone("envelope: a line of 1 MB of wide characters before a finding", "a.json", || {
        filled(
            MEGABYTE,
            "{\"meta\":{\"step_id\":\"",
            "漢\u{200b}\u{202e}",
            "\",\"flow_key\":1,\"agent_key\":\"c\"},\"status\":1,\"summary\":{},\"routing\":{}}",
        )
    }),
];

fn summary(part: &str) -> Vec<u8> {
    filled(MEGABYTE, SUMMARY, part, SUMMARY_END)
}

fn package(head: &str, part: &str) -> Vec<u8> {
    let start =
        format!("handoff:\n  from:\n    agent: a\n  to:\n    agent: b\n  context:\n    summary: \"{head}");
    filled(MEGABYTE, &start, part, "\"\n")
}
