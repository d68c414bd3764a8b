//! What lies in the mailboxes of runs: taken in, recorded together with what follows, then said to be taken.

use std::sync::Arc;

use baton_courier::What as Said;
use baton_kernel::{GateAnswer, Key, Millis, OwedQuestion, Refusal, Report as Heard, What};
use baton_ledger::Head;

use super::examine::Origin;
use super::{Engine, Watched};
use crate::error::{Error, Problem, Refused};
use crate::history::gate_integrity;
use crate::project::agents::Setup;
use crate::project::people::Home;
use crate::records::codec;
use crate::records::content::Content;
use crate::records::mailbox;
use crate::records::mailbox::{Letter, RunRequest, Taken};
use crate::run::exposure::Enforced;

impl Engine<'_> {
    /// Takes what lies in the mailboxes of runs that this process drives, or can.
    pub(super) fn collect(&mut self, now: Millis, touched: &mut Vec<String>) -> Result<(), Error> {
        self.mail_at = now.after(self.settings.mail_ms);
        for (name, head) in self.mail()? {
            if self.runs.contains_key(&name) {
                touched.push(name.clone());
                self.open(&name, head, now)?;
                continue;
            }
            match self.taken(&name, now) {
                Ok(run) => {
                    touched.push(name);
                    self.take_over(run, Some(head), now)?;
                }
                // Somebody else drives it, and takes it.
                Err(Problem::Refused(_)) => {}
                Err(Problem::Failed(error)) => return Err(error),
            }
        }
        Ok(())
    }

    /// Reads the mailbox of a run that this process drives.
    pub(super) fn open(&mut self, name: &str, head: Head, now: Millis) -> Result<(), Error> {
        let home = Home::of(&self.settings.root, self.ledger)?;
        let mut is_any_taken = false;
        'mail: while let Some(run) = self.runs.get(name).filter(|run| run.mail < head.seq) {
            let letters = mailbox::letters(self.ledger, &head, run.mail)?;
            if letters.is_empty() {
                break;
            }
            for letter in letters {
                // What came behind an answer is taken behind it.
                if self.is_looked_at(name, &letter, now) {
                    self.take(name, letter, &home, now);
                    is_any_taken = true;
                } else {
                    break 'mail;
                }
            }
        }
        if is_any_taken {
            let taken = self.runs.get(name).map_or(head.seq, |run| run.mail);
            self.opened.push((name.to_owned(), head, taken));
        }
        Ok(())
    }

    /// Whether a letter can be taken: the evidence of an answer is looked at before.
    fn is_looked_at(&mut self, name: &str, letter: &Letter, now: Millis) -> bool {
        let RunRequest::Answer { key, attempt } = letter.wish else { return true };
        let of = (name.to_owned(), letter.seq);
        if let Some(seen) = self.letters.get(&of) {
            return seen.is_some();
        }
        // What is refused is refused when the letter is taken.
        let Ok(watched) = self.handed_in(name, key, attempt) else { return true };
        let claim = self.claim(&watched, letter.content.as_deref().unwrap_or_default(), now);
        let Some(claim) = claim else { return true };
        self.letters.insert(of, None);
        self.examine(watched, Origin::Letter(letter.seq), Some(claim), None);
        false
    }

    /// Takes one letter: does what it wishes, and notes what became of it.
    fn take(&mut self, name: &str, letter: Letter, home: &Home, now: Millis) {
        let seq = letter.seq;
        let refused = self.wished(name, letter, home, now).err();
        let hint = refused.as_ref().and_then(Refused::hint).map(str::to_owned);
        let taken = Taken { mail: seq, refused: refused.map(|refused| refused.to_string()), hint };
        if let Some(run) = self.runs.get_mut(name) {
            run.note(codec::noted(codec::MAIL_TAKEN, &taken));
            run.mail = seq;
        }
    }

    /// The mailboxes in which something waits for runs that this process may drive.
    fn mail(&self) -> Result<Vec<(String, Head)>, Error> {
        let Some(only) = &self.settings.only else { return mailbox::waiting(self.ledger) };
        // One look takes only so many mailboxes, and those of other runs must not hide these.
        let mut found = Vec::new();
        for name in only {
            let head = mailbox::waiting_for(self.ledger, name)?;
            found.extend(head.map(|head| (name.clone(), head)));
        }
        Ok(found)
    }

    /// Says in the mailboxes what was taken from them. What was not recorded is still there.
    pub(super) fn empty(&mut self, now: Millis) -> Result<(), Error> {
        for (name, head, taken) in std::mem::take(&mut self.opened) {
            if self.lost.contains(&name) {
                continue;
            }
            mailbox::empty(self.ledger, &name, &head, taken, now)?;
        }
        Ok(())
    }

    /// Does what somebody wishes of a run.
    fn wished(&mut self, name: &str, letter: Letter, home: &Home, now: Millis) -> Result<(), Refused> {
        let Letter { seq, wish, content, at, .. } = letter;
        let Some(run) = self.runs.get_mut(name) else {
            return Err(Refused::NoRun { run: name.to_owned() });
        };
        let wish = wish.meant_for(run.state.plan())?;
        if let RunRequest::Permit { ask, key, answer, shown, .. } = &wish {
            let is_asked = |owed: &OwedQuestion| owed.ask == *ask && owed.dead == Some(*key);
            let is_shown = run.permissions.asked(*key).is_some_and(|asked| asked.shown == *shown);
            if !run.owed.questions.iter().any(is_asked) || !is_shown {
                return Err(Refusal::QuestionOver { ask: *ask }.into());
            }
            if let Some(what) = wish.as_command(name, home, None, &run.people, at)? {
                run.hear(what, None, now)?;
            }
            let because =
                content.map(|text| String::from_utf8_lossy(&Content::plain(text).bytes).into_owned());
            let noted = run.permissions.answer(*key, *answer == GateAnswer::Approve, because);
            noted.into_iter().for_each(|noted| run.note(noted));
            return Ok(());
        }
        let content_named = content.clone().map(Content::plain);
        let named = content_named.as_ref().map(|content| content.digest);
        if let Some(what) = wish.as_command(name, home, named, &run.people, at)? {
            let answers = if let RunRequest::AnswerGate { gate, .. } = &wish {
                Some((*gate, run.gate_step(*gate)))
            } else {
                None
            };
            run.hear(what, content_named, now)?;
            if let Some((gate, step)) = answers {
                // What cannot be read claims nothing.
                let agents = gate_integrity::exposed(self.ledger, name, now)
                    .unwrap_or_else(|error| vec![error.to_string()]);
                let noted = Enforced { gate, step, enforced: agents.is_empty(), agents };
                run.note(codec::noted(codec::ENFORCED, &noted));
            }
            return Ok(());
        }
        let content = content.unwrap_or_default();
        let (key, attempt, said) = match wish {
            RunRequest::Acknowledge { key, attempt, stage } => {
                self.handed_in(name, key, attempt)?;
                let Some(run) = self.runs.get_mut(name) else { return Ok(()) };
                return Ok(run.hear(
                    What::Report { key, attempt, report: Heard::Acknowledge(stage) },
                    None,
                    now,
                )?);
            }
            RunRequest::Ask { key, attempt } => {
                (key, attempt, Said::Question(String::from_utf8_lossy(&content).into_owned()))
            }
            RunRequest::Draft { key, attempt } => (key, attempt, Said::Draft(content)),
            RunRequest::Answer { key, attempt } => (key, attempt, Said::Answer(content)),
            RunRequest::AnswerGate { .. }
            | RunRequest::Permit { .. }
            | RunRequest::AnswerPerson { .. }
            | RunRequest::Retry { .. }
            | RunRequest::Cancel { .. }
            | RunRequest::Signal { .. } => return Ok(()),
        };
        let watched = self.handed_in(name, key, attempt)?;
        if said.is_final() {
            self.watched.retain(|_, other| other.run != name || other.key != key);
        }
        let seen = self.letters.remove(&(name.to_owned(), seq)).flatten();
        self.heard(watched, said, seen, now)?;
        Ok(())
    }

    /// The attempt of an agent that hands in what it has to say, and is not called.
    fn handed_in(&self, name: &str, key: Key, attempt: u16) -> Result<Watched, Refused> {
        let run = self.runs.get(name).ok_or_else(|| Refused::NoRun { run: name.to_owned() })?;
        let owed = run.owed.deliveries.iter().find(|owed| owed.key == key);
        let Some(owed) = owed else { return Err(Refusal::DeliveryOver { key }.into()) };
        let agent = super::receiver_of(run, owed).to_owned();
        if !run.environment.agents.get(&agent).is_some_and(Setup::is_kept) {
            return Err(Refused::NoInbox { agent });
        }
        let environment = Arc::clone(&run.environment);
        Ok(Watched { run: name.to_owned(), key, attempt, receiver: agent, environment })
    }
}
