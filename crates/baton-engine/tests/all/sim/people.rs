//! The simulated people: they answer gates and questions, sometimes about what they saw too long ago, sometimes twice,
//! by themselves or through the mailbox of the run.

use baton_engine::records::mailbox::RunRequest as Letter;
use baton_kernel::{By, Choice, Digest, GateAnswer, Pending, State, What};

use super::dice::Dice;

/// What somebody wants of a run, and whether the run may refuse it.
pub(crate) struct RunRequest {
    pub(crate) what: What,
    /// Why it must be refused, if it must.
    pub(crate) forbidden: Option<&'static str>,
}

impl RunRequest {
    /// The same, put into the mailbox of the run; nothing for what only somebody with a key may say there.
    pub(crate) fn letter(&self) -> Option<Letter> {
        if let What::AnswerPerson { ask, choice, by: By::Person(by), more, content: None } = &self.what {
            return Some(Letter::AnswerPerson {
                ask: *ask,
                choice: *choice,
                by: by.clone(),
                more: *more,
                step: None,
            });
        }
        let What::Cancel { by: By::Person(by) } = &self.what else { return None };
        Some(Letter::Cancel { by: by.clone() })
    }
}

/// What a person answers where one is asked.
pub(crate) fn wish(dice: &mut Dice, state: &State, pending: &Pending, is_calm: bool) -> Option<RunRequest> {
    let person = || By::Person("nora".to_owned());
    if let Some(gate) = pending.gates.iter().find(|gate| !gate.checking) {
        let shown = gate.shown?;
        let answer = match dice.below(if is_calm { 1 } else { 4 }) {
            0 | 1 => GateAnswer::Approve,
            2 => GateAnswer::Reject,
            _ => GateAnswer::Question,
        };
        let gate = gate.gate;
        return Some(match if is_calm { 9 } else { dice.below(10) } {
            0 => RunRequest {
                what: What::AnswerGate { gate, answer, shown: Digest([7; 32]), by: person() },
                forbidden: Some("the answer is about something else"),
            },
            1 => RunRequest {
                what: What::AnswerGate { gate, answer, shown, by: By::Agent("ada".to_owned()) },
                forbidden: Some("an agent answers a gate"),
            },
            _ => RunRequest { what: What::AnswerGate { gate, answer, shown, by: person() }, forbidden: None },
        });
    }
    if let Some(question) = pending.questions.first() {
        let choice = match dice.below(if is_calm { 1 } else { 8 }) {
            0 if is_calm => Choice::Halt,
            0 => Choice::Halt,
            1..=3 => Choice::Again,
            _ => Choice::GoOn,
        };
        let more = dice.one_in(2).then(|| dice.any() % 3);
        return Some(RunRequest {
            what: What::AnswerPerson { ask: question.ask, choice, by: person(), content: None, more },
            forbidden: None,
        });
    }
    if !is_calm && dice.one_in(40) && state.is_running() {
        return Some(RunRequest { what: What::Cancel { by: person() }, forbidden: None });
    }
    None
}
