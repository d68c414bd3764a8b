//! Bound on the text for the reader of TOML, which keeps all its tokens and tables at once.
//!
//! The tokens are counted one by one beforehand, so that memory is refused before it is taken.

use std::borrow::Cow;

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::span::{Span, offset};

/// A value takes two tokens or more: itself, and what parts it from the next one.
const TOKENS_PER_NODE: usize = 2;
/// Weight of a dot: it makes a table of its own, which takes as much memory as several values.
const DOT_TOKENS: usize = 8;

/// The part of a text that is read.
pub(super) struct Bounded<'t> {
    /// As long as its place, so that spans hold.
    pub(super) text: Cow<'t, str>,
    /// First token over the limit.
    pub(super) excess: Option<Span>,
}

/// Cuts a text behind the last statement that is whole before there are more values than `nodes_max`.
pub(super) fn bounded(text: &str, nodes_max: usize) -> Bounded<'_> {
    let tokens_max = nodes_max.saturating_mul(TOKENS_PER_NODE);
    if text.len() <= tokens_max / DOT_TOKENS {
        // Each byte is one token at most.
        return Bounded { text: Cow::Borrowed(text), excess: None };
    }
    counted(text, tokens_max)
}

fn counted(text: &str, tokens_max: usize) -> Bounded<'_> {
    let mut lines = Lines { text, filler: None, kept: 0, is_blank: true };
    let (mut tokens, mut depth, mut end) = (0usize, 0usize, 0usize);
    for token in Source::new(text).lex() {
        let (kind, span) = (token.kind(), token.span());
        if lines.skips(kind, span.start(), span.end()) {
            continue;
        }
        if matches!(kind, TokenKind::LeftSquareBracket | TokenKind::LeftCurlyBracket) {
            depth += 1;
        } else if matches!(kind, TokenKind::RightSquareBracket | TokenKind::RightCurlyBracket) {
            depth = depth.saturating_sub(1);
        } else if kind == TokenKind::Newline && depth == 0 {
            end = span.end();
        }
        if kind == TokenKind::Dot {
            tokens += DOT_TOKENS;
        } else if !matches!(kind, TokenKind::Whitespace | TokenKind::Eof) {
            tokens += 1;
        }
        if tokens > tokens_max {
            let excess = Span::new(offset(span.start()), offset(span.end()));
            return Bounded { text: lines.up_to(end), excess: Some(excess) };
        }
    }
    Bounded { text: lines.up_to(text.len()), excess: None }
}

/// A text in which blank lines and comments on lines of their own are spaces: a million of them is one token.
struct Lines<'t> {
    text: &'t str,
    filler: Option<String>,
    /// Bytes of the text that the filler has taken over.
    kept: usize,
    /// True if nothing has stood on the line so far.
    is_blank: bool,
}

impl<'t> Lines<'t> {
    /// Takes a token that says nothing out of the text; says whether it was one.
    fn skips(&mut self, kind: TokenKind, start: usize, end: usize) -> bool {
        if self.is_blank && matches!(kind, TokenKind::Newline | TokenKind::Comment) {
            let filler = self.filler.get_or_insert_with(|| String::with_capacity(self.text.len()));
            filler.push_str(&self.text[self.kept..start]);
            filler.extend(std::iter::repeat_n(' ', end - start));
            self.kept = end;
            return true;
        }
        if kind != TokenKind::Whitespace {
            self.is_blank = kind == TokenKind::Newline;
        }
        false
    }

    fn up_to(self, end: usize) -> Cow<'t, str> {
        match self.filler {
            None => Cow::Borrowed(&self.text[..end]),
            Some(mut filler) => {
                filler.push_str(self.text.get(self.kept..end).unwrap_or_default());
                filler.truncate(end);
                Cow::Owned(filler)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use toml::de::DeTable;

    use super::*;

    fn document() -> impl Strategy<Value = String> {
        let pieces = vec![
            "a",
            "b = 1",
            "[t]",
            "[[u]]",
            "c.d = 'x'",
            "\n",
            "\r\n",
            "\n\n",
            "# c",
            " ",
            "\t",
            "= [1,\n# c\n2]",
            "{x = 1}",
            "\"\"\"\n# no comment\n\n\"\"\"",
            "'''\n\n#'''",
            "e = \"#\"",
            ",",
            "[",
            "]",
            "é",
            "\r",
            "\"",
            "'",
        ];
        let lines = vec![
            "b = 1\n",
            "# c\n",
            "\n",
            "  \r\n",
            "[t]\n",
            "x = [\n\n1, # c\n\n# c\n2]\n",
            "y = '''\n\n#\n'''\n",
        ];
        let joined = |parts: Vec<&str>| parts.concat();
        prop_oneof![
            prop::collection::vec(prop::sample::select(pieces), 0..40).prop_map(joined),
            prop::sample::subsequence(lines, 0..7).prop_shuffle().prop_map(joined),
        ]
    }

    proptest! {
        #[test]
        fn what_is_handed_over_reads_as_what_stands_there(text in document(), tokens_max in 0usize..200) {
            // proves A-11
            let bounded = counted(&text, tokens_max);
            let mut kept = bounded.text.bytes().zip(text.bytes());
            prop_assert!(kept.all(|(is, was)| is == was || is == b' '), "{:?}", bounded.text);
            prop_assert!(bounded.text.len() == text.len() || bounded.excess.is_some());
            if let (None, Ok(as_written)) = (bounded.excess, DeTable::parse(&text)) {
                let as_handed = DeTable::parse(&bounded.text);
                let as_handed = as_handed.map(|table| format!("{:?}", table.get_ref()));
                prop_assert_eq!(as_handed, Ok(format!("{:?}", as_written.get_ref())));
            }
        }
    }
}
