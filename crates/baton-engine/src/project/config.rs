//! `baton.toml`: what a project sets.
//!
//! What cannot be used is left at its usual value; that it cannot is a finding, which the document crate makes
//! from the same text.

use std::path::Path;

use crate::project::people::Person;
use baton_document::dialect::{Keys, Place, Settings};
use baton_document::tree::{Block, Kind, NodeId, Spare, Syntax, Tree, parse};
use baton_document::{Level, LevelSet, Levels, Limits};
use globset::{GlobBuilder, GlobMatcher};

use crate::project::read::{self as bounded, Content};

/// The settings of a project.
#[derive(Debug, Default)]
pub struct Config {
    /// Paths that are passed over when walking.
    pub exclude: Vec<GlobMatcher>,
    /// Files whose prose is searched when walking.
    pub prose: Vec<GlobMatcher>,
    /// Whether warnings block.
    pub is_strict: bool,
    /// The levels of rules.
    pub levels: Levels,
    /// Whether it says anything of them.
    pub has_levels: bool,
    /// The dialects of the files at some paths.
    dialects: Vec<(Vec<GlobMatcher>, String)>,
    /// Where the dialect files of the project lie; nothing where they lie in `dialects/`.
    pub dialect_files: Option<Vec<String>>,
    /// The bounds of reading.
    pub limits: Limits,
    /// What places refer to.
    pub settings: Settings,
    /// The fingerprints of what is no secret.
    pub allowed: Vec<String>,
    /// The people whose answers count at gates.
    pub people: Vec<Person>,
}

impl Config {
    /// The dialect that the files at a path are said to have; the last that says so wins.
    pub fn dialect_of(&self, path: &str) -> Option<&str> {
        let mut rows = self.dialects.iter().rev();
        rows.find(|(globs, _)| is_match(globs, path)).map(|(_, dialect)| dialect.as_str())
    }
}

/// Whether one of some globs matches a path.
pub fn is_match(globs: &[GlobMatcher], path: &str) -> bool {
    globs.iter().any(|glob| glob.is_match(path))
}

/// Whether a glob matches a path or a folder that it lies in.
pub fn is_match_or_below(globs: &[GlobMatcher], path: &str) -> bool {
    let folders = path.match_indices('/').map(|(at, _)| &path[..at]);
    folders.chain([path]).any(|path| is_match(globs, path))
}

/// Reads the settings from a file; one that cannot be read sets nothing, and is reported when it is checked.
pub fn open(path: &Path) -> Config {
    let root = path.parent().unwrap_or(path);
    match bounded::below(root, path, Limits::default().own_bytes) {
        Ok(Content::Bytes(bytes)) => std::str::from_utf8(&bytes).map(read).unwrap_or_default(),
        Ok(Content::TooLarge(_)) | Err(_) => Config::default(),
    }
}

/// Reads the settings from the text of a configuration.
pub fn read(text: &str) -> Config {
    let block = Block { text: text.trim_start_matches('\u{feff}'), base: 0, syntax: Syntax::Toml };
    let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut Vec::new());
    let Some(root) = tree.roots().next() else { return Config::default() };
    let reader = Reader { tree: &tree };
    let check = reader.below(root, "check");
    Config {
        exclude: reader.globs(check, "exclude"),
        prose: reader.globs(check, "prose"),
        is_strict: reader.below_any(check, "strict").is_some_and(|node| tree.kind(node) == Kind::True),
        levels: reader.levels(root),
        has_levels: reader.below(root, "rules").is_some() || reader.below(root, "paths").is_some(),
        dialects: reader.dialects(root),
        dialect_files: reader
            .below(root, "dialects")
            .map(|_| reader.words(Some(root), "dialects").map(str::to_owned).collect()),
        limits: reader.limits(root),
        settings: reader.settings(root),
        allowed: reader.words(reader.below(root, "secrets"), "allow").map(str::to_owned).collect(),
        people: reader.people(root),
    }
}

struct Reader<'r> {
    tree: &'r Tree<'r>,
}

impl<'r> Reader<'r> {
    fn below(&self, node: NodeId, key: &str) -> Option<NodeId> {
        self.tree.find(node, key)
    }

    fn below_any(&self, node: Option<NodeId>, key: &str) -> Option<NodeId> {
        self.tree.find(node?, key)
    }

    fn word(&self, node: Option<NodeId>, key: &str) -> Option<&'r str> {
        let value = self.below_any(node, key)?;
        (self.tree.kind(value) == Kind::Text).then(|| self.tree.text(value))
    }

    fn words(&self, node: Option<NodeId>, key: &str) -> impl Iterator<Item = &'r str> {
        let tree = self.tree;
        let list = self.below_any(node, key);
        let items = list.into_iter().flat_map(|list| tree.items(list));
        items.filter(|item| tree.kind(*item) == Kind::Text).map(|item| tree.text(item))
    }

    fn people(&self, root: NodeId) -> Vec<Person> {
        let tree = self.tree;
        let people = self.below(root, "people").into_iter().flat_map(|people| tree.entries(people));
        let person = |(name, listed): (NodeId, NodeId)| {
            let is_key = tree.kind(listed) == Kind::Text;
            let key = if is_key { tree.text(listed) } else { self.word(Some(listed), "key")? };
            let salt = if is_key { None } else { self.word(Some(listed), "salt") };
            let name = tree.text(name).to_owned();
            Some(Person { name, key: key.to_owned(), salt: salt.map(str::to_owned) })
        };
        people.filter_map(person).collect()
    }

    fn globs(&self, node: Option<NodeId>, key: &str) -> Vec<GlobMatcher> {
        self.words(node, key).filter_map(glob).collect()
    }

    fn path_tables(&self, root: NodeId) -> impl Iterator<Item = NodeId> + '_ {
        self.below(root, "paths").into_iter().flat_map(|paths| self.tree.items(paths))
    }

    fn levels(&self, root: NodeId) -> Levels {
        let general = LevelSet { paths: Vec::new(), rules: self.rules(root) };
        let some = self
            .path_tables(root)
            .map(|table| LevelSet { paths: self.globs(Some(table), "paths"), rules: self.rules(table) });
        // A set without paths would be for all of them.
        let some = some.filter(|set| !set.paths.is_empty());
        let sets = std::iter::once(general).chain(some).filter(|set| !set.rules.is_empty());
        Levels::new(sets.collect())
    }

    fn rules(&self, table: NodeId) -> Vec<(String, Option<Level>)> {
        let rules = self.below(table, "rules");
        let entries = rules.into_iter().flat_map(|rules| self.tree.entries(rules));
        let level = |(key, value): (NodeId, NodeId)| {
            let word = self.tree.text(value).to_lowercase();
            let level = if word == "off" { None } else { Some(Level::from_word(&word)?) };
            Some((self.tree.text(key).to_owned(), level))
        };
        entries.filter_map(level).collect()
    }

    fn dialects(&self, root: NodeId) -> Vec<(Vec<GlobMatcher>, String)> {
        let row = |table| {
            let dialect = self.word(Some(table), "dialect")?;
            Some((self.globs(Some(table), "paths"), dialect.to_owned()))
        };
        self.path_tables(root).filter_map(row).collect()
    }

    fn limits(&self, root: NodeId) -> Limits {
        let usual = Limits::default();
        let table = self.below(root, "limits");
        let number = |key: &str| {
            let value = self.below_any(table, key)?;
            let is_integer = self.tree.kind(value) == Kind::Integer;
            let number = self.tree.text(value).parse::<u32>().ok();
            number.filter(|number| is_integer && *number > 0)
        };
        Limits {
            file_bytes: number("file-bytes").map_or(usual.file_bytes, u64::from),
            depth: number("depth").map_or(usual.depth, |depth| depth as usize),
            scalar_bytes: number("scalar-bytes").map_or(usual.scalar_bytes, |bytes| bytes as usize),
            ..usual
        }
    }

    fn settings(&self, root: NodeId) -> Settings {
        let mut settings = Settings::default();
        let base = self.word(self.below(root, "settings"), "run-base");
        let is_usable = |base: &&str| Place::new(base, &Settings::default()).is_ok();
        if let Some(base) = base.filter(is_usable) {
            let value = base.trim_end_matches('/').to_owned();
            settings.values.retain(|(name, _)| name != RUN_BASE);
            settings.values.push((RUN_BASE.to_owned(), value));
        }
        settings
    }
}

impl Config {
    /// Where the envelopes of a run lie, with `{run}` for its name.
    pub fn run_base(&self) -> &str {
        let values = self.settings.values.iter();
        values.rev().find(|(name, _)| name == RUN_BASE).map_or(".runs/{run}", |(_, base)| base)
    }
}

const RUN_BASE: &str = "RUN_BASE";

/// A glob in which `*` stays within one folder.
/// A glob is matched from the root, whether or not it says so.
pub fn glob(text: &str) -> Option<GlobMatcher> {
    let text = text.trim_start_matches("./").trim_start_matches('/').trim_end_matches('/');
    GlobBuilder::new(text).literal_separator(true).build().ok().map(|glob| glob.compile_matcher())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_is_excluded_with_all_that_lies_in_it_however_it_is_written() {
        for written in ["meta", "meta/", "/meta", "./meta/**", "m*"] {
            let config = read(&format!("[check]\nexclude = [\"{written}\"]\n"));
            assert!(is_match_or_below(&config.exclude, "meta/deep/handoff.yaml"), "{written}");
            assert!(!is_match_or_below(&config.exclude, "other/meta.yaml"), "{written}");
        }
    }

    #[test]
    fn what_cannot_be_used_is_left_at_its_usual_value() {
        let config = read(
            "[limits]\ndepth = 0\nfile-bytes = 1000\n[settings]\nrun-base = \"{run\"\n[rules]\na = \"loud\"\n",
        );
        assert_eq!(config.limits.depth, Limits::default().depth);
        assert_eq!(config.limits.file_bytes, 1000);
        assert_eq!(config.settings.values, Settings::default().values);
        assert_eq!(config.levels.level("a", Some(Level::Error)), Some(Level::Error));
    }

    #[test]
    fn what_is_allowed_is_a_list_of_fingerprints() {
        let config = read("[secrets]\nallow = [\"password:0123456789abcdef\", 7]\n");
        assert_eq!(config.allowed, ["password:0123456789abcdef"]);
    }

    #[test]
    fn a_person_has_a_key_and_perhaps_a_salt() {
        let config = read(
            "[people]\nada = \"ed25519:1\"\neve = { key = \"ed25519:2\", salt = \"s\" }\nbad = 7\n[people.bot]\nkey = \"ed25519:3\"\n",
        );
        let person = |name: &str, key: &str, salt: Option<&str>| Person {
            name: name.to_owned(),
            key: key.to_owned(),
            salt: salt.map(str::to_owned),
        };
        let people = [
            person("ada", "ed25519:1", None),
            person("eve", "ed25519:2", Some("s")),
            person("bot", "ed25519:3", None),
        ];
        assert_eq!(config.people, people);
    }

    #[test]
    fn levels_and_dialects_are_for_the_paths_they_name() {
        // proves A-04
        let config = read(
            "[rules]\n\"a/b\" = \"off\"\n[[paths]]\npaths = [\"old/**\"]\nrules = { a = \"Info\" }\ndialect = \"package\"\n",
        );
        assert_eq!(config.levels.for_path("new/x").level("a/b", Some(Level::Error)), None);
        assert_eq!(config.levels.for_path("old/x").level("a/c", Some(Level::Error)), Some(Level::Info));
        assert_eq!(config.dialect_of("old/deep/x.yaml"), Some("package"));
        assert_eq!(config.dialect_of("new/x.yaml"), None);
    }
}
