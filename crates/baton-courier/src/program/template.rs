//! Templates of paths inside the root, with placeholders for parts of a delivery.
//!
//! Invariant: no name of a delivery leads out of the root, and no two deliveries share a path because of similar names.

use std::fmt;
use std::path::{Path, PathBuf};

use crate::Delivery;

/// A path inside the root such as `handoffs/{key}.{extension}`.
///
/// `{key}`, `{attempt}`, `{receiver}`, `{dialect}` and `{extension}` are filled in from the delivery. What could not
/// stand in a name is written as `%` and two digits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Template(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Key,
    Attempt,
    Receiver,
    Dialect,
    Extension,
}

impl Template {
    /// Reads a template.
    ///
    /// # Errors
    /// If the path could leave the root, has an unknown placeholder, or names no file.
    pub fn new(text: &str) -> Result<Self, TemplateFault> {
        let fault = |why| Err(TemplateFault { text: text.to_owned(), why });
        if text.is_empty() || text.ends_with('/') {
            return fault(Why::NoFile);
        }
        if text.contains('\0') {
            return fault(Why::Nul);
        }
        if Path::new(text).is_absolute() || text.split('/').any(|part| part == "..") {
            return fault(Why::Outside);
        }
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some((before, behind)) = rest.split_once('{') {
            let Some((name, behind)) = behind.split_once('}') else {
                return fault(Why::Open);
            };
            if !before.is_empty() {
                pieces.push(Piece::Text(before.to_owned()));
            }
            pieces.push(match name {
                "key" => Piece::Key,
                "attempt" => Piece::Attempt,
                "receiver" => Piece::Receiver,
                "dialect" => Piece::Dialect,
                "extension" => Piece::Extension,
                other => return fault(Why::Unknown(other.to_owned())),
            });
            rest = behind;
        }
        if !rest.is_empty() {
            pieces.push(Piece::Text(rest.to_owned()));
        }
        Ok(Self(pieces))
    }

    /// The path for a delivery, relative to the root.
    pub(super) fn fill(&self, delivery: &Delivery) -> PathBuf {
        let mut path = String::new();
        for piece in &self.0 {
            match piece {
                Piece::Text(text) => path.push_str(text),
                Piece::Key => write_safe(&mut path, delivery.key.as_str()),
                Piece::Attempt => path.push_str(&delivery.attempt.to_string()),
                Piece::Receiver => write_safe(&mut path, &delivery.receiver),
                Piece::Dialect => write_safe(&mut path, &delivery.dialect),
                Piece::Extension => write_safe(&mut path, &delivery.extension),
            }
        }
        path.into()
    }
}

fn write_safe(path: &mut String, value: &str) {
    use fmt::Write as _;
    for (index, byte) in value.bytes().enumerate() {
        // A dot inside a name is harmless; `..` as a whole name is not.
        let is_safe = byte.is_ascii_alphanumeric() || b"-_".contains(&byte) || (byte == b'.' && index > 0);
        if is_safe {
            path.push(char::from(byte));
        } else {
            write!(path, "%{byte:02X}").expect("a string takes what is written to it");
        }
    }
}

/// Why a text is no template.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TemplateFault {
    text: String,
    why: Why,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Why {
    NoFile,
    Nul,
    Outside,
    Open,
    Unknown(String),
}

impl fmt::Display for TemplateFault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "the path {:?} ", self.text)?;
        match &self.why {
            Why::NoFile => out.write_str("names no file"),
            Why::Nul => out.write_str("holds a NUL, which no name can"),
            Why::Outside => {
                out.write_str("may lead out of the root; write it relative to the root and without `..`")
            }
            Why::Open => out.write_str("has a `{` without its `}`"),
            Why::Unknown(name) => write!(
                out,
                "names {{{name}}}, which a delivery does not have; it has {{key}}, {{attempt}}, {{receiver}}, \
                 {{dialect}} and {{extension}}"
            ),
        }
    }
}

impl std::error::Error for TemplateFault {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Key, Limits};

    fn delivery(key: &str) -> Delivery {
        Delivery {
            key: Key::from(key),
            attempt: 2,
            receiver: "..".to_owned(),
            handoff: Vec::new(),
            dialect: "envelope".to_owned(),
            extension: "json".to_owned(),
            prompt: None,
            finalization: None,
            is_reask: false,
            permits: Vec::new(),
            session: None,
            limits: Limits::default(),
            environment: Vec::new(),
            directory: PathBuf::new(),
            root: PathBuf::new(),
            sandbox: None,
        }
    }

    fn filled(template: &str, key: &str) -> String {
        let template = Template::new(template).expect("a template");
        template.fill(&delivery(key)).to_str().expect("all ASCII").to_owned()
    }

    #[test]
    fn a_name_never_becomes_a_path() {
        assert_eq!(filled("runs/{key}.{attempt}.{extension}", "run 1/step"), "runs/run%201%2Fstep.2.json");
        assert_eq!(filled("{receiver}/{dialect}", "k"), "%2E./envelope");
        assert_ne!(filled("{key}", "a/b"), filled("{key}", "a%2Fb"));
    }

    #[test]
    fn what_leads_out_or_means_nothing_is_told() {
        let said = |text: &str| Template::new(text).expect_err("no template").to_string();
        assert_eq!(said("a/"), "the path \"a/\" names no file");
        assert_eq!(said("a\0"), "the path \"a\\0\" holds a NUL, which no name can");
        assert_eq!(
            said("../a"),
            "the path \"../a\" may lead out of the root; write it relative to the root and without `..`"
        );
        assert!(said("/a").contains("may lead out"));
        assert_eq!(said("a{key"), "the path \"a{key\" has a `{` without its `}`");
        assert_eq!(
            said("{run}"),
            "the path \"{run}\" names {run}, which a delivery does not have; it has {key}, {attempt}, {receiver}, \
             {dialect} and {extension}"
        );
    }
}
