//! Hostile JSON.

use super::{Hostile, LARGE, MEGABYTE, alone, filled, numbered};

/// An envelope up to the inside of a list of texts, and its end.
const LIST: &str = r#"{"meta":{"step_id":"a","flow_key":"b","agent_key":"c","timestamp":"2026-01-31T09:30:00Z"},"status":"VERIFIED","routing":{"recommendation":"CONTINUE","reason":"x"},"summary":{"what_i_did":"x","what_i_found":"y","key_decisions":["#;
const LIST_END: &str = r#""end"]}}"#;

/// An envelope up to the inside of its outermost map, and its end.
const MAP: &str =
    r#"{"meta":{"step_id":"a","flow_key":"b","agent_key":"c","timestamp":"2026-01-31T09:30:00Z"},"#;
const MAP_END: &str = r#""status":"DONE","summary":{"what_i_did":"x","what_i_found":"y"},"routing":{"recommendation":"CONTINUE","reason":"x"}}"#;

/// Depth of the deep ones.
const DEEP: usize = 100_000;

pub(super) const FILES: &[Hostile] = &[
    alone("JSON: lists 100 000 deep", "a.json", || nested("[", "]")),
    alone("JSON: maps 100 000 deep", "a.json", || nested("{\"a\":", "}")),
    alone("JSON: lists 100 000 deep inside a handoff", "a.json", || {
        [MAP, "\"a\":", &"[".repeat(DEEP), &"]".repeat(DEEP), ",", MAP_END].concat().into_bytes()
    }),
    alone("JSON: 15 MB of `[`", "a.json", || filled(LARGE, "", "[", "")),
    alone("JSON: 15 MB of `{`", "a.json", || filled(LARGE, "", "{", "")),
    alone("JSON: 15 MB of `]`", "a.json", || filled(LARGE, "", "]", "")),
    alone("JSON: 15 MB of `{\"a\":`", "a.json", || filled(LARGE, "", "{\"a\":", "")),
    alone("JSON: 15 MB of `[],`", "a.json", || filled(LARGE, LIST, "[],", LIST_END)),
    alone("JSON: 15 MB of `,`", "a.json", || filled(LARGE, LIST, ",", LIST_END)),
    alone("JSON: one scalar of 15 MB", "a.json", || {
        filled(LARGE, &[MAP, "\"notes\":\""].concat(), "x", &["\",", MAP_END].concat())
    }),
    alone("JSON: one number of 15 MB", "a.json", || {
        filled(LARGE, &[MAP, "\"notes\":"].concat(), "7", &[",", MAP_END].concat())
    }),
    alone("JSON: one key of 1 MB", "a.json", || {
        filled(MEGABYTE, &[MAP, "\""].concat(), "statu", &["\":1,", MAP_END].concat())
    }),
    alone("JSON: a string that never ends", "a.json", || {
        filled(LARGE, &[MAP, "\"notes\":\""].concat(), "x ", "")
    }),
    alone("JSON: 15 MB of distinct keys", "a.json", || numbered(MAP, |at| format!("\"k{at}\":1,"), MAP_END)),
    alone("JSON: 15 MB of keys that are almost right", "a.json", || {
        numbered(MAP, |at| format!("\"statu{at}\":1,"), MAP_END)
    }),
    alone("JSON: 15 MB of one key again and again", "a.json", || filled(LARGE, MAP, "\"k\":1,", MAP_END)),
    alone("JSON: 15 MB of two keys in turn", "a.json", || {
        filled(LARGE, MAP, "\"status\":\"VERIFIED\",\"extra\":1,", MAP_END)
    }),
    alone("JSON: 15 MB of wrong list entries", "a.json", || filled(LARGE, LIST, "1,", LIST_END)),
    alone("JSON: 15 MB of wrong list entries, one per line", "a.json", || {
        filled(LARGE, LIST, "1,\n", LIST_END)
    }),
    alone("JSON: 15 MB of right list entries", "a.json", || filled(LARGE, LIST, "\"x\",", LIST_END)),
    alone("JSON: 15 MB of broken list entries", "a.json", || filled(LARGE, LIST, "x y,", LIST_END)),
    alone("JSON: 15 MB of entries that lack everything", "a.json", || {
        filled(LARGE, &[MAP, "\"concerns\":["].concat(), "{},", &["{}],", MAP_END].concat())
    }),
    alone("JSON: 15 MB of handoffs in one list", "a.json", || {
        filled(LARGE, "[", &[MAP, MAP_END, ","].concat(), "1]")
    }),
    alone("JSON: 15 MB of strings with escapes", "a.json", || {
        let text = ["\"", &"\\u0041\\n\\ud83d\\ude00".repeat(20_000), "\","].concat();
        filled(LARGE, LIST, &text, LIST_END)
    }),
    alone("JSON: 15 MB of strings with broken escapes", "a.json", || {
        let text = ["\"", &"\\q\\ud800\\u12".repeat(20_000), "\","].concat();
        filled(LARGE, LIST, &text, LIST_END)
    }),
    alone("JSON: one line of 15 MB with a finding at its end", "a.json", || {
        filled(
            LARGE,
            &[MAP, "\"assumptions\":["].concat(),
            r#"{"assumption":"x","why":"y"},"#,
            &["{}],", MAP_END].concat(),
        )
    }),
    alone("JSON: 15 MB of line breaks", "a.json", || filled(LARGE, MAP, "\n", MAP_END)),
    alone("JSON: 15 MB of carriage returns", "a.json", || filled(LARGE, MAP, "\r", MAP_END)),
    alone("JSON Lines: 15 MB of `{}`", "a.jsonl", || filled(LARGE, "", "{}\n", "")),
    alone("JSON Lines: 15 MB of `{`", "a.jsonl", || filled(LARGE, "", "{\n", "")),
    alone("JSON Lines: 15 MB of requests without answers", "a.jsonl", || {
        numbered(
            "",
            |at| {
                format!(
                    "{{\"task_id\":\"t{at}\",\"phase\":\"write\",\"context\":{{\"feature\":\"x\"}},\"instructions\":\"x\",\"expected_output\":\"files_changed\"}}\n"
                )
            },
            "",
        )
    }),
    alone("JSON Lines: 15 MB of answers without requests", "a.jsonl", || {
        numbered(
            "",
            |at| {
                format!(
                    "{{\"task_id\":\"t{at}\",\"phase\":\"write\",\"status\":\"complete\",\"decision\":\"PROCEED\",\"findings\":{{}},\"context_summary\":\"Made src/a.py\"}}\n"
                )
            },
            "",
        )
    }),
    alone("JSON Lines: 15 MB of handoffs that lack everything", "a.jsonl", || {
        filled(LARGE, "", "{\"task_id\":1,\"phase\":2,\"findings\":3}\n", "")
    }),
];

fn nested(open: &str, close: &str) -> Vec<u8> {
    [open.repeat(DEEP), close.repeat(DEEP)].concat().into_bytes()
}
