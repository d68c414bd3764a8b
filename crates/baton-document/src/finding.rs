//! A finding: what is wrong in a document, where, what would be right, and how to mend it.
//!
//! Invariant: a finding is data. It is never an `Err`, and it never prints itself.

use std::borrow::Cow;

use serde::Serialize;

use crate::span::Span;

/// Weight of a finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Drift, unknown keys, assumptions made: worth knowing, blocks nothing.
    Info,
    /// Judgement, contradictions, and what the world around the document says.
    Warning,
    /// The document does not hold: it blocks.
    Error,
}

impl Level {
    /// The word for this level in reports and in `baton.toml`.
    pub fn word(self) -> &'static str {
        match self {
            Level::Error => "error",
            Level::Warning => "warning",
            Level::Info => "info",
        }
    }

    /// Reads the word back.
    pub fn from_word(word: &str) -> Option<Self> {
        [Level::Error, Level::Warning, Level::Info].into_iter().find(|level| level.word() == word)
    }
}

/// One thing that is worth saying about a document.
#[derive(Clone, Debug, PartialEq)]
pub struct Finding {
    /// The rule that found it, e.g. `manifest/from-equals-to`.
    pub rule: Cow<'static, str>,
    /// Its level, after configuration.
    pub level: Level,
    /// Message, as one lower-case sentence without a full stop.
    pub message: String,
    /// The value that was found.
    pub found: Option<String>,
    /// Expected value.
    pub expected: Option<String>,
    /// Its place; none for the file as a whole.
    pub span: Option<Span>,
    /// Text under the carets.
    pub label: Option<String>,
    /// Other places that matter.
    pub related: Vec<Related>,
    /// Advice for the reader.
    pub help: Option<String>,
    /// Edits that mend it, where some are known.
    pub fix: Option<Fix>,
    /// The handoff of the file it belongs to, by position.
    pub handoff: Option<usize>,
}

/// Another place that matters to a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Its place.
    pub span: Span,
    /// Why it matters.
    pub message: String,
}

/// Edits that mend a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// True if the edits keep the meaning, so that they may be applied unseen.
    pub safe: bool,
    /// The edits, in order, not overlapping.
    pub edits: Vec<Edit>,
}

/// One replacement of text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The text to replace; empty to insert.
    pub span: Span,
    /// The replacement.
    pub text: String,
}

impl Finding {
    /// Starts a finding; the level is set when it is reported.
    pub fn new(rule: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        Self {
            rule: rule.into(),
            level: Level::Error,
            message: message.into(),
            found: None,
            expected: None,
            span: None,
            label: None,
            related: Vec::new(),
            help: None,
            fix: None,
            handoff: None,
        }
    }

    /// Says where it is.
    #[must_use]
    pub fn at(mut self, span: Span) -> Self {
        self.span = Some(span);
        self
    }

    /// Says what to write under the carets.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = Some(label.into());
        self
    }

    /// Says what stands there; long text is cut.
    #[must_use]
    pub fn found(mut self, found: impl AsRef<str>) -> Self {
        self.found = Some(shortened(found.as_ref()));
        self
    }

    /// Says what would be right.
    #[must_use]
    pub fn expected(mut self, expected: impl Into<String>) -> Self {
        self.expected = Some(expected.into());
        self
    }

    /// Says what the reader can do.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds another place that matters.
    #[must_use]
    pub fn related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related { span, message: message.into() });
        self
    }

    /// Adds one edit that keeps the meaning.
    #[must_use]
    pub fn fix(mut self, span: Span, text: impl Into<String>) -> Self {
        self.fix
            .get_or_insert_with(|| Fix { safe: true, edits: Vec::new() })
            .edits
            .push(Edit { span, text: text.into() });
        self
    }

    /// Takes edits that keep the meaning, all or none of which are made; none is no fix.
    #[must_use]
    pub fn edits(mut self, edits: Vec<Edit>) -> Self {
        self.fix = (!edits.is_empty()).then_some(Fix { safe: true, edits });
        self
    }

    /// Marks the fix as one that a person should look at first.
    #[must_use]
    pub fn unsafe_fix(mut self) -> Self {
        if let Some(fix) = &mut self.fix {
            fix.safe = false;
        }
        self
    }
}

/// Shortens a value for a message: its first line, cut to a length that fits one.
pub(crate) fn shortened(text: &str) -> String {
    const CHARS_MAX: usize = 80;
    let line = text.lines().next().unwrap_or_default();
    match line.char_indices().nth(CHARS_MAX) {
        Some((cut, _)) => format!("{}…", &line[..cut]),
        None if line.len() < text.trim_end().len() => format!("{line}…"),
        None => line.to_owned(),
    }
}
