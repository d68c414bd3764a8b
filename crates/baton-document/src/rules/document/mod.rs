//! Rules of every dialect: reading, drift from the documents, unknown keys.

pub(crate) mod alias_bomb;
pub(crate) mod boolean_word;
pub(crate) mod duplicate_key;
pub(crate) mod element_order;
pub(crate) mod empty;
pub(crate) mod enum_case;
pub(crate) mod enum_synonym;
pub(crate) mod hidden_unicode;
pub(crate) mod instruction;
pub(crate) mod json_syntax;
pub(crate) mod key_alias;
pub(crate) mod misplaced;
pub(crate) mod not_a_handoff;
pub(crate) mod not_text;
pub(crate) mod root_missing;
pub(crate) mod secret;
pub(crate) mod shorthand;
pub(crate) mod template;
pub(crate) mod timestamp_form;
pub(crate) mod toml_syntax;
pub(crate) mod too_deep;
pub(crate) mod too_large;
pub(crate) mod too_many;
pub(crate) mod unknown_dialect;
pub(crate) mod unknown_key;
pub(crate) mod xml_doctype;
pub(crate) mod xml_syntax;
pub(crate) mod yaml_syntax;

use crate::rule::Rule;

/// The rules of this group.
pub static RULES: &[&Rule] = &[
    &alias_bomb::RULE,
    &boolean_word::RULE,
    &duplicate_key::RULE,
    &element_order::RULE,
    &empty::RULE,
    &enum_case::RULE,
    &enum_synonym::RULE,
    &hidden_unicode::RULE,
    &instruction::RULE,
    &json_syntax::RULE,
    &key_alias::RULE,
    &misplaced::RULE,
    &not_a_handoff::RULE,
    &not_text::RULE,
    &root_missing::RULE,
    &secret::RULE,
    &shorthand::RULE,
    &template::RULE,
    &timestamp_form::RULE,
    &toml_syntax::RULE,
    &too_deep::RULE,
    &too_large::RULE,
    &too_many::RULE,
    &unknown_dialect::RULE,
    &unknown_key::RULE,
    &xml_doctype::RULE,
    &xml_syntax::RULE,
    &yaml_syntax::RULE,
];
