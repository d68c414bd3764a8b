//! What a process that an agent started hands in counts as that agent's, and as no person's and no other agent's.

use baton_engine::sandbox::works;

use crate::office::Office;

const KEY: (&str, &str) = ("BATON_GATE_KEY", "nora's passphrase");

/// A project in which work lies ready for a person, `nora`, and for an agent, `cleo`, while an agent of another flow types a
/// command: `BATON` in it is the program, `NORAS` and `CLEOS` are the deliveries.
struct Stage {
    office: Office,
    noras: String,
    cleos: String,
}

impl Stage {
    fn new(notify: &str) -> Self {
        let office = Office::with("  - write: ada\n");
        let flow = |name: &str, agent: &str, step: &str| {
            let text = format!("flow: {name}\nagents:\n  {agent}\nsteps:\n  - {step}\n");
            office.sandbox.write(&format!("flows/{name}.yaml"), text);
        };
        flow("asks", &format!("nora: {{dialect: envelope, courier: human{notify}}}"), "look: nora");
        flow("files", "cleo: {dialect: envelope, inbox: true}", "file: cleo");
        office.answer("answer.json");
        for flow in ["asks", "files"] {
            let ran = office.run(&["run", flow]);
            assert_eq!(ran.code, 0, "{}", ran.stderr);
        }
        let id = |agent: &str| {
            let inbox = office.run(&["inbox", agent, "--json"]).json();
            inbox["inbox"][0]["id"].as_str().unwrap_or_default().to_owned()
        };
        let (noras, cleos) = (id("nora"), id("cleo"));
        Self { office, noras, cleos }
    }

    fn filled(&self, typed: &str) -> String {
        let typed = typed.replace("NORAS", &self.noras).replace("CLEOS", &self.cleos);
        typed.replace("BATON ", &format!("{} ", env!("CARGO_BIN_EXE_baton")))
    }

    /// Lets an agent type something; gives what it saw.
    fn types(&self, agent: &str, typed: &str) -> String {
        let own = self.office.sandbox.read("agent.sh");
        let script = format!("({}) > tried 2>&1; echo \"code $?\" >> tried\n{own}", self.filled(typed));
        self.office.sandbox.write("types.sh", script);
        let agents =
            format!("  {agent}: {{dialect: envelope, run: [sh, types.sh, {agent}], restart: safe}}\n");
        let flow = format!("flow: types\nagents:\n{agents}steps:\n  - write: {agent}\n");
        self.office.sandbox.write("flows/types.yaml", flow);
        let ran = self.office.run(&["run", "types"]);
        assert!(ran.stdout.contains(": done"), "{typed}: {}{}", ran.stdout, ran.stderr);
        self.office.sandbox.read("tried")
    }

    /// Nothing was handed in: whoever is asked still can.
    fn is_untouched(&self, typed: &str) {
        for id in [&self.noras, &self.cleos] {
            let handed = self.office.run(&["return", id, "answer.json"]);
            assert_eq!(handed.code, 0, "{typed}: {id} was answered before: {}", handed.stderr);
        }
    }
}

#[test]
fn an_agent_answers_for_no_person() {
    for typed in [
        "BATON return NORAS answer.json",
        "BATON submit answer.json --run asks-1",
        "BATON ack NORAS",
        "BATON ack NORAS --accept",
        "BATON clarify NORAS 'Which?'",
        "BATON_RECEIVER=nora BATON return NORAS answer.json",
        "env BATON_RECEIVER=nora BATON_KEY=NORAS sh -c 'BATON return NORAS answer.json; exit $?'",
        "env -i sh -c 'BATON return NORAS answer.json; exit $?'",
    ] {
        let stage = Stage::new("");
        let tried = stage.types("ben", typed);
        assert!(tried.contains("an agent cannot say what is a person's to say"), "{typed}: {tried}");
        assert!(tried.ends_with("code 3\n"), "{typed}: {tried}");
        stage.is_untouched(typed);
    }
}

#[test]
fn a_program_that_notifies_a_person_does_not_answer_for_them() {
    let stage = Stage::new(", run: [sh, notify.sh]");
    let typed =
        stage.filled("BATON return \"$BATON_KEY\" answer.json > tried 2>&1; echo \"code $?\" >> tried\n");
    stage.office.sandbox.write("notify.sh", typed);
    assert_eq!(stage.office.run(&["resume", "asks-1"]).code, 0);
    let tried = stage.office.sandbox.read("tried");
    // Behind its wall there is no ledger to write to.
    let said =
        if works() { "there is no run asks-1" } else { "an agent cannot say what is a person's to say" };
    assert!(tried.contains(said), "{tried}");
    assert!(tried.ends_with("code 3\n"), "{tried}");
    stage.is_untouched("a notification");
}

#[test]
fn an_agent_answers_for_no_other_agent() {
    for typed in [
        "BATON return CLEOS answer.json",
        "BATON submit answer.json --run files-1",
        "BATON ack CLEOS --start",
        "BATON clarify CLEOS 'Which?'",
        "BATON_RECEIVER=cleo BATON return CLEOS answer.json",
        "env BATON_RECEIVER=cleo BATON_KEY=CLEOS BATON_ATTEMPT=1 BATON return CLEOS answer.json",
        "exec env BATON_RECEIVER=cleo BATON_KEY=CLEOS sh -c 'BATON return CLEOS answer.json; exit $?'",
        "env -i BATON_RECEIVER=cleo sh -c 'BATON return CLEOS answer.json; exit $?'",
    ] {
        let stage = Stage::new("");
        let tried = stage.types("ben", typed);
        assert!(
            tried.contains("was given to cleo, and this was started by another agent"),
            "{typed}: {tried}"
        );
        assert!(tried.ends_with("code 3\n"), "{typed}: {tried}");
        stage.is_untouched(typed);
    }
}

#[test]
fn an_agent_that_replaces_its_own_program_is_still_itself() {
    let stage = Stage::new("");
    let typed =
        stage.filled("BATON return CLEOS answer.json > tried 2>&1; echo \"code $?\" >> tried; exit 7\n");
    stage.office.sandbox.write("typed.sh", typed);
    stage.office.sandbox.write("becomes.sh", "exec env -i BATON_ATTEMPT=1 BATON_RECEIVER=cleo sh typed.sh\n");
    let agent = "  ben: {dialect: envelope, run: [sh, becomes.sh], restart: safe}\n";
    let flow = format!("flow: becomes\nagents:\n{agent}steps:\n  - write: ben\ncaps: {{retries: 0}}\n");
    stage.office.sandbox.write("flows/becomes.yaml", flow);
    stage.office.run(&["run", "becomes", "--no-wait"]);
    let tried = stage.office.sandbox.read("tried");
    assert!(tried.contains("this was started by another agent"), "{tried}");
    stage.is_untouched("exec");
}

#[test]
fn an_agent_hands_in_what_was_given_to_itself() {
    let stage = Stage::new("");
    let tried = stage.types("cleo", "BATON ack CLEOS && BATON return CLEOS answer.json");
    assert!(tried.contains("handed in for") && tried.ends_with("code 0\n"), "{tried}");
    let variables = [("BATON_ATTEMPT", "1"), ("BATON_RECEIVER", "ben")];
    let other = stage.office.run_with(&["return", &stage.noras, "answer.json"], &variables);
    assert_eq!(other.code, 3, "{}", other.stdout);
}

#[cfg(target_os = "linux")]
#[test]
fn a_process_that_left_its_parents_and_its_variables_is_still_the_agents() {
    for (typed, said) in [
        ("BATON gate approve gated-1", "an agent cannot say what is a person's to say"),
        ("BATON return NORAS answer.json", "an agent cannot say what is a person's to say"),
        ("TMPDIR=/var/tmp BATON return NORAS answer.json", "an agent cannot say what is a person's to say"),
        ("BATON return CLEOS answer.json", "was given to cleo, and this was started by another agent"),
    ] {
        let stage = Stage::new("");
        let flow = "flow: gated\nagents:\n  ada: {dialect: envelope, run: [sh, agent.sh, ada]}\nsteps:\n  - write: ada\n  - ok: {gate: blocking}\n";
        stage.office.sandbox.write("flows/gated.yaml", flow);
        assert_eq!(stage.office.run(&["run", "gated"]).code, 0);
        // Started twice over, so that its parents are gone, and waited for by its file alone.
        let away = format!(
            "env -i sh -c '(sh -c \"{typed}\" > away 2>&1; echo \"code $?\" >> away; mv away gone) &'; \
             until [ -e gone ]; do sleep 0.02; done; cat gone",
        );
        let away = away.replace("BATON gate", "env BATON_GATE_KEY=mine BATON gate");
        let tried = stage.types("ben", &away);
        assert!(tried.contains(said) && tried.contains("code 3\n"), "{typed}: {tried}");
        stage.is_untouched(typed);
        let answered = stage.office.run_with(&["gate", "approve", "gated-1"], &[KEY]);
        assert_eq!(answered.code, 0, "{typed}: {}", answered.stderr);
    }
}
