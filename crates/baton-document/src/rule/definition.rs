//! The definition of a rule: its id, its level, its page, and when it runs.

use super::Case;
use crate::finding::Level;

/// A rule: its id is its path.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The id, `<dialect>/<name>`, or `document/<name>` for every dialect.
    pub id: &'static str,
    /// The level unless configured; none for a rule that is off unless configured.
    pub level: Option<Level>,
    /// The page that `baton explain` prints and whose examples are run as tests.
    pub page: &'static str,
    /// How it runs.
    pub check: Check,
}

/// Phase and function of a rule.
#[derive(Clone, Copy, Debug)]
pub enum Check {
    /// While reading text or walking the shape; the reader reports it.
    Reading,
    /// By looking at one handoff of its dialect.
    Handoff(fn(&mut Case<'_>)),
    /// By asking the world a slow question: it is told ahead, and asked after most other rules.
    Asking {
        /// Tells what will be asked.
        ahead: fn(&mut Case<'_>),
        /// Asks, and looks at one handoff.
        check: fn(&mut Case<'_>),
    },
    /// By looking at one handoff after all other rules had their say.
    Last(fn(&mut Case<'_>)),
}

impl Check {
    /// Number of times a handoff is gone through.
    pub(crate) const TURNS: usize = 4;

    /// Function of the rule in one phase.
    pub(crate) fn in_turn(self, turn: usize) -> Option<fn(&mut Case<'_>)> {
        match (self, turn) {
            (Check::Asking { ahead, .. }, 0) => Some(ahead),
            (Check::Handoff(check), 1) | (Check::Asking { check, .. }, 2) | (Check::Last(check), 3) => {
                Some(check)
            }
            (Check::Reading | Check::Handoff(_) | Check::Asking { .. } | Check::Last(_), _) => None,
        }
    }
}
