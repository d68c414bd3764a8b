//! Places of the files of a dialect: paths with `*`, `**` and captures.
//!
//! `{name}` takes a part of one path segment. A capture that names a field of the document must agree
//! with it; a name in capitals is a setting; any other name only takes.

use std::ops::Range;

use regex::Regex;

use super::{Expression, Settings};

/// One place of a dialect's files.
#[derive(Clone, Debug)]
pub struct Place {
    /// As it is written in the definition file.
    pub text: Box<str>,
    /// With the settings filled in.
    pub glob: Box<str>,
    /// The folder that every file at this place lies in, without wildcards.
    pub prefix: Box<str>,
    /// The longest text that every path of this place has, which most other paths lack.
    literal: Box<str>,
    /// The last byte of every path of this place, where it is always the same; it tells most others at once.
    last: Option<u8>,
    /// Matches a path from the root.
    whole: Expression,
    /// Matches the end of any path: what follows the setting the place starts with.
    tail: Option<Expression>,
    /// The pieces behind the leading setting, for composing what the path should be.
    pub pieces: Vec<Piece>,
    /// Takes a path apart; only where a capture gives its value to the document.
    taking: Option<Expression>,
}

/// A part of a place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Text as it stands.
    Text(Box<str>),
    /// A capture, by name.
    Capture(Box<str>),
    /// `*` or `**`.
    Any(Box<str>),
}

/// Match of a path with a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The path is this place.
    Whole,
    /// Only what follows the leading setting agrees.
    Tail,
}

impl Place {
    /// Reads a place; says what is wrong with it otherwise.
    pub fn new(text: &str, settings: &Settings) -> Result<Self, String> {
        let place = Self::known(text, settings)?;
        let mut expressions = std::iter::once(&place.whole).chain(&place.tail);
        expressions.try_for_each(Expression::prove).map_err(|error| error.to_string())?;
        Ok(place)
    }

    /// Reads a place that is known to be right.
    pub(super) fn known(text: &str, settings: &Settings) -> Result<Self, String> {
        let (filled, rest) = match leading_setting(text) {
            Some((name, rest)) => {
                let value =
                    settings.values.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
                let value = value.ok_or_else(|| format!("no setting is called `{name}`"))?;
                (format!("{value}{rest}"), Some(rest.trim_start_matches('/')))
            }
            None => (text.to_owned(), None),
        };
        let pieces = split(&filled)?;
        let whole = expression(&pieces, "^", "[^/]+");
        let tail_pieces = rest.map(split).transpose()?;
        let tail = tail_pieces.as_deref().map(|pieces| expression(pieces, "(?:^|/)", "[^/]+"));
        let is_fixed = |segment: &&str| !segment.contains(['*', '{']);
        let fixed: Vec<&str> = filled.split('/').take_while(is_fixed).collect();
        let glob = glob(&pieces);
        let last = match pieces.last() {
            Some(Piece::Text(text)) => text.bytes().last(),
            Some(Piece::Capture(_) | Piece::Any(_)) | None => None,
        };
        Ok(Self {
            text: text.into(),
            glob: glob.into(),
            prefix: fixed.join("/").into(),
            literal: longest_text(tail_pieces.as_deref().unwrap_or(&pieces)),
            last,
            whole,
            tail,
            pieces: tail_pieces.unwrap_or(pieces),
            taking: None,
        })
    }

    /// Makes it ready to take paths apart.
    pub(crate) fn take_captures(&mut self) -> Result<(), String> {
        let start = if self.tail.is_some() { "(?:^|/)" } else { "^" };
        let taking = expression(&self.pieces, start, "([^/]+)");
        taking.prove().map_err(|error| error.to_string())?;
        self.taking = Some(taking);
        Ok(())
    }

    /// Captures of a path, each with its text.
    pub(crate) fn taken(&self, path: &str) -> Vec<(&str, Range<usize>)> {
        let taken = self.taking.as_ref().and_then(|taking| taking.regex()?.captures(path));
        let Some(taken) = taken else { return Vec::new() };
        let ranges = (1..taken.len()).filter_map(|at| taken.get(at)).map(|one| one.range());
        self.captures().zip(ranges).collect()
    }

    /// Says how a path from the root meets this place.
    #[inline]
    pub fn matches(&self, path: &str) -> Option<Match> {
        let may_be = self.last.is_none() || self.last == path.bytes().last();
        if may_be { self.match_of(path) } else { None }
    }

    fn match_of(&self, path: &str) -> Option<Match> {
        if !path.contains(&*self.literal) {
            return None;
        }
        if self.whole.is_match(path) {
            return Some(Match::Whole);
        }
        self.tail.as_ref().is_some_and(|tail| tail.is_match(path)).then_some(Match::Tail)
    }

    /// The names of its captures.
    pub fn captures(&self) -> impl Iterator<Item = &str> {
        self.pieces.iter().filter_map(|piece| match piece {
            Piece::Capture(name) => Some(&**name),
            Piece::Text(_) | Piece::Any(_) => None,
        })
    }

    /// Expected end of the path, from the document's fields; `*` where anything may stand.
    ///
    /// Nothing where no capture names a field, or one of them has no value.
    pub fn expected<'v>(&self, value: impl Fn(&str) -> Option<Option<&'v str>>) -> Option<Expected> {
        let mut shown = String::new();
        let mut pattern = String::from("(?:^|/)");
        let (mut is_bound, mut is_free) = (false, false);
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => {
                    shown.push_str(text);
                    pattern.push_str(&regex::escape(text));
                }
                Piece::Capture(name) => match value(name) {
                    Some(text) => {
                        is_bound = true;
                        let text = text?;
                        shown.push_str(text);
                        pattern.push_str(&regex::escape(text));
                    }
                    None => {
                        is_free = true;
                        shown.push('*');
                        pattern.push_str("[^/]+");
                    }
                },
                Piece::Any(stars) => {
                    is_free = true;
                    shown.push_str(stars);
                    pattern.push_str(if stars.len() > 1 { ".*" } else { "[^/]*" });
                }
            }
        }
        pattern.push('$');
        // A search is made only where something may be anything: most names are said in full.
        let free = if is_free && is_bound { Some(Regex::new(&pattern).ok()?) } else { None };
        is_bound.then_some(Expected { shown, free })
    }
}

/// Expected end of a path.
#[derive(Clone, Debug)]
pub struct Expected {
    /// For messages.
    pub shown: String,
    /// For comparing, where parts of it may be anything.
    free: Option<Regex>,
}

impl Expected {
    /// Tells whether a path ends like this.
    pub fn fits(&self, path: &str) -> bool {
        match &self.free {
            Some(free) => free.is_match(path),
            None => path.strip_suffix(&self.shown).is_some_and(|rest| rest.is_empty() || rest.ends_with('/')),
        }
    }
}

/// A name in capitals at the start, as in `{RUN_BASE}/…`.
fn leading_setting(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.strip_prefix('{')?.split_once('}')?;
    let is_setting = !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c == '_');
    is_setting.then_some((name, rest))
}

fn longest_text(pieces: &[Piece]) -> Box<str> {
    let texts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) => &**text,
        Piece::Capture(_) | Piece::Any(_) => "",
    });
    texts.max_by_key(|text| text.len()).unwrap_or_default().into()
}

fn split(text: &str) -> Result<Vec<Piece>, String> {
    let mut pieces = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find(['{', '*']) {
        if at > 0 {
            pieces.push(Piece::Text(rest[..at].into()));
        }
        rest = &rest[at..];
        if let Some(inner) = rest.strip_prefix('{') {
            let (name, after) = inner.split_once('}').ok_or("a `{` is not closed")?;
            if name.is_empty() {
                return Err("a capture needs a name".to_owned());
            }
            pieces.push(Piece::Capture(name.into()));
            rest = after;
        } else {
            let stars = rest.len() - rest.trim_start_matches('*').len();
            pieces.push(Piece::Any(rest[..stars].into()));
            rest = &rest[stars..];
        }
    }
    if !rest.is_empty() {
        pieces.push(Piece::Text(rest.into()));
    }
    Ok(pieces)
}

fn expression(pieces: &[Piece], start: &str, capture: &str) -> Expression {
    let mut pattern = start.to_owned();
    for piece in pieces {
        match piece {
            Piece::Text(text) => pattern.push_str(&regex::escape(text)),
            Piece::Capture(_) => pattern.push_str(capture),
            Piece::Any(stars) if stars.len() > 1 => pattern.push_str(".*"),
            Piece::Any(_) => pattern.push_str("[^/]*"),
        }
    }
    pattern.push('$');
    Expression::of_path(&pattern)
}

fn glob(pieces: &[Piece]) -> String {
    let parts = pieces.iter().map(|piece| match piece {
        Piece::Text(text) | Piece::Any(text) => &**text,
        Piece::Capture(_) => "*",
    });
    parts.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(text: &str) -> Place {
        let settings = Settings { values: vec![("BASE".into(), ".runs/{run}".into())] };
        Place::new(text, &settings).expect("the place is right")
    }

    #[test]
    fn a_place_matches_whole_paths_and_the_tail_behind_its_setting() {
        let place = place("{BASE}/{flow}/handoffs/{step}-{agent}.json");
        assert_eq!(place.matches(".runs/r1/build/handoffs/s1-critic.json"), Some(Match::Whole));
        assert_eq!(place.matches("elsewhere/build/handoffs/s1-critic.json"), Some(Match::Tail));
        assert_eq!(place.matches("handoffs/s1-critic.json"), None);
        assert_eq!(&*place.prefix, ".runs");
        assert_eq!(&*place.glob, ".runs/*/*/handoffs/*-*.json");
    }

    #[test]
    fn a_path_is_taken_apart() {
        // proves A-09
        let mut place = place("{BASE}/{status}/{id}.md");
        assert_eq!(place.taken(".runs/r1/doing/T-1.md"), []);
        place.take_captures().expect("it is small");
        assert_eq!(place.taken(".runs/r1/doing/T-1.md"), [("status", 9..14), ("id", 15..18)]);
        assert_eq!(place.taken("T-1.md"), []);
    }

    #[test]
    fn a_path_is_composed_from_the_document() {
        let place = place("{BASE}/{flow}/handoffs/{step}-{agent}.r{round}.json");
        let value = |name: &str| match name {
            "round" => None,
            "flow" => Some(Some("build")),
            _ => Some(Some("x.y")),
        };
        let expected = place.expected(value).expect("its captures name fields");
        assert_eq!(expected.shown, "build/handoffs/x.y-x.y.r*.json");
        assert!(expected.fits(".runs/r1/build/handoffs/x.y-x.y.r2.json"));
        assert!(!expected.fits(".runs/r1/build/handoffs/xyy-x.y.r2.json"));
    }
}
