//! How much of a text is handed to the reader of TOML, which keeps all its tokens and tables at once.
//!
//! The tokens are counted one by one beforehand, so that memory is refused before it is taken.

use std::borrow::Cow;

use toml_parser::Source;
use toml_parser::lexer::TokenKind;

use crate::span::{Span, offset};

/// A value takes two tokens or more: itself, and what parts it from the next one.
const TOKENS_PER_NODE: usize = 2;
/// What a dot counts for: it makes a table of its own, which takes as much memory as several values.
const DOT_TOKENS: usize = 8;

/// The part of a text that is read.
pub(super) struct Bounded<'t> {
    /// As long as its place, so that spans hold.
    pub(super) text: Cow<'t, str>,
    /// What was one too many, if anything was.
    pub(super) excess: Option<Span>,
}

/// Cuts a text behind the last statement that is whole before there are more values than `nodes_max`.
pub(super) fn bounded(text: &str, nodes_max: usize) -> Bounded<'_> {
    let tokens_max = nodes_max.saturating_mul(TOKENS_PER_NODE);
    if text.len() <= tokens_max / DOT_TOKENS {
        // Each byte is one token at most.
        return Bounded { text: Cow::Borrowed(text), excess: None };
    }
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
    /// How much of the text the filler has taken over.
    kept: usize,
    /// Whether nothing has stood on the line so far.
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
