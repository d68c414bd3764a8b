//! The courier `acp`: any agent that speaks the Agent Client Protocol, one process and one session for work and handoff.
//!
//! Invariant: an agent gets no more through the protocol than its settings say: files and terminals are not offered, and
//! whether it may do something is answered by the policy of its owner.
//! Invariant: what an agent replays of an old session is not taken for something new.

mod talk;

use std::io::PipeReader;
use std::sync::Arc;

use crate::program::{Carrier, Flight, Flights, Trip, Turn, flown};
use crate::session::Hold;
use crate::{Cause, Delivery, Failure, Kind, What};

use talk::Talk;

/// An agent that speaks the Agent Client Protocol.
#[derive(Clone, Debug)]
pub struct Acp {
    /// The program, with the arguments that make it speak the protocol.
    pub command: Vec<String>,
    /// Further arguments.
    pub arguments: Vec<String>,
    /// What it is told when it asks whether it may do something.
    pub permissions: Policy,
}

/// What an agent is told when it asks whether it may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// The attempt ends with the question.
    #[default]
    Ask,
    /// Yes, each time.
    Allow,
    /// No, each time.
    Deny,
}

/// Carries handoffs to an agent through the protocol.
pub struct AcpCourier(Flights<Acp>);

impl AcpCourier {
    /// A courier for one agent.
    #[must_use]
    pub fn new(acp: Acp) -> Self {
        Self(Flights::new(acp))
    }
}

flown!(AcpCourier);

impl Carrier for Acp {
    fn kind(&self) -> Kind {
        Kind::Resumable
    }

    fn carry(
        &self,
        flight: &Arc<Flight>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure> {
        let trip = Trip::new(flight, wake, delivery);
        let mut hold = delivery.session.as_ref().map(|session| Hold::wait(session, &trip)).transpose()?;
        let name = self.command.first().map_or("", String::as_str);
        let mut talk = Talk::new(name, delivery, self.permissions);
        let turn = Turn {
            command: &self.command,
            arguments: self.arguments.iter().map(Into::into).collect(),
            input: talk.begin(),
            closes: false,
            shown: None,
        };
        let leader = std::cell::Cell::new(0);
        if let Some(hold) = &hold {
            let began = |number| hold.note(number);
            let ended = trip.take(turn, &mut talk, &began, tell);
            return talk.end(ended);
        }
        let mut told = |what: What| {
            if let What::Session(named) = &what
                && hold.is_none()
            {
                // Nobody else can know a session that has just been made.
                hold = Hold::wait(named, &trip).ok();
                if let Some(hold) = &hold {
                    hold.note(leader.get());
                }
            }
            tell(what);
        };
        let ended = trip.take(turn, &mut talk, &|number| leader.set(number), &mut told);
        talk.end(ended)
    }
}

/// The failure of a protocol that was not kept.
fn unclear(name: &str, what: &str) -> Failure {
    Failure::new(
        Cause::Failed,
        format!("{name} does not speak the Agent Client Protocol as expected: {what}"),
    )
    .with_hint("`run` must name the program with the arguments that make it speak the protocol")
}
