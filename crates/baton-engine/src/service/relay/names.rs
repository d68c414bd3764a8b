//! Who is meant: names as people write them into ids of participants.

use baton_document::{Datum, World};

use super::side;

/// The longest id that is made of a name.
const ID_BYTES_MAX: usize = 64;

/// The ids of those who take part, as `meta/collaboration.yaml` lists them.
#[derive(Debug, Default)]
pub(crate) struct Participants(Vec<String>);

impl Participants {
    /// Reads them; none where the file is missing or cannot be read.
    pub(crate) fn read(world: &dyn World) -> Self {
        let file = side::read(world, "meta/collaboration.yaml");
        let list = file.as_ref().map_or(&[][..], |file| side::items(file, "participants"));
        let id = |item: &Datum<'_>| item.word_at("id").or(item.as_text()).map(|id| id.trim().to_owned());
        Self(list.iter().filter_map(id).filter(|id| !id.is_empty()).collect())
    }

    /// The id that a name means: that of a participant if it names one, else a slug of it; nothing if nothing is left.
    pub(crate) fn id(&self, name: &str) -> Option<String> {
        let name = name.trim().trim_matches(|c: char| "*_`\"'[]@".contains(c));
        let bare = name.split(['(', '<', '[', ',']).next().unwrap_or(name);
        let first = bare.split_whitespace().next().unwrap_or(bare);
        let forms = [slug(name), slug(bare), slug(first)];
        let exact = forms.iter().find_map(|form| self.0.iter().find(|id| slug(id) == *form));
        let begins =
            |id: &&String| forms[0].strip_prefix(&slug(id)).is_some_and(|rest| rest.starts_with('-'));
        let longest = || self.0.iter().filter(begins).max_by_key(|id| id.len());
        match exact.or_else(longest) {
            Some(id) => Some(id.clone()),
            None => Some(slug(bare)).filter(|id| !id.is_empty()),
        }
    }

    /// The id that was typed: as it is, unless it names a participant otherwise.
    pub(crate) fn typed(&self, name: &str) -> String {
        let known = self.id(name).filter(|id| self.0.contains(id));
        known.unwrap_or_else(|| name.to_owned())
    }
}

/// A name in small letters and digits, with a dash for each run of anything else.
pub(crate) fn slug(name: &str) -> String {
    let mut slug = String::new();
    for c in name.chars().flat_map(char::to_lowercase) {
        if c.is_alphanumeric() {
            slug.push(c);
        } else if !slug.ends_with('-') && !slug.is_empty() {
            slug.push('-');
        }
        if slug.len() >= ID_BYTES_MAX {
            break;
        }
    }
    slug.truncate(slug.trim_end_matches('-').len());
    slug
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_display_name_names_the_participant() {
        // proves M-13
        let of = |ids: &[&str]| Participants(ids.iter().map(|id| (*id).to_owned()).collect());
        let known = of(&["claude", "claude-code", "ops_bot"]);
        for (name, id) in [
            ("Claude (Anthropic Opus 4.6)", "claude"),
            ("claude-anthropic-opus-4-6", "claude"),
            ("**Claude**, for the team", "claude"),
            ("Claude Code (Opus)", "claude-code"),
            ("Claude Sonnet", "claude"),
            ("OPS bot", "ops_bot"),
            ("Claudette", "claudette"),
            ("Nora Q. Public", "nora-q-public"),
        ] {
            assert_eq!(known.id(name).as_deref(), Some(id), "{name}");
        }
        assert_eq!(of(&[]).id("Claude (Anthropic Opus 4.6)").as_deref(), Some("claude"));
        assert_eq!(of(&[]).id(" -- ()"), None);
        assert_eq!(known.typed("Claude (Opus)"), "claude");
        assert_eq!(known.typed("new_one"), "new_one", "what was typed is not changed");
        assert!(of(&[]).id(&"é".repeat(500)).is_some_and(|id| id.len() <= ID_BYTES_MAX + 4));
    }
}
