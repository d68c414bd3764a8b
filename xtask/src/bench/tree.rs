//! A tree of many handoffs: files per second on one core and on two, and memory as the tree grows.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};

use super::figures::{Limit, median};
use super::page::Page;
use super::process::{self, End};

/// Handoffs that are timed.
const TIMED: usize = 10_000;

/// Times of each.
const RUNS: usize = 7;

/// The trees whose memory is compared, from few files to many.
const SIZES: [usize; 3] = [1_000, 10_000, 40_000];

/// Gain of two cores over one: near twice, with room for the one writer of the report.
const SPEED_UP: Limit = Limit::AtLeast(1.6);

/// Memory of the largest tree, as a multiple of the smallest: noise of the allocator and no more.
const GROWTH: Limit = Limit::AtMost(1.25);

/// Time after which a tree counts as hanging.
const PATIENCE: Duration = Duration::from_secs(120);

/// Files of one folder at most.
const PER_FOLDER: usize = 100;

/// One in this many handoffs has a mistake, so that a report is written too.
const MISTAKE_EVERY: usize = 20;

/// A handoff to write; `{n}` and `{folder}` are filled in, also in its path.
struct Template {
    path: &'static str,
    text: &'static str,
    /// Text that a mistake replaces, and its replacement.
    mistake: (&'static str, &'static str),
}

const TEMPLATES: &[Template] = &[
    Template {
        path: ".runs/run-{folder}/build/handoffs/step{n}-author.json",
        text: r#"{
  "meta": {"step_id": "step{n}", "flow_key": "build", "agent_key": "author", "timestamp": "2026-03-02T10:15:00Z"},
  "status": "UNVERIFIED",
  "summary": {
    "what_i_did": "Added step {n} to src/loans.py",
    "what_i_found": "No other place counts loans",
    "key_decisions": ["The limit is a constant for now"],
    "evidence": {"artifacts_produced": ["src/loans.py"], "commands_run": ["pytest"], "measurements": {"tests_passed": {n}}}
  },
  "routing": {"recommendation": "CONTINUE", "next_step_suggestion": "review", "reason": "Ready for a second look"}
}
"#,
        mistake: ("UNVERIFIED", "DONE"),
    },
    Template {
        path: "exchange/{folder}/{n}.json",
        text: r#"{
  "task_id": "task-{n}",
  "phase": "research",
  "status": "complete",
  "decision": "PROCEED",
  "findings": {
    "existing_implementations": [{"file": "src/loans.py", "description": "grants every loan", "relevance": "high"}],
    "conflicts": [],
    "recommendations": ["Put the limit into may_borrow"]
  },
  "context_summary": "Task {n}: loans are granted in src/loans.py only (may_borrow). The limit goes there.",
  "tokens_used": 412
}
"#,
        mistake: ("\"high\"", "\"huge\""),
    },
    Template {
        path: "manifests/{folder}/{n}.yaml",
        text: r#"version: 1
source_file: discussion/012-nora-response.md
generated_at: "2026-03-02"
from: nora
to: milo
branch: handoff/{n}-nora-to-milo
work_queue_items:
  - loan-limit
files_changed:
  - src/loans.py
status: pending
sent_at: null
session_key: null
"#,
        mistake: ("status: pending", "status: waiting"),
    },
    Template {
        path: ".project/07-audit/sessions/{folder}/handoffs/HO-{n}.yaml",
        text: r#"handoff:
  id: HO-{n}
  timestamp: "2026-03-02T11:00:00Z"
  from:
    agent: specification
    step: 2
  to:
    agent: development
    reason: "The rule for loans is approved"
  context:
    summary: "Rule {n} is specified in docs/loans.md: at most 5 books per reader, a sixth is refused."
    artifacts:
      - path: docs/loans.md
        type: spec
        description: "The rule and its refusal"
  expectations:
    deliverable: "The rule in src/loans.py with its tests"
    success_criteria:
      - "pytest passes with at least 2 tests of the limit"
"#,
        mistake: ("    agent: development\n", ""),
    },
    Template {
        path: "pipeline/{folder}/{n}.xml",
        text: r#"<handoff>
  <from>prep-agent</from>
  <to>implementer-agent</to>
  <timestamp>2026-03-03T08:00:00Z</timestamp>
  <issue_url>https://example.org/shelf/issues/{n}</issue_url>
  <issue_number>{n}</issue_number>
  <branch>feature/{n}-titles-in-refusal</branch>
  <workspace_path>.</workspace_path>
  <workspace_type>in-place</workspace_type>
  <port>3141</port>
  <status>ready</status>
  <validation>
    <dependencies>installed</dependencies>
    <build>passing</build>
    <dev_server>verified</dev_server>
  </validation>
</handoff>
"#,
        mistake: ("<issue_number>", "<issue_number>no "),
    },
];

/// The files that the handoffs speak of.
const AROUND: &[(&str, &str)] = &[
    ("baton.toml", ""),
    ("src/loans.py", "LIMIT = 5\n"),
    ("docs/loans.md", "At most five books.\n"),
    ("discussion/012-nora-response.md", "Done.\n"),
    ("meta/collaboration.yaml", "participants:\n  - id: nora\n  - id: milo\n"),
    ("meta/work-queue.yaml", "items:\n  - id: loan-limit\n    status: in_progress\n"),
];

/// Grows a tree and adds its section.
pub(super) fn measure(program: &Path, page: &mut Page) -> Result<()> {
    let folder = tempfile::tempdir().context("failed to make a folder")?;
    let root = folder.path();
    for (path, text) in AROUND {
        write(root, path, text)?;
    }
    page.section(
        "A tree of handoffs",
        &format!(
            "A mix of the five dialects in folders of at most {PER_FOLDER} files, one handoff in {MISTAKE_EVERY} with a mistake. Time: {} handoffs,\n\
             one core and two in turn, median of {RUNS} runs with the files in the cache of the system; two processes that share\n\
             nothing, each with the whole tree on a core of its own, show what the machine itself gives. Memory: the highest\n\
             resident set of the process on two cores.",
            thousands(TIMED)
        ),
    );
    let mut peaks = Vec::new();
    let mut made = 0;
    for size in SIZES {
        grow(root, made, size)?;
        made = size;
        let seen = process::watch(&mut check(program, root, "0,1"), PATIENCE)?;
        ensure!(seen.end == End::Code(1), "the tree of {size} ended with {:?}", seen.end);
        peaks.push(seen.peak_mib);
        if size == TIMED {
            time(program, root, page)?;
        }
    }
    memory(&peaks, page);
    Ok(())
}

fn time(program: &Path, root: &Path, page: &mut Page) -> Result<()> {
    let (mut one, mut two, mut apart) = (Vec::new(), Vec::new(), Vec::new());
    for _ in 0..RUNS {
        one.push(process::seconds(&mut check(program, root, "0"))?);
        two.push(process::seconds(&mut check(program, root, "0,1"))?);
        let beside = thread::scope(|scope| {
            let other = scope.spawn(|| process::seconds(&mut check(program, root, "1")));
            let own = process::seconds(&mut check(program, root, "0"))?;
            let other = other.join().expect("timing does not panic")?;
            anyhow::Ok(own.max(other))
        })?;
        apart.push(beside / 2.0);
    }
    let (one, two, apart) = (median(&one), median(&two), median(&apart));
    let speed_up = one / two;
    let holds = page.holds("two cores", speed_up, SPEED_UP);
    let per_second = |seconds: f64| format!("{:.0}", TIMED as f64 / seconds);
    let row = |name: &str, seconds: f64, rest: [String; 3]| {
        let mut row = vec![name.to_owned(), format!("{seconds:.3}"), per_second(seconds)];
        row.extend(rest);
        row
    };
    page.table(
        &["cores", "seconds", "files per second", "speed-up", "limit", "holds"],
        &[
            row("one", one, ["1.00".to_owned(), String::new(), String::new()]),
            row("two", two, [format!("{speed_up:.2}"), SPEED_UP.to_string(), holds]),
            row(
                "two, a process of its own on each",
                apart,
                [format!("{:.2}", one / apart), String::new(), String::new()],
            ),
        ],
    );
    Ok(())
}

fn memory(peaks: &[f64], page: &mut Page) {
    let Some(&first) = peaks.first() else { return };
    let mut rows = Vec::new();
    for (size, peak) in SIZES.iter().zip(peaks) {
        let growth = peak / first;
        let name = format!("memory for {} files", thousands(*size));
        let holds = page.holds(&name, growth, GROWTH);
        rows.push(vec![
            thousands(*size),
            format!("{peak:.1}"),
            format!("{growth:.2}"),
            GROWTH.to_string(),
            holds,
        ]);
    }
    page.table(&["files", "peak MiB", "times the first", "limit", "holds"], &rows);
}

fn check(program: &Path, root: &Path, cores: &str) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", cores]).arg(program).arg("check").current_dir(root).stdout(Stdio::null());
    command
}

/// Adds handoffs until there are so many.
fn grow(root: &Path, made: usize, size: usize) -> Result<()> {
    for at in made..size {
        let template = &TEMPLATES[at % TEMPLATES.len()];
        let (path, text) = fill(template, at);
        write(root, &path, &text)?;
    }
    Ok(())
}

/// The path and the text of the handoff with this number.
fn fill(template: &Template, at: usize) -> (String, String) {
    let of_its_kind = at / TEMPLATES.len();
    let fill = |text: &str| {
        text.replace("{n}", &at.to_string()).replace("{folder}", &(of_its_kind / PER_FOLDER).to_string())
    };
    let text = fill(template.text);
    let has_mistake = of_its_kind % MISTAKE_EVERY == MISTAKE_EVERY - 1;
    let (right, wrong) = template.mistake;
    (fill(template.path), if has_mistake { text.replace(right, wrong) } else { text })
}

fn write(root: &Path, path: &str, text: &str) -> Result<()> {
    let path = root.join(path);
    let folder = path.parent().context("a file has a folder")?;
    fs::create_dir_all(folder).with_context(|| format!("failed to make {}", folder.display()))?;
    fs::write(&path, text).with_context(|| format!("failed to write {}", path.display()))
}

fn thousands(number: usize) -> String {
    match (number / 1000, number % 1000) {
        (0, rest) => rest.to_string(),
        (thousands, rest) => format!("{thousands} {rest:03}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_template_has_its_number_and_its_mistake() {
        for template in TEMPLATES {
            assert!(template.path.contains("{n}") && template.path.contains("{folder}"), "{}", template.path);
            assert!(template.text.contains(template.mistake.0), "{}", template.path);
        }
    }

    #[test]
    fn a_number_fills_path_and_text_and_some_are_wrong() {
        let template = Template { path: "{folder}/{n}", text: "n={n} right", mistake: ("right", "wrong") };
        assert_eq!(fill(&template, 5), ("0/5".to_owned(), "n=5 right".to_owned()));
        let wrong = (MISTAKE_EVERY - 1) * TEMPLATES.len();
        assert_eq!(fill(&template, wrong), (format!("0/{wrong}"), format!("n={wrong} wrong")));
        let far = PER_FOLDER * TEMPLATES.len();
        assert_eq!(fill(&template, far).0, format!("1/{far}"));
    }

    #[test]
    fn numbers_are_grouped() {
        assert_eq!([7, 1_000, 40_000, 12_034].map(thousands), ["7", "1 000", "40 000", "12 034"]);
    }
}
