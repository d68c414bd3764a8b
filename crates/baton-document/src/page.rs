//! Pages: what a rule wants and why, with a wrong and a right example that are run as tests.
//!
//! A rule in Rust has its page in a file beside it. The page of a shape rule is made from the dialect
//! file: its right example is the dialect's own, its wrong one that example with the one fault.

mod broken;
mod example;
mod sample;

use crate::check::Checker;
use crate::dialect::{
    Carrier, Dialect, DialectKind, Fault, Field, Keys, MapShape, Shape, describe, example_path,
};
use crate::finding::Level;
use crate::rules;
use crate::spelling;
use crate::tree::Syntax;
use broken::{lines_of, locate, read, top_of};
pub use example::{Example, Role, examples_of};
use sample::Sample;

/// A page and its examples.
#[derive(Clone, Debug)]
pub struct Page {
    /// The rule's id.
    pub id: String,
    /// The rule's level unless configured; none is off.
    pub level: Option<Level>,
    /// The text, in Markdown.
    pub text: String,
}

/// The ids of all rules with their levels, rules in Rust first.
///
/// A shape rule is one only where a document of its kind can break it: a gate without `gate` is no gate.
pub fn ids(checker: &Checker) -> Vec<(String, Option<Level>)> {
    let mut ids: Vec<_> = rules::all().map(|rule| (rule.id.to_owned(), rule.level)).collect();
    for shape in shapes(checker) {
        if ids.iter().all(|(id, _)| *id != shape.id) && shape.examples().is_some() {
            ids.push((shape.id, Some(shape.field.level(shape.fault))));
        }
    }
    ids
}

/// The ids of all rules, those included that no document can break; quicker to have than [`ids`].
pub fn names(checker: &Checker) -> Vec<String> {
    let mut names: Vec<String> = rules::all().map(|rule| rule.id.to_owned()).collect();
    names.extend(shapes(checker).into_iter().map(|shape| shape.id));
    names
}

/// The rule that a slip most likely means.
pub fn nearest(checker: &Checker, id: &str) -> Option<String> {
    spelling::nearest(id, names(checker).iter().map(String::as_str)).map(ToOwned::to_owned)
}

/// The pages of the shape rules whose ids start with a text, in the order of the dialect's fields.
pub fn shapes_below(checker: &Checker, start: &str) -> Vec<Page> {
    let mut pages: Vec<Page> = Vec::new();
    for shape in shapes(checker).into_iter().filter(|shape| shape.id.starts_with(start)) {
        if pages.iter().all(|page| page.id != shape.id) && shape.examples().is_some() {
            let (level, text) = (Some(shape.field.level(shape.fault)), shape.page());
            pages.push(Page { id: shape.id, level, text });
        }
    }
    pages
}

/// The page of a rule.
pub fn find(checker: &Checker, id: &str) -> Option<Page> {
    if let Some(rule) = rules::all().find(|rule| rule.id == id) {
        return Some(Page { id: id.to_owned(), level: rule.level, text: rule.page.to_owned() });
    }
    // One that no document of its kind seems to break is explained all the same, without examples.
    let all = shapes(checker);
    let mut same = all.iter().filter(|shape| shape.id == id);
    let shape = same.clone().find(|shape| shape.examples().is_some()).or_else(|| same.next())?;
    Some(Page { id: id.to_owned(), level: Some(shape.field.level(shape.fault)), text: shape.page() })
}

/// A rule that comes from a dialect file.
struct ShapeRule<'c> {
    id: String,
    checker: &'c Checker,
    dialect: &'c Dialect,
    kind: &'c DialectKind,
    field: Field,
    fault: Fault,
}

/// All rules that come from dialect files, those included that no document can break.
fn shapes(checker: &Checker) -> Vec<ShapeRule<'_>> {
    let dialects = checker.dialects();
    let mut rules = Vec::new();
    for dialect in dialects.handoffs.iter().chain(&dialects.own) {
        let around = dialect.entries.iter().map(|entries| &entries.around);
        for kind in dialect.kinds.iter().chain(around).filter(|kind| !kind.is_open) {
            let mut add = |field: &Field| {
                for fault in field.faults() {
                    let id = field.rule_id(&dialect.name, &kind.name, fault);
                    let field = field.clone();
                    rules.push(ShapeRule { id, checker, dialect, kind, field, fault });
                }
            };
            each_field(&kind.map, &mut add);
            for shape in &dialect.shapes {
                add(shape);
                below(&shape.shape, &mut add);
            }
        }
    }
    rules
}

/// The first sentence of a page, below its heading, on one line.
pub fn first_sentence(page: &str) -> String {
    let is_prose = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let prose = page.lines().map(str::trim).skip_while(|line| !is_prose(line)).take_while(is_prose);
    let paragraph = prose.collect::<Vec<_>>().join(" ");
    match paragraph.find(". ") {
        Some(end) => paragraph[..=end].to_owned(),
        None => paragraph,
    }
}

/// A page for people: what its examples need to run as tests is put into words or left out.
pub fn for_reading(page: &str) -> String {
    let mut text = String::with_capacity(page.len());
    let mut fence: Option<&str> = None;
    for line in page.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            None if ticks.len() >= 3 => {
                fence = Some(ticks);
                let mut words = line.split_whitespace();
                let open = words.next().unwrap_or_default();
                for (name, value) in words.filter_map(|word| word.split_once('=')) {
                    match name {
                        "file" => text.push_str(&format!("In `{value}`:\n\n")),
                        "beside" => text.push_str(&format!("With `{value}` beside it:\n\n")),
                        _ => {}
                    }
                }
                text.push_str(open);
                text.push('\n');
                continue;
            }
            Some(_) | None => {}
        }
        text.push_str(line);
        text.push('\n');
    }
    text
}

/// Calls a function with every field of a map and below it.
fn each_field(map: &MapShape, call: &mut dyn FnMut(&Field)) {
    for field in map.fields.iter().chain(map.values.as_deref()) {
        call(field);
        below(&field.shape, call);
    }
}

fn below(shape: &Shape, call: &mut dyn FnMut(&Field)) {
    if let Shape::List(item) = shape {
        call(item);
    }
    for map in shape.maps() {
        each_field(map, call);
    }
}

impl ShapeRule<'_> {
    fn page(&self) -> String {
        let (id, field) = (&self.id, &self.field);
        let path = &field.path;
        let wants = describe(field, &self.dialect.shapes);
        let about = if field.about.is_empty() { String::new() } else { format!(" {}", field.about) };
        let what = match self.fault {
            Fault::Missing => format!("`{path}` must be there.{about}"),
            Fault::Type | Fault::Pattern => format!("`{path}` must be {wants}.{about}"),
            Fault::Enum => {
                format!("`{path}` must be {wants}; another word is an error, other letters are not.{about}")
            }
            Fault::Exists if !field.must_exist => {
                format!("What `{path}` names lies below the project root, whether it is there or not.{about}")
            }
            Fault::Exists => {
                format!("The file that `{path}` names must exist below the project root.{about}")
            }
            Fault::Tokens => format!(
                "`{path}` has at most {} tokens, counted as o200k.{about}",
                field.tokens_max.unwrap_or_default()
            ),
        };
        let why = match self.fault {
            Fault::Missing => "The receiver cannot go on without it, and nobody asks back at night.",
            Fault::Type => {
                "Whoever reads it expects this type; another one breaks the reader or is silently misread."
            }
            Fault::Enum => "The word decides what happens next; a word nobody knows decides nothing.",
            Fault::Pattern => "Readers take the value apart by its form; another form is lost on them.",
            Fault::Exists if !field.must_exist => {
                "Whoever gets the handoff reads it at another place, and nothing outside the project is followed."
            }
            Fault::Exists => "A pointer to nothing is the most common way in which a handoff is not true.",
            Fault::Tokens => "The summary is what keeps the next context small; a long one defeats it.",
        };
        let why = self.field.page(self.fault).unwrap_or(why);
        let fix = match self.fault {
            Fault::Missing => "None: what belongs there, only the writer knows.",
            Fault::Type | Fault::Pattern => "None: what was meant, only the writer knows.",
            Fault::Enum => {
                "None; a word that is near is named. Other letters are `document/enum-case`, which has one."
            }
            Fault::Exists if !field.must_exist => "None: which file was meant, only the writer knows.",
            Fault::Exists => "None: either the path is wrong or the file is missing.",
            Fault::Tokens => "None: what to leave out is the writer's to say.",
        };
        let head = format!("# {id}\n\n{what}\n\n## Why\n\n{why}\n\n## Fix\n\n{fix}\n");
        let Some((wrong, right)) = self.examples() else {
            return head;
        };
        let beside = if self.fault == Fault::Exists && field.must_exist {
            beside(&wrong.text, &right.text)
        } else {
            String::new()
        };
        let (wrong, right) = (wrong.fenced(self.dialect), right.fenced(self.dialect));
        format!("{head}\n## Wrong\n\n{wrong}\n## Right\n\n{right}{beside}")
    }

    /// The name of the file that an example of a kind needs; files of Baton itself have one.
    fn file(&self, kind: &DialectKind, at: usize) -> Option<String> {
        let is_own = self.checker.dialects().own.iter().any(|own| own.name == self.dialect.name);
        if is_own {
            let place = self.dialect.places.first().map(|place| place.text.to_string());
            return place.or_else(|| Some("dialects/example.yaml".to_owned()));
        }
        example_path(self.dialect, kind, at)
    }

    /// A wrong and a right example, made from the kind's own examples.
    ///
    /// A field that stands in none of them is borrowed from an example of another kind.
    fn examples(&self) -> Option<(Sample, Sample)> {
        let carrier = self.dialect.carriers[0];
        let is_around =
            self.dialect.entries.iter().any(|entries| std::ptr::eq(&raw const entries.around, self.kind));
        let kinds = self.dialect.kinds.iter().filter(|kind| is_around || kind.name == self.kind.name);
        let own = kinds.flat_map(|kind| self.samples(kind));
        let is_plain = matches!(carrier, Carrier::Text(_)) && !self.dialect.is_given();
        let others = self.dialect.kinds.iter().filter(|_| is_plain);
        let borrowed = others.flat_map(|other| {
            let examples = other.examples.iter();
            let borrowed =
                examples.filter_map(move |example| borrow(self.kind, other, example, &self.field, carrier));
            borrowed.map(|text| Sample { text, file: self.file(self.kind, 0) })
        });
        own.chain(borrowed).filter(|example| self.is_of_kind(example)).find_map(|example| {
            let wrong = self.broken(&example)?;
            self.is_of_kind(&wrong).then_some((wrong, example))
        })
    }

    /// Tells whether a text is read as this kind.
    fn is_of_kind(&self, sample: &Sample) -> bool {
        if self.dialect.is_given() {
            return self.is_read_as_kind(sample);
        }
        let tree = read(&sample.text, &self.checker.dialects().keys, self.dialect.carriers[0]);
        let holds = |kind: &DialectKind| {
            let root = tree.roots().next()?;
            let top = match &kind.root {
                Some(wrap) => tree.find(root, &wrap.text)?,
                None => root,
            };
            kind.when.holds(&tree, top, sample.file.as_deref()).then_some(())
        };
        let first = self.dialect.kinds.iter().find(|kind| holds(kind).is_some());
        first.is_some_and(|first| first.name == self.kind.name)
    }
}

/// The file that the right example names and the wrong one does not.
fn beside(wrong: &str, right: &str) -> String {
    let same = wrong.lines().zip(right.lines()).find(|(wrong, right)| wrong != right);
    let Some((wrong, right)) = same else { return String::new() };
    let start = wrong.bytes().zip(right.bytes()).take_while(|(wrong, right)| wrong == right).count();
    let end =
        wrong.bytes().rev().zip(right.bytes().rev()).take_while(|(wrong, right)| wrong == right).count();
    let value = right[start..].get(..right.len() - start - end).unwrap_or_default();
    let path = value.split(':').next().unwrap_or_default();
    format!("\n```text beside={path}\nanything\n```\n")
}

/// The first example of a kind with a field of another kind's example at its end.
fn borrow(
    kind: &DialectKind,
    other: &DialectKind,
    example: &str,
    field: &Field,
    carrier: Carrier,
) -> Option<String> {
    let syntax = carrier.syntax();
    let own = kind.examples.first()?;
    let top = field.path.split('.').next()?;
    let own_tree = read(own, Keys::none(), carrier);
    let in_own = locate(&own_tree, top_of(&own_tree, kind)?, top);
    let tree = read(example, Keys::none(), carrier);
    let (key, value) = locate(&tree, top_of(&tree, other)?, top)?;
    let lines = lines_of(example, &tree, key, value, syntax);
    let at = match syntax {
        Syntax::Xml => own.rfind("</")?,
        Syntax::Yaml | Syntax::Toml => own.len(),
        Syntax::Json => return None,
    };
    // A field that is there but lacks the part in question is replaced by one that has it.
    let place = match in_own {
        Some((key, value)) => lines_of(own, &own_tree, key, value, syntax),
        None => at..at,
    };
    Some(format!("{}{}{}", &own[..place.start], &example[lines], &own[place.end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_for_reading_has_no_marks_for_tests() {
        let page = "# a\n\nDoes it. More.\n\n```toml file=baton.toml finds=2:1\nx\n```\n\n```text beside=b.md\ny\n```\n";
        let shown = "# a\n\nDoes it. More.\n\nIn `baton.toml`:\n\n```toml\nx\n```\n\nWith `b.md` beside it:\n\n```text\ny\n```\n";
        assert_eq!(for_reading(page), shown);
        assert_eq!(first_sentence(page), "Does it.");
    }
}
