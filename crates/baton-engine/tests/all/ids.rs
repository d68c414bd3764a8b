//! Ids of handoffs, given by several writers at once.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use baton_engine::records::ids::{Given, IDS, Ids, Nameless, Place};
use baton_kernel::Millis;
use baton_ledger::{Address, Ledger, Memory, verify};

const NOW: Millis = Millis(1_000_000);
/// Says to this program that it gives ids, and where.
const GIVER: &str = "BATON_TEST_IDS";
const EACH: u64 = 25;

fn nameless(run: &str, seq: u64, own: Option<&str>) -> Nameless {
    Nameless { place: Place { run: run.to_owned(), seq }, own: own.map(str::to_owned) }
}

fn give(ledger: &dyn Ledger, wanted: &[Nameless]) -> Vec<Given> {
    let mut ids = Ids::read(ledger).expect("the ids can be read");
    ids.give(ledger, wanted, NOW).expect("ids are given");
    wanted.iter().map(|wanted| ids.of(&wanted.place).expect("it has an id").clone()).collect()
}

fn names(given: &[Given]) -> Vec<&str> {
    given.iter().map(|given| given.id.as_str()).collect()
}

// proves P-14: ids in documents are kept, missing ones are numbered, and asking again changes nothing.
#[test]
fn a_handoff_keeps_the_id_it_brings_and_is_numbered_without_one() {
    let ledger = Memory::new();
    let wanted = [nameless("a", 3, None), nameless("a", 6, Some("ARCH-7")), nameless("b", 3, None)];
    let first = give(&ledger, &wanted);
    assert_eq!(names(&first), ["HO-001", "ARCH-7", "HO-003"]);
    assert_eq!(give(&ledger, &wanted), first, "the same handoffs have the same ids for ever");
    assert_eq!(Ids::read(&ledger).expect("the ids can be read").all().len(), 3);
    let ids = Ids::read(&ledger).expect("the ids can be read");
    assert_eq!(ids.find("ARCH-7").map(|given| given.place.seq), Some(6));
}

// proves P-14: no id is given twice, whoever brings it.
#[test]
fn an_id_that_another_handoff_has_is_not_kept() {
    let ledger = Memory::new();
    let long = "x".repeat(500);
    let wanted = [
        nameless("a", 1, Some("HO-002")),
        nameless("a", 2, None),
        nameless("a", 3, Some("HO-002")),
        nameless("a", 4, Some(" ")),
        nameless("a", 5, Some("two\nlines")),
        nameless("a", 6, Some(&long)),
    ];
    let given = give(&ledger, &wanted);
    // The second place is passed over, because its number is somebody's own.
    assert_eq!(names(&given), ["HO-002", "HO-003", "HO-004", "HO-005", "HO-006", "HO-007"]);
    let instead: Vec<_> = given.iter().map(|given| given.instead_of.is_some()).collect();
    assert_eq!(instead, [false, false, true, true, true, true], "who lost an id can be told");
    let other_run = give(&ledger, &[nameless("b", 1, Some("HO-002"))]);
    assert_eq!(other_run[0].instead_of.as_deref(), Some("HO-002"), "also in another run");
}

#[test]
fn more_handoffs_than_one_append_takes_all_get_their_ids() {
    let ledger = Memory::new();
    let wanted: Vec<Nameless> = (1..=1_001).map(|seq| nameless("a", seq, None)).collect();
    let given = give(&ledger, &wanted);
    let distinct: BTreeSet<&str> = names(&given).into_iter().collect();
    assert_eq!(distinct.len(), 1_001);
    assert_eq!(given[1_000].id, "HO-1001");
}

/// Gives ids one by one, to handoffs of its own and to some that all share.
fn gives(folder: &Path, name: &str) {
    let ledger = Address::file(folder.join("ledger.db")).open().expect("the ledger opens");
    for seq in 1..=EACH {
        give(&ledger, &[nameless(name, seq, None), nameless("shared", seq, None)]);
        give(&ledger, &[nameless(name, EACH + seq, Some("wanted-by-all"))]);
    }
}

#[test]
fn giver() {
    if let (Ok(folder), Ok(name)) = (std::env::var(GIVER), std::env::var("BATON_TEST_NAME")) {
        gives(Path::new(&folder), &name);
    }
}

// proves P-14: never twice, also with concurrent writers, threads and processes, one of which is killed.
#[test]
fn many_writers_never_give_an_id_twice() {
    let folder = tempfile::tempdir().expect("there is a temporary folder");
    let path = folder.path();
    drop(Address::file(path.join("ledger.db")).open().expect("the ledger opens"));
    let start = |name: &str| {
        let mut command = Command::new(std::env::current_exe().expect("this program has a path"));
        command.args(["--exact", "ids::giver"]).env(GIVER, path).env("BATON_TEST_NAME", name);
        command.stdout(std::process::Stdio::null()).spawn().expect("it starts")
    };
    let mut processes = vec![start("p"), start("q"), start("dies")];
    std::thread::scope(|scope| {
        for name in ["s", "t"] {
            scope.spawn(move || gives(path, name));
        }
    });
    // Wherever it is by now: what it gave stays given.
    processes.pop().expect("it was started").kill().expect("it can be killed");
    for mut process in processes {
        assert!(process.wait().expect("it ends").success());
    }
    let ledger = Address::file(path.join("ledger.db")).open().expect("the ledger opens");
    let ids = Ids::read(&ledger).expect("the ids can be read");
    let distinct: BTreeSet<&str> = names(ids.all()).into_iter().collect();
    assert_eq!(distinct.len(), ids.all().len(), "an id names one handoff");
    let places: BTreeSet<&Place> = ids.all().iter().map(|given| &given.place).collect();
    assert_eq!(places.len(), ids.all().len(), "a handoff has one id");
    for name in ["p", "q", "s", "t", "shared"] {
        let count = ids.all().iter().filter(|given| given.place.run == name).count() as u64;
        assert_eq!(count, if name == "shared" { EACH } else { 2 * EACH }, "{name}");
    }
    let kept = ids.all().iter().filter(|given| given.id == "wanted-by-all").count();
    assert_eq!(kept, 1, "one of all those who wanted it");
    assert!(verify(&ledger, None).expect("the ledger can be read").is_proven(), "{IDS} is whole");
}
