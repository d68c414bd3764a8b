//! A project with flows whose agents are small scripts, and the program run in it as people run it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::sandbox::{Ran, Sandbox, ran};

/// How long anything may take before a test gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// An agent that notes its call in `calls`, waits for the file `go` where there is a file `wait`, and answers.
const AGENT: &str = r#"cat > given-to-$1
echo "$1 $BATON_KEY $BATON_ATTEMPT ${BATON_GATE_KEY:-nokey}" >> calls
while [ -e wait ] && [ ! -e go ]; do sleep 0.02; done
[ -e "broken-$1" ] && exit 7
cat <<END
{"meta": {"step_id": "$1", "flow_key": "f", "agent_key": "$1", "timestamp": "2026-01-31T09:30:00Z"}, "status": "VERIFIED",
 "summary": {"what_i_did": "Did the part of $1 in src/loans.py", "what_i_found": "Nothing odd",
  "evidence": {"artifacts_produced": ["src/loans.py"], "commands_run": ["make"]}},
 "routing": {"recommendation": "CONTINUE", "reason": "It is done"}}
END
"#;

/// An agent that keeps what it is given in `given/NAME-CALL` and answers with `answers/NAME-CALL`, or with the last there is.
const PLAYER: &str = r#"mkdir -p given
call=1
while [ -e "given/$1-$call" ]; do call=$((call + 1)); done
cat > "given/$1-$call"
cat ${BATON_PROMPT:-/dev/null} > "given/$1-$call-prompt"
while [ "$call" -gt 1 ] && [ ! -e "answers/$1-$call" ]; do call=$((call - 1)); done
cat "answers/$1-$call"
"#;

/// A project whose flows run.
pub(crate) struct Office {
    pub(crate) sandbox: Sandbox,
}

impl Office {
    /// A project with one flow, of these steps; `ada` and `ben` are programs, `cleo` has an inbox.
    pub(crate) fn with(steps: &str) -> Self {
        Self::of("safe", steps)
    }

    /// The same, where `restart` says what may be begun again.
    pub(crate) fn of(restart: &str, steps: &str) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("agent.sh", AGENT);
        let agent = |name: &str| {
            format!("  {name}: {{dialect: envelope, run: [sh, agent.sh, {name}], restart: {restart}}}\n")
        };
        let flow = format!(
            "flow: article\nagents:\n{}{}  cleo: {{dialect: envelope, inbox: true}}\nsteps:\n{steps}",
            agent("ada"),
            agent("ben")
        );
        sandbox.write("flows/article.yaml", flow);
        Self { sandbox }
    }

    /// A project with one flow that is written out, whose programs play what lies in `answers`; see [`PLAYER`].
    pub(crate) fn playing(flow: &str, answers: &[(&str, &str)]) -> Self {
        let sandbox = Sandbox::new();
        sandbox.write("play.sh", PLAYER);
        sandbox.write("flows/article.yaml", flow);
        for (name, answer) in answers {
            sandbox.write(&format!("answers/{name}"), answer);
        }
        Self { sandbox }
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.sandbox.command("", args);
        let path = std::env::var_os("PATH").unwrap_or_default();
        command.env("PATH", path).env("USER", "nora").stdin(Stdio::null());
        command
    }

    /// Runs the program to its end, where at first it may have only so many files open.
    pub(crate) fn run_with_files(&self, files: usize, args: &[&str]) -> Ran {
        self.run_within(&format!("ulimit -Sn {files}"), args)
    }

    /// Runs the program to its end, within limits that a shell sets before.
    pub(crate) fn run_within(&self, limits: &str, args: &[&str]) -> Ran {
        let command = self.command(args);
        let mut shell = Command::new("sh");
        shell.args(["-c", &format!("{limits}; exec \"$0\" \"$@\"")]);
        shell.arg(command.get_program()).args(command.get_args()).current_dir(self.sandbox.path(""));
        shell.env_clear().envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
        ran(shell.stdin(Stdio::null()))
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Ran {
        self.run_with(args, &[])
    }

    /// The same, with variables.
    pub(crate) fn run_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Ran {
        ran(self.command(args).envs(variables.iter().copied()))
    }

    /// Runs the program beside the test, with what it says.
    pub(crate) fn start(&self, args: &[&str]) -> Running {
        self.start_with(args, &[])
    }

    /// The same, with variables.
    pub(crate) fn start_with(&self, args: &[&str], variables: &[(&str, &str)]) -> Running {
        let mut command = self.command(args);
        let mut child = command
            .envs(variables.iter().copied())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let lines = BufReader::new(child.stdout.take().unwrap());
        Running { child, lines }
    }

    /// Waits until a file is there.
    pub(crate) fn awaits(&self, path: &str) {
        let start = Instant::now();
        while !self.sandbox.path(path).exists() {
            assert!(start.elapsed() < PATIENCE, "{path} never came");
            std::thread::yield_now();
        }
    }

    /// The calls that agents got: who, and which attempt.
    pub(crate) fn calls(&self) -> Vec<String> {
        self.sandbox.read("calls").lines().map(str::to_owned).collect()
    }

    /// An answer that an agent with an inbox could hand in.
    pub(crate) fn answer(&self, path: &str) {
        self.sandbox.write(path, crate::sandbox::envelope("file", "VERIFIED"));
    }
}

/// The program while it runs.
pub(crate) struct Running {
    pub(crate) child: Child,
    lines: BufReader<std::process::ChildStdout>,
}

impl Running {
    /// Reads on until a line has this in it.
    pub(crate) fn until(&mut self, text: &str) -> String {
        let mut all = String::new();
        loop {
            let mut line = String::new();
            let read = self.lines.read_line(&mut line).unwrap();
            all += &line;
            assert!(read > 0, "it never said {text:?}: {all}");
            if line.contains(text) {
                return line;
            }
        }
    }

    /// Sends a signal.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args(["-s", name, &id]).status().unwrap().success());
    }

    /// Its exit code; none if a signal ended it.
    pub(crate) fn end(mut self) -> Option<i32> {
        self.child.wait().unwrap().code()
    }
}
