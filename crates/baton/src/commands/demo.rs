//! `baton demo`: all six flows with scripted agents, in a folder of their own.
//!
//! Everything in it is the real program: it starts `baton run`, `resume`, `gate` and `log` as anybody would, kills one of
//! them, and verifies the ledger at the end. Only the agents play a script, and so does the person where there is no
//! terminal.

mod stage;

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};
use std::thread::sleep;
use std::time::{Duration, Instant};

use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::Outcome;
use baton_engine::service::Fault;
use stage::Stage;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "demo", command, run };

const ABOUT: &str = "Shows in a minute what Baton does, with scripted agents";

const LONG_ABOUT: &str = "\
Runs six flows with scripted agents, in a new folder: two agents that take turns, an author and a critic who never agree, an \
orchestrator whose writer hands in nonsense, an agency with people at its gates, an issue that becomes a pull request while \
the process is killed, and five agents that speak five dialects. It needs no model, no key, no server and no network.

On a terminal you are the person at the gates. Elsewhere a scripted person answers, with a key that is thrown away.";

const EXAMPLES: &str = "\
Examples:
  baton demo                   in a new folder, whose name it says
  baton demo --folder try      in a folder of your choice, which must be empty or new
  baton demo --fast            the agents do not pretend to think";

#[derive(Debug, Args)]
struct Typed {
    /// The folder to play in; a new one for temporary files unless it is named
    #[arg(long, value_name = "FOLDER")]
    folder: Option<std::path::PathBuf>,
    /// Lets the agents answer at once
    #[arg(long)]
    fast: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let begun = Instant::now();
    let stage = Stage::build(typed.folder.as_deref(), typed.fast)?;
    stage.say(&format!("Six flows, scripted agents, no model and no network, in {}", stage.folder()));
    let mut went = Vec::new();
    for act in ACTS {
        stage.title(act.title)?;
        (act.play)(&stage)?;
        stage.points(act.run, act.points)?;
        went.push(stage.is_well(act.run)?);
    }
    stage.title("The ledger: every step of all of it, chained and verified")?;
    let verified = stage.baton(&["log", "--verify"])?;
    let is_well = verified && went.into_iter().all(|is_well| is_well);
    closing(&stage, begun.elapsed())?;
    Ok(if is_well { Outcome::Clean } else { Outcome::Blocked })
}

/// One part of the demonstration.
struct Act {
    title: &'static str,
    run: &'static str,
    play: fn(&Stage) -> Result<(), Fault>,
    /// What its log says that is worth a second look.
    points: &'static [&'static str],
}

/// The parts, in their order.
const ACTS: &[Act] = &[
    Act {
        title: "1  relay: two agents take turns until nothing is left",
        run: "relay-1",
        play: relay,
        points: &["an expression of the flow held"],
    },
    Act {
        title: "2  microloop: a critic who is never content; the loop ends all the same",
        run: "microloop-1",
        play: microloop,
        points: &["the same failure came twice", "the rounds of the loop are used up"],
    },
    Act {
        title: "3  orchestrate: the writer hands in nonsense and is caught; a failed test goes back",
        run: "orchestrate-1",
        play: orchestrate,
        points: &["does not take the answer", "can be mended by rework", "joins check"],
    },
    Act {
        title: "4  issue-to-pr: the process is killed in the middle, and goes on",
        run: "issue-to-pr-1",
        play: issue_to_pr,
        points: &["after a crash", "from review to fix"],
    },
    Act {
        title: "5  agency: delegation, three kinds of gates, somebody who claims too much",
        run: "agency-1",
        play: agency,
        points: &["who does a part", "unanswered", "gate agency-1/ready: its checks"],
    },
    Act { title: "6  babel: five agents, five dialects, one flow", run: "babel-1", play: babel, points: &[] },
];

fn relay(stage: &Stage) -> Result<(), Fault> {
    stage.run("relay", "topic=how many books a reader may borrow").map(drop)
}

fn microloop(stage: &Stage) -> Result<(), Fault> {
    stage.run("microloop", "goal=Limit loans to three books").map(drop)
}

fn orchestrate(stage: &Stage) -> Result<(), Fault> {
    stage.run("orchestrate", "feature=tokens at login").map(drop)
}

fn babel(stage: &Stage) -> Result<(), Fault> {
    stage.run("babel", "goal=a search of the catalogue").map(drop)
}

fn issue_to_pr(stage: &Stage) -> Result<(), Fault> {
    const HANDOFFS_BEFORE: usize = 3;
    let mut child = stage.start(&["run", "issue-to-pr", "--input", "issue=Limit loans"])?;
    while stage.handoffs("issue-to-pr-1") < HANDOFFS_BEFORE {
        if child.try_wait().is_ok_and(|ended| ended.is_some()) {
            break;
        }
        sleep(Duration::from_millis(20));
    }
    // It may have ended by itself already; then there is nothing to go on with, and that is shown.
    let _ = child.kill();
    let _ = child.wait();
    stage.calm();
    stage.say("killed with SIGKILL, while an agent was at work; now `baton resume`:");
    stage.baton(&["resume", "issue-to-pr-1", "--no-wait"]).map(drop)
}

fn agency(stage: &Stage) -> Result<(), Fault> {
    /// Whoever rejects again and again is let go.
    const ANSWERS_MAX: usize = 10;
    stage.run("agency", "wish=A site where readers renew their loans")?;
    stage.say("nobody answers this one, and it only informs: it goes on by itself in a moment");
    sleep(Duration::from_millis(stage::INFORMATIVE_MS));
    stage.baton(&["resume", "agency-1", "--no-wait"])?;
    let mut has_claimed = false;
    for _ in 0..ANSWERS_MAX {
        let Some(gate) = stage.gate("agency-1")? else { break };
        if gate == "ready" && !has_claimed {
            stage.say("caught: the work claims to be done and names no file; the gate that checks by itself stays shut");
        }
        let usual = if gate == "ready" && !has_claimed { "reject" } else { "approve" };
        has_claimed |= gate == "ready";
        decide(stage, &format!("agency-1/{gate}"), usual)?;
        stage.baton(&["resume", "agency-1", "--no-wait"])?;
    }
    Ok(())
}

/// A person answers a gate: whoever sits at the terminal, else a scripted one.
fn decide(stage: &Stage, gate: &str, usual: &str) -> Result<(), Fault> {
    stage.baton(&["gate", "show", gate])?;
    let is_there = io::stdin().is_terminal() && io::stdout().is_terminal();
    if !is_there {
        stage.say(&format!(
            "a scripted person answers {usual}, with a key that was made for this and is thrown away"
        ));
        return stage.baton(&["gate", usual, gate]).map(drop);
    }
    loop {
        let mut out = io::stdout().lock();
        write!(out, "Your answer, approve or reject [{usual}]: ")?;
        out.flush()?;
        let mut line = String::new();
        let read = io::stdin().lock().read_line(&mut line)?;
        let word = line.trim().to_lowercase();
        let answer = match word.as_str() {
            "" => usual,
            _ if read == 0 => usual,
            "a" | "approve" | "y" | "yes" => "approve",
            "r" | "reject" | "n" | "no" => "reject",
            _ => continue,
        };
        drop(out);
        return stage.baton(&["gate", answer, gate]).map(drop);
    }
}

fn closing(stage: &Stage, took: Duration) -> Result<(), Fault> {
    let mut out = io::stdout().lock();
    writeln!(out, "\nThat took {} s. What is there now, in {}:", took.as_secs(), stage.folder())?;
    let there = [
        ("baton runs --all", "the six runs"),
        ("baton show agency-1", "where one went"),
        ("baton log microloop-1", "who did what, and why it went where it went"),
        ("baton stats orchestrate-1", "tokens, and what summaries saved"),
        ("baton flow graph issue-to-pr", "a flow as a diagram"),
    ];
    for (what, why) in there {
        writeln!(out, "  {what:<30}{why}")?;
    }
    writeln!(out, "\nIn a repository of your own:")?;
    let next = [
        ("baton check", "finds what is wrong with the handoffs you have"),
        ("baton init", "writes a first flow, which runs at once"),
        ("baton run first", "runs it"),
    ];
    for (what, why) in next {
        writeln!(out, "  {what:<30}{why}")?;
    }
    Ok(())
}
