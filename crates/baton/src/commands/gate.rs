//! `baton gate`: what waits for a person's yes or no, and the answer.

use std::io::{self, Write};

use baton_engine::service::{
    AnswerGate, GateReply, GateView, GateWord, OpenGate, PermissionView, Service, UNENFORCED, moment,
    must_be_strong, person, short,
};
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};

use super::Row;
use crate::outcome::Outcome;
use crate::project::Projects;
use crate::runs::table;
use crate::{listing, reply, say, secret};
use baton_engine::service::Fault;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "gate", command, run };

const ABOUT: &str = "Shows what waits for a yes or no, and answers it";

const LONG_ABOUT: &str = "\
Shows the gates that are open, and answers them. A gate is named RUN/STEP; the run alone is enough if it has one gate open.

An answer counts because it is signed with a person's key, for exactly what the gate shows. The key is made from your \
passphrase with argon2id and a salt that stands beside your public key; a passphrase that is easily guessed makes no key. It is asked \
for on the terminal. BATON_GATE_KEY, with a passphrase or with the 64 hexadecimal digits of a key, is for machines and tests: root, \
and what you had started before, can read it. Agents are given neither, and what an agent starts is \
refused. `baton gate key` prints \
the line for [people] in baton.toml; where nobody is listed there, any key counts, and the answer proves only that \
somebody with a terminal gave it. An answer counts in the ledger that it was given for, and in no copy of it. Agents run as you do: unless all of them run in a sandbox, nothing keeps them from what you can \
read and write, and the answer is recorded as unenforced.

An agent that asks whether it may do something (`permissions: ask`) is answered here too, by the name RUN/?NUMBER of the question: yes is for \
exactly what is shown, in this delivery; with no the agent is told so, and goes on without.

With --json, list prints {\"gates\": […]}, each with id, run, step, flow, since and due; show prints id, items, options, checks, \
shown (its hash), text and enforced; an answer prints id, answer, taken and enforced.";

const EXAMPLES: &str = "\
Examples:
  baton gate list
  baton gate show article-3/approve
  baton gate approve article-3/approve
  baton gate approve article-3/approve --shown 8e5e2f17   only what you have seen
  baton gate reject article-3/approve --because 'the figures are of last year'
  baton gate ask article-3 --because 'which figures are these?'
  baton gate show article-3/?7            what an agent wants to do
  baton gate approve 'article-3/?7'       it may
  baton gate key ada                      the line for baton.toml";

#[derive(Debug, Args)]
struct Typed {
    #[command(subcommand)]
    what: What,
}

#[derive(Debug, Subcommand)]
enum What {
    /// Lists the gates that are open
    List {
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Shows what a gate is about
    Show {
        /// The gate, as RUN/STEP
        #[arg(value_name = "GATE")]
        gate: String,
        /// Prints JSON
        #[arg(long)]
        json: bool,
    },
    /// Lets the run go on
    Approve(Answer),
    /// Sends the work back, or halts the run
    Reject(Answer),
    /// Wants something explained first
    Ask(Answer),
    /// Prints the public half of your key, as baton.toml has it
    Key {
        /// Your name
        #[arg(value_name = "NAME")]
        name: Option<String>,
    },
}

#[derive(Debug, Args)]
struct Answer {
    /// The gate, as RUN/STEP
    #[arg(value_name = "GATE")]
    gate: String,
    /// Why, for the record
    #[arg(long, value_name = "TEXT")]
    because: Option<String>,
    /// Only if the gate shows this: the beginning of the hash that `baton gate show` names
    #[arg(long, value_name = "HASH")]
    shown: Option<String>,
    /// Who you are in [people] of baton.toml, if your passphrase is to be tried for nobody else
    #[arg(long = "as", value_name = "NAME")]
    who: Option<String>,
    /// Prints JSON
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Fault> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Fault::usage(error.to_string(), None))?;
    let project = match typed.what {
        What::List { .. } | What::Show { .. } | What::Key { .. } => Projects::here()?,
        What::Approve(_) | What::Reject(_) | What::Ask(_) => Projects::to_act()?,
    };
    let service = Service::open(&project);
    match typed.what {
        What::List { json } => list(&service, json)?,
        What::Show { gate, json } => {
            let gate = service.gate(&gate)?;
            if json { reply::print(&gate)? } else { print(&gate)? }
        }
        What::Approve(answer) => give(&service, answer, GateWord::Approve)?,
        What::Reject(answer) => give(&service, answer, GateWord::Reject)?,
        What::Ask(answer) => give(&service, answer, GateWord::Ask)?,
        What::Key { name } => {
            let name = name.unwrap_or_else(person);
            let secret = secret::secret()?;
            must_be_strong(&secret)?;
            let line = listing::entry(&listing::made(&name, &secret)?);
            writeln!(io::stdout().lock(), "[people]\n{line}")?;
        }
    }
    Ok(Outcome::Clean)
}

fn list(service: &Service, as_json: bool) -> Result<(), Fault> {
    let reply = service.gates()?;
    say::no_ledger(reply.has_ledger);
    if as_json {
        return reply::print(&reply);
    }
    let now = moment::now().0;
    let row = |open: &OpenGate| match open {
        OpenGate::Gate(gate) => {
            let age = gate.since_ms.map(|since| moment::span(now.saturating_sub(since)));
            let due = gate.due_ms.map(|due| format!("{} {}", moment::day_ms(due), moment::clock_ms(due)));
            let (age, due) = (age.unwrap_or_default(), due.unwrap_or_else(|| "-".to_owned()));
            vec![gate.id.clone(), gate.flow.clone(), age, due]
        }
        OpenGate::Permission(one) => {
            let what = table::one_line(&format!("{} wants: {}", one.agent, one.wants));
            vec![one.id.clone(), one.flow.clone(), what, "-".to_owned()]
        }
    };
    let rows: Vec<Vec<String>> = reply.gates.iter().map(row).collect();
    let mut out = io::stdout().lock();
    if !rows.is_empty() {
        for line in table::lines(&["GATE", "FLOW", "SINCE", "DUE"], &rows, 1, table::width()) {
            writeln!(out, "{line}")?;
        }
    } else if reply.has_ledger {
        say::note("no gate is open");
    }
    Ok(())
}

/// Prints what a gate, or a request for permission, shows.
pub(super) fn print(reply: &GateReply) -> io::Result<()> {
    match reply {
        GateReply::Gate(gate) => print_gate(gate),
        GateReply::Permission(one) => print_permission(one),
    }
}

fn print_gate(gate: &GateView) -> io::Result<()> {
    let id = &gate.id;
    let mut out = io::stdout().lock();
    writeln!(out, "{id}")?;
    for item in &gate.items {
        writeln!(out, "  □ {}", table::one_line(item))?;
    }
    for check in &gate.checks {
        let (sign, word, why) = match &check.unknown {
            Some(why) => ('?', "unknown", format!(" ({})", table::one_line(why))),
            None if check.holds => ('✔', "holds", String::new()),
            None => ('✘', "does not hold", String::new()),
        };
        writeln!(out, "  {sign} {word}: {}{why}", table::one_line(&check.check))?;
    }
    let text = gate.text.as_deref().unwrap_or("(nothing is shown yet)");
    writeln!(out, "\n{}\n", say::printable(text.trim_end()))?;
    let named = |word: &str, usual: &str| {
        gate.options.get(word).map_or_else(|| usual.to_owned(), |text| table::one_line(text))
    };
    let rows = [
        ("approve", "approve", "go on"),
        ("reject", "reject", "not like this"),
        ("ask", "question", "explain it"),
    ];
    let only = gate.shown.as_ref().map(|shown| format!(" --shown {}", short(shown))).unwrap_or_default();
    let rows =
        rows.map(|(verb, word, usual)| vec![format!("  baton gate {verb} {id}{only}"), named(word, usual)]);
    for line in table::lines(&[], &rows, 1, table::width()) {
        writeln!(out, "{line}")?;
    }
    say_exposed(&gate.exposed);
    Ok(())
}

/// Says that agents could give the answer themselves, if they can.
fn say_exposed(agents: &[String]) {
    if !agents.is_empty() {
        let agents = agents.iter().map(|agent| table::one_line(agent)).collect::<Vec<_>>().join(", ");
        say::note(&format!("{UNENFORCED} (without a sandbox: {agents})"));
    }
}

/// Prints what an agent wants to do.
fn print_permission(one: &PermissionView) -> io::Result<()> {
    let PermissionView { id, agent, shown, text } = one;
    let mut out = io::stdout().lock();
    writeln!(out, "{id}  {} asks whether it may do this:\n", table::one_line(agent))?;
    for line in say::printable(text.trim_end()).lines() {
        writeln!(out, "  | {line}")?;
    }
    writeln!(
        out,
        "\n  baton gate approve {id} --shown {only}  yes, in this delivery\n  \
         baton gate reject {id} --shown {only}   no, and it goes on without",
        only = short(shown)
    )
}

fn give(service: &Service, typed: Answer, answer: GateWord) -> Result<(), Fault> {
    let Answer { gate, because, shown, who, json } = typed;
    let request = AnswerGate { gate, answer, because, shown, who };
    let reply = service.answer_gate(&request, &mut secret::secret)?;
    reply.notes.iter().for_each(say::diagnostic);
    if let Some((older, secret)) = &reply.older {
        listing::renew(service.project(), older, secret);
    }
    if json {
        return reply::print(&reply);
    }
    let done = match (answer, reply.is_permission) {
        (GateWord::Approve, false) => "approved",
        (GateWord::Reject, false) => "rejected",
        (GateWord::Ask, _) => "asked about",
        (GateWord::Approve, true) => "allowed",
        (GateWord::Reject, true) => "not allowed",
    };
    writeln!(io::stdout().lock(), "{done} {}", reply.id)?;
    if reply.is_anyone {
        say::note("nobody is listed in [people] of baton.toml, so any key counts here");
    }
    say_exposed(&reply.exposed);
    say::waiting(&reply.run, reply.taken);
    Ok(())
}
