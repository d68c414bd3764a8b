//! An agent that answers as people do, where nobody is named whose answers count: it is known by whom it comes from.

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");

/// A project with a gate and a question that stand open, whose agent `ben` types a command when it works.
fn office(typed: &str) -> Office {
    let office = Office::with("  - write: ada\n  - ok: {gate: blocking}\n");
    let flow = |name: &str, steps: &str| {
        let agent = "  ben: {dialect: envelope, run: [sh, types.sh, ben], restart: safe}\n";
        office
            .sandbox
            .write(&format!("flows/{name}.yaml"), format!("flow: {name}\nagents:\n{agent}steps:\n{steps}"));
    };
    flow("asks", "  - colour: {escalate: \"Which colour?\"}\n");
    flow("types", "  - write: ben\n");
    let baton = env!("CARGO_BIN_EXE_baton");
    let typed = typed.replace("BATON", &format!("env BATON_GATE_KEY=mine {baton}"));
    let agent = office.sandbox.read("agent.sh");
    office.sandbox.write("types.sh", format!("({typed}) > tried 2>&1; echo \"code $?\" >> tried\n{agent}"));
    assert_eq!(office.run(&["run", "article"]).code, 0);
    assert_eq!(office.run(&["run", "asks"]).code, 0);
    office
}

#[test]
fn what_is_a_persons_to_say_is_not_taken_from_an_agent() {
    // proves P-12
    let typed = [
        "BATON gate approve article-1",
        "BATON gate reject article-1",
        "BATON gate ask article-1 --because why",
        "BATON clarify asks-1 blue",
        "BATON retry asks-1",
        "BATON cancel article-1",
        "BATON erase article-1 --all --because mine",
        "BATON resume article-1 --changed",
        // Without the variables that it was given, and with a shell in between that has none either.
        "env -i sh -c 'BATON gate approve article-1; exit $?'",
        "sh -c \"sh -c 'BATON gate approve article-1; exit \\$?'; exit \\$?\"",
    ];
    for typed in typed {
        let office = office(typed);
        let ran = office.run(&["run", "types"]);
        assert!(ran.stdout.contains("ends types-1: done"), "{}{}", ran.stdout, ran.stderr);
        let tried = office.sandbox.read("tried");
        assert!(tried.contains("an agent cannot say what is a person's to say"), "{typed}: {tried}");
        assert!(tried.ends_with("code 3\n"), "{typed}: {tried}");
        let answered = office.run_with(&["gate", "approve", "article-1"], &[KEY]);
        assert_eq!(answered.code, 0, "{typed}: nobody has answered before: {}", answered.stderr);
    }
}

#[test]
fn an_agent_still_reads_and_hands_in_what_is_an_agents() {
    let office = office("BATON gate list && BATON show article-1 && BATON signal nothing x");
    let ran = office.run(&["run", "types"]);
    assert!(ran.stdout.contains("ends types-1: done"), "{}{}", ran.stdout, ran.stderr);
    let tried = office.sandbox.read("tried");
    assert!(tried.contains("article-1/ok") && tried.contains("there is no run nothing"), "{tried}");
}
