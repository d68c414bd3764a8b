//! The levels that rules have after configuration.

use globset::GlobMatcher;

use super::Rule;
use crate::finding::{Finding, Level};

/// The rule about files with too many findings.
pub(crate) const TOO_MANY: &str = "document/too-many";

/// The findings of one file; a file with more has one mistake in many places, or means harm.
const FINDINGS_MAX: usize = 1_000;

/// Configured levels of rules, in general and for some paths.
#[derive(Clone, Debug)]
pub struct Levels {
    sets: Vec<LevelSet>,
    findings_max: usize,
}

impl Default for Levels {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

/// Levels for the files at some paths, or for all.
#[derive(Clone, Debug, Default)]
pub struct LevelSet {
    /// The paths it is for; all where there are none.
    pub paths: Vec<GlobMatcher>,
    /// Rule ids, or their beginnings up to a `/`, with their level; none is off.
    pub rules: Vec<(String, Option<Level>)>,
}

impl Levels {
    /// Makes levels from sets; later sets win.
    pub fn new(sets: Vec<LevelSet>) -> Self {
        Self { sets, findings_max: FINDINGS_MAX }
    }

    /// The levels for one file.
    #[must_use]
    pub fn for_path(&self, path: &str) -> Levels {
        let is_for =
            |set: &&LevelSet| set.paths.is_empty() || set.paths.iter().any(|glob| glob.is_match(path));
        Levels { sets: self.sets.iter().filter(is_for).cloned().collect(), ..*self }
    }

    /// The same levels, with another bound on the findings of a file.
    #[must_use]
    pub(crate) fn with_findings_max(mut self, findings_max: usize) -> Self {
        self.findings_max = findings_max;
        self
    }

    /// The most findings of a file.
    pub(crate) fn findings_max(&self) -> usize {
        self.findings_max
    }

    /// Tells whether no set is for certain paths only.
    pub fn is_same_everywhere(&self) -> bool {
        self.sets.iter().all(|set| set.paths.is_empty())
    }

    /// The level of a rule, given its own; none is off.
    ///
    /// The last set that names the rule counts, and in it the longest name.
    pub fn level(&self, rule: &str, own: Option<Level>) -> Option<Level> {
        let in_set = |set: &LevelSet| {
            let named = set.rules.iter().filter(|(name, _)| names(name, rule));
            named.max_by_key(|(name, _)| name.len()).map(|(_, level)| *level)
        };
        self.sets.iter().rev().find_map(in_set).unwrap_or(own)
    }

    /// Tells whether there are so many findings that another is only counted, whatever it weighs.
    pub(crate) fn is_full(&self, out: &[Finding]) -> bool {
        self.is_full_at(Level::Error, out)
    }

    /// Tells whether another finding of a rule would only be counted.
    pub(crate) fn is_full_for(&self, rule: &Rule, out: &[Finding]) -> bool {
        self.level(rule.id, rule.level).is_none_or(|level| self.is_full_at(level, out))
    }

    /// A finding as heavy as the lightest that is kept has no place to take.
    fn is_full_at(&self, level: Level, out: &[Finding]) -> bool {
        out.get(self.findings_max).is_some_and(|more| level <= more.level)
    }

    /// Adds a finding at its level, unless its rule is off; one too many takes the place of the last that is lighter.
    ///
    /// Invariant: no finding that is kept is lighter than one that is left out.
    pub(crate) fn push(&self, mut finding: Finding, own: Option<Level>, out: &mut Vec<Finding>) {
        let Some(level) = self.level(&finding.rule, own) else { return };
        finding.level = level;
        if out.len() < self.findings_max {
            return out.push(finding);
        }
        let left_out = if self.is_full_at(level, out) { level } else { self.put(finding, out) };
        match out.get_mut(self.findings_max) {
            Some(more) => more.level = more.level.max(left_out),
            None => {
                let mut more = too_many(self.findings_max);
                more.level = left_out;
                out.push(more);
            }
        }
    }

    /// Puts a finding in the place of the last of the lightest, if those are lighter; gives the level that is left out.
    #[cold]
    fn put(&self, finding: Finding, out: &mut [Finding]) -> Level {
        let level = finding.level;
        let kept = out.iter_mut().take(self.findings_max);
        let lighter = kept.rev().filter(|kept| kept.level < level && kept.rule != TOO_MANY);
        match lighter.min_by_key(|kept| kept.level) {
            Some(lightest) => std::mem::replace(lightest, finding).level,
            None => level,
        }
    }
}

/// Says that the rest is left out; it weighs as much as the heaviest of that.
fn too_many(findings_max: usize) -> Finding {
    Finding::new(TOO_MANY, format!("the file has more than {findings_max} findings; the rest is left out"))
        .expected("a file whose findings can be read")
        .help("mend the first ones and check again")
}

/// Tells whether a configured name means a rule: its id, a beginning up to a `/`, or its last part.
pub(crate) fn names(name: &str, rule: &str) -> bool {
    // Asked for each name and each rule in every check, and most names end with a letter.
    let beginning = match name.ends_with(['/', '*']) {
        true => name.trim_end_matches("/*").trim_end_matches('/'),
        false => name,
    };
    name == rule
        || name == "*"
        || rule.strip_prefix(beginning).is_some_and(|rest| rest.starts_with('/'))
        || rule.strip_suffix(name).is_some_and(|before| before.ends_with('/')) && !name.contains('/')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_for_some_paths_counts_more_than_one_for_all() {
        let general = vec![("manifest/from-equals-to".to_owned(), Some(Level::Error))];
        let special = vec![("manifest".to_owned(), None)];
        let sets = [general, special].map(|rules| LevelSet { paths: Vec::new(), rules });
        let levels = Levels::new(sets.into());
        assert_eq!(levels.level("manifest/from-equals-to", Some(Level::Error)), None);
    }

    #[test]
    fn what_is_left_out_weighs_as_much_as_its_heaviest() {
        let (levels, mut out) = (Levels::default(), Vec::new());
        for at in 0..FINDINGS_MAX + 10 {
            let level = match at {
                ..FINDINGS_MAX => Level::Error,
                _ if at == FINDINGS_MAX + 5 => Level::Warning,
                _ => Level::Info,
            };
            levels.push(Finding::new("a/b", "x"), Some(level), &mut out);
        }
        assert_eq!(out.len(), FINDINGS_MAX + 1);
        assert_eq!(out[FINDINGS_MAX].level, Level::Warning);
    }

    #[test]
    fn what_weighs_more_is_kept_whenever_it_comes() {
        // proves A-13
        let levels = Levels::default().with_findings_max(10);
        let push = |level: Level, message: &str, out: &mut Vec<Finding>| {
            levels.push(Finding::new("a/b", message.to_owned()), Some(level), out);
        };
        let mut out = Vec::new();
        (0..30).for_each(|at| push(Level::Info, &format!("info {at}"), &mut out));
        push(Level::Error, "error", &mut out);
        (0..3).for_each(|at| push(Level::Warning, &format!("warning {at}"), &mut out));
        let all: Vec<&str> = out.iter().map(|finding| &*finding.message).collect();
        assert_eq!(out.len(), 11);
        assert_eq!(all[..6], ["info 0", "info 1", "info 2", "info 3", "info 4", "info 5"]);
        assert_eq!(all[6..10], ["warning 2", "warning 1", "warning 0", "error"]);
        assert_eq!(out[10].level, Level::Info);
        (0..9).for_each(|_| push(Level::Warning, "w", &mut out));
        assert_eq!(out[10].level, Level::Warning);
        assert!(!levels.is_full(&out), "an error still has a place");
        (0..20).for_each(|_| push(Level::Error, "e", &mut out));
        assert!(levels.is_full(&out) && out.len() == 11);
        assert!(out.iter().all(|finding| finding.level == Level::Error));
    }

    #[test]
    fn the_longest_name_wins_and_off_is_a_level() {
        // proves A-04
        let rules =
            vec![("manifest".to_owned(), Some(Level::Info)), ("manifest/from-equals-to".to_owned(), None)];
        let levels = Levels::new(vec![LevelSet { paths: Vec::new(), rules }]);
        assert_eq!(levels.level("manifest/from-equals-to", Some(Level::Error)), None);
        assert_eq!(levels.level("manifest/participants", Some(Level::Warning)), Some(Level::Info));
        assert_eq!(levels.level("envelope/evidence", Some(Level::Warning)), Some(Level::Warning));
        let later = LevelSet { paths: Vec::new(), rules: vec![("manifest".to_owned(), None)] };
        let earlier =
            LevelSet { paths: Vec::new(), rules: vec![("manifest".to_owned(), Some(Level::Error))] };
        assert_eq!(Levels::new(vec![earlier, later]).level("manifest/a", Some(Level::Info)), None);
    }

    #[test]
    fn a_rule_is_named_by_its_id_its_beginning_or_its_last_part() {
        let rule = "envelope/envelope/status-enum";
        for name in [
            rule,
            "*",
            "envelope",
            "envelope/",
            "envelope/*",
            "envelope/envelope",
            "envelope/envelope/*",
            "status-enum",
        ] {
            assert!(names(name, rule), "{name}");
        }
        for name in ["", "/", "env", "envelope*", "enum", "envelope/status-enum", "status-enum/", "status"] {
            assert!(!names(name, rule), "{name}");
        }
    }
}
