//! The files that Baton keeps, of real runs: what is in them, and what becomes of what others write there.

mod files;
mod given_up;
mod hands;
mod issue;
mod measured;

use std::path::Path;

use baton_document::carrier::Look;
use baton_document::{Checker, Input, Level, NoWorld, Scratch};
use baton_engine::mirror::{Keeping, Keeps, Kept, keep};
use baton_engine::run::NewRun;
use baton_kernel::{Millis, Plan};
use baton_ledger::Ledger;
use tempfile::TempDir;

use crate::stories::Office;

pub(super) const NOW: Millis = Millis(1_000_000);

/// A folder of a project.
struct Folder {
    disk: TempDir,
    keeps: Vec<Keeps>,
    run_base: String,
}

impl Folder {
    fn new(keeps: &[Keeps]) -> Self {
        let disk = tempfile::tempdir().expect("there is a temporary folder");
        Self { disk, keeps: keeps.to_vec(), run_base: ".runs/{run}".to_owned() }
    }

    fn path(&self) -> &Path {
        self.disk.path()
    }

    fn keeping<'k>(&'k self, checker: &'k Checker) -> Keeping<'k> {
        let (root, run_base) = (self.path(), self.run_base.as_str());
        Keeping { root, checker, keeps: &self.keeps, run_base, states: &[] }
    }

    fn keep(&self, ledger: &dyn Ledger, checker: &Checker, run: &str, now: Millis) -> Kept {
        keep(ledger, run, &self.keeping(checker), now).expect("it can be kept")
    }

    fn keep_run(&self, office: &Office) -> Kept {
        self.keep(&office.ledger, office.checker, "run", NOW)
    }

    fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.path().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        std::fs::create_dir_all(path.parent().expect("it has a folder")).expect("folders can be made");
        std::fs::write(path, text).expect("it can be written");
    }

    fn has(&self, path: &str) -> bool {
        self.path().join(path).exists()
    }

    /// All files but Baton's own, sorted.
    fn names(&self) -> Vec<String> {
        let (mut names, mut folders) = (Vec::new(), vec![self.path().to_owned()]);
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder).expect("it can be listed") {
                let path = entry.expect("it can be listed").path();
                if path.is_dir() {
                    folders.push(path);
                } else {
                    let name = path.strip_prefix(self.path()).expect("it is below");
                    names.push(name.to_string_lossy().into_owned());
                }
            }
        }
        names.retain(|name| !name.starts_with(".baton/"));
        names.sort();
        names
    }

    /// The errors in a file, as `baton check` would find them, and the kinds of the handoffs in it.
    fn errors(&self, checker: &Checker, path: &str) -> (Vec<String>, Vec<String>) {
        let text = self.read(path);
        let input = Input {
            path: Some(path),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Whole,
            is_named: true,
        };
        let checked = checker.check(input, &NoWorld, &mut Scratch::default());
        let errors = checked.findings.iter().filter(|finding| finding.level == Level::Error);
        let errors = errors.map(|finding| format!("{}: {}", finding.rule, finding.message)).collect();
        let kinds = checked
            .handoffs
            .iter()
            .map(|handoff| format!("{}/{}", checker.dialect_of(handoff).name, checker.kind_of(handoff).name));
        (errors, kinds.collect())
    }
}

fn order(run: &str, plan: Plan) -> NewRun {
    NewRun::new(run, plan, "limit the loans")
}

fn envelope(agent: &str, did: &str) -> String {
    format!(
        r#"{{"meta":{{"step_id":"polish","flow_key":"article","agent_key":"{agent}","timestamp":"2026-01-01T00:00:00Z"}},"status":"VERIFIED","summary":{{"what_i_did":"{did}","what_i_found":"Nothing else.","key_decisions":[],"evidence":{{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{{}}}}}},"concerns":[],"assumptions":[],"routing":{{"recommendation":"CONTINUE","reason":"done"}},"x-extra":"kept"}}"#
    )
}

/// A critic's envelope that asks for another round.
fn again(what: &str) -> String {
    envelope("critic", what)
        .replace("VERIFIED", "UNVERIFIED")
        .replace(
            r#""concerns":[]"#,
            &format!(
                r#""concerns":[{{"severity":"HIGH","description":"{what}","recommendation":"Check it."}}]"#
            ),
        )
        .replace(r#""CONTINUE","#, r#""LOOP","can_further_iteration_help":true,"#)
}

/// A writer and a critic in a loop, then a clerk.
fn article() -> Plan {
    let mut plan = Plan::named("article");
    let (writer, critic, clerk) = (plan.agent("writer"), plan.agent("critic"), plan.agent("clerk"));
    let polish = plan.microloop("polish", writer, critic);
    let file = plan.pass("file", clerk);
    plan.then(polish, file);
    plan.build().expect("the plan holds together")
}

const ARTICLE: [(&str, &str); 3] = [("writer", "envelope"), ("critic", "envelope"), ("clerk", "exchange")];
