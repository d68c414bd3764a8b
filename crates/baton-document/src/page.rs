//! Pages: what a rule wants and why, with a wrong and a right example that are run as tests.
//!
//! A rule in Rust has its page in a file beside it. The page of a shape rule is made from the dialect
//! file: its right example is the dialect's own, its wrong one that example with the one fault.

mod sample;

use crate::check::{self, Checker, describe};
use crate::dialect::{Carrier, Dialect, DialectKind, Fault, Field, Keys, MapShape, Shape, TextShape};
use crate::finding::Level;
use crate::rules;
use crate::span::{Span, offset};
use crate::tree::{Block, Limits, NodeId, Spare, Syntax, Tree, parse};
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

/// One fenced block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// What it is there for.
    pub role: Role,
    /// The path it stands at.
    pub file: Option<String>,
    /// Where the rule finds something: line and column.
    pub finds: Option<(u32, u32)>,
    /// Whether it is read under limits that are easy to meet.
    pub has_small_limits: bool,
    /// Whether the file beside it was created since the handoff before.
    pub is_created: bool,
    /// Its text, with escapes such as `\xff` decoded where the block says so.
    pub bytes: Vec<u8>,
}

/// What an example is there for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The rule finds something in it.
    Wrong,
    /// The rule finds nothing in it.
    Right,
    /// It is a file beside the others.
    Beside,
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
    check::nearest(id, names(checker).iter().map(String::as_str)).map(ToOwned::to_owned)
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
        check::example_path(self.dialect, kind, at)
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

    /// Whether a text is read as this kind.
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

fn read<'t>(text: &'t str, keys: &'t Keys, carrier: Carrier) -> Tree<'t> {
    let front = if carrier == Carrier::FrontMatter { crate::carrier::front_matter(text) } else { None };
    let span = front.unwrap_or_else(|| Span::new(0, offset(text.len())));
    let block = Block { text: &text[span.range()], base: span.start, syntax: carrier.syntax() };
    parse(block, keys, &Limits::default(), Spare::default(), &mut Vec::new())
}

/// The map with the fields of an example.
fn top_of(tree: &Tree<'_>, kind: &DialectKind) -> Option<NodeId> {
    let root = tree.roots().next()?;
    match &kind.root {
        Some(wrap) => tree.find(root, &wrap.text),
        None => Some(root),
    }
}

/// Breaks the field at a key and value of a text in one way.
fn break_example(
    text: &str,
    tree: &Tree<'_>,
    (key, value): (NodeId, NodeId),
    field: &Field,
    fault: Fault,
) -> Option<String> {
    let syntax = tree.syntax();
    // A rule about the items of a list is shown on its first item.
    let is_item = field.key.text.is_empty();
    let first_of =
        |value: NodeId| tree.items(value).next().or_else(|| tree.entries(value).next().map(|(_, one)| one));
    let value = if is_item { first_of(value).or((syntax == Syntax::Xml).then_some(value))? } else { value };
    let span = tree.span(value);
    let value_text = match (fault, syntax) {
        (Fault::Missing, _) => return Some(remove(text, tree, key, value, syntax)),
        // A table of TOML is no single piece of text that another value could stand in for.
        (Fault::Type, Syntax::Toml) if !field.path.contains('.') => {
            let value = if is_item { "[1]" } else { "\"perhaps\"" };
            return Some(format!("{} = {value}\n", field.path));
        }
        (Fault::Type, _) => wrong_type(&field.shape, syntax, tree.text(key))?,
        (Fault::Enum, _) => {
            if let Shape::Integer(Some(number)) = &field.shape {
                (number + 1).to_string()
            } else {
                quoted("nonsense", syntax)
            }
        }
        (Fault::Pattern, _) => quoted(wrong_form(&field.shape)?, syntax),
        (Fault::Exists, _) => quoted(&other_path(field, tree.text(value)), syntax),
        (Fault::Tokens, _) => quoted(&"word ".repeat(field.tokens_max? + 10), syntax),
    };
    // In XML a repeated or mixed element is replaced by its content.
    let span = if syntax == Syntax::Xml { content(text, tree, key, value) } else { span };
    Some(splice(text, span, &value_text))
}

/// A text of another form than a field wants; none where every text will do.
fn wrong_form(shape: &Shape) -> Option<&'static str> {
    if matches!(shape, Shape::Date) {
        return Some("2026-99-99");
    }
    if matches!(shape, Shape::Timestamp) {
        return Some("yesterday");
    }
    match shape {
        Shape::Text(TextShape { pattern: Some(pattern), .. }) => {
            ["nonsense", "Non sense!", "0", "-"].into_iter().find(|text| !pattern.regex.is_match(text))
        }
        Shape::Text(TextShape { is_filled: true, .. }) | Shape::Either(_) => Some(""),
        Shape::Any
        | Shape::Text(_)
        | Shape::Words(_)
        | Shape::Integer(_)
        | Shape::Number
        | Shape::Boolean
        | Shape::Date
        | Shape::Timestamp
        | Shape::List(_)
        | Shape::Map(_)
        | Shape::Depends { .. }
        | Shape::Named(_) => None,
    }
}

/// A path that fits the field as well as this one, and does not exist.
fn other_path(field: &Field, path: &str) -> String {
    let pattern = if let Shape::Text(text) = &field.shape { text.pattern.as_ref() } else { None };
    let fits = |other: &str| pattern.is_none_or(|pattern| pattern.regex.is_match(other));
    let plain = if field.must_exist { "no/such/file.txt" } else { "../outside.txt" }.to_owned();
    if fits(&plain) {
        return plain;
    }
    let changed =
        path.char_indices().map(|(at, c)| format!("{}9{}", &path[..at], &path[at + c.len_utf8()..]));
    changed.filter(|other| other != path).find(|other| fits(other)).unwrap_or(plain)
}

/// Finds the key and value at a dotted path, through the first item of each list.
fn locate(tree: &Tree<'_>, top: NodeId, path: &str) -> Option<(NodeId, NodeId)> {
    let mut at = (top, top);
    for part in path.split('.') {
        let map = tree.items(at.1).next().unwrap_or(at.1);
        at = tree
            .entries(map)
            .find(|(key, _)| tree.text(*key) == part)
            // Text alone stands for `#text`.
            .or_else(|| (part == "#text").then_some((at.0, map)))?;
    }
    Some(at)
}

fn remove(text: &str, tree: &Tree<'_>, key: NodeId, value: NodeId, syntax: Syntax) -> String {
    let (start, end) = (tree.span(key).start as usize, tree.span(value).end as usize);
    match syntax {
        Syntax::Json => {
            let after = text[end..].trim_start();
            let (start, end) = if after.starts_with(',') {
                let comma = text.len() - after.len() + 1;
                (start, comma + text[comma..].len() - text[comma..].trim_start().len())
            } else {
                let before = text[..start].trim_end();
                (before.strip_suffix(',').unwrap_or(before).len(), end)
            };
            format!("{}{}", &text[..start], &text[end..])
        }
        Syntax::Yaml | Syntax::Toml => {
            let lines = lines_of(text, tree, key, value, syntax);
            let before = &text[lines.start..start];
            if is_alone(tree, key) {
                // A map without its last entry would be nothing at all.
                format!("{} {{}}\n{}", text[..lines.start].trim_end(), &text[lines.end..])
            } else if before.contains('-') {
                // The first key after a dash leaves the dash behind.
                format!("{}{}", &text[..start], text[lines.end..].trim_start())
            } else {
                format!("{}{}", &text[..lines.start], &text[lines.end..])
            }
        }
        Syntax::Xml => {
            if tree.text(key).starts_with('@') {
                let from = text[..start].trim_end().len();
                return format!("{}{}", &text[..from], &text[end + 1..]);
            }
            let lines = lines_of(text, tree, key, value, syntax);
            format!("{}{}", &text[..lines.start], &text[lines.end..])
        }
    }
}

/// Whether a key is the only one of a map below the top.
fn is_alone(tree: &Tree<'_>, key: NodeId) -> bool {
    let below = tree.roots().flat_map(|root| tree.subtree(root).skip(1));
    let mut maps = below.map(|(node, _)| tree.entries(node).map(|(key, _)| key));
    maps.any(|mut keys| keys.next() == Some(key) && keys.next().is_none())
}

/// The whole lines on which an entry stands.
fn lines_of(
    text: &str,
    tree: &Tree<'_>,
    key: NodeId,
    value: NodeId,
    syntax: Syntax,
) -> std::ops::Range<usize> {
    let (start, mut end) = (tree.span(key).start as usize, tree.span(value).end as usize);
    if syntax == Syntax::Xml {
        let close = format!("</{}>", tree.text(key));
        end = text[start..].find(&close).map_or(end, |at| start + at + close.len());
    }
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let next = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
    line..next
}

/// The content of an XML element or the value of an attribute.
fn content(text: &str, tree: &Tree<'_>, key: NodeId, value: NodeId) -> Span {
    let name = tree.text(key);
    if name.starts_with('@') || tree.span(key) == tree.span(value) {
        return tree.span(value);
    }
    let start = tree.span(key).end as usize;
    let open = start + text[start..].find('>').map_or(0, |at| at + 1);
    let close = open + text[open..].find(&format!("</{name}>")).unwrap_or(0);
    Span::new(offset(open), offset(close))
}

fn splice(text: &str, span: Span, with: &str) -> String {
    format!("{}{with}{}", &text[..span.start as usize], &text[span.end as usize..])
}

fn quoted(text: &str, syntax: Syntax) -> String {
    match syntax {
        Syntax::Json | Syntax::Yaml | Syntax::Toml => format!("\"{text}\""),
        Syntax::Xml => text.to_owned(),
    }
}

/// A value of another type; none where every value is of the type, as in XML, where all is text.
fn wrong_type(shape: &Shape, syntax: Syntax, key: &str) -> Option<String> {
    let is_xml = syntax == Syntax::Xml;
    let is_plain = |text: &str| Some(quoted(text, syntax));
    match shape {
        Shape::Any | Shape::Named(_) => None,
        Shape::Text(_) | Shape::Words(_) | Shape::Date | Shape::Timestamp if is_xml => {
            (!key.starts_with(['@', '#'])).then(|| "<part>1</part>".to_owned())
        }
        Shape::Text(_) | Shape::Words(_) | Shape::Date | Shape::Timestamp => Some("[1]".to_owned()),
        Shape::Integer(_) | Shape::Number | Shape::Boolean => is_plain("perhaps"),
        Shape::List(item) if is_xml => wrong_type(&item.shape, syntax, key),
        Shape::List(_) => is_plain("perhaps"),
        Shape::Map(map) if is_xml => {
            let takes_text = map.fields.iter().any(|field| &*field.key.text == "#text");
            (!takes_text).then(|| "perhaps".to_owned())
        }
        Shape::Map(_) | Shape::Depends { .. } => Some("[1]".to_owned()),
        Shape::Either(_) => Some("[[1]]".to_owned()),
    }
}

/// The examples of a page.
pub fn examples_of(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut role = Role::Beside;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        match line {
            "## Wrong" => role = Role::Wrong,
            "## Right" => role = Role::Right,
            _ => {}
        }
        let Some(info) = line.strip_prefix("````").or_else(|| line.strip_prefix("```")) else { continue };
        let fence = if line.starts_with("````") { "````" } else { "```" };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        examples.push(example(role, info, &body));
    }
    examples
}

fn example(role: Role, info: &str, body: &[&str]) -> Example {
    let text: String = body.iter().flat_map(|line| [*line, "\n"]).collect();
    let mut made = Example {
        role,
        file: None,
        finds: None,
        has_small_limits: false,
        is_created: false,
        bytes: text.clone().into_bytes(),
    };
    for word in info.split_whitespace() {
        match word.split_once('=') {
            Some(("file", path)) => made.file = Some(path.to_owned()),
            Some(("beside", path)) => {
                made.role = Role::Beside;
                made.file = Some(path.to_owned());
            }
            Some(("finds", place)) => {
                made.finds = place
                    .split_once(':')
                    .and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
            }
            Some(("limits", "small")) => made.has_small_limits = true,
            // The last line, so many times.
            Some(("repeat", times)) => {
                let last = body.last().map(|line| format!("{line}\n")).unwrap_or_default();
                made.bytes.extend(last.repeat(times.parse().unwrap_or(0)).bytes());
            }
            Some(_) => {}
            None if word == "created" => made.is_created = true,
            None if word == "escaped" => made.bytes = unescape(text.trim_end()),
            None => {}
        }
    }
    made
}

/// Decodes `\xff` and `\n` in an example that cannot stand in a text file.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let hex = rest.get(at + 2..at + 4).filter(|_| rest[at..].starts_with("\\x"));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[at + 4..];
            }
            None if rest[at..].starts_with("\\n") => {
                bytes.push(b'\n');
                rest = &rest[at + 2..];
            }
            None => {
                bytes.push(b'\\');
                rest = &rest[at + 1..];
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
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
