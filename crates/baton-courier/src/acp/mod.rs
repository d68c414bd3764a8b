//! The courier `acp`: any agent that speaks the Agent Client Protocol, one process and one session for work and handoff.
//!
//! Invariant: an agent gets no more through the protocol than its settings say: files and terminals are not offered, and
//! whether it may do something is answered by the policy of its owner.
//! Invariant: what an agent replays of an old session is not taken for something new.

mod talk;

use std::io::PipeReader;
use std::sync::Arc;

use crate::id::{Id, Names};
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
    /// Whether its work may be given to it again in a new session, where it does not know the old one any more.
    pub restarts: bool,
    /// The model that it is to use, where it lets one choose.
    pub model: Option<String>,
}

/// What an agent is told when it asks whether it may do something.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// A person says it for the delivery; the attempt ends with the question.
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
        let session = delivery.session.as_deref().map(|session| Id::new(Names::Session, session)).transpose();
        let session = session.map_err(|bad| bad.recorded())?;
        let old = session.as_ref().map(|session| Hold::wait(session, &trip)).transpose()?;
        if let Some(old) = old.as_ref().filter(|_| self.forgets()) {
            old.outlast_its_minute(&trip)?;
        }
        let name = self.command.first().map_or("", String::as_str);
        let mut talk = Talk::new(name, delivery, self);
        let turn = Turn {
            command: &self.command,
            arguments: self.arguments.iter().map(Into::into).collect(),
            input: talk.begin(),
            closes: false,
            shown: None,
        };
        let leader = std::cell::Cell::new(0);
        let began = |number| {
            leader.set(number);
            old.iter().for_each(|old| old.note(number));
        };
        let (mut new, mut taken) = (None, None);
        let mut told = |what: What| {
            if let What::Session(named) = &what
                && let Ok(named) = Id::new(Names::Session, named)
            {
                match Hold::named(&named, name) {
                    Ok(hold) => {
                        hold.iter().for_each(|hold| hold.note(leader.get()));
                        new = hold;
                    }
                    Err(failure) => {
                        taken = Some(failure);
                        return;
                    }
                }
            }
            tell(what);
        };
        let ended = trip.take(turn, &mut talk, &began, &mut told);
        drop(new);
        match taken {
            Some(taken) => Err(taken),
            None => talk.end(ended),
        }
    }
}

impl Acp {
    /// Whether it forgets a session that it is to load in the minute in which it was made. Gemini CLI names the file of a
    /// session by the minute, and begins the file of the load before it has read the old one.
    fn forgets(&self) -> bool {
        self.command.iter().any(|word| word.contains("gemini"))
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
