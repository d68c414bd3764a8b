//! The caps that stop runs: what each counts, and how a person raises it.

use baton_document::flow::milliseconds;
use baton_kernel::{By, Choice, Command, Fence, OwedQuestion, Reason, Refusal, State, What, decide};

use super::moment;
use super::person::person;
use crate::project::fault::Fault;

/// What the caps count that are raised by a number; time is the only other.
const COUNTED: [(Reason, &str); 6] = [
    (Reason::HandoffsExhausted, "handoffs"),
    (Reason::PairExhausted, "handoffs between these two agents"),
    (Reason::TokensExhausted, "tokens"),
    (Reason::VisitsExhausted, "visits of the step"),
    (Reason::DetoursExhausted, "detours of this kind"),
    (Reason::RoundsExhausted, "rounds of the loop"),
];

fn counted(reason: Reason) -> Option<&'static str> {
    COUNTED.iter().find(|(of, _)| *of == reason).map(|(_, counted)| *counted)
}

/// How the cap is raised that stopped a run: what to type, and what that gives.
pub(crate) fn raising(reason: Reason) -> Option<(&'static str, String)> {
    if reason == Reason::TimeExhausted {
        return Some(("--more TIME", "so much more time, such as 10m".to_owned()));
    }
    counted(reason).map(|counted| ("--more N", format!("N more {counted}")))
}

/// What was typed behind `--more`, as the cap counts it: time in milliseconds.
pub(crate) fn more(reason: Reason, typed: &str) -> Result<u64, Fault> {
    let Some((option, gives)) = raising(reason) else {
        let message = format!("--more raises a cap, and none has stopped the run there: {reason}");
        return Err(Fault::usage(message, None));
    };
    let is_time = reason == Reason::TimeExhausted;
    let number = if is_time { milliseconds(typed) } else { typed.parse().ok().filter(|more| *more > 0) };
    number.ok_or_else(|| {
        let kind = if is_time { "a time with its unit" } else { "a number" };
        Fault::usage(
            format!("--more {typed}: {reason}, so that {kind} is expected"),
            Some(format!("write `{option}`: {gives}")),
        )
    })
}

/// Refuses a choice that the cap would stop at once, and says how it is raised.
pub(crate) fn must_not_hold(
    state: &State,
    asked: &OwedQuestion,
    choice: Choice,
    more: Option<u64>,
) -> Result<(), Fault> {
    let (ask, reason, by) = (asked.ask, asked.reason, By::Person(person()));
    let what = What::AnswerPerson { ask, choice, by, content: None, more };
    let decided = decide(state, &Command { fence: Fence(u64::MAX), what }, moment::now());
    let Some((option, gives)) = raising(reason).filter(|_| decided == Err(Refusal::CapHolds)) else {
        return Ok(());
    };
    Err(Fault::refused(format!("{}: {reason}", Refusal::CapHolds), Some(format!("add `{option}`: {gives}"))))
}

/// By how much a cap was raised, in words.
pub(crate) fn raised(reason: Option<Reason>, more: u64) -> String {
    if reason == Some(Reason::TimeExhausted) {
        return format!("{} more", moment::span(more));
    }
    let counted = reason.and_then(counted).map(|counted| format!(" {counted}"));
    format!("{more} more{}", counted.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::project::fault::FaultKind;

    #[test]
    fn time_is_raised_by_a_span_and_all_else_by_a_number() {
        assert_eq!(more(Reason::TimeExhausted, "5m").ok(), Some(300_000));
        assert_eq!(more(Reason::HandoffsExhausted, "5").ok(), Some(5));
        let wrong = [
            (Reason::TimeExhausted, "5"),
            (Reason::TimeExhausted, "0s"),
            (Reason::HandoffsExhausted, "5m"),
            (Reason::HandoffsExhausted, "0"),
            (Reason::Clarify, "5"),
        ];
        for (reason, typed) in wrong {
            assert!(
                matches!(more(reason, typed), Err(fault) if fault.kind == FaultKind::Usage),
                "{reason}: {typed}"
            );
        }
    }
}
