//! Secrets in base 64, of either alphabet, with padding and without: what stands there is decoded and looked through.
//!
//! Invariant: each byte is decoded at most four times for each level of nesting, and there are few levels.

use std::ops::Range;

use super::sight::{Sight, sights};
use super::value::decoded;
use crate::scan::{Effort, TextScan};

/// Number of times base 64 in base 64 is decoded.
pub(super) const DEPTH: usize = 3;
/// The shortest run that is decoded: the shortest token has 20 characters.
const RUN_MIN: usize = 24;
/// The shortest text in what was decoded that is looked at.
const TEXT_MIN: usize = 12;
/// The bytes of base 64 that cost as much as one that a pattern reads.
const CHEAP: usize = 8;
/// Bytes in which the prefix of a run may end that is no part of the base 64.
const PREFIX_MAX: usize = 64;

/// The secrets in the base 64 of some regions of a text, in order, but for what is seen as a whole already; and where looking
/// stopped before the end.
pub(super) fn sights_of(
    text: &str,
    regions: &[Range<usize>],
    source: &dyn Fn(&Range<usize>) -> Range<usize>,
    seen: &[Sight],
    depth: usize,
    effort: &mut Effort,
) -> (Vec<Sight>, Option<usize>) {
    let mut found: Vec<Sight> = Vec::new();
    for run in regions.iter().flat_map(|region| runs(text.as_bytes(), region.clone())) {
        // Text in base 64 has letters of both cases; a path or a digest has not.
        let has = |is: fn(&u8) -> bool| text.as_bytes()[run.clone()].iter().any(is);
        if !has(u8::is_ascii_uppercase) || !has(u8::is_ascii_lowercase) {
            continue;
        }
        let place = source(&run);
        if effort.is_spent() {
            return (found, Some(place.start));
        }
        // What is known already as a whole is not decoded.
        let next = seen.partition_point(|other| other.range.end <= place.start);
        if seen
            .get(next)
            .is_some_and(|other| other.range.start <= place.start && place.end <= other.range.end)
        {
            continue;
        }
        let inner = starts(&text[run.clone()]).find_map(|start| {
            effort.spend(run.len() / CHEAP + 1);
            let shown = shown(&decoded(&text[run.start + start..run.end]))?;
            let look = TextScan::at(&shown);
            if look.has_no_secret() {
                return None;
            }
            let first = sights(&look, depth - 1, effort).all.into_iter().next();
            first.map(|sight| (start, sight))
        });
        if let Some((start, sight)) = inner {
            effort.found_secret();
            let padding = text.as_bytes()[run.end..].iter().take(2).take_while(|byte| **byte == b'=').count();
            let range = source(&(run.start + start..run.end + padding));
            found.push(Sight { range, ..sight });
        }
    }
    (found, None)
}

/// The letters of base 64 in both alphabets.
static BASE_64: [bool; 256] = {
    let mut table = [false; 256];
    let mut at = 0_u8;
    while at < 128 {
        table[at as usize] = at.is_ascii_alphanumeric() || matches!(at, b'+' | b'/' | b'-' | b'_');
        at += 1;
    }
    table
};

/// The runs of base 64 in a region.
fn runs(text: &[u8], region: Range<usize>) -> impl Iterator<Item = Range<usize>> {
    let is_part = |byte: &u8| BASE_64[usize::from(*byte)];
    let mut at = region.start;
    std::iter::from_fn(move || {
        while at < region.end {
            let start = at + text[at..region.end].iter().position(is_part)?;
            let end = start + text[start..region.end].iter().take_while(|byte| is_part(byte)).count();
            at = end;
            if end - start >= RUN_MIN {
                return Some(start..end);
            }
        }
        None
    })
}

/// Places in a run at which base 64 may start: at its start, or behind a sign that a name or a path ends with; one place for each
/// of the four ways in which the letters may belong together.
fn starts(run: &str) -> impl Iterator<Item = usize> {
    let signs = run.bytes().take(PREFIX_MAX).enumerate();
    let signs = signs.filter(|(_, byte)| !byte.is_ascii_alphanumeric()).map(|(at, _)| at + 1);
    let mut tried = [false; 4];
    std::iter::once(0).chain(signs).filter(move |at| !std::mem::replace(&mut tried[at % 4], true))
}

/// Decoded bytes as text: their stretches of visible characters, those of UTF-16 too.
fn shown(bytes: &[u8]) -> Option<String> {
    if let Ok(text) = std::str::from_utf8(bytes)
        && !text.bytes().any(|byte| byte == 0)
    {
        return (text.len() >= TEXT_MIN).then(|| text.to_owned());
    }
    let is_shown = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\r' | b'\t');
    let is_wide = bytes.iter().skip(1).step_by(2).take(TEXT_MIN).all(|byte| *byte == 0);
    let narrow: Vec<u8> = bytes.iter().copied().filter(|byte| !is_wide || *byte != 0).collect();
    let stretches = narrow.split(|byte| !is_shown(byte)).filter(|stretch| stretch.len() >= TEXT_MIN);
    let lines: Vec<_> = stretches.map(String::from_utf8_lossy).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
