//! A delivery to an agent that speaks the Agent Client Protocol.

use std::io::PipeReader;
use std::sync::Arc;

use crate::id::{Id, Names};
use crate::program::{Attempt, AttemptContext, AttemptRunner, AttemptThreads, ProgramRun, courier_newtype};
use crate::session::SessionLock;
use crate::{Delivery, Failure, Kind, What};

use super::Acp;
use super::dialogue::Dialogue;

/// Courier for an agent that speaks the protocol.
pub struct AcpCourier(AttemptThreads<Acp>);

impl AcpCourier {
    /// A courier for one agent.
    #[must_use]
    pub fn new(acp: Acp) -> Self {
        Self(AttemptThreads::new(acp))
    }
}

courier_newtype!(AcpCourier);

impl AttemptRunner for Acp {
    fn kind(&self) -> Kind {
        Kind::Resumable
    }

    fn run_attempt(
        &self,
        attempt: &Arc<Attempt>,
        wake: &PipeReader,
        delivery: &Delivery,
        tell: &mut dyn FnMut(What),
    ) -> Result<Vec<u8>, Failure> {
        let context = AttemptContext::new(attempt, wake, delivery);
        let session = delivery.session.as_deref().map(|session| Id::new(Names::Session, session)).transpose();
        let session = session.map_err(|bad| bad.recorded())?;
        let old = session.as_ref().map(|session| SessionLock::wait(session, &context)).transpose()?;
        if let Some(old) = old.as_ref().filter(|_| self.forgets()) {
            old.outlast_its_minute(&context)?;
        }
        let name = self.command.first().map_or("", String::as_str);
        let mut dialogue = Dialogue::new(name, delivery, self);
        let turn = ProgramRun {
            command: &self.command,
            arguments: self.arguments.iter().map(Into::into).collect(),
            input: dialogue.begin(),
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
                match SessionLock::named(&named, name) {
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
        let ended = context.take(turn, &mut dialogue, &began, &mut told);
        drop(new);
        match taken {
            Some(taken) => Err(taken),
            None => dialogue.end(ended),
        }
    }
}

impl Acp {
    /// Tells whether the agent loses a session that it loads in the minute of its creation. Gemini CLI names the file of a session
    /// by the minute, and starts the new file before it has read the old one.
    fn forgets(&self) -> bool {
        self.command.iter().any(|word| word.contains("gemini"))
    }
}
