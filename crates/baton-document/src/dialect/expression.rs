//! Regular expressions of dialects, made ready when they are first asked: few of them ever are, and making one ready
//! takes longer than all else in a small check.

use std::fmt;
use std::sync::{Arc, OnceLock};

use regex::{Error, Regex, RegexBuilder};

/// Bytes of a compiled expression: enough for any sensible one.
const BYTES_MAX: usize = 512 * 1024;

/// A regular expression. One that cannot be made ready matches nothing.
#[derive(Clone)]
pub struct Expression(Arc<Inner>);

struct Inner {
    text: Box<str>,
    bytes_max: usize,
    ready: OnceLock<Option<Regex>>,
}

/// Shown as it is written, whether it is ready or not.
impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Expression").field(&self.0.text).finish()
    }
}

impl Expression {
    /// A user's expression, compiled at once, so that its errors can be reported.
    ///
    /// Matching takes linear time whatever it says, so that its size is all there is to bound.
    pub(crate) fn new(text: &str) -> Result<Self, Error> {
        let made = Self::of(text, BYTES_MAX);
        let regex = made.0.build()?;
        // It was made just now, so that no other thread can have set it.
        let _ = made.0.ready.set(Some(regex));
        Ok(made)
    }

    /// An expression that is known to be right.
    pub(crate) fn known(text: &str) -> Self {
        Self::of(text, BYTES_MAX)
    }

    /// An expression put together from a path, which may be as large as the path is long.
    pub(super) fn of_path(text: &str) -> Self {
        Self::of(text, 10 << 20)
    }

    fn of(text: &str, bytes_max: usize) -> Self {
        Self(Arc::new(Inner { text: text.into(), bytes_max, ready: OnceLock::new() }))
    }

    /// As it is written.
    pub fn as_str(&self) -> &str {
        &self.0.text
    }

    /// Tells whether it matches somewhere in a text.
    #[inline]
    pub fn is_match(&self, text: &str) -> bool {
        self.regex().is_some_and(|regex| regex.is_match(text))
    }

    /// Makes it ready, and says what is wrong if that cannot be.
    pub(super) fn prove(&self) -> Result<(), Error> {
        if self.regex().is_some() { Ok(()) } else { self.0.build().map(|_| ()) }
    }

    /// The expression itself.
    #[inline]
    pub(super) fn regex(&self) -> Option<&Regex> {
        self.0.ready.get_or_init(|| self.0.build().ok()).as_ref()
    }
}

impl Inner {
    fn build(&self) -> Result<Regex, Error> {
        RegexBuilder::new(&self.text).size_limit(self.bytes_max).build()
    }
}
