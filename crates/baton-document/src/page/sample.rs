//! Examples of documents whose fields may stand elsewhere: in the path of the file, around the handoff, behind it.

use super::ShapeRule;
use super::broken::{break_example, locate, quoted, read, splice, top_of, wrong_form};
use crate::carrier::{self, Look};
use crate::check::{Input, Scratch};
use crate::dialect::{BODY, Carrier, Dialect, DialectKind, Fault, Keys};
use crate::tree::{NodeId, Syntax, Tree};
use crate::world::NoWorld;

/// A text, and the path at which it lies where that matters.
#[derive(Clone, Debug)]
pub(super) struct Sample {
    pub(super) text: String,
    pub(super) file: Option<String>,
}

impl Sample {
    /// As a page shows it.
    pub(super) fn fenced(&self, dialect: &Dialect) -> String {
        let language = match dialect.carriers[0] {
            Carrier::Text(syntax) => syntax.name(),
            Carrier::FrontMatter => "markdown",
            Carrier::Line => "json",
        };
        let file = self.file.as_deref().map(|file| format!(" file={file}")).unwrap_or_default();
        let end = if self.text.ends_with('\n') { "" } else { "\n" };
        // A body may hold fences of its own.
        let fence = if self.text.contains("```") { "````" } else { "```" };
        format!("{fence}{language}{file}\n{}{end}{fence}\n", self.text)
    }
}

impl ShapeRule<'_> {
    /// The examples of a kind.
    pub(super) fn samples(&self, kind: &DialectKind) -> Vec<Sample> {
        let examples = kind.examples.iter().enumerate();
        examples.map(|(at, text)| Sample { text: text.to_string(), file: self.file(kind, at) }).collect()
    }

    /// Tells whether a text is read as this kind, by reading it.
    pub(super) fn is_read_as_kind(&self, sample: &Sample) -> bool {
        let input = Input {
            path: sample.file.as_deref(),
            bytes: sample.text.as_bytes(),
            dialect: Some(&self.dialect.name),
            look: Look::Prose,
            is_named: true,
        };
        let checked = self.checker.check(input, &NoWorld, &mut Scratch::default());
        let is_around = self.dialect.kinds.iter().all(|kind| kind.name != self.kind.name);
        is_around
            || checked.handoffs.first().is_some_and(|one| self.checker.kind_of(one).name == self.kind.name)
    }

    /// An example with the one fault.
    pub(super) fn broken(&self, sample: &Sample) -> Option<Sample> {
        let Sample { text, file } = sample;
        let (dialect, field, fault) = (self.dialect, &self.field, self.fault);
        if &*field.path == BODY {
            return Some(Sample { text: self.other_body(text)?, file: file.clone() });
        }
        let tree = read(text, Keys::none(), dialect.carriers[0]);
        if let Some(at) = self.place_of(&tree) {
            let text = break_example(text, &tree, at, field, fault)?;
            return Some(Sample { text, file: file.clone() });
        }
        let file = self.other_path(file.as_deref()?)?;
        Some(Sample { text: text.clone(), file: Some(file) })
    }

    /// The key and the value of the field in an example.
    fn place_of(&self, tree: &Tree<'_>) -> Option<(NodeId, NodeId)> {
        let path = &*self.field.path;
        let root = tree.roots().next()?;
        let is_around = self.dialect.kinds.iter().all(|kind| kind.name != self.kind.name);
        let entries = match &self.dialect.entries {
            Some(entries) if !is_around => entries,
            Some(_) => return locate(tree, root, path),
            None => return locate(tree, top_of(tree, self.kind)?, path),
        };
        let (_, all) = locate(tree, root, &entries.at.text)?;
        let named = tree.entries(all).next();
        let item = tree.items(all).next().or(named.map(|(_, value)| value))?;
        let is_key = entries.key.as_ref().is_some_and(|key| &*key.text == path);
        let key = named.map(|(key, _)| (key, key)).filter(|_| is_key);
        locate(tree, item, path).or(key)
    }

    /// A text with another body.
    fn other_body(&self, text: &str) -> Option<String> {
        let front = carrier::front_matter(text)?;
        let body = carrier::body(text, front.end as usize)?;
        let with = match self.fault {
            Fault::Missing => String::new(),
            Fault::Pattern => wrong_form(&self.field.shape)?.to_owned(),
            Fault::Tokens => {
                format!(
                    "{}\n\n{}",
                    &text[body.range()],
                    "word ".repeat(self.field.tokens_max? + 10).trim_end()
                )
            }
            Fault::Type | Fault::Enum | Fault::Exists => return None,
        };
        Some(splice(text, body, &with))
    }

    /// A path that says something else of the field.
    fn other_path(&self, file: &str) -> Option<String> {
        let text = match self.fault {
            Fault::Enum => quoted("nonsense", Syntax::Xml),
            Fault::Pattern => wrong_form(&self.field.shape)?.to_owned(),
            Fault::Missing | Fault::Type | Fault::Exists | Fault::Tokens => return None,
        };
        let is_capture = self.dialect.captures.iter().any(|capture| *capture.text == *self.field.path);
        let taken = self.dialect.places.iter().flat_map(|place| place.taken(file));
        let (_, old) = taken.into_iter().find(|(name, _)| is_capture && **name == *self.field.path)?;
        (!text.is_empty()).then(|| format!("{}{text}{}", &file[..old.start], &file[old.end..]))
    }
}
