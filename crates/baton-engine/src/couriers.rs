//! The couriers that can be named for an agent, one row each.

use std::sync::Arc;

use baton_courier::{Courier, Inbox};
use baton_document::flow::{AgentSpec, CourierWord, Word as _};

use crate::roster::RosterFault;

type Made = Result<Arc<dyn Courier>, RosterFault>;

const COURIERS: &[(CourierWord, fn(&AgentSpec) -> Made)] = &[
    (CourierWord::Program, |spec| own::program(spec)),
    (CourierWord::Inbox, |_| Ok(Arc::new(Inbox))),
    (CourierWord::Acp, |spec| not_built(spec, CourierWord::Acp)),
    (CourierWord::Claude, |spec| not_built(spec, CourierWord::Claude)),
    (CourierWord::Codex, |spec| not_built(spec, CourierWord::Codex)),
    (CourierWord::Openclaw, |spec| not_built(spec, CourierWord::Openclaw)),
    (CourierWord::Http, |spec| not_built(spec, CourierWord::Http)),
    (CourierWord::Human, |spec| not_built(spec, CourierWord::Human)),
];

/// The courier of an agent, with what its definition says.
pub(crate) fn courier(way: CourierWord, spec: &AgentSpec) -> Made {
    let row = COURIERS.iter().find(|(word, _)| *word == way);
    row.map_or_else(|| not_built(spec, way), |(_, make)| make(spec))
}

fn not_built(spec: &AgentSpec, way: CourierWord) -> Made {
    Err(RosterFault::NotBuilt { agent: spec.name.value.clone(), courier: way.word() })
}

/// What an agent must say for its courier.
#[cfg_attr(not(unix), expect(dead_code, reason = "only programs need something there"))]
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
    use baton_courier::program::{Place, Program, ProgramCourier};

    use super::{AgentSpec, Arc, CourierWord, Made, needed};

    pub(super) fn program(spec: &AgentSpec) -> Made {
        let command = needed(spec, spec.run.as_ref(), CourierWord::Program, "run")?;
        // What it has so far may be written there at any time; nobody must.
        let program = Program { draft: Some(Place::Private), ..Program::new(command.value.clone()) };
        Ok(Arc::new(ProgramCourier::new(program)))
    }
}

/// No program can be started here.
#[cfg(not(unix))]
mod own {
    use super::{AgentSpec, Made, RosterFault};

    pub(super) fn program(spec: &AgentSpec) -> Made {
        Err(RosterFault::NoPrograms { agent: spec.name.value.clone() })
    }
}
