//! What things of a run are called: `article-3`, `article-3/2`, `article-3/approve`, `article-3/?4`, `article-3/5-1-0`.

use crate::history::output::key;
use baton_kernel::{AskId, Key};

/// Something that a person named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Named {
    /// A run.
    Run,
    /// The n-th accepted answer of a run, from 1.
    Handoff(usize),
    /// A question to a person.
    Question(AskId),
    /// A delivery.
    Delivery(Key),
    /// A step, and what is open there.
    Step(String),
}

/// The run that a name begins with, and what of it is meant.
pub(crate) fn parsed(id: &str) -> (&str, Named) {
    let Some((run, rest)) = id.split_once('/') else { return (id, Named::Run) };
    let named = if let Ok(number) = rest.parse::<usize>() {
        Named::Handoff(number)
    } else if let Some(ask) = rest.strip_prefix('?').and_then(|ask| ask.parse().ok()) {
        Named::Question(AskId(ask))
    } else if let Some(key) = key(rest) {
        Named::Delivery(key)
    } else {
        Named::Step(rest.to_owned())
    };
    (run, named)
}

#[cfg(test)]
mod tests {
    use baton_kernel::{LaneId, StepId};

    use super::*;

    #[test]
    fn what_is_named_is_known_by_its_form() {
        assert_eq!(parsed("article-3"), ("article-3", Named::Run));
        assert_eq!(parsed("article-3/2"), ("article-3", Named::Handoff(2)));
        assert_eq!(parsed("article-3/?4"), ("article-3", Named::Question(AskId(4))));
        assert_eq!(parsed("a/fix-it"), ("a", Named::Step("fix-it".to_owned())));
        let key = Key { number: 5, step: StepId(1), lane: LaneId(0) };
        assert_eq!(parsed(&format!("a/{key}")), ("a", Named::Delivery(key)));
        assert_eq!(parsed("a/1-2-3-4"), ("a", Named::Step("1-2-3-4".to_owned())));
    }
}
