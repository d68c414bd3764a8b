//! Tokens of XML, each with the place of its names and values.
//!
//! Cannot: read a document type or a declaration, which are refused; resolve a reference; match tags.
//!
//! Invariant: a token costs time in its own length alone, and so does an error.

use crate::span::{Span, offset};

const COMMENT: (&str, &str) = ("<!--", "-->");
const CDATA: (&str, &str) = ("<![CDATA[", "]]>");
const INSTRUCTION: (&str, &str) = ("<?", "?>");

/// The declaration of a document, which stands at its start alone and is no token.
const DECLARATION: &str = "<?xml ";

/// One token; names are spans of the prefix, if there is one, and the local part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// `<name`.
    Start { name: Span, span: Span },
    /// `name="value"`, in a start tag.
    Attribute { name: Span, value: Span },
    /// `>`, the end of a start tag.
    Open,
    /// `/>`, the end of a start tag and of its element.
    Empty { span: Span },
    /// `</name>`.
    Close { name: Span, span: Span },
    /// Text, references included.
    Text { text: Span },
    /// A section of text without markup.
    Cdata { text: Span },
    /// A comment.
    Comment,
    /// A processing instruction.
    Instruction,
}

/// Text at this place is not well-formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed;

/// The tokens of a text from some place on.
#[derive(Debug)]
pub(crate) struct Tokens<'t> {
    source: &'t str,
    /// The end of the last token.
    at: usize,
    in_tag: bool,
}

impl<'t> Tokens<'t> {
    /// Starts between two tokens, outside any tag.
    pub(crate) fn starting_at(source: &'t str, at: usize) -> Self {
        Self { source, at, in_tag: false }
    }

    /// The end of the last token: an error leaves it where it is.
    pub(crate) fn end(&self) -> usize {
        self.at
    }

    /// Reads the next token; nothing at the end of the text.
    #[inline]
    pub(crate) fn next(&mut self) -> Option<Result<Token, Malformed>> {
        if self.at >= self.source.len() {
            return None;
        }
        Some(self.token().ok_or(Malformed))
    }

    fn token(&mut self) -> Option<Token> {
        let bytes = self.source.as_bytes();
        if self.in_tag {
            return self.in_start_tag();
        }
        if bytes[self.at] != b'<' {
            return self.text();
        }
        match bytes.get(self.at + 1)? {
            b'!' if self.starts_with(COMMENT.0) => self.comment(),
            b'!' if self.starts_with(CDATA.0) => {
                let text = self.section(CDATA, self.at + CDATA.0.len())?;
                Some(Token::Cdata { text })
            }
            b'!' => None,
            b'?' => self.instruction(),
            b'/' => {
                let (name, end) = self.name(self.at + 2)?;
                let end = self.behind_byte(self.behind_spaces(end), b'>')?;
                let span = self.advance_to(end);
                Some(Token::Close { name, span })
            }
            _ => {
                let (name, end) = self.name(self.at + 1)?;
                self.in_tag = true;
                let span = self.advance_to(end);
                Some(Token::Start { name, span })
            }
        }
    }

    fn text(&mut self) -> Option<Token> {
        let rest = &self.source[self.at..];
        let text = &rest[..memchr::memchr(b'<', rest.as_bytes()).unwrap_or(rest.len())];
        let ends_section = memchr::memchr(b'>', text.as_bytes()).is_some() && text.contains(CDATA.1);
        if ends_section || !is_allowed(text) {
            return None;
        }
        let text = self.advance_to(self.at + text.len());
        Some(Token::Text { text })
    }

    fn comment(&mut self) -> Option<Token> {
        let before = self.at;
        let inside = self.section(COMMENT, before + COMMENT.0.len())?;
        let text = &self.source[inside.range()];
        if text.contains("--") || text.ends_with('-') {
            self.at = before;
            return None;
        }
        Some(Token::Comment)
    }

    fn instruction(&mut self) -> Option<Token> {
        if self.starts_with(DECLARATION) {
            return None;
        }
        let target = self.at + INSTRUCTION.0.len();
        let rest = &self.source[target..];
        if !rest.chars().next().is_some_and(is_name_start) {
            return None;
        }
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        self.section(INSTRUCTION, target + end)?;
        Some(Token::Instruction)
    }

    /// Reads to the end of what begins with the first mark and ends with the second; gives what stands in it.
    fn section(&mut self, (_, close): (&str, &str), from: usize) -> Option<Span> {
        let rest = &self.source[from..];
        let text = &rest[..memchr::memmem::find(rest.as_bytes(), close.as_bytes())?];
        if !is_allowed(text) {
            return None;
        }
        self.advance_to(from + text.len() + close.len());
        Some(Span::new(offset(from), offset(from + text.len())))
    }

    /// Reads what comes next in a start tag: an attribute, or the end of the tag.
    fn in_start_tag(&mut self) -> Option<Token> {
        let bytes = self.source.as_bytes();
        let start = self.behind_spaces(self.at);
        match bytes.get(start)? {
            b'>' => {
                self.in_tag = false;
                self.at = start + 1;
                return Some(Token::Open);
            }
            b'/' => {
                let end = self.behind_byte(start + 1, b'>')?;
                self.in_tag = false;
                self.at = end;
                return Some(Token::Empty { span: Span::new(offset(start), offset(end)) });
            }
            _ if start == self.at => return None,
            _ => {}
        }
        let (name, end) = self.name(start)?;
        let value = self.behind_spaces(self.behind_byte(self.behind_spaces(end), b'=')?);
        let quote = *bytes.get(value).filter(|byte| matches!(byte, b'"' | b'\''))?;
        let rest = &self.source[value + 1..];
        let text = &rest[..memchr::memchr2(quote, b'<', rest.as_bytes())?];
        let end = self.behind_byte(value + 1 + text.len(), quote)?;
        if !is_allowed(text) {
            return None;
        }
        self.at = end;
        Some(Token::Attribute { name, value: Span::new(offset(value + 1), offset(end - 1)) })
    }

    /// Reads a name with at most one prefix; gives it without an empty prefix, and where it ends.
    fn name(&self, start: usize) -> Option<(Span, usize)> {
        let rest = &self.source[start..];
        let is_plain = |byte: &u8| is_ascii_name(*byte) && *byte != b':';
        let mut end = rest.bytes().take_while(is_plain).count();
        if rest.as_bytes().get(end).is_some_and(|byte| *byte == b':' || !byte.is_ascii()) {
            end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        }
        let text = &rest[..end];
        let (prefix, local) = text.split_once(':').unwrap_or(("", text));
        let starts_well = |part: &str| part.chars().next().is_some_and(is_name_start);
        if !starts_well(local) || !(prefix.is_empty() || starts_well(prefix)) || local.contains(':') {
            return None;
        }
        let from = if prefix.is_empty() { start + end - local.len() } else { start };
        Some((Span::new(offset(from), offset(start + end)), start + end))
    }

    fn behind_spaces(&self, at: usize) -> usize {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        at + self.source.as_bytes()[at..].iter().take_while(|byte| is_space(byte)).count()
    }

    fn behind_byte(&self, at: usize, byte: u8) -> Option<usize> {
        (self.source.as_bytes().get(at) == Some(&byte)).then_some(at + 1)
    }

    fn starts_with(&self, mark: &str) -> bool {
        self.source.as_bytes()[self.at..].starts_with(mark.as_bytes())
    }

    fn advance_to(&mut self, end: usize) -> Span {
        let span = Span::new(offset(self.at), offset(end));
        self.at = end;
        span
    }
}

/// Tells whether XML allows all characters of a text.
fn is_allowed(text: &str) -> bool {
    let bytes = text.as_bytes();
    let is_control = |byte: u8| byte < 0x20 && !matches!(byte, b'\t' | b'\n' | b'\r');
    // Without an early end the compiler compares many bytes at once.
    let has_control = bytes.iter().fold(false, |found, byte| found | is_control(*byte));
    let is_noncharacter = |at: usize| matches!(bytes.get(at..at + 3), Some([_, 0xBF, 0xBE | 0xBF]));
    !has_control && !memchr::memchr_iter(0xEF, bytes).any(is_noncharacter)
}

fn is_ascii_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b':' | b'_' | b'-' | b'.')
}

fn is_name_start(c: char) -> bool {
    match c {
        ':' | '_' => true,
        '\0'..='\u{7F}' => c.is_ascii_alphabetic(),
        '\u{C0}'..='\u{D6}'
        | '\u{D8}'..='\u{F6}'
        | '\u{F8}'..='\u{2FF}'
        | '\u{370}'..='\u{37D}'
        | '\u{37F}'..='\u{1FFF}'
        | '\u{200C}'..='\u{200D}'
        | '\u{2070}'..='\u{218F}'
        | '\u{2C00}'..='\u{2FEF}'
        | '\u{3001}'..='\u{D7FF}'
        | '\u{F900}'..='\u{FDCF}'
        | '\u{FDF0}'..='\u{FFFD}'
        | '\u{10000}'..='\u{EFFFF}' => true,
        _ => false,
    }
}

fn is_name(c: char) -> bool {
    match c {
        '\0'..='\u{7F}' => u8::try_from(c).is_ok_and(is_ascii_name),
        '\u{B7}' | '\u{300}'..='\u{36F}' | '\u{203F}'..='\u{2040}' => true,
        _ => is_name_start(c),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use xmlparser::{ElementEnd, StrSpan, Tokenizer};

    use super::*;

    fn read(text: &str) -> Vec<Result<Token, Malformed>> {
        let mut tokens = Tokens::starting_at(text, 0);
        let mut all = Vec::new();
        while let Some(token) = tokens.next() {
            all.push(token);
            if token.is_err() {
                break;
            }
        }
        all
    }

    /// The same as another tokenizer reads it.
    fn read_by_xmlparser(text: &str) -> Vec<Result<Token, Malformed>> {
        let of = |span: StrSpan<'_>| Span::new(offset(span.start()), offset(span.end()));
        let name = |prefix: StrSpan<'_>, local: StrSpan<'_>| {
            let start = if prefix.is_empty() { local.start() } else { prefix.start() };
            Span::new(offset(start), offset(local.end()))
        };
        let token = |token: xmlparser::Token<'_>| match token {
            xmlparser::Token::ElementStart { prefix, local, span } => {
                Token::Start { name: name(prefix, local), span: of(span) }
            }
            xmlparser::Token::Attribute { prefix, local, value, .. } => {
                Token::Attribute { name: name(prefix, local), value: of(value) }
            }
            xmlparser::Token::ElementEnd { end: ElementEnd::Open, .. } => Token::Open,
            xmlparser::Token::ElementEnd { end: ElementEnd::Empty, span } => Token::Empty { span: of(span) },
            xmlparser::Token::ElementEnd { end: ElementEnd::Close(prefix, local), span } => {
                Token::Close { name: name(prefix, local), span: of(span) }
            }
            xmlparser::Token::Text { text } => Token::Text { text: of(text) },
            xmlparser::Token::Cdata { text, .. } => Token::Cdata { text: of(text) },
            xmlparser::Token::Comment { .. } => Token::Comment,
            xmlparser::Token::ProcessingInstruction { .. } => Token::Instruction,
            xmlparser::Token::Declaration { .. }
            | xmlparser::Token::DtdStart { .. }
            | xmlparser::Token::EmptyDtd { .. }
            | xmlparser::Token::EntityDeclaration { .. }
            | xmlparser::Token::DtdEnd { .. } => unreachable!("a fragment has no document type"),
        };
        let all = Tokenizer::from_fragment(text, 0..text.len());
        all.map(|one| one.map(token).map_err(|_| Malformed)).collect()
    }

    #[test]
    fn every_token_has_its_place() {
        let at = |start, end| Span::new(start, end);
        let expected = [
            Token::Start { name: at(1, 4), span: at(0, 4) },
            Token::Attribute { name: at(5, 6), value: at(10, 11) },
            Token::Open,
            Token::Text { text: at(13, 15) },
            Token::Cdata { text: at(24, 25) },
            Token::Comment,
            Token::Instruction,
            Token::Start { name: at(41, 42), span: at(40, 41 + 1) },
            Token::Empty { span: at(42, 44) },
            Token::Close { name: at(46, 49), span: at(44, 51) },
        ];
        let text = "<x:y a = '1'>t;<![CDATA[<]]><!----><?p?><b/></x:y >";
        assert_eq!(read(text), expected.map(Ok));
    }

    #[test]
    fn a_token_that_is_not_well_formed_ends_the_reading() {
        for text in [
            "<",
            "<1",
            "<a:",
            "<a:b:c",
            "<!",
            "<!-- ",
            "<!-- -- -->",
            "<!--->",
            "<![CDATA[",
            "<?",
            "<?1?>",
            "<?xml version='1.0'?>",
            "<?p",
            "</a",
            "</a b>",
            "]]>",
            "\u{1}",
            "\u{ffff}",
        ] {
            assert_eq!(read(text), [Err(Malformed)], "{text}");
        }
        for text in
            ["<a b>", "<a b=1>", "<a b='1'c='2'>", "<a b='<'>", "<a b='", "<a/", "<a /b>", "<a b='\u{1}'>"]
        {
            assert_eq!(read(text).last(), Some(&Err(Malformed)), "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn any_text_is_read_as_another_tokenizer_reads_it(
            parts in prop::collection::vec(
                prop_oneof![
                    Just("<"), Just("</"), Just(">"), Just("/>"), Just("<a"), Just("a:b"), Just(":"), Just(" "),
                    Just("="), Just("'"), Just("\""), Just(" b='1'"), Just("<!--"), Just("-->"), Just("--"),
                    Just("-"), Just("<![CDATA["), Just("]]>"), Just("]"), Just("<?"), Just("?>"), Just("?"),
                    Just("<?xml "), Just("text"), Just("é"), Just("\u{b7}"), Just("\u{2028}"), Just("\u{ffff}"),
                    Just("\u{fffd}"), Just("\u{10000}"), Just("\u{1}"), Just("\n"), Just("1"), Just("."),
                ],
                0..24,
            ),
        ) {
            let text = parts.concat();
            prop_assert_eq!(read(&text), read_by_xmlparser(&text));
        }
    }
}
