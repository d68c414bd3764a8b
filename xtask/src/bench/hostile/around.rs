//! Documents that make a reader look at other files, and hostile files that a good document leads to.

use super::{Beside, Hostile, LARGE, MEGABYTE, alone, filled, numbered};

const ENVELOPE: &str = r#"{"meta":{"step_id":"a","flow_key":"b","agent_key":"c","timestamp":"2026-01-31T09:30:00Z"},"status":"UNVERIFIED","summary":{"what_i_did":"x","what_i_found":"y"},"routing":{"recommendation":"CONTINUE","reason":"x"},"concerns":["#;

const ARTIFACTS: &str = r#"{"meta":{"step_id":"a","flow_key":"b","agent_key":"c","timestamp":"2026-01-31T09:30:00Z"},"status":"UNVERIFIED","routing":{"recommendation":"CONTINUE","reason":"x"},"summary":{"what_i_did":"x","what_i_found":"y","evidence":{"commands_run":["x"],"artifacts_produced":["#;

pub(super) const FILES: &[Hostile] = &[
    alone("around: 15 MB of paths to nothing", "a.json", || {
        numbered(ARTIFACTS, |at| format!("\"src/{at}.py\","), "\"x\"]}}}")
    }),
    alone("around: 15 MB of deep paths to nothing", "a.json", || {
        let path = format!("\"{}\",", "a/".repeat(1000));
        filled(LARGE, ARTIFACTS, &path, "\"x\"]}}}")
    }),
    alone("around: 15 MB of paths that lead out", "a.json", || {
        filled(LARGE, ARTIFACTS, "\"../../etc/passwd\",", "\"x\"]}}}")
    }),
    Hostile {
        name: "around: 15 MB of locations in a large file",
        path: "a.json",
        make: || {
            let entry = r#"{"severity":"LOW","description":"x","location":"src/large.py:999999","recommendation":"y"},"#;
            filled(LARGE, ENVELOPE, entry, "{}]}")
        },
        beside: Some(Beside { path: "src/large.py", make: || filled(MEGABYTE, "", "x\n", "") }),
    },
    Hostile {
        name: "around: a work queue that is an alias bomb",
        path: "meta/handoff.yaml",
        make: manifest,
        beside: Some(Beside { path: "meta/work-queue.yaml", make: bomb }),
    },
    Hostile {
        name: "around: a work queue of 15 MB",
        path: "meta/handoff.yaml",
        make: manifest,
        beside: Some(Beside {
            path: "meta/work-queue.yaml",
            make: || filled(LARGE, "items:\n", "  - id: x\n", ""),
        }),
    },
    Hostile {
        name: "around: a work queue of 1 MB, each item wrong",
        path: "meta/handoff.yaml",
        make: manifest,
        beside: Some(Beside {
            path: "meta/work-queue.yaml",
            make: || filled(MEGABYTE, "items:\n", "  - {}\n", ""),
        }),
    },
    Hostile {
        name: "around: 15 MB of ids and a work queue of 1 MB",
        path: "meta/handoff.yaml",
        make: || {
            let head = String::from_utf8_lossy(&manifest()).into_owned();
            numbered(&head, |at| format!("  - y{at}\n"), "")
        },
        beside: Some(Beside {
            path: "meta/work-queue.yaml",
            make: || {
                let items: String = (0..60_000).map(|at| format!("  - id: x{at}\n")).collect();
                format!("items:\n{items}").into_bytes()
            },
        }),
    },
    Hostile {
        name: "around: settings of 15 MB",
        path: "a.json",
        make: || b"{}".to_vec(),
        beside: Some(Beside { path: "baton.toml", make: || numbered("", |at| format!("k{at} = 1\n"), "") }),
    },
    Hostile {
        name: "around: settings 100 000 deep",
        path: "a.json",
        make: || b"{}".to_vec(),
        beside: Some(Beside {
            path: "baton.toml",
            make: || ["a = ", &"[".repeat(100_000), &"]".repeat(100_000), "\n"].concat().into_bytes(),
        }),
    },
];

fn manifest() -> Vec<u8> {
    b"version: 1\nsource_file: discussion/012-nora-response.md\ngenerated_at: \"2026-03-02\"\nfrom: nora\n\
      to: milo\nstatus: pending\nwork_queue_items:\n  - x\n"
        .to_vec()
}

fn bomb() -> Vec<u8> {
    let mut text = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x]\n");
    for level in 1..30 {
        let before = format!("*a{}", level - 1);
        text += &format!("a{level}: &a{level} [{}]\n", [before.as_str(); 9].join(", "));
    }
    (text + "items: *a29\n").into_bytes()
}
