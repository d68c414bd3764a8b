//! `baton resume`: goes on with a run that nobody drives.

use baton_engine::history::views::show;
use baton_engine::project::plan::compile;
use baton_engine::project::roster::roster;
use baton_engine::records::entry::{Pinned, pinned};
use baton_engine::run::Change;
use clap::{ArgMatches, Args, Command, FromArgMatches};

use super::Row;
use crate::outcome::{Failure, Outcome};
use crate::project::{Project, Projects};
use crate::runs::authority::Request;
use crate::runs::drive::{Begin, Desk, drive};
use crate::runs::{authority, book, crew, moment};
use crate::say;
use crate::shuttle::send;
use baton_engine::project::flows;

/// Its row in the table.
pub(super) static ROW: Row = Row { name: "resume", command, run };

const ABOUT: &str = "Goes on with a run that was stopped";

const LONG_ABOUT: &str = "\
Goes on with a run that nobody drives: one that was stopped, whose process was killed, or that waited for somebody. The run \
goes by its flow and its agents as they were when it started, whatever the files say now. Without a name it goes on with the run that was started last \
and is not over.

With --changed it goes on with its flow, agents, dialects, prompts and settings as their files are now, from where it is: you \
have mended a prompt, corrected how an agent is started, or allowed more rounds. That you did is recorded with the files, and from \
then on the run goes by these. What it is using must still be there: the steps that it is at or goes back to, and the agents at work. \
Otherwise it is refused, and nothing changes. What had been allowed stays allowed. The people whose keys count at its gates \
stay those that were named when it started. An agent cannot do this.

A run in which `baton handoff --send` sends a manifest is gone on with in the same way: whatever ends it well is arrival, and the \
manifest says what came of it.

Work that was under way when a process was killed is begun again only where the agent says `restart: safe`; otherwise you \
are asked. Agents that you stopped yourself, with Ctrl-C, are asked again at once.";

const EXAMPLES: &str = "\
Examples:
  baton resume              the run that was started last
  baton resume article-3
  baton resume article-3 --changed    with its flow and agents as the files are now";

#[derive(Debug, Args)]
struct Typed {
    /// The run; the one that was started last unless one is named
    #[arg(value_name = "RUN")]
    run: Option<String>,
    /// Goes on with the flow, agents, dialects and prompts as their files are now
    #[arg(long)]
    changed: bool,
    /// Ends when only people or inboxes are awaited, on a terminal too
    #[arg(long)]
    no_wait: bool,
    /// Prints JSON, a line for everything that happens
    #[arg(long)]
    json: bool,
}

fn command(command: Command) -> Command {
    Typed::augment_args(command.about(ABOUT).long_about(LONG_ABOUT).after_help(EXAMPLES))
}

fn run(matches: &ArgMatches) -> Result<Outcome, Failure> {
    let typed = Typed::from_arg_matches(matches).map_err(|error| Failure::usage(error.to_string()))?;
    let project = Projects::to_act()?;
    let name = match typed.run {
        Some(run) => run,
        None => last(&project)?,
    };
    if typed.changed {
        return go_on_changed(&project, &name, typed.json, !typed.no_wait);
    }
    go_on(&project, &name, typed.json, !typed.no_wait)
}

/// Drives a run that is there, with its files as they are now.
fn go_on_changed(project: &Project, name: &str, is_json: bool, waits: bool) -> Result<Outcome, Failure> {
    authority::must_be_person()?;
    let ledger = book::to_find(project, name)?;
    let before = pinned(&ledger, name)?;
    if send::is_relay(project, &ledger, name)? {
        return Err(Failure::Refused {
            message: format!("{name} sends a manifest, and goes by no files that could have changed"),
            hint: Some(format!("`baton resume {name}` goes on with it")),
        });
    }
    let Some(flow) = before.iter().find(|file| file.is_flow) else {
        return Err(flows::no_flow(name).into());
    };
    let opened = flows::open_again(project, name, &flow.path)?;
    let differing = differing(&before, &opened.files);
    if differing.is_empty() {
        say::note(&format!("no file that {name} goes by has changed"));
        return go_on(project, name, is_json, waits);
    }
    let unfit = |message: String, hint: Option<&str>| Failure::Refused {
        message: format!("{}: {message}", opened.path),
        hint: hint.map(str::to_owned),
    };
    let plan = compile(&opened.flow)
        .map_err(|fault| unfit(fault.to_string(), Some("`baton check` says what is wrong and where")))?;
    let agents =
        roster(&opened.flow, &project.root).map_err(|fault| unfit(fault.to_string(), Some(fault.hint())))?;
    let view = show(&ledger, name, moment::now())?;
    for input in opened.flow.inputs.iter().filter(|input| input.default.is_none()) {
        if !view.given().any(|given| given == input.name.value) {
            let message = format!("it must be given `{}`, which {name} was not", input.name.value);
            return Err(unfit(message, Some("give it a `default` in the flow")));
        }
    }
    say::note(&format!("changed since {name} has pinned its files: {}", differing.join(", ")));
    let people = &view.people().0;
    if people.len() != project.config.people.len()
        || !project.config.people.iter().all(|person| people.contains(person))
    {
        say::note(&format!(
            "[people] of baton.toml is not what {name} was started with; whose keys count at its gates stays as it was"
        ));
    }
    let left = crew::to_end(project, &ledger, name)?;
    let may = authority::allowed(project, &ledger, Request::Change)?;
    let by = book::person();
    let mut change = || Change {
        plan: plan.clone(),
        files: opened.files.clone(),
        flow: opened.path.clone(),
        by: by.clone(),
    };
    let now = opened.files.iter().map(|(path, bytes)| Pinned {
        path: path.clone(),
        is_flow: *path == opened.path,
        bytes: bytes.clone(),
    });
    let project = &Project::pinned(&project.root, &now.collect::<Vec<_>>());
    let desk = Desk { project, ledger: &ledger, agents: &agents, is_json, is_quiet: false, waits };
    drive(&desk, Begin::Changed(name.to_owned(), may, left, &mut change))
}

/// The files that a run would go by and that are not as it has pinned them, in words.
fn differing(before: &[Pinned], now: &[(String, Vec<u8>)]) -> Vec<String> {
    let had = |path: &str| before.iter().find(|file| file.path == path);
    let mut differing: Vec<String> = now
        .iter()
        .filter_map(|(path, bytes)| match had(path) {
            None => Some(format!("{path} (new)")),
            Some(file) if file.bytes != *bytes => Some(path.clone()),
            Some(_) => None,
        })
        .collect();
    let is_gone = |file: &&Pinned| !now.iter().any(|(path, _)| *path == file.path);
    differing.extend(before.iter().filter(is_gone).map(|file| format!("{} (gone)", file.path)));
    differing
}

/// Drives a run that is there.
pub(super) fn go_on(project: &Project, name: &str, is_json: bool, waits: bool) -> Result<Outcome, Failure> {
    let ledger = book::to_find(project, name)?;
    if send::is_relay(project, &ledger, name)? {
        return send::go_on(project, &ledger, name, (is_json, waits));
    }
    let agents = crew::of(project, &ledger, name)?;
    let project = &Project::pinned(&project.root, &pinned(&ledger, name)?);
    let desk = Desk { project, ledger: &ledger, agents: &agents, is_json, is_quiet: false, waits };
    drive(&desk, Begin::Resume(name.to_owned()))
}

fn last(project: &Project) -> Result<String, Failure> {
    let none = || Failure::Refused {
        message: "no run is under way".to_owned(),
        hint: Some("`baton run FLOW` starts one".to_owned()),
    };
    let Some(ledger) = baton_engine::project::store::existing(&project.root)? else { return Err(none()) };
    let heads = book::heads(&ledger, &[])?;
    let open = heads.into_iter().find(|head| !head.labels.iter().any(|label| label == "over"));
    open.map(|head| head.stream).ok_or_else(none)
}
