//! Columns that line up, whatever stands in them, and lines that fit the terminal.

use std::io::{self, IsTerminal};

pub(crate) use baton_engine::service::text::{counted, cut, one_line};
use unicode_width::UnicodeWidthStr as _;

/// The blanks between two columns.
const GAP: usize = 2;
/// The flexible column gives way down to this, then the widest of the others.
const LEAST: usize = 12;

/// The columns of the terminal that data goes to; none if it goes elsewhere.
pub(crate) fn width() -> Option<usize> {
    let size = if io::stdout().is_terminal() { terminal_size::terminal_size() } else { None };
    size.map(|(width, _)| usize::from(width.0).max(40))
}

/// A text and as many blanks as make it so wide.
pub(crate) fn padded(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// Rows as lines: each column as wide as its widest text, the `flexible` one as wide as there is room.
pub(crate) fn lines(
    head: &[&str],
    rows: &[Vec<String>],
    flexible: usize,
    width: Option<usize>,
) -> Vec<String> {
    let clean = |row: &Vec<String>| row.iter().map(|text| one_line(text)).collect::<Vec<_>>();
    let mut all: Vec<Vec<String>> = rows.iter().map(clean).collect();
    if !head.is_empty() {
        all.insert(0, head.iter().map(|&title| title.to_owned()).collect());
    }
    let count = all.iter().map(Vec::len).max().unwrap_or(0);
    let widest = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|text| text.width()).max();
    let mut wide: Vec<usize> = (0..count).map(|column| widest(column).unwrap_or(0)).collect();
    if let Some(width) = width {
        let room = width.saturating_sub(GAP * count.saturating_sub(1));
        let excess = |wide: &[usize]| wide.iter().sum::<usize>().saturating_sub(room);
        let over = excess(&wide);
        if let Some(column) = wide.get_mut(flexible) {
            *column = (*column).min(column.saturating_sub(over).max(LEAST));
        }
        while excess(&wide) > 0
            && let Some(widest) = wide.iter_mut().max().filter(|widest| **widest > 1)
        {
            *widest -= 1;
        }
    }
    let line = |row: &Vec<String>| {
        let cells = row.iter().zip(&wide).map(|(text, &wide)| padded(&cut(text, wide), wide));
        let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
        cut(line.trim_end(), width.unwrap_or(usize::MAX))
    };
    all.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wide_letters_line_up_and_long_texts_give_way() {
        let rows = vec![
            vec!["日本".to_owned(), "a text that is far too long for this".to_owned(), "3s".to_owned()],
            vec!["a".to_owned(), "é\u{1b}[31m".to_owned(), "12s".to_owned()],
        ];
        let shown = lines(&["run", "what", "age"], &rows, 1, Some(30));
        assert_eq!(
            shown,
            [
                "run   what                 age",
                "日本  a text that is far…  3s",
                "a     é\\u{1b}[31m          12s"
            ]
        );
        assert!(shown.iter().all(|line| line.width() <= 30));
        assert_eq!(lines(&[], &rows, 1, None)[0], "日本  a text that is far too long for this  3s");
    }

    #[test]
    fn a_wide_letter_is_never_cut_in_two() {
        assert_eq!(cut("日本語", 6), "日本語");
        assert_eq!(cut("日本語", 5), "日本…");
        assert_eq!(cut("日本語", 4), "日…");
        assert_eq!(cut("abc", 0), "");
    }
}
