//! Raw data that is told by lines which are alike: turns of a talk, quotes, paths, dates, cells.
//!
//! One such line is prose; several in a row are a copy of something.

use super::{Excerpt, QUOTED, TALK};

/// So many lines that are alike are a copy.
const LINES_MIN: usize = 4;

/// The words of the name of a speaker.
const SPEAKER_WORDS_MAX: usize = 3;

/// Finds lines that are alike, where there are enough of them.
pub(super) fn find(text: &str) -> Option<Excerpt<'_>> {
    talk(text)
        .or_else(|| several(text, is_quote, QUOTED))
        .or_else(|| several(text, is_path, "a list of paths"))
        .or_else(|| several(text, is_dated, "records"))
        .or_else(|| several(text, is_cells, "records"))
}

fn several<'t>(text: &'t str, is: fn(&str) -> bool, what: &'static str) -> Option<Excerpt<'t>> {
    let mut alike = text.lines().map(str::trim).filter(|line| is(line));
    let first = alike.next()?;
    alike.nth(LINES_MIN - 2).map(|_| Excerpt { words: first, what })
}

/// Turns of a talk: lines that start with the name of a speaker, of whom two or more speak, and one more than once.
fn talk(text: &str) -> Option<Excerpt<'_>> {
    let turns = || text.lines().filter_map(|line| speaker(line.trim()).map(|name| (line.trim(), name)));
    let (first, name) = turns().next()?;
    let has_other = turns().any(|(_, other)| other != name);
    let has_again = turns().skip(1).any(|(_, other)| other == name);
    let is_talk = has_other && has_again && turns().nth(LINES_MIN - 1).is_some();
    is_talk.then_some(Excerpt { words: first, what: TALK })
}

/// Speaker of a line: `Marie : …`, `NURSE: …`.
fn speaker(line: &str) -> Option<&str> {
    let (name, said) = line.split_once(": ").or_else(|| line.split_once(" : "))?;
    // A clock may stand before the name.
    let name = name.trim_end().trim_start_matches(|c: char| c.is_ascii_digit() || " :h—–-[]".contains(c));
    let is_name = name.starts_with(char::is_uppercase)
        && name.split(' ').count() <= SPEAKER_WORDS_MAX
        && name.chars().all(|c| c.is_alphanumeric() || matches!(c, ' ' | '.' | '-' | '\'' | '’' | '@' | '_'));
    (is_name && !said.trim().is_empty()).then_some(name)
}

/// A line that is a quote, with or without a bullet.
fn is_quote(line: &str) -> bool {
    let line = line.trim_start_matches(['-', '*', '•', '–', ' ']);
    [('«', '»'), ('“', '”'), ('"', '"')].into_iter().any(|(open, close)| {
        line.starts_with(open) && line.trim_end_matches(['.', ',', ';']).ends_with(close) && line.len() > 2
    })
}

/// A line that is a path and nothing else.
fn is_path(line: &str) -> bool {
    const PARTS_MIN: usize = 3;
    let is_file = line.rsplit(['/', '\\']).next().is_some_and(|name| name.contains('.'));
    let is_rooted = line.starts_with(['/', '.']) || line.split('/').count() >= PARTS_MIN;
    (is_rooted || is_file) && line.contains(['/', '\\']) && !line.contains([' ', '\t', '`', ','])
}

/// A line that starts with a day in figures, and is no sentence.
fn is_dated(line: &str) -> bool {
    let head = line.split([' ', '\t']).next().unwrap_or_default();
    let mut parts = head.split(['/', '-', '.']);
    let is_figure = |part: Option<&str>| {
        part.is_some_and(|part| {
            (1..=4).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
        })
    };
    let is_date =
        is_figure(parts.next()) && is_figure(parts.next()) && parts.all(|part| is_figure(Some(part)));
    is_date && head.len() < line.len() && !line.ends_with(['.', '!', '?'])
}

/// Two cells with a tab between them, of which one is a figure.
fn is_cells(line: &str) -> bool {
    line.split_once('\t').is_some_and(|(_, value)| {
        value
            .trim()
            .starts_with(|first: char| first.is_ascii_digit() || matches!(first, '-' | '+' | '$' | '€'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_that_are_alike_are_copies() {
        for (text, what) in [
            ("Ann: so?\nBob: no\nAnn: why\nBob: hm", "a message or a talk"),
            ("CFDT : non.\nFO : non plus.\nCFDT : alors ?\nFO : rien.", "a message or a talk"),
            ("They said:\n- « un »\n- « deux »\n- « trois »\n- « quatre »", "quoted lines"),
            ("/srv/a/1.jpg\n/srv/a/2.jpg\n/srv/a/3.jpg\n/srv/b/4.jpg", "a list of paths"),
            ("08/05 Ann J\n09/05 Bob N\n10/05 Ann J\n11/05 Bob N", "records"),
            ("Eau\t720 g\nSel\t18 g\nLevain\t200 g\nHuile\t15 g", "records"),
        ] {
            assert_eq!(find(text).map(|copy| copy.what), Some(what), "{text}");
        }
    }

    #[test]
    fn what_a_person_writes_below_each_other_is_none() {
        for text in [
            "Result: done\nCost: low\nRisk: none\nNext: release",
            "- \"a\" is the old name\n- \"b\" is the new one\n- keep \"c\"\n- drop \"d\"",
            "src/a.rs\nsrc/b.rs\nsrc/c.rs",
            "src/a.rs holds it\nsrc/b.rs reads it\nsrc/c/d.rs writes it\nsrc/e/f.rs tests it",
            "08/05 the first draft was sent.\n09/05 it came back.\n10/05 signed.\n11/05 filed.",
        ] {
            assert!(find(text).is_none(), "{text}");
        }
    }
}
