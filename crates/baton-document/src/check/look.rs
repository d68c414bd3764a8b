//! The look at the text of handoffs as a whole: for secrets, hidden characters and text that instructs the receiver.

use std::ops::Range;

use super::run::Run;
use crate::carrier::{Origin, Piece};
use crate::finding::Finding;
use crate::rules::{self, document};
use crate::scan::TextScan;
use crate::secrets;
use crate::span::{Span, offset};
use crate::tree::{Syntax, Tree};

impl Run<'_, '_> {
    /// Tells whether any rule wants to see the text: the look costs something.
    pub(super) fn is_text_looked_at(&self) -> bool {
        let rules = [&document::secret::RULE, &document::instruction::RULE, &document::hidden_unicode::RULE];
        rules.into_iter().any(|rule| self.levels.level(rule.id, rule.level).is_some())
    }

    /// Looks at the text around the handoffs where all of the file is handed over.
    pub(super) fn text_around(&mut self, text: &str) {
        if !self.is_all_handoff || !self.is_text_looked_at() {
            return;
        }
        let ends = self.looked.iter().map(|span| span.start).chain([offset(text.len())]);
        let starts = [0].into_iter().chain(self.looked.iter().map(|span| span.end));
        let gaps: Vec<Span> = starts.zip(ends).map(|(start, end)| Span::new(start, end)).collect();
        for gap in gaps {
            let around = text[gap.range()].strip_prefix(crate::span::BOM).unwrap_or(&text[gap.range()]);
            if !around.trim().is_empty() {
                let base = gap.end - offset(around.len());
                let piece = Piece { text: around.into(), base, syntax: Syntax::Yaml, origin: Origin::Prose };
                self.text_of(&TextScan::at(around), &piece, None, 0);
            }
        }
    }

    /// Looks at the text of a piece for what no handoff should carry; its handoffs are those from `first` on.
    ///
    /// Without a tree it is prose, in which a redaction needs no quotes.
    pub(super) fn text_of(
        &mut self,
        look: &TextScan<'_>,
        piece: &Piece<'_>,
        tree: Option<&Tree<'_>>,
        first: usize,
    ) {
        self.controls(piece, tree, first);
        if look.is_clean() {
            return;
        }
        let place = |range: &Range<usize>| {
            let source = look.view.source(range);
            Span::new(offset(source.start), offset(source.end)).shifted(piece.base)
        };
        let found = secrets::found(look, tree, piece.base, &mut self.effort);
        let tree = tree.filter(|_| !found.all.is_empty());
        let places = tree.map(|tree| secrets::Places::of(tree, &piece.text, piece.base)).unwrap_or_default();
        for secret in &found.all {
            if !self.checker.is_allowed(secret) {
                let redaction = secrets::redaction(secret, &places, &piece.text, piece.base);
                self.report(document::secret::finding(secret, redaction), &document::secret::RULE, first);
            }
            if self.is_full_for(&document::secret::RULE) {
                break;
            }
        }
        self.known.secrets.extend(found.keyed);
        if let Some(stopped) = found.stopped {
            let first_stop = self.known.stopped.map_or(stopped, |other| other.min(stopped));
            self.known.stopped = Some(first_stop);
            let finding = document::too_many::secrets(Span::at(stopped));
            self.report(finding, &document::secret::RULE, first);
        }
        let (told, stopped) = document::instruction::find(look, piece.syntax, &mut self.effort);
        for told in told {
            let text = &look.view.text[told.range.clone()];
            let finding = document::instruction::finding(&told, place(&told.range), text);
            self.report(finding, &document::instruction::RULE, first);
        }
        if let Some(stopped) = stopped {
            let finding = document::too_many::instructions(place(&(stopped..stopped)));
            self.report(finding, &document::instruction::RULE, first);
        }
        if look.is_international() {
            self.international(look, first, &place);
        }
    }

    /// Looks for invisible characters, and for letters that are not what they look like.
    #[cold]
    fn international(&mut self, look: &TextScan<'_>, first: usize, place: &dyn Fn(&Range<usize>) -> Span) {
        let text = &*look.view.text;
        let most = self.levels.findings_max();
        let hidden = document::hidden_unicode::find(text, most)
            .into_iter()
            .map(|range| document::hidden_unicode::finding(&text[range.clone()], place(&range)));
        let alike = Some(text).filter(|_| look.may_look_alike());
        let mixed = alike
            .into_iter()
            .flat_map(|text| document::hidden_unicode::mixed(text, most))
            .map(|range| document::hidden_unicode::mixed_finding(&text[range.clone()], place(&range)));
        for finding in hidden.chain(mixed) {
            self.report(finding, &document::hidden_unicode::RULE, first);
            if self.is_full_for(&document::hidden_unicode::RULE) {
                break;
            }
        }
    }

    /// Looks for characters that control whatever shows the text. Where they stand as they are, each notation refuses
    /// them; they come escaped, or in prose.
    fn controls(&mut self, piece: &Piece<'_>, tree: Option<&Tree<'_>>, first: usize) {
        let text = &*piece.text;
        let most = self.levels.findings_max();
        let all = match (tree, piece.syntax) {
            (None, _) => document::hidden_unicode::controls(text, most),
            (Some(tree), Syntax::Json) if !tree.is_without_escapes() => {
                document::hidden_unicode::escaped_controls(text, Syntax::Json, most)
            }
            (Some(tree), Syntax::Yaml) if memchr::memchr(b'\\', text.as_bytes()).is_some() => {
                // Only between double quotes is a backslash more than a backslash.
                let nodes = tree.roots().flat_map(|root| tree.subtree(root)).map(|(node, _)| tree.span(node));
                let own = nodes.filter(|span| span.start >= piece.base).map(|span| {
                    let at = (span.start - piece.base) as usize;
                    (at, text.get(at..(span.end - piece.base) as usize).unwrap_or_default())
                });
                let mut quoted: Vec<(usize, &str)> = own.filter(|(_, text)| text.starts_with('"')).collect();
                // Copies that aliases made stand where the first one does.
                quoted.sort_unstable();
                quoted.dedup();
                let found = quoted.into_iter().flat_map(|(at, text)| {
                    let found = document::hidden_unicode::escaped_controls(text, Syntax::Yaml, most);
                    found.into_iter().map(move |(range, said)| (at + range.start..at + range.end, said))
                });
                found.take(most).collect()
            }
            (Some(_), Syntax::Json | Syntax::Yaml | Syntax::Xml | Syntax::Toml) => Vec::new(),
        };
        for (range, said) in all {
            let span = Span::new(offset(range.start), offset(range.end)).shifted(piece.base);
            self.report(
                document::hidden_unicode::finding(&said, span),
                &document::hidden_unicode::RULE,
                first,
            );
            if self.is_full_for(&document::hidden_unicode::RULE) {
                break;
            }
        }
    }

    /// Tells whether another finding of a rule would only be counted.
    fn is_full_for(&self, rule: &rules::Rule) -> bool {
        self.levels.is_full_for(rule, &self.findings)
    }

    /// Reports a finding about the text of the handoffs from `first` on; it belongs to the one that it stands in.
    fn report(&mut self, mut finding: Finding, rule: &rules::Rule, first: usize) {
        let at = finding.span.map_or(0, |span| span.start);
        let after = self.handoffs[first..].partition_point(|handoff| handoff.span.start <= at);
        finding.handoff = (first < self.handoffs.len()).then(|| first + after.saturating_sub(1));
        self.levels.push(finding, rule.level, &mut self.findings);
    }
}
