//! Applies fixes: chooses them, makes their edits, checks again, and goes on until nothing changes.
//!
//! Invariant: every byte that no edit names stays as it is. Invariant: a text that was fixed is a text in which nothing
//! is left to fix. Invariant: a fix that brings an error which was not there before is not made.
//! Cannot: write a file.

use std::collections::{BTreeMap, BTreeSet};

use crate::check::{Checker, Input, Scratch};
use crate::finding::{Edit, Finding, Level};
use crate::rule::Levels;
use crate::rules::document;
use crate::span::Span;
use crate::world::World;

/// The rule whose fixes take secrets out; they are never made unless asked for.
const SECRET_RULE: &str = document::secret::RULE.id;

/// The rules that say that a text could not be read; no fix may bring one of them in.
const SYNTAX_RULES: [&str; 3] = ["document/json-syntax", "document/xml-syntax", "document/yaml-syntax"];

/// Number of times a text is fixed again: one fix may uncover another, and elements move one at a time.
const ROUNDS_MAX: usize = 64;

/// The findings of one file whose fixes are looked at: more than are shown, so that one round sees them all.
const FINDINGS_MAX: usize = 20_000;

/// The bytes that are checked in all while one file is fixed; a check counts as some even where the file is small, and
/// each finding as some, since what it costs to make is not in the file.
const CHECKED_BYTES_MAX: usize = 256 * 1024 * 1024;
const CHECK_BYTES_MIN: usize = 256 * 1024;
const FINDING_BYTES: usize = 2 * 1024;

/// Which fixes are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// Those that keep the meaning.
    pub safe: bool,
    /// Those that take secrets out.
    pub secrets: bool,
}

/// A text in which something was fixed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixed {
    /// The text as it should be.
    pub text: String,
    /// Number of findings that were fixed.
    pub count: usize,
}

/// A text has more to fix than is tried in one go, and stays as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unsettled;

impl Checker {
    /// Fixes a file as far as that can be done; nothing where there is nothing to fix.
    ///
    /// What is no handoff is not fixed, and so is `baton.toml`.
    pub fn fix(
        &self,
        input: Input<'_>,
        world: &dyn World,
        wanted: Wanted,
        scratch: &mut Scratch,
    ) -> Result<Option<Fixed>, Unsettled> {
        let Ok(original) = std::str::from_utf8(input.bytes) else { return Ok(None) };
        if input.bytes.len() as u64 > self.limits().file_bytes || self.is_own(input.path) {
            return Ok(None);
        }
        let levels = self.levels_for(input.path).into_owned().with_findings_max(FINDINGS_MAX);
        let mut tries = Tries { checker: self, input, world, levels, scratch, bytes_left: CHECKED_BYTES_MAX };
        let mut fixed = Fixed { text: original.to_owned(), count: 0 };
        let mut state = tries.check(original)?;
        let is_meant = input.dialect.is_some() || input.path.is_some_and(|path| self.is_placed(path));
        if state.handoffs.is_empty() && !is_meant {
            // It may be anything, and have its own reasons for what it looks like.
            return Ok(None);
        }
        for _ in 0..ROUNDS_MAX {
            let chosen = chosen(&fixed.text, &state.findings, wanted);
            let round = tries.round(&fixed.text, &state, &chosen)?;
            let Some((text, after, count)) = round else {
                return Ok((fixed.count > 0).then_some(fixed));
            };
            fixed = Fixed { text, count: fixed.count + count };
            state = after;
        }
        Err(Unsettled)
    }
}

/// Says of the secrets that a redaction left that they must be taken out by hand, since nothing that marks them can stand
/// in their place; gives how many there are.
pub fn left_by_redaction(findings: &mut [Finding]) -> usize {
    let mut count = 0;
    for finding in findings.iter_mut().filter(|finding| finding.rule == SECRET_RULE) {
        finding.fix = None;
        finding.help = Some("no mark can stand in its place: take it out by hand, and revoke it".to_owned());
        count += 1;
    }
    count
}

/// Properties of a text that a fix must not make worse.
struct State {
    findings: Vec<Finding>,
    /// Dialect and kind of each handoff.
    handoffs: Vec<(usize, usize)>,
}

impl State {
    /// Number of errors of each rule.
    fn errors(&self) -> BTreeMap<&str, usize> {
        let mut errors = BTreeMap::new();
        for finding in self.findings.iter().filter(|finding| finding.level == Level::Error) {
            *errors.entry(&*finding.rule).or_default() += 1;
        }
        errors
    }

    /// Tells whether another state has an error more than this one, or has lost or changed a handoff.
    ///
    /// A secret goes even where the field then lacks its form; only the text must still be one that can be read.
    fn is_spoilt_in(&self, after: &State, is_secret: bool) -> bool {
        let before = self.errors();
        let is_new = |(rule, count): (&str, usize)| {
            let counts = !is_secret || SYNTAX_RULES.contains(&rule);
            counts && count > before.get(rule).copied().unwrap_or_default()
        };
        let mut kinds = after.handoffs.iter();
        let is_kept = self.handoffs.iter().all(|kind| kinds.any(|other| other == kind));
        !is_kept || after.errors().into_iter().any(is_new)
    }
}

/// Tells whether some fixes leave an error that one of them should take away: made again and again, they would never end.
///
/// After too many faults reading stopped, and others come in the place of those that were fixed.
fn is_useless(group: &[Chosen<'_>], before: &State, after: &State) -> bool {
    let (before, after) = (before.errors(), after.errors());
    let mut expected: BTreeMap<&str, usize> = BTreeMap::new();
    for rule in group.iter().filter_map(|fix| fix.error) {
        *expected.entry(rule).or_default() += 1;
    }
    let count = |errors: &BTreeMap<&str, usize>, rule| errors.get(rule).copied().unwrap_or_default();
    let is_cut = before.contains_key(document::too_many::RULE.id);
    !is_cut && expected.into_iter().any(|(rule, gone)| count(&after, rule) + gone > count(&before, rule))
}

/// A fix that is tried.
struct Chosen<'f> {
    edits: &'f [Edit],
    is_secret: bool,
    /// The rule whose error it takes away; none where it mends something lighter.
    error: Option<&'f str>,
}

/// The fixes that can be made together: none overlaps another, the first in the text wins, and secrets come before all.
fn chosen<'f>(text: &str, findings: &'f [Finding], wanted: Wanted) -> Vec<Chosen<'f>> {
    let of = |finding: &'f Finding| {
        let fix = finding.fix.as_ref()?;
        let is_secret = finding.rule == SECRET_RULE;
        let is_wanted = if is_secret { wanted.secrets } else { wanted.safe && fix.safe };
        let error = (finding.level == Level::Error && !is_secret).then_some(&*finding.rule);
        let chosen = Chosen { edits: &fix.edits, is_secret, error };
        (is_wanted && does_something(text, &fix.edits)).then_some(chosen)
    };
    let mut candidates: Vec<Chosen<'f>> = findings.iter().filter_map(of).collect();
    candidates.sort_by_key(|fix| (!fix.is_secret, fix.edits.iter().map(|edit| edit.span).min()));
    let mut taken = BTreeSet::new();
    candidates.retain(|fix| {
        let mut spans: Vec<Span> = fix.edits.iter().map(|edit| edit.span).collect();
        spans.sort_unstable();
        let is_apart = spans.windows(2).all(|pair| !is_overlapping(pair[0], pair[1]));
        let is_free = is_apart && !spans.iter().any(|span| is_taken(&taken, *span));
        if is_free {
            taken.extend(spans);
        }
        is_free
    });
    candidates
}

/// Tells whether edits lie in a text and change it.
fn does_something(text: &str, edits: &[Edit]) -> bool {
    let stands = |edit: &Edit| text.get(edit.span.range());
    edits.iter().all(|edit| stands(edit).is_some())
        && edits.iter().any(|edit| stands(edit) != Some(edit.text.as_str()))
}

/// Tells whether two edits could not be made in either order: an insertion may not even touch another edit.
fn is_overlapping(a: Span, b: Span) -> bool {
    let is_insertion = a.start == a.end || b.start == b.end;
    if is_insertion { a.start <= b.end && b.start <= a.end } else { a.start < b.end && b.start < a.end }
}

fn is_taken(taken: &BTreeSet<Span>, span: Span) -> bool {
    let before = taken.range(..=Span::new(span.end, u32::MAX)).rev();
    // What is taken lies apart, so that only the nearest can reach here.
    before.take_while(|other| other.end >= span.start).any(|other| is_overlapping(*other, span))
}

/// A text with edits made that do not overlap.
fn spliced(text: &str, mut edits: Vec<&Edit>) -> String {
    edits.sort_by_key(|edit| edit.span);
    let mut made =
        String::with_capacity(text.len() + edits.iter().map(|edit| edit.text.len()).sum::<usize>());
    let mut at = 0;
    for edit in edits {
        made.push_str(&text[at..edit.span.start as usize]);
        made.push_str(&edit.text);
        at = edit.span.end as usize;
    }
    made.push_str(&text[at..]);
    made
}

/// Checks texts, within a budget.
struct Tries<'t, 's> {
    checker: &'t Checker,
    input: Input<'t>,
    world: &'t dyn World,
    levels: Levels,
    scratch: &'s mut Scratch,
    bytes_left: usize,
}

/// A text in which a round fixed something, what it is like, and how many fixes were made.
type Round = Option<(String, State, usize)>;

impl Tries<'_, '_> {
    /// Checks a text, unless the budget is spent.
    fn check(&mut self, text: &str) -> Result<State, Unsettled> {
        self.spend(text.len() + CHECK_BYTES_MIN)?;
        let input = Input { bytes: text.as_bytes(), ..self.input };
        let checked = self.checker.check_at(input, self.world, &self.levels, self.scratch);
        self.spend(checked.findings.len() * FINDING_BYTES)?;
        let handoffs = checked.handoffs.iter().map(|handoff| self.checker.kind_number(handoff)).collect();
        Ok(State { findings: checked.findings, handoffs })
    }

    fn spend(&mut self, bytes: usize) -> Result<(), Unsettled> {
        self.bytes_left = self.bytes_left.checked_sub(bytes).ok_or(Unsettled)?;
        Ok(())
    }

    /// Makes as many of some fixes as leave the text no worse; nothing within where none does.
    fn round(&mut self, text: &str, before: &State, fixes: &[Chosen<'_>]) -> Result<Round, Unsettled> {
        let mut made: Vec<&Chosen<'_>> = Vec::new();
        let mut reached: Option<(String, State)> = None;
        let mut groups = vec![fixes];
        while let Some(group) = groups.pop() {
            if group.is_empty() {
                continue;
            }
            let edits = made.iter().copied().chain(group).flat_map(|fix| fix.edits);
            let next = spliced(text, edits.collect());
            let after = self.check(&next)?;
            let so_far = reached.as_ref().map_or(before, |(_, state)| state);
            let is_spoilt = so_far.is_spoilt_in(&after, group.iter().all(|fix| fix.is_secret));
            if !is_spoilt && !is_useless(group, so_far, &after) {
                made.extend(group);
                reached = Some((next, after));
            } else if group.len() > 1 {
                // One of them spoils it: the halves are tried, the first one first.
                let (first, second) = group.split_at(group.len() / 2);
                groups.extend([second, first]);
            }
        }
        Ok(reached.map(|(text, state)| (text, state, made.len())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn finding(rule: &'static str, span: (u32, u32), text: &str, is_safe: bool) -> Finding {
        let finding = Finding::new(rule, "x").fix(Span::new(span.0, span.1), text);
        if is_safe { finding } else { finding.unsafe_fix() }
    }

    fn made(text: &str, findings: &[Finding], wanted: Wanted) -> String {
        spliced(text, chosen(text, findings, wanted).iter().flat_map(|fix| fix.edits).collect())
    }

    const SAFE: Wanted = Wanted { safe: true, secrets: false };
    const SECRETS: Wanted = Wanted { safe: false, secrets: true };

    #[test]
    fn secrets_are_taken_out_only_when_asked_for_and_then_alone() {
        let findings = [finding("a/b", (0, 1), "A", true), finding(SECRET_RULE, (2, 3), "x", false)];
        assert_eq!(made("a b", &findings, SAFE), "A b");
        assert_eq!(made("a b", &findings, SECRETS), "a x");
        assert_eq!(made("a b", &findings, Wanted { safe: true, secrets: true }), "A x");
        assert_eq!(made("a b", &findings, Wanted::default()), "a b");
    }

    #[test]
    fn of_fixes_that_overlap_the_first_is_made_and_a_secret_before_all() {
        let both = Wanted { safe: true, secrets: true };
        let findings = [finding("a/b", (0, 3), "A", true), finding("a/c", (2, 4), "C", true)];
        assert_eq!(made("abcd", &findings, SAFE), "Ad");
        let findings = [finding("a/b", (0, 3), "A", true), finding(SECRET_RULE, (2, 4), "x", false)];
        assert_eq!(made("abcd", &findings, both), "abx");
        // Neighbours do not overlap, but two texts at one place have no order.
        let findings = [finding("a/b", (0, 2), "A", true), finding("a/c", (2, 4), "C", true)];
        assert_eq!(made("abcd", &findings, SAFE), "AC");
        let findings = [finding("a/b", (2, 2), "A", true), finding("a/c", (2, 2), "C", true)];
        assert_eq!(made("abcd", &findings, SAFE), "abAcd");
    }

    #[test]
    fn a_fix_that_leaves_its_error_is_useless_unless_reading_was_cut() {
        let state = |rules: &[&'static str]| State {
            findings: rules.iter().map(|rule| Finding::new(*rule, "x")).collect(),
            handoffs: Vec::new(),
        };
        let findings = [finding("a/b", (0, 1), "A", true), finding("a/b", (1, 2), "B", true)];
        let group = chosen("ab", &findings, SAFE);
        assert!(!is_useless(&group, &state(&["a/b", "a/b"]), &state(&[])));
        assert!(is_useless(&group, &state(&["a/b", "a/b"]), &state(&["a/b"])));
        let cut = document::too_many::RULE.id;
        assert!(!is_useless(&group, &state(&["a/b", "a/b", cut]), &state(&["a/b", "a/b", cut])));
    }

    #[test]
    fn what_a_redaction_leaves_is_to_be_taken_out_by_hand() {
        // proves A-13
        let mut findings = [finding("a/b", (0, 1), "A", true), finding(SECRET_RULE, (2, 3), "x", false)];
        assert_eq!(left_by_redaction(&mut findings), 1);
        assert!(findings[0].fix.is_some() && findings[1].fix.is_none());
        assert!(findings[1].help.as_deref().is_some_and(|help| help.contains("by hand")));
    }

    #[test]
    fn a_fix_that_is_not_safe_or_changes_nothing_is_not_made() {
        let findings = [finding("a/b", (0, 1), "A", false), finding("a/c", (1, 2), "b", true)];
        assert!(chosen("ab", &findings, SAFE).is_empty());
        let outside = [finding("a/b", (1, 9), "A", true)];
        assert!(chosen("ab", &outside, SAFE).is_empty());
    }
}
