//! The agents of a flow into how they are reached.

use std::fmt;
use std::path::{Component, Path};
use std::time::Duration;

use baton_courier::Limits;
use baton_document::flow::{AgentSpec, Flow, ReceptionWord};

use crate::project::agents::MESSAGE_TOKENS_MAX;
use crate::project::agents::{Agents, Setup};
use crate::project::couriers;
use crate::sandbox::{Runs, programs, too_wide};
use crate::templates::render;

/// The variables of the environment that every program may see: where programs and its own things lie, and how it
/// speaks. What a flow lists for an agent is added to them.
const ENVIRONMENT: [&str; 7] = ["PATH", "HOME", "USER", "LANG", "LC_ALL", "TMPDIR", "TZ"];

/// Why an agent cannot be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RosterFault {
    /// Nothing says how.
    Unreachable {
        /// The agent.
        agent: String,
    },
    /// Nothing says which dialect it speaks.
    Speechless {
        /// The agent.
        agent: String,
    },
    /// Its folder may lead out of the project.
    Outside {
        /// The agent.
        agent: String,
        /// The folder.
        directory: String,
    },
    /// Programs cannot be started on this system.
    NoPrograms {
        /// The agent.
        agent: String,
    },
    /// Something is not said without which its courier cannot go.
    Lacking {
        /// The agent.
        agent: String,
        /// The courier.
        courier: &'static str,
        /// The key that would say it.
        key: &'static str,
    },
    /// What it is granted would break its wall.
    TooWide {
        /// The agent.
        agent: String,
        /// The path.
        path: String,
        /// The reason.
        why: &'static str,
    },
    /// It is granted what `baton.toml` does not allow.
    Loosened {
        /// The agent.
        agent: String,
        /// The path.
        path: String,
    },
    /// Its URL is none that handoffs can be posted to.
    BadUrl {
        /// The agent.
        agent: String,
        /// What is wrong with it.
        fault: String,
    },
}

impl RosterFault {
    /// What would help.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Unreachable { .. } => {
                "say `courier: …`, `run: [PROGRAM, …]` or `inbox: true` for it in the flow, or in [agents.NAME] of \
                 baton.toml"
            }
            Self::Speechless { .. } => {
                "say `dialect: …` for it in the flow, or in [agents.NAME] of baton.toml"
            }
            Self::Outside { .. } => "write it relative to the root, without `..`",
            Self::NoPrograms { .. } => "give it an inbox",
            Self::Lacking { .. } => "say it in the flow, or in [agents.NAME] of baton.toml",
            Self::TooWide { .. } => "list only the folders that it needs",
            Self::Loosened { .. } => {
                "list it in [sandbox] or [agents.NAME] of baton.toml, or leave it out of the flow"
            }
            Self::BadUrl { .. } => {
                "write where handoffs are posted to, as in `url: https://example.org/baton`"
            }
        }
    }
}

impl fmt::Display for RosterFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable { agent } => write!(out, "nothing says how the agent `{agent}` is reached"),
            Self::Speechless { agent } => {
                write!(out, "nothing says which dialect the agent `{agent}` speaks")
            }
            Self::Outside { agent, directory } => {
                write!(out, "the folder `{directory}` of the agent `{agent}` may lead out of the project")
            }
            Self::NoPrograms { agent } => {
                write!(out, "the agent `{agent}` is a program, and none can be started on this system")
            }
            Self::Lacking { agent, courier, key } => {
                write!(out, "the courier `{courier}` of the agent `{agent}` needs `{key}`")
            }
            Self::TooWide { agent, path, why } => {
                write!(out, "`{path}` cannot be shown to the agent `{agent}` in its sandbox: {why}")
            }
            Self::Loosened { agent, path } => {
                write!(
                    out,
                    "the flow shows `{path}` to the agent `{agent}`, which baton.toml puts into a sandbox without it"
                )
            }
            Self::BadUrl { agent, fault } => write!(out, "the agent `{agent}` cannot be reached: {fault}"),
        }
    }
}

impl std::error::Error for RosterFault {}

/// How the agents of a flow are reached. What is known of them elsewhere is in it already; see [`Flow::with_agents`].
///
/// # Errors
/// The first agent that cannot be reached.
pub fn roster(flow: &Flow, root: &Path) -> Result<Agents, RosterFault> {
    let mut agents = Agents::default();
    let writable: Vec<&String> = flow.agents.iter().flat_map(|spec| spec.writable.iter().flatten()).collect();
    for spec in &flow.agents {
        agents.add(spec.name.value.clone(), setup(spec, root, &writable)?);
    }
    Ok(agents)
}

fn setup(spec: &AgentSpec, root: &Path, writable: &[&String]) -> Result<Setup, RosterFault> {
    let agent = || spec.name.value.clone();
    let way = spec.way().ok_or_else(|| RosterFault::Unreachable { agent: agent() })?;
    let (courier, finalizes) = couriers::courier(way, spec)?;
    let dialect = spec.dialect.as_ref().ok_or_else(|| RosterFault::Speechless { agent: agent() })?;
    let mut limits = Limits::default();
    if let Some(time) = &spec.time_ms {
        limits.time_max = Duration::from_millis(time.value);
    }
    if let Some(output) = &spec.output {
        limits.answer_bytes_max = usize::try_from(output.value).unwrap_or(usize::MAX);
    }
    let directory = match &spec.directory {
        None => root.to_owned(),
        Some(below) if is_inside(&below.value) => root.join(&below.value),
        Some(below) => {
            return Err(RosterFault::Outside { agent: agent(), directory: below.value.clone() });
        }
    };
    if let Some(path) = spec.loosened.first() {
        return Err(RosterFault::Loosened { agent: agent(), path: path.clone() });
    }
    let mut runs = Runs::new(way, spec);
    runs.among(root, writable);
    for path in spec.readable.iter().chain(&spec.writable).flatten().filter(|_| runs.is_walled()) {
        if let Some(why) = too_wide(root, path) {
            return Err(RosterFault::TooWide { agent: agent(), path: path.clone(), why });
        }
    }
    let listed = spec.environment.iter().flatten().cloned();
    let environment = ENVIRONMENT.iter().map(|&name| name.to_owned()).chain(listed).collect();
    let prompt = spec.tool.as_ref().map(|tool| render("tool", &[("tool", tool)]));
    let prompt_file = spec.prompt.as_ref().map(|prompt| prompt.value.clone());
    let prompt_tokens_max = spec
        .prompt_tokens
        .as_ref()
        .map_or(MESSAGE_TOKENS_MAX, |most| usize::try_from(most.value).unwrap_or(usize::MAX));
    let capabilities = spec.capabilities.clone().unwrap_or_default();
    let command = spec.run.as_ref().map(|run| run.value.as_slice()).unwrap_or_default();
    let relative: Vec<String> = command.iter().filter(|word| !word.starts_with('/')).cloned().collect();
    let checked_out = programs(root, &directory, &relative);
    let programs = programs(root, &directory, command);
    Ok(Setup {
        limits,
        environment,
        directory,
        prompt,
        finalizes,
        prompt_file,
        prompt_tokens_max,
        worktree: spec.worktree == Some(true),
        capabilities,
        runs,
        programs,
        checked_out,
        is_strict: spec.reception == Some(ReceptionWord::Strict),
        ..Setup::new(courier, dialect.value.clone())
    })
}

fn is_inside(directory: &str) -> bool {
    Path::new(directory).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(agent: &str) -> Result<Agents, RosterFault> {
        let text = format!("flow: f\nagents:\n  ada: {agent}\nsteps:\n  - work: ada\n");
        let flow = Flow::read(&text).0.expect("it is a flow");
        roster(&flow, Path::new("/project"))
    }

    #[test]
    fn an_agent_is_reached_as_its_owner_wrote_it_down() {
        let agents = of(
            "{ dialect: envelope, run: [./ada, --fast], time: 2s, environment: [ADA_KEY], directory: a/b }",
        );
        let agents = agents.expect("it can be reached");
        let ada = agents.get("ada").expect("it is there");
        assert_eq!((ada.dialect.as_str(), ada.limits.time_max), ("envelope", Duration::from_secs(2)));
        assert_eq!(ada.directory, Path::new("/project/a/b"));
        assert!(["PATH", "ADA_KEY"].iter().all(|name| ada.environment.iter().any(|other| other == name)));
        let inbox = of("{ dialect: package, inbox: true }").expect("it can be reached");
        assert_eq!(inbox.get("ada").map(|ada| ada.courier.kind()), Some(baton_courier::Kind::Kept));
        let said = of("{ dialect: package, courier: inbox, output: 9 }").expect("it can be reached");
        assert_eq!(said.get("ada").map(|ada| ada.courier.kind()), Some(baton_courier::Kind::Kept));
        assert_eq!(said.get("ada").map(|ada| ada.limits.answer_bytes_max), Some(9));
    }

    // proves S-06
    #[test]
    fn each_courier_is_chosen_by_its_word() {
        use baton_courier::Kind::{Idempotent, Kept};
        let made = |agent| {
            let agents = of(agent).expect("it can be reached");
            agents.get("ada").map(|ada| (ada.courier.kind(), ada.finalizes))
        };
        let http = "{ dialect: envelope, courier: http, url: https://example.org/baton, secret: ADA_SECRET }";
        assert_eq!(made(http), Some((Idempotent, true)));
        assert_eq!(
            made("{ dialect: envelope, courier: openclaw, session-key: agent:ops }"),
            Some((Idempotent, true))
        );
        assert_eq!(made("{ dialect: envelope, courier: human }"), Some((Kept, false)));
        assert_eq!(made("{ dialect: envelope, courier: human, run: [notify-send, x] }"), Some((Kept, false)));
    }

    // proves L-09: the tool of a stage comes from the definition of its agent, and the agent is told.
    #[test]
    fn an_agent_is_told_its_tool() {
        let agents = of("{ dialect: pipeline, inbox: true, tool: /setup-environment }");
        let agents = agents.expect("it can be reached");
        let told = agents.get("ada").and_then(|ada| ada.prompt.as_deref());
        assert_eq!(told, Some("Your tool for this is `/setup-environment`."));
        let shipped = crate::project::plan::SHIPPED
            .iter()
            .find(|(name, _)| *name == "issue-to-pr")
            .expect("it is shipped");
        let flow = Flow::read(shipped.1).0.expect("it is a flow");
        let tool = |name| flow.agent(name).and_then(|agent| agent.tool.as_deref());
        let stages = ["prep-agent", "implementer-agent", "reviewer-agent", "fixer-agent", "validator-agent"];
        let tools = ["/setup-environment", "/autotask", "reviewer-*", "/address-pr-comments", "/verify-fix"];
        assert_eq!(stages.map(tool), tools.map(Some));
    }

    #[test]
    fn what_is_missing_is_said_before_anything_runs() {
        let fault = |agent| of(agent).err().map(|fault| fault.to_string());
        assert_eq!(
            fault("{ dialect: envelope }").as_deref(),
            Some("nothing says how the agent `ada` is reached")
        );
        assert_eq!(
            fault("{ run: ./ada }").as_deref(),
            Some("nothing says which dialect the agent `ada` speaks")
        );
        assert_eq!(
            fault("{ dialect: envelope, courier: program }").as_deref(),
            Some("the courier `program` of the agent `ada` needs `run`")
        );
        assert_eq!(
            fault("{ dialect: envelope, courier: http, url: https://example.org/ }").as_deref(),
            Some("the courier `http` of the agent `ada` needs `secret`")
        );
        assert_eq!(
            fault("{ dialect: envelope, courier: http, url: file:///etc/passwd, secret: ADA }").as_deref(),
            Some(
                "the agent `ada` cannot be reached: the URL `file:///etc/passwd` is no URL; one looks like \
                  https://example.org/baton"
            )
        );
        let outside = "{ run: ./ada, dialect: envelope, directory: ../b }";
        assert_eq!(
            fault(outside).as_deref(),
            Some("the folder `../b` of the agent `ada` may lead out of the project")
        );
    }
}
