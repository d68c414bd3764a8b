//! The couriers that can be named for an agent, one row each.

use std::env;
use std::sync::Arc;

use baton_courier::http::{Hook, HttpCourier};
use baton_courier::{Courier, Inbox};
use baton_document::flow::{AgentSpec, CourierWord, Word as _};

use crate::project::roster::RosterFault;

type Made = Result<Arc<dyn Courier>, RosterFault>;

/// A courier that can be named.
struct Row {
    word: CourierWord,
    /// Whether the agent can be asked for its handoff at the end, in what it remembers of the work.
    finalizes: bool,
    make: fn(&AgentSpec) -> Made,
}

const COURIERS: &[Row] = &[
    Row { word: CourierWord::Program, finalizes: false, make: |spec| own::program(spec) },
    Row { word: CourierWord::Inbox, finalizes: false, make: |_| Ok(Arc::new(Inbox)) },
    Row { word: CourierWord::Acp, finalizes: true, make: |spec| own::acp(spec) },
    Row { word: CourierWord::Claude, finalizes: true, make: |spec| own::claude(spec) },
    Row { word: CourierWord::Codex, finalizes: true, make: |spec| own::codex(spec) },
    Row { word: CourierWord::Openclaw, finalizes: true, make: |spec| own::openclaw(spec) },
    Row { word: CourierWord::Http, finalizes: true, make: http },
    Row { word: CourierWord::Human, finalizes: false, make: |spec| own::human(spec) },
];

/// The courier of an agent, with what its definition says, and whether the agent works in a session.
pub(crate) fn courier(way: CourierWord, spec: &AgentSpec) -> Result<(Arc<dyn Courier>, bool), RosterFault> {
    let row = COURIERS.iter().find(|row| row.word == way).expect("every word has its row");
    Ok(((row.make)(spec)?, row.finalizes))
}

fn http(spec: &AgentSpec) -> Made {
    let url = needed(spec, spec.url.as_ref(), CourierWord::Http, "url")?;
    let secret = needed(spec, spec.secret.as_ref(), CourierWord::Http, "secret")?;
    let value = env::var(&secret.value).ok();
    let hook = Hook::new(&url.value, &secret.value, value.as_deref())
        .map_err(|fault| RosterFault::BadUrl { agent: spec.name.value.clone(), fault: fault.to_string() })?;
    Ok(Arc::new(HttpCourier::new(hook)))
}

/// What an agent must say for its courier.
fn needed<'s, T>(
    spec: &AgentSpec,
    said: Option<&'s T>,
    way: CourierWord,
    key: &'static str,
) -> Result<&'s T, RosterFault> {
    said.ok_or_else(|| RosterFault::Lacking { agent: spec.name.value.clone(), courier: way.word(), key })
}

/// Couriers that start programs.
#[cfg(unix)]
mod own {
    use baton_courier::Human;
    use baton_courier::acp::{Acp, AcpCourier, Policy};
    use baton_courier::claude::{Claude, ClaudeCourier};
    use baton_courier::codex::{Codex, CodexCourier};
    use baton_courier::openclaw::{Openclaw, OpenclawCourier};
    use baton_courier::program::{FileLocation, Program, ProgramCourier};
    use baton_document::flow::{Permissions, Restart};

    use super::{AgentSpec, Arc, CourierWord, Made, needed};

    pub(super) fn program(spec: &AgentSpec) -> Made {
        let command = needed(spec, spec.run.as_ref(), CourierWord::Program, "run")?;
        // What it has so far may be written there at any time; nobody must.
        let program = Program { draft: Some(FileLocation::Private), ..Program::new(command.value.clone()) };
        Ok(Arc::new(ProgramCourier::new(program)))
    }

    pub(super) fn claude(spec: &AgentSpec) -> Made {
        let usual = Claude::default();
        Ok(Arc::new(ClaudeCourier::new(Claude {
            command: spec.run.as_ref().map_or(usual.command, |run| run.value.clone()),
            model: spec.model.clone(),
            agent: spec.persona.clone(),
            arguments: spec.arguments.clone().unwrap_or_default(),
        })))
    }

    pub(super) fn codex(spec: &AgentSpec) -> Made {
        let usual = Codex::default();
        Ok(Arc::new(CodexCourier::new(Codex {
            command: spec.run.as_ref().map_or(usual.command, |run| run.value.clone()),
            model: spec.model.clone(),
            arguments: spec.arguments.clone().unwrap_or_default(),
        })))
    }

    pub(super) fn acp(spec: &AgentSpec) -> Made {
        let command = needed(spec, spec.run.as_ref(), CourierWord::Acp, "run")?;
        let permissions = match spec.permissions {
            None | Some(Permissions::Ask) => Policy::Ask,
            Some(Permissions::Allow) => Policy::Allow,
            Some(Permissions::Deny) => Policy::Deny,
        };
        let arguments = spec.arguments.clone().unwrap_or_default();
        let restarts = spec.restart == Some(Restart::Safe);
        Ok(Arc::new(AcpCourier::new(Acp {
            command: command.value.clone(),
            arguments,
            permissions,
            restarts,
            model: spec.model.clone(),
        })))
    }

    #[expect(clippy::unnecessary_wraps, reason = "the table holds functions that may fail")]
    pub(super) fn openclaw(spec: &AgentSpec) -> Made {
        let openclaw = Openclaw {
            command: spec.run.as_ref().map(|run| run.value.clone()).unwrap_or_default(),
            session_key: spec.session_key.as_ref().map(|key| key.value.clone()),
            arguments: spec.arguments.clone().unwrap_or_default(),
        };
        Ok(Arc::new(OpenclawCourier::new(openclaw)))
    }

    #[expect(clippy::unnecessary_wraps, reason = "the table holds functions that may fail")]
    pub(super) fn human(spec: &AgentSpec) -> Made {
        Ok(Arc::new(Human::new(spec.run.as_ref().map(|run| run.value.clone()))))
    }
}

/// No program can be started here.
#[cfg(not(unix))]
mod own {
    use baton_courier::Human;

    use super::{AgentSpec, Arc, Made, RosterFault};

    pub(super) fn program(spec: &AgentSpec) -> Made {
        Err(RosterFault::NoPrograms { agent: spec.name.value.clone() })
    }

    pub(super) use program as acp;
    pub(super) use program as claude;
    pub(super) use program as codex;
    pub(super) fn openclaw(spec: &AgentSpec) -> Made {
        program(spec)
    }

    pub(super) fn human(spec: &AgentSpec) -> Made {
        match spec.run {
            Some(_) => program(spec),
            None => Ok(Arc::new(Human::default())),
        }
    }
}
