//! What agents say and are called, as it is printed.

use crate::office::Office;

/// What would clear a terminal, write to its title, or turn the words around it.
const CONTROLS: [char; 4] = ['\u{1b}', '\u{9b}', '\u{7}', '\u{202e}'];

#[test]
fn what_agents_say_and_are_called_never_reaches_a_terminal_as_control() {
    let office = Office::with("  - write: ada\n");
    let flow = "flow: odd\nagents:\n  ada: {dialect: envelope, run: [sh, odd.sh]}\n  cleo: {dialect: envelope, inbox: true}\n\
                steps:\n  - write: ada\n  - ok: {gate: blocking}\n  - file: cleo\ncaps: {retries: 0}\n";
    office.sandbox.write("flows/odd.yaml", flow);
    let says = "printf '\\033[2J\\033]0;x\\007 \\302\\233 hello\\n' >&2\n";
    let mut all = Vec::new();
    for answers in [true, false] {
        let answer = if answers { "cat answer.json\n" } else { "exit 7\n" };
        office.sandbox.write("odd.sh", format!("{says}{answer}"));
        let odd = crate::sandbox::envelope("write", "VERIFIED");
        let odd = odd.replace("Did write", "\\u001b[2J\\u001b]0;x\\u0007 \\u009b \\u202e hello");
        office.sandbox.write("answer.json", odd.replace("Nothing odd", "\u{9b}2J\u{202e} odd"));
        all.push(office.run(&["run", "flows/odd.yaml", "--no-wait"]));
    }
    let runs = office.run(&["runs", "--json"]).json();
    let names: Vec<String> = runs["runs"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|run| run["run"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(names.len(), 2, "{runs}");
    for name in &names {
        for typed in [&["show", name][..], &["log", name], &["resume", name, "--no-wait"]] {
            all.push(office.run(typed));
        }
        all.push(office.run(&["show", &format!("{name}/1")]));
        all.push(office.run(&["dead", name]));
        all.push(office.run(&["retry", name]));
    }
    for typed in [
        &["runs"][..],
        &["inbox"],
        &["dead"],
        &["gate", "list"],
        &["gate", "show", "odd-1"],
        &["stats"],
        &["log"],
    ] {
        all.push(office.run(typed));
    }
    let told: String = all.iter().map(|ran| format!("{}{}", ran.stdout, ran.stderr)).collect();
    assert!(told.contains("hello"), "it is told all the same: {told:?}");
    for ran in all {
        for said in [&ran.stdout, &ran.stderr] {
            assert!(!said.contains(CONTROLS), "{said:?}");
        }
    }
}
