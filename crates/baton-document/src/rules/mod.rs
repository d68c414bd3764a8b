//! The rules that data cannot say: one `.rs` and one `.md` each, and one row in the table here.
//!
//! Rules of shape (missing, type, enum, pattern, …) come from the dialect files and need no code.

pub mod config;
pub mod dialect;
pub mod document;
pub mod envelope;
pub mod exchange;
pub mod flow;
pub mod manifest;
pub mod package;
pub mod pipeline;

pub use crate::rule::{Check, Rule};

/// Every rule, in the order in which `baton explain` lists them.
pub static RULES: &[&[&Rule]] = &[
    document::RULES,
    config::RULES,
    dialect::RULES,
    flow::RULES,
    manifest::RULES,
    envelope::RULES,
    exchange::RULES,
    package::RULES,
    pipeline::RULES,
];

/// All rules, one by one.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    RULES.iter().flat_map(|group| group.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_finding_below_the_rules_has_the_id_of_a_rule() {
        let ids = crate::tree::findings::IDS.into_iter();
        let ids = ids.chain(crate::dialect::findings::IDS).chain(crate::flow::findings::IDS);
        for id in ids.chain([crate::rule::TOO_MANY]) {
            assert!(all().any(|rule| rule.id == id), "{id}");
        }
    }
}
