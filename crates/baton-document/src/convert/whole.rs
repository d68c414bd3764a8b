//! A handoff that came home: completed as any other, and held to its dialect.
//!
//! Invariant: what has no gaps has no error in its shape. What was kept on the way may have been changed, or be wrong since
//! ever, so that the text is checked, and what is found is asked for.

use super::facts::{Facts, gather};
use super::fill::{FillDefaults, fill, in_order};
use super::put::Put;
use super::report::{Carried, Gap, gap};
use super::reread::usual_file;
use super::text::text_of;
use super::{Conversion, Converter, Document, SetError, conversion_report, set};
use crate::arena_value::ArenaValue;
use crate::carrier::Look;
use crate::check::{Input, Scratch};
use crate::dialect::describe;
use crate::dialect::{Dialect, DialectKind, Field};
use crate::finding::Level;
use crate::world::NoWorld;

impl<'v> Converter<'_, 'v> {
    /// The conversion of a handoff that is of the dialect again; `way` is what became of its fields so far.
    pub(super) fn came_home(
        &mut self,
        document: &Document<'v>,
        way: Vec<Carried>,
        from: (String, String),
    ) -> Result<Conversion, SetError> {
        let dialect = &self.checker.dialects().handoffs[document.dialect];
        let kind = &dialect.kinds[document.kind];
        let mut value = document.value;
        let mut puts = Vec::new();
        for (path, wanted) in set::values(dialect, kind, self.order.set, self.maker)? {
            let Some(put) = Put::of(value, path, wanted, self.fills_only) else { continue };
            value = value.with(path, wanted, self.maker);
            puts.push(put);
        }
        let lacking = self.lacking(dialect, kind, value);
        let (mut made_up, mut gaps) = (Vec::new(), Vec::new());
        for (field, made) in &lacking {
            match made {
                Some(made) => {
                    value = value.with(&field.path, *made, self.maker);
                    made_up.push(*field);
                }
                None => gaps.push(gap(field, &dialect.shapes)),
            }
        }
        if !(puts.is_empty() && made_up.is_empty()) {
            value = in_order(&kind.map, value, self.maker);
        }
        let text = text_of(dialect, kind, value, self.maker);
        let is_told_by_file = kind.when.needs_file();
        if gaps.is_empty() && !is_told_by_file {
            gaps = self.faults(dialect, kind, &text);
        }
        let fields = match self.order.wants_report {
            true => conversion_report::ended(way, value, &puts, &made_up),
            false => Vec::new(),
        };
        let to = (dialect.name.to_string(), kind.name.to_string());
        let given = puts.into_iter().map(|put| put.path).collect();
        Ok(Conversion { from, to, start: 0, syntax: dialect.usual_syntax(), text, fields, given, gaps })
    }

    /// The fields that must be in a document and are not, each with what can be said there.
    fn lacking(
        &mut self,
        dialect: &'v Dialect,
        kind: &'v DialectKind,
        value: ArenaValue<'v>,
    ) -> Vec<(&'v Field, Option<ArenaValue<'v>>)> {
        let set = value.entries();
        let given = FillDefaults { set, now: self.order.now, makes_up: true, key: dialect.entry_key() };
        let bare = fill(kind, &Facts::new(Vec::new()), given, self.maker);
        if bare.made_up.is_empty() && bare.missing.is_empty() {
            return Vec::new();
        }
        let said = gather(kind, value, self.maker.pool);
        let filled = fill(kind, &said, given, self.maker);
        let lacking = bare.made_up.iter().chain(&bare.missing);
        lacking.map(|field| (*field, filled.document.at(&field.path))).collect()
    }

    /// Fields of a text that break its shape, as gaps to be filled.
    fn faults(&self, dialect: &Dialect, kind: &DialectKind, text: &str) -> Vec<Gap> {
        let input = Input {
            path: Some(usual_file(dialect)),
            bytes: text.as_bytes(),
            dialect: Some(&dialect.name),
            look: Look::Whole,
            is_named: true,
        };
        let checked = self.checker.check(input, &NoWorld, &mut Scratch::default());
        let mut gaps: Vec<Gap> = Vec::new();
        for finding in checked.findings.iter().filter(|finding| finding.level == Level::Error) {
            // Only the rules of fields have three parts.
            let mut parts = finding.rule.splitn(3, '/').skip(2);
            let Some((path, _)) = parts.next().and_then(|rule| rule.rsplit_once('-')) else { continue };
            let Some(field) = settable(kind, path) else { continue };
            if !gaps.iter().any(|gap| *gap.path == *field.path) {
                let expected = describe(field, &dialect.shapes);
                gaps.push(Gap { path: field.path.to_string(), expected, is_wrong: true });
            }
        }
        gaps
    }
}

/// The field at a dotted path, or the nearest around it that can be given a value.
fn settable<'d>(kind: &'d DialectKind, path: &str) -> Option<&'d Field> {
    let ends = path.bytes().enumerate().filter(|(_, byte)| matches!(byte, b'.' | b'[')).map(|(at, _)| at);
    let ends: Vec<usize> = ends.collect();
    let around = ends.into_iter().rev().map(|at| &path[..at]);
    std::iter::once(path).chain(around).find_map(|path| set::find(kind, path))
}
