//! Lengths of what reports and checks say: what is too long is refused before anything is decided.

use crate::{Facts, Failure, Held, Refusal, Truth, bounds};

pub(crate) fn of_facts(facts: &Facts) -> Result<(), Refusal> {
    let Facts { decision, detour, delegate, signature, held, .. } = facts;
    for text in [decision, detour, delegate, signature].into_iter().flatten() {
        fits(text, bounds::TEXT_BYTES_MAX)?;
    }
    held_fits(held)
}

pub(crate) fn of_failure(failure: &Failure) -> Result<(), Refusal> {
    failure.signature.as_ref().map_or(Ok(()), |text| fits(text, bounds::TEXT_BYTES_MAX))
}

pub(crate) fn of_truth(truth: &Truth) -> Result<(), Refusal> {
    truth.unknown().map_or(Ok(()), |why| fits(why, bounds::TEXT_BYTES_MAX))
}

pub(crate) fn held_fits(held: &[Held]) -> Result<(), Refusal> {
    if held.len() > bounds::ROUTES_MAX {
        return Err(Refusal::TooLong { found: held.len(), max: bounds::ROUTES_MAX });
    }
    held.iter().try_for_each(|held| {
        fits(&held.name, bounds::EXPRESSION_BYTES_MAX)?;
        of_truth(&held.truth)
    })
}

pub(crate) fn fits(text: &str, max: usize) -> Result<(), Refusal> {
    if text.len() > max { Err(Refusal::TooLong { found: text.len(), max }) } else { Ok(()) }
}
