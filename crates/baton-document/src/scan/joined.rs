//! A second reading of a text, for secrets that are split: without invisible characters, with strings joined that a
//! program adds up, and with lines joined that were wrapped.
//!
//! Cannot: follow a program. What is joined stands side by side, with no more than an operator between.
//!
//! Invariant: a text without a split costs one pass over its line ends, and nothing is allocated for it.

use std::ops::Range;

use super::prefilter::Prefilter;

/// A text without what splits it.
#[derive(Debug)]
pub(crate) struct Joined {
    pub(crate) text: String,
    /// Removed parts, in order.
    cuts: Vec<Cut>,
    /// Ranges in which split secrets may be, in order.
    pub(crate) regions: Vec<Range<usize>>,
    /// Place where a secret may start or end although a letter stands beside it.
    pub(crate) edges: Vec<usize>,
}

/// A removed part.
#[derive(Clone, Copy, Debug)]
struct Cut {
    /// The place in the joined text.
    at: u32,
    /// The bytes that are taken out up to there, its own included.
    taken: u32,
    split: Split,
}

/// Separator that splits a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// Characters that are not shown.
    Invisible,
    /// The number of a letter in an address, but for one byte, in place of which the letter stands.
    Percent(u8),
    /// The end of one string and the start of the next, with an operator between.
    Sum,
    /// The same without an operator, or a line end: the two may have nothing to do with each other.
    Beside,
    /// The end of a line that is as long as wrapped ones are, with what looks like the rest of a token behind it.
    Wrapped,
}

/// The blanks that may stand between two strings that are added up.
const GAP_MAX: usize = 64;
/// The shortest letters and digits around a line end that may be a token.
const AROUND_MIN: usize = 12;
/// The longest of them that is looked at.
const AROUND_MAX: usize = 128;
/// The shortest line that is taken for one that was wrapped.
const WRAPPED_MIN: usize = 60;
/// Bytes around a possible secret in which a split is searched.
const NEAR: usize = 128;
/// Bytes before a secret in which its name may stand.
const NAME: usize = 64;
/// Bytes of a line in which its first sign is searched.
const LINE_MAX: usize = 512;
/// Bytes that are looked at before the next are.
const CHUNK: usize = 4096;
/// The longest sequence that sets the colour of a terminal.
const COLOUR_MAX: usize = 32;
/// Text between two strings that are added up, the longest first.
const OPERATORS: &[&str] = &["||", "<>", "++", "..", "+", ".", "&", "~"];
/// Marks at the start of lines of quotes, comments and tables.
const MARKS: &[u8] = b">|#*;/";

impl Split {
    /// Tells whether it stands inside of a word: what is on its sides belongs together.
    fn is_inside(self) -> bool {
        matches!(self, Self::Invisible | Self::Percent(_))
    }
}

impl Joined {
    /// Joins a text; nothing where no secret may be split in it.
    pub(super) fn of(text: &str, prefilter: &Prefilter) -> Option<Self> {
        let splits = if prefilter.is_split || may_be_split(text, prefilter.is_international) {
            splits(text, 0..text.len())
        } else if prefilter.secrets.is_empty() {
            return None;
        } else {
            let near = |range: &Range<usize>| {
                let start = text.floor_char_boundary(range.start.saturating_sub(NEAR));
                start..text.ceil_char_boundary((range.end + NEAR).min(text.len()))
            };
            let mut all: Vec<(Range<usize>, Split)> = Vec::new();
            for range in prefilter.secrets.iter().map(near) {
                let from = all.last().map_or(0, |(last, _)| last.end).max(range.start);
                if from < range.end {
                    all.extend(splits(text, from..range.end));
                }
            }
            all
        };
        if splits.is_empty() { None } else { Self::without(text, &splits) }
    }

    fn without(text: &str, splits: &[(Range<usize>, Split)]) -> Option<Self> {
        let mut joined = String::with_capacity(text.len());
        let mut cuts = Vec::with_capacity(splits.len());
        let (mut end, mut taken) = (0, 0);
        for (range, split) in splits {
            joined.push_str(&text[end..range.start]);
            end = range.end;
            taken += range.len();
            if let Split::Percent(letter) = split {
                joined.push(char::from(*letter));
                taken -= 1;
            }
            cuts.push(Cut {
                at: crate::span::offset(joined.len()),
                taken: crate::span::offset(taken),
                split: *split,
            });
        }
        joined.push_str(&text[end..]);
        let mut whole = Self { text: joined, cuts, regions: Vec::new(), edges: Vec::new() };
        // Elsewhere the text is as it was.
        let regions = Prefilter::of(&whole.text).secrets;
        whole.regions = regions.into_iter().filter(|range| !whole.within(range).is_empty()).collect();
        if whole.regions.is_empty() {
            return None;
        }
        let edges = whole.cuts.iter().filter(|cut| !cut.split.is_inside());
        whole.edges = edges.map(|cut| cut.at as usize).collect();
        Some(whole)
    }

    /// The cuts inside of a range.
    fn within(&self, range: &Range<usize>) -> &[Cut] {
        let from = self.cuts.partition_point(|cut| cut.at as usize <= range.start);
        let to = self.cuts.partition_point(|cut| (cut.at as usize) < range.end);
        self.cuts.get(from..to).unwrap_or_default()
    }

    /// Separators within a range of the joined text.
    pub(crate) fn splits(&self, range: &Range<usize>) -> impl Iterator<Item = Split> {
        self.within(range).iter().map(|cut| cut.split)
    }

    /// Tells whether something was taken out inside a range, or what is not shown before it, where a name may stand.
    pub(crate) fn is_cut_near(&self, range: &Range<usize>) -> bool {
        let near = range.start.saturating_sub(NAME)..range.start + 1;
        let is_hidden = |cut: &Cut| cut.split == Split::Invisible;
        !self.within(range).is_empty() || self.within(&near).iter().any(is_hidden)
    }

    /// Place of a part of the joined text in the other.
    pub(crate) fn source(&self, range: &Range<usize>) -> Range<usize> {
        let taken = |next: usize| next.checked_sub(1).map_or(0, |last| self.cuts[last].taken as usize);
        let before_start = self.cuts.partition_point(|cut| cut.at as usize <= range.start);
        let before_end = self.cuts.partition_point(|cut| (cut.at as usize) < range.end);
        let start = range.start + taken(before_start);
        start..(range.end + taken(before_end)).max(start)
    }
}

/// Tells whether there is a split that is worth a closer look, anywhere in a text but at its line ends.
fn may_be_split(text: &str, is_international: bool) -> bool {
    let bytes = text.as_bytes();
    let is_one = |at: usize| invisible(text, at).is_some();
    memchr::memchr_iter(b'+', bytes).any(|at| sum_around(bytes, at))
        || (has_controls(bytes) && (0..bytes.len()).any(|at| is_control(bytes[at]) && is_one(at)))
        || (is_international
            && LEADS.iter().any(|[a, b, c]| memchr::memchr3_iter(*a, *b, *c, bytes).any(is_one)))
}

/// Tells whether a text has controls but for those that line ends are looked for with; without an early end, many bytes are
/// looked at together.
fn has_controls(bytes: &[u8]) -> bool {
    let is_one = |byte: u8| (byte < b'\t') | (byte & 0xfc == 0x1c) | (byte == 0x7f);
    bytes.chunks(CHUNK).any(|chunk| chunk.iter().fold(false, |has, byte| has | is_one(*byte)))
}

/// Tells whether a byte is a control that is not shown, and neither a blank nor a line end.
const fn is_control(byte: u8) -> bool {
    byte < b' ' && byte != b'\t' && byte != b'\n' && byte != b'\r' || byte == 0x7f
}

/// Tells whether a line end is worth a closer look: it may split a token, or stand between two strings that are added up. So is
/// a control, as it starts what sets the colour of a terminal.
pub(super) fn is_split_at(bytes: &[u8], line_end: usize) -> bool {
    match bytes[line_end] {
        b'\n' => {}
        byte => return is_control(byte),
    }
    let end = match bytes[..line_end] {
        [.., b'\r'] => line_end - 1,
        _ => line_end,
    };
    let Some(last) = bytes[..end].last() else { return false };
    let is_sum = is_quote(*last) || matches!(last, b'+' | b'\\' | b'.' | b'&' | b'|' | b'~');
    if !is_sum && !is_part(*last) {
        return false;
    }
    let blanks = bytes[line_end + 1..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let next = line_end + 1 + blanks;
    match bytes.get(next..) {
        Some([b'-', b'-', b' ', ..]) => wrap(bytes, end).is_some(),
        Some([b'-', b' ' | b'-', ..]) => false,
        Some([first, ..]) if is_part(*first) || MARKS.contains(first) => {
            // A key of YAML stands at most line ends.
            let rest = &bytes[next..];
            let name_end = rest.iter().position(|byte| !byte.is_ascii_lowercase() && *byte != b'_');
            let is_key = name_end.is_some_and(|end| rest[end] == b':');
            !is_key && wrap(bytes, end).is_some() || is_sum && sum_around(bytes, line_end)
        }
        Some([first, ..]) => is_sum && !matches!(first, b'}' | b']') && sum_around(bytes, line_end),
        Some([]) | None => false,
    }
}

/// Tells whether strings are added up around a sign or a line end.
fn sum_around(bytes: &[u8], at: usize) -> bool {
    let from = at.saturating_sub(4);
    let quote = bytes[from..at].iter().rposition(|byte| is_quote(*byte)).map(|place| from + place);
    // A list of strings is met too often to be worth a look.
    let is_sum = |range: &Range<usize>| range.end > at && !bytes[range.clone()].contains(&b',');
    quote.is_some_and(|quote| sum(bytes, quote).is_some_and(|(range, _)| is_sum(&range)))
}

/// The first bytes of all that splits a text.
static MAY_SPLIT: [bool; 256] = {
    let mut table = [false; 256];
    let bytes = *b"\n\r\\\"'`%\xc2\xcc\xcd\xd8\xe1\xe2\xe3\xef\xf3";
    let mut at = 0;
    while at < bytes.len() {
        table[bytes[at] as usize] = true;
        at += 1;
    }
    let mut control = 0_u8;
    while control < 128 {
        table[control as usize] |= is_control(control);
        control += 1;
    }
    table
};

/// Separators within a part of a text, in order.
fn splits(text: &str, part: Range<usize>) -> Vec<(Range<usize>, Split)> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = part.start;
    while at < part.end {
        let Some(next) = bytes[at..part.end].iter().position(|byte| MAY_SPLIT[usize::from(*byte)]) else {
            break;
        };
        at += next;
        let one = match bytes[at] {
            b'\n' | b'\r' => wrap(bytes, at),
            b'\\' => escaped_wrap(bytes, at),
            b'"' | b'\'' | b'`' => sum(bytes, at),
            b'%' => percent(bytes, at),
            byte if is_lead(byte) || is_control(byte) => invisible(text, at),
            _ => None,
        };
        match one {
            Some((range, split)) if range.end > at => {
                at = range.end;
                found.push((range, split));
            }
            Some(_) | None => at += 1,
        }
    }
    found.sort_by_key(|(range, _)| range.start);
    found.dedup_by(|next, kept| next.0.start < kept.0.end);
    found
}

/// Tells whether a byte may be a part of a token or of base 64.
fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'+' | b'/' | b'=' | b'.')
}

fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'`')
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | b'\r')
}

/// A line end inside of what may be a token.
fn wrap(bytes: &[u8], at: usize) -> Option<(Range<usize>, Split)> {
    let start = if at > 0 && bytes[at - 1] == b'\\' { at - 1 } else { at };
    let behind = at
        + match bytes.get(at..)? {
            [b'\r', b'\n', ..] => 2,
            [b'\n', ..] => 1,
            _ => return None,
        };
    wrapped(bytes, start, behind)
}

/// The same where line ends are written as escapes.
fn escaped_wrap(bytes: &[u8], at: usize) -> Option<(Range<usize>, Split)> {
    let behind = at
        + match bytes.get(at..)? {
            [b'\\', b'r', b'\\', b'n', ..] => 4,
            [b'\\', b'n', ..] => 2,
            _ => return None,
        };
    wrapped(bytes, at, behind)
}

fn wrapped(bytes: &[u8], start: usize, behind: usize) -> Option<(Range<usize>, Split)> {
    if !is_part(*bytes.get(start.checked_sub(1)?)?) {
        return None;
    }
    let mut end = behind + sign_of_diff(bytes, start, behind);
    while let Some(byte) = bytes.get(end).filter(|_| end < behind + GAP_MAX) {
        match byte {
            b' ' | b'\t' => end += 1,
            mark if MARKS.contains(mark)
                && bytes.get(end + 1).is_some_and(|next| matches!(next, b' ' | b'\t')) =>
            {
                end += 2;
            }
            b'/' | b'-' if end < behind + GAP_MAX && is_comment(&bytes[end..]) => end += 3,
            _ => break,
        }
    }
    let rest = &bytes[end..(end + AROUND_MAX).min(bytes.len())];
    let length = rest.iter().take_while(|byte| is_part(**byte)).count();
    // A key of YAML or a variable that is set; base 64 ends with the sign too.
    let name = rest[..length].iter().take_while(|byte| **byte != b'=').count();
    let is_set = rest.get(length).is_some_and(|byte| is_quote(*byte) || *byte == b'$');
    let is_padding = name == length || (!is_set && rest[name..length].iter().all(|byte| *byte == b'='));
    let is_name = matches!(rest.get(length), Some(b':' | b'(')) || !is_padding;
    if length == 0 || is_name || rest.starts_with(b"- ") || rest.starts_with(b"--- ") {
        return None;
    }
    let before = bytes[start.saturating_sub(AROUND_MAX)..start].iter().rev();
    let before = before.take_while(|byte| is_part(**byte)).count();
    let around = || bytes[start - before..start].iter().chain(&rest[..length]).copied();
    if before + length < AROUND_MIN || !is_no_word(around()) {
        return None;
    }
    let line = &bytes[start.saturating_sub(WRAPPED_MIN)..start];
    let is_long = line.len() == WRAPPED_MIN && !line.contains(&b'\n');
    let is_rest = rest[..length].iter().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase());
    let split = if is_long && is_rest { Split::Wrapped } else { Split::Beside };
    Some((start..end, split))
}

/// Tells whether a line starts a comment with two signs and a blank behind them.
fn is_comment(line: &[u8]) -> bool {
    matches!(line, [b'/', b'/', b' ' | b'\t', ..] | [b'-', b'-', b' ' | b'\t', ..])
}

/// The bytes before what a line of a diff has, where the line before it is one of the same.
fn sign_of_diff(bytes: &[u8], end: usize, next: usize) -> usize {
    let Some([sign @ (b'+' | b'-'), first, ..]) = bytes.get(next..) else { return 0 };
    let line = &bytes[end.saturating_sub(LINE_MAX)..end];
    let start = memchr::memrchr(b'\n', line).map_or(0, |at| at + 1);
    let is_item = *sign == b'-' && !first.is_ascii_alphanumeric();
    usize::from(line.get(start) == Some(sign) && !is_item)
}

/// The number of a letter of a token in an address, where another stands before it.
fn percent(bytes: &[u8], at: usize) -> Option<(Range<usize>, Split)> {
    let [b'%', digits @ ..] = bytes.get(at..at + 3)? else { return None };
    let number = std::str::from_utf8(digits).ok().filter(|digits| !digits.starts_with('+'))?;
    let letter = u8::from_str_radix(number, 16).ok()?;
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-');
    let is_inside = is_letter(*bytes.get(at.checked_sub(1)?)?) && is_letter(letter);
    is_inside.then_some((at..at + 3, Split::Percent(letter)))
}

/// Tells whether letters are more than plain words: with a figure, or a capital behind a small letter.
fn is_no_word(letters: impl Iterator<Item = u8>) -> bool {
    let mut last = b' ';
    for byte in letters {
        if byte.is_ascii_digit() || (byte.is_ascii_uppercase() && last.is_ascii_lowercase()) {
            return true;
        }
        last = byte;
    }
    false
}

/// The end of a string and the start of the next, where the first ends at a place.
fn sum(bytes: &[u8], quote: usize) -> Option<(Range<usize>, Split)> {
    let start = if quote > 0 && bytes[quote - 1] == b'\\' { quote - 1 } else { quote };
    if !is_part(*bytes.get(start.checked_sub(1)?)?) {
        return None;
    }
    let blanks = |from: usize| {
        let gap = bytes[from..].iter().take(GAP_MAX).enumerate();
        // A line that goes on.
        let is_gap = |(at, byte): &(usize, &u8)| {
            is_blank(**byte) || (**byte == b'\\' && matches!(bytes.get(from + at + 1), Some(b'\n' | b'\r')))
        };
        from + gap.take_while(is_gap).count()
    };
    let behind = blanks(quote + 1);
    let operator = OPERATORS.iter().find(|sign| bytes[behind..].starts_with(sign.as_bytes()));
    let is_list = bytes.get(behind) == Some(&b',');
    let mut end = blanks(behind + operator.map_or(usize::from(is_list), |sign| sign.len()));
    // A raw string, or one with values in it.
    end += bytes[end..]
        .iter()
        .take(2)
        .take_while(|byte| matches!(byte, b'f' | b'r' | b'b' | b'u' | b'$'))
        .count();
    end += usize::from(bytes.get(end) == Some(&b'\\'));
    if !bytes.get(end).is_some_and(|byte| is_quote(*byte))
        || !bytes.get(end + 1).is_some_and(|byte| is_part(*byte))
    {
        return None;
    }
    let rest = &bytes[end + 1..(end + 1 + AROUND_MAX).min(bytes.len())];
    let is_key = rest
        .iter()
        .position(|byte| is_quote(*byte))
        .is_some_and(|close| rest[close + 1..].iter().find(|byte| !is_blank(**byte)) == Some(&b':'));
    if is_key {
        return None;
    }
    let split = if operator.is_some() { Split::Sum } else { Split::Beside };
    Some((start..end + 1, split))
}

/// What starts a sequence that sets the colour of a terminal.
const ESCAPE: u8 = 0x1b;
/// The first bytes of characters that are not shown.
const LEADS: [[u8; 3]; 3] = [[0xe2, 0xef, 0xc2], [0xcc, 0xcd, 0xe1], [0xd8, 0xe3, 0xf3]];

fn is_lead(byte: u8) -> bool {
    !byte.is_ascii() && LEADS.as_flattened().contains(&byte)
}

/// Characters between two letters of a token that are not shown; those that set the colour of a terminal may stand anywhere.
fn invisible(text: &str, at: usize) -> Option<(Range<usize>, Split)> {
    let bytes = text.as_bytes();
    if !text.is_char_boundary(at) {
        return None;
    }
    let is_colour = colour(&bytes[at..]).is_some();
    let is_behind_letter = at > 0 && is_part(bytes[at - 1]);
    if !is_colour && !is_behind_letter {
        return None;
    }
    let (mut end, mut has_colour) = (at, is_colour);
    while let Some(length) = invisible_length(&text[end..]) {
        has_colour |= length > 1 && bytes[end] == ESCAPE;
        end += length;
    }
    let is_inside = || is_behind_letter && bytes.get(end).is_some_and(|byte| is_part(*byte));
    (end > at && (has_colour || is_inside())).then_some((at..end, Split::Invisible))
}

/// The length of the sequence that some bytes start with, if it sets a colour of a terminal, or clears a line of it.
pub(crate) fn colour(bytes: &[u8]) -> Option<usize> {
    match bytes {
        [ESCAPE, b'(', b'A'..=b'Z' | b'0'..=b'9', ..] => Some(3),
        [ESCAPE, b'[', rest @ ..] => {
            let length = rest.iter().take(COLOUR_MAX).position(|byte| !matches!(byte, b' '..=b'?'))?;
            matches!(rest[length], b'@'..=b'~').then_some(length + 3)
        }
        _ => None,
    }
}

fn invisible_length(text: &str) -> Option<usize> {
    let c = text.chars().next()?;
    if let Some(length) = colour(text.as_bytes()) {
        return Some(length);
    }
    if c.is_ascii() {
        return text.bytes().next().is_some_and(is_control).then_some(1);
    }
    let is_one = matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}'
        // Those that combine with the letter before them.
        | '\u{300}'..='\u{36f}' | '\u{1ab0}'..='\u{1aff}' | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}');
    is_one.then(|| c.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(text: &str) -> String {
        let all = splits(text, 0..text.len());
        Joined::without(text, &all).map_or_else(|| text.to_owned(), |joined| joined.text)
    }

    #[test]
    fn what_splits_a_token_is_taken_out_and_leads_back() {
        let token = "k3J9x2Lm8QpW5rT1vB7nYc4Z";
        let (a, b) = token.split_at(11);
        for between in [
            "\u{200b}",
            "\u{2060}\u{feff}",
            "\u{ad}",
            "\u{fe0f}",
            "\u{301}",
            "\u{1b}[0m",
            "\n",
            "\r\n    ",
            "\n> ",
            "\n| ",
            "\\\n",
            "\\n  ",
            "\" + \"",
            "' . '",
            "\" \\\n    \"",
            "\"\n  \"",
            "` + `",
            "\\\" + \\\"",
            "\" || \"",
        ] {
            let text = format!("say {a}{between}{b} now");
            let all = splits(&text, 0..text.len());
            let one = Joined::without(&text, &all).expect(between);
            let at = one.text.find(token).expect(between);
            assert_eq!(
                one.source(&(at..at + token.len())),
                4..4 + token.len() + between.len(),
                "{between:?}"
            );
            assert_eq!(one.source(&(4..15)), 4..15);
        }
    }

    #[test]
    fn what_stands_in_lines_of_its_own_is_not_joined() {
        for text in [
            "version: 1\nsource_file: discussion/001-a\nstatus: sent2",
            "a list\n- item1-and-more-of-it\n- item2-and-more-of-it",
            "prose that was wrapped at\nsome column without a figure",
            "A=k3J9x2Lm8QpW5rT1\nB_2=vB7nYc4Z",
            "{\n  \"a\": \"b1\",\n  \"c\": \"d2\"\n}",
        ] {
            assert!(!may_be_split(text, false) && !Prefilter::of(text).is_split, "{text}");
            assert_eq!(joined(text), text);
        }
    }
}
