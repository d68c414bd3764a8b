//! The files of a step whose agent gave no handoff: what Baton wrote itself lies where the agent's would.

use baton_courier::Kind;
use baton_engine::mirror::{Keeps, Kept};
use baton_kernel::{By, Event, What};

use super::{Folder, NOW, envelope, order};
use crate::stories::{Office, row};

const ENVELOPE: &str = ".runs/run/row/handoffs/step 0-ada.json";

/// Answers with garbage until nobody asks any more, and keeps the files of all systems.
fn give_up(office: &Office, engine: &mut baton_engine::driver::Engine<'_>, folder: &Folder) -> Kept {
    for _ in 0..4 {
        office.desk.answer("I am done, I think.");
        engine.turn(NOW).expect("the ledger works");
    }
    assert_eq!(office.desk.count(), 0, "nobody asks any more");
    folder.keep_run(office)
}

fn all_kept() -> Folder {
    Folder::new(&[Keeps::Envelope, Keeps::Package, Keeps::Pipeline, Keeps::Manifest])
}

fn list(folder: &Folder) -> Vec<(String, String, String, String)> {
    let list: serde_json::Value =
        serde_json::from_str(&folder.read("state/current.json")).expect("it is JSON");
    let text = |row: &serde_json::Value, key: &str| row[key].as_str().expect("it is text").to_owned();
    let rows = list["handoffs"].as_array().expect("it is a list").iter();
    rows.map(|row| (text(row, "id"), text(row, "from"), text(row, "to"), text(row, "status"))).collect()
}

fn listed(id: &str, from: &str, to: &str, status: &str) -> (String, String, String, String) {
    (id.to_owned(), from.to_owned(), to.to_owned(), status.to_owned())
}

#[test]
fn what_baton_wrote_for_a_step_lies_where_the_handoff_of_its_agent_would() {
    for dialect in ["envelope", "exchange", "package", "pipeline"] {
        let office = Office::new(Kind::Neither, &[("ada", dialect)]);
        let (folder, mut engine) = (all_kept(), office.engine("one"));
        engine.start(order("run", row(&["ada"])), NOW).expect("it starts");
        let kept = give_up(&office, &mut engine, &folder);
        assert_eq!(kept.conflicts, [], "{dialect}");
        let archived = ".project/07-audit/sessions/run/handoffs/HO-001.yaml";
        // proves E-06: every finished step has a handoff, in its place, and it says who wrote it.
        assert_eq!(folder.names(), [archived, ENVELOPE, "state/current.json"], "{dialect}");
        for path in [archived, ENVELOPE] {
            let (errors, _) = folder.errors(office.checker, path);
            assert_eq!(errors, Vec::<String>::new(), "{dialect}: {}", folder.read(path));
            assert!(folder.read(path).contains("Written by Baton, not by ada"), "{}", folder.read(path));
        }
        // proves E-05: it is an envelope of the step, blocked, at the place of the step.
        let envelope: serde_json::Value =
            serde_json::from_str(&folder.read(ENVELOPE)).expect("an envelope is JSON");
        assert_eq!(envelope["status"], "BLOCKED", "{dialect}");
        assert_eq!(envelope["meta"]["step_id"], "step 0", "{dialect}");
        // proves E-06: an escalation to a human.
        assert_eq!(list(&folder), [listed("HO-001", "ada", "human", "pending")], "{dialect}");
    }
}

#[test]
fn what_the_agent_hands_over_after_a_retry_takes_the_place_of_what_baton_wrote() {
    let office = Office::new(Kind::Neither, &[("ada", "envelope")]);
    let (folder, mut engine) = (all_kept(), office.engine("one"));
    engine.start(order("run", row(&["ada"])), NOW).expect("it starts");
    give_up(&office, &mut engine, &folder);
    let dead = office
        .events()
        .iter()
        .find_map(|event| if let Event::DeadLettered { key, .. } = event { Some(*key) } else { None });
    let again = What::Retry { key: dead.expect("it was given up"), by: By::Person("nora".to_owned()) };
    engine.tell("run", again, None, NOW).expect("it is taken");
    office.desk.answer(&envelope("ada", "Limited loans."));
    engine.turn(NOW).expect("the ledger works");
    let kept = folder.keep_run(&office);
    assert_eq!(kept.conflicts, []);
    // proves E-05: nothing is overwritten; what was written before stays beside.
    assert!(folder.read(ENVELOPE).contains("Limited loans."), "{}", folder.read(ENVELOPE));
    let before = folder.read(&ENVELOPE.replace(".json", ".r1.json"));
    assert!(before.contains("Written by Baton, not by ada"), "{before}");
    let rows = [listed("HO-001", "ada", "human", "completed"), listed("HO-002", "ada", "human", "completed")];
    assert_eq!(list(&folder)[0], rows[0]);
    assert_eq!(list(&folder).len(), 2);
}

#[test]
fn the_manifest_of_a_step_that_was_given_up_has_failed() {
    let office = Office::new(Kind::Neither, &[("ada", "manifest"), ("ben", "manifest")]);
    let (folder, mut engine) = (Folder::new(&[Keeps::Envelope, Keeps::Manifest]), office.engine("one"));
    engine.start(order("run", row(&["ada", "ben"])), NOW).expect("it starts");
    let manifest = "version: 1\nsource_file: discussion/004-ada-response.md\ngenerated_at: 2026-01-31\n\
                    from: ada\nto: ben\nstatus: pending\n";
    office.desk.answer(manifest);
    engine.turn(NOW).expect("the ledger works");
    let kept = give_up(&office, &mut engine, &folder);
    assert_eq!(kept.conflicts, []);
    let (errors, _) = folder.errors(office.checker, "meta/handoff.yaml");
    let text = folder.read("meta/handoff.yaml");
    assert_eq!(errors, Vec::<String>::new(), "{text}");
    // proves E-06: a manifest that failed, marked as Baton's own.
    assert!(text.contains("status: failed") && text.contains("Written by Baton, not by ben"), "{text}");
    assert!(text.contains("source_file: discussion/004-ada-response.md"), "{text}");
    let second = folder.read(".runs/run/row/handoffs/step 1-ben.json");
    assert!(second.contains("Written by Baton, not by ben") && second.contains("BLOCKED"), "{second}");
}

#[test]
fn a_manifest_that_names_no_source_is_left_out_and_that_is_said() {
    let office = Office::new(Kind::Neither, &[("ada", "manifest")]);
    let (folder, mut engine) = (all_kept(), office.engine("one"));
    engine.start(order("run", row(&["ada"])), NOW).expect("it starts");
    let kept = give_up(&office, &mut engine, &folder);
    assert!(!folder.has("meta/handoff.yaml"), "what is no manifest is in nobody's way");
    let said: Vec<&str> = kept.conflicts.iter().map(|conflict| conflict.path.as_str()).collect();
    assert_eq!(said, ["meta/handoff.yaml"], "{kept:?}");
    assert!(folder.has(ENVELOPE), "{:?}", folder.names());
}
