//! `baton gate`: what waits for a person's yes or no, and the answer.

use std::io::{self, Write};

use baton_document::flow::{Does, Flow};
use baton_engine::history::gate_integrity;
use baton_engine::history::views::{self, show};
use baton_engine::kernel::{Digest, Event, GateAnswer, GateId, Held, Truth};
use baton_engine::ledger::Store;
use baton_engine::project::people::{Home, Statement};
use baton_engine::project::pinned::flow_of;
use baton_engine::records::entry::Entry;
use baton_engine::records::entry::{history, pinned};
use baton_engine::records::mailbox::Wish;
use baton_engine::run::awaited::{Awaited, Waiting};
use baton_engine::run::exposure::UNENFORCED;
use clap::{ArgMatches, Args, Command, FromArgMatches, Subcommand};
use serde_json::{Value, json};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::permission::{self, Permission};
use crate::runs::{authority, book, moment, open, standing, table, wish};
use crate::secret::Signer;
use crate::{listing, say, secret};

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

/// How many digits of a hash are enough.
const SHORT: usize = 8;

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

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = match typed.what {
        What::List { .. } | What::Show { .. } | What::Key { .. } => Projects::here()?,
        What::Approve(_) | What::Reject(_) | What::Ask(_) => Projects::to_act()?,
    };
    match typed.what {
        What::List { json } => list(&project, json)?,
        What::Show { gate, json } => show_gate(&project, &gate, json)?,
        What::Approve(answer) => give(&project, &answer, GateAnswer::Approve)?,
        What::Reject(answer) => give(&project, &answer, GateAnswer::Reject)?,
        What::Ask(answer) => give(&project, &answer, GateAnswer::Question)?,
        What::Key { name } => {
            let name = name.unwrap_or_else(book::person);
            let secret = secret::secret()?;
            secret::must_be_strong(&secret)?;
            let line = listing::entry(&listing::made(&name, &secret)?);
            writeln!(io::stdout().lock(), "[people]\n{line}")?;
        }
    }
    Ok(Outcome::Clean)
}

fn list(project: &Project, as_json: bool) -> Result<(), Failure> {
    let ledger = book::to_read(project)?;
    let now = moment::now();
    let mut rows: Vec<Vec<String>> = Vec::new();
    let mut objects: Vec<Value> = Vec::new();
    if let Some(ledger) = &ledger {
        for head in book::heads(ledger, &["gate"])? {
            let summary = views::summary(ledger, &head)?;
            for one in &summary.awaited {
                let Waiting::Gate { due, .. } = one.what else { continue };
                let (id, flow) = (one.id.clone(), &summary.flow);
                objects.push(json!({
                    "id": id, "run": summary.run, "step": one.step, "flow": flow,
                    "since": one.since.map(moment::stamp), "due": due.map(moment::stamp),
                }));
                let due = due.map(|due| format!("{} {}", moment::day(due), moment::clock(due)));
                rows.push(vec![
                    id,
                    flow.clone(),
                    book::age(one.since, now),
                    due.unwrap_or_else(|| "-".to_owned()),
                ]);
            }
        }
    }
    if let Some(ledger) = &ledger {
        for head in book::heads(ledger, &["question"])? {
            let summary = views::summary(ledger, &head)?;
            let asks = |one: &Awaited| matches!(&one.what, Waiting::Person(it) if it.is_permission());
            if !summary.awaited.iter().any(asks) {
                continue;
            }
            let view = show(ledger, &head.stream, now)?;
            let flow = view.state.plan().name.clone();
            for one in permission::of_run(&head.stream, &view) {
                let what = one.text.lines().next().unwrap_or_default().to_owned();
                objects.push(json!({
                    "id": one.id, "run": one.run, "flow": flow, "agent": one.agent, "wants": what,
                }));
                let what = table::one_line(&format!("{} wants: {what}", one.agent));
                rows.push(vec![one.id, flow.clone(), what, "-".to_owned()]);
            }
        }
    }
    let mut out = io::stdout().lock();
    if as_json {
        writeln!(out, "{}", json!({ "gates": objects }))?;
    } else if !rows.is_empty() {
        for line in table::lines(&["GATE", "FLOW", "SINCE", "DUE"], &rows, 1, table::width()) {
            writeln!(out, "{line}")?;
        }
    } else if ledger.is_some() {
        say::note("no gate is open");
    }
    Ok(())
}

/// What a flow says of a gate: what is validated, and what the answers are called.
fn said(flow: Option<&Flow>, step: &str) -> (Vec<String>, Vec<(String, String)>) {
    let step = flow.and_then(|flow| flow.steps.iter().find(|spec| spec.name.value == step));
    match step.map(|step| &step.does) {
        Some(Does::Gate(gate)) => (gate.items.clone(), gate.options.clone()),
        _ => (Vec::new(), Vec::new()),
    }
}

/// Shows what a gate is about.
pub(super) fn show_gate(project: &Project, id: &str, as_json: bool) -> Result<(), Failure> {
    let ledger = book::to_find(project, id)?;
    if let Some(one) = permission::find(&ledger, id)? {
        return show_permission(&one, as_json);
    }
    let open = open::gate(&ledger, id)?;
    let step = standing::step_name(&open.view.state, open.it.step).to_owned();
    let id = format!("{}/{step}", open.run);
    let flow = flow_of(&open.run, &pinned(&ledger, &open.run)?).ok();
    let (items, options) = said(flow.as_ref(), &step);
    let exposed = gate_integrity::exposed(&ledger, &open.run, moment::now())?;
    let checks = checked(&history(&ledger, &open.run)?, open.it.gate);
    let text = open.it.shown.and_then(|shown| open.view.text(shown));
    let text = text.map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
    let mut out = io::stdout().lock();
    if as_json {
        let options: serde_json::Map<String, Value> =
            options.into_iter().map(|(word, text)| (word, Value::String(text))).collect();
        let object = json!({
            "id": id, "items": items, "options": options,
            "checks": checks.iter().map(|check| json!({
                "check": check.name, "holds": check.truth.holds(), "unknown": check.truth.unknown(),
            })).collect::<Vec<_>>(),
            "shown": open.it.shown.map(|shown| shown.to_string()), "text": text, "enforced": exposed.is_empty(),
        });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(out, "{id}")?;
    for item in &items {
        writeln!(out, "  □ {}", table::one_line(item))?;
    }
    for check in &checks {
        let (sign, word, why) = match &check.truth {
            Truth::Holds => ('✔', "holds", String::new()),
            Truth::Fails => ('✘', "does not hold", String::new()),
            Truth::Unknown(why) => ('?', "unknown", format!(" ({})", table::one_line(why))),
        };
        writeln!(out, "  {sign} {word}: {}{why}", table::one_line(&check.name))?;
    }
    writeln!(out, "\n{}\n", say::printable(text.as_deref().unwrap_or("(nothing is shown yet)").trim_end()))?;
    let named = |word: &str, usual: &str| {
        let said = options.iter().find(|(option, _)| option == word).map(|(_, text)| table::one_line(text));
        said.unwrap_or_else(|| usual.to_owned())
    };
    let rows = [
        ("approve", "approve", "go on"),
        ("reject", "reject", "not like this"),
        ("ask", "question", "explain it"),
    ];
    let only = open.it.shown.map(|shown| format!(" --shown {}", short(shown))).unwrap_or_default();
    let rows =
        rows.map(|(verb, word, usual)| vec![format!("  baton gate {verb} {id}{only}"), named(word, usual)]);
    for line in table::lines(&[], &rows, 1, table::width()) {
        writeln!(out, "{line}")?;
    }
    say_exposed(&exposed);
    Ok(())
}

/// The checks of a gate, with what came of each when they were made last.
fn checked(history: &[Entry], of: GateId) -> Vec<Held> {
    let last = history.iter().rev().find_map(|entry| {
        let Some(Event::GateChecked { gate, checks, .. }) = &entry.event else { return None };
        (*gate == of).then_some(checks)
    });
    last.cloned().unwrap_or_default()
}

/// Says that agents could give the answer themselves, if they can.
fn say_exposed(agents: &[String]) {
    if !agents.is_empty() {
        let agents = agents.iter().map(|agent| table::one_line(agent)).collect::<Vec<_>>().join(", ");
        say::note(&format!("{UNENFORCED} (without a sandbox: {agents})"));
    }
}

/// Shows what an agent wants to do.
fn show_permission(one: &Permission, as_json: bool) -> Result<(), Failure> {
    let Permission { id, agent, shown, text, .. } = one;
    let mut out = io::stdout().lock();
    if as_json {
        let object = json!({ "id": id, "agent": agent, "shown": shown.to_string(), "text": text });
        writeln!(out, "{object}")?;
        return Ok(());
    }
    writeln!(out, "{id}  {} asks whether it may do this:\n", table::one_line(agent))?;
    for line in say::printable(text.trim_end()).lines() {
        writeln!(out, "  | {line}")?;
    }
    writeln!(
        out,
        "\n  baton gate approve {id} --shown {only}  yes, in this delivery\n  \
         baton gate reject {id} --shown {only}   no, and it goes on without",
        only = short(*shown)
    )?;
    Ok(())
}

/// As much of a hash as people type.
fn short(shown: Digest) -> String {
    shown.to_string().chars().take(SHORT).collect()
}

/// Sees that a gate shows what the person saw: it may have been changed since.
fn must_show(id: &str, shown: Digest, seen: Option<&str>) -> Result<(), Failure> {
    let Some(seen) = seen else { return Ok(()) };
    let is_hash = seen.len() >= SHORT && seen.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_hash {
        let hint = format!("at least {SHORT} digits of the hash, as `baton gate show {id}` prints them");
        return Err(Failure::Usage { message: format!("--shown {seen} names nothing"), hint: Some(hint) });
    }
    if shown.to_string().starts_with(&seen.to_ascii_lowercase()) {
        return Ok(());
    }
    Err(Failure::Refused {
        message: format!("{id} shows something else by now: {}", short(shown)),
        hint: Some(format!("`baton gate show {id}` shows it")),
    })
}

/// Says whether an agent may do what it asks for.
fn permit(
    project: &Project,
    ledger: &dyn Store,
    one: &Permission,
    typed: &Answer,
    answer: GateAnswer,
) -> Result<(), Failure> {
    let Permission { id, run, ask, key, shown, .. } = one;
    must_show(id, *shown, typed.shown.as_deref())?;
    let (word, done) = match answer {
        GateAnswer::Approve => ("approve", "allowed"),
        GateAnswer::Reject => ("reject", "not allowed"),
        GateAnswer::Question => {
            return Err(Failure::usage(format!("{id} is a request of an agent: approve or reject it")));
        }
    };
    let people = show(ledger, run, moment::now())?.people().clone();
    let home = Home::of(&project.root, ledger)?;
    let signer = secret::signer(&people, &home, typed.who.as_deref())?;
    let statement = Statement { home: &home, run, gate: GateId(ask.0), answer, shown: *shown };
    let signed = signer.key.sign(&book::person(), &statement);
    let wish = Wish::Permit { ask: *ask, key: *key, answer, shown: *shown, signed };
    let handed = wish::hand_in(project, ledger, run, &wish, typed.because.as_deref().map(str::as_bytes))?;
    renew(project, &signer);
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(out, "{}", json!({ "id": id, "answer": word, "taken": handed.is_taken() }))?;
        return Ok(());
    }
    writeln!(out, "{done} {id}")?;
    wish::tell(run, handed);
    Ok(())
}

/// Gives the entry of a person in baton.toml a salt, if their key has none.
fn renew(project: &Project, signer: &Signer) {
    if let Some(older) = &signer.older {
        listing::renew(project, older, &signer.secret);
    }
}

fn give(project: &Project, typed: &Answer, answer: GateAnswer) -> Result<(), Failure> {
    authority::must_be_person()?;
    let ledger: Box<dyn Store> = book::to_find(project, &typed.gate)?;
    if let Some(one) = permission::find(&ledger, &typed.gate)? {
        return permit(project, &ledger, &one, typed, answer);
    }
    let open = open::gate(&ledger, &typed.gate)?;
    let step = standing::step_name(&open.view.state, open.it.step).to_owned();
    let id = format!("{}/{step}", open.run);
    let Some(shown) = open.it.shown else {
        return Err(Failure::Refused {
            message: format!("{id} shows nothing yet"),
            hint: Some(format!("`baton resume {}` goes on", open.run)),
        });
    };
    must_show(&id, shown, typed.shown.as_deref())?;
    let exposed = gate_integrity::exposed(&ledger, &open.run, moment::now())?;
    let home = Home::of(&project.root, &ledger)?;
    let people = open.view.people();
    let signer = secret::signer(people, &home, typed.who.as_deref())?;
    let statement = Statement { home: &home, run: &open.run, gate: open.it.gate, answer, shown };
    let signed = signer.key.sign(&book::person(), &statement);
    let wish = Wish::AnswerGate { gate: open.it.gate, answer, shown, signed };
    let because = typed.because.as_deref().map(str::as_bytes);
    let handed = wish::hand_in(project, &ledger, &open.run, &wish, because)?;
    renew(project, &signer);
    let (word, done) = match answer {
        GateAnswer::Approve => ("approve", "approved"),
        GateAnswer::Reject => ("reject", "rejected"),
        GateAnswer::Question => ("ask", "asked about"),
    };
    let mut out = io::stdout().lock();
    if typed.json {
        writeln!(
            out,
            "{}",
            json!({ "id": id, "answer": word, "taken": handed.is_taken(), "enforced": exposed.is_empty() })
        )?;
        return Ok(());
    }
    writeln!(out, "{done} {id}")?;
    if people.is_empty() {
        say::note("nobody is listed in [people] of baton.toml, so any key counts here");
    }
    say_exposed(&exposed);
    wish::tell(&open.run, handed);
    Ok(())
}
