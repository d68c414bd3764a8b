//! Breaks the example of a kind in one field and one way.

use crate::dialect::{Carrier, DialectKind, Fault, Field, Keys, Shape, TextShape};
use crate::span::{Span, offset};
use crate::tree::{Block, Limits, NodeId, Spare, Syntax, Tree, parse};

pub(super) fn read<'t>(text: &'t str, keys: &'t Keys, carrier: Carrier) -> Tree<'t> {
    let front = if carrier == Carrier::FrontMatter { crate::carrier::front_matter(text) } else { None };
    let span = front.unwrap_or_else(|| Span::new(0, offset(text.len())));
    let block = Block { text: &text[span.range()], base: span.start, syntax: carrier.syntax() };
    parse(block, keys, &Limits::default(), Spare::default(), &mut Vec::new())
}

/// The map with the fields of an example.
pub(super) fn top_of(tree: &Tree<'_>, kind: &DialectKind) -> Option<NodeId> {
    let root = tree.roots().next()?;
    match &kind.root {
        Some(wrap) => tree.find(root, &wrap.text),
        None => Some(root),
    }
}

/// Breaks the field at a key and value of a text in one way.
pub(super) fn break_example(
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
pub(super) fn wrong_form(shape: &Shape) -> Option<&'static str> {
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
pub(super) fn locate(tree: &Tree<'_>, top: NodeId, path: &str) -> Option<(NodeId, NodeId)> {
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

/// Tells whether a key is the only one of a map below the top.
fn is_alone(tree: &Tree<'_>, key: NodeId) -> bool {
    let below = tree.roots().flat_map(|root| tree.subtree(root).skip(1));
    let mut maps = below.map(|(node, _)| tree.entries(node).map(|(key, _)| key));
    maps.any(|mut keys| keys.next() == Some(key) && keys.next().is_none())
}

/// The whole lines on which an entry stands.
pub(super) fn lines_of(
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

pub(super) fn splice(text: &str, span: Span, with: &str) -> String {
    format!("{}{with}{}", &text[..span.start as usize], &text[span.end as usize..])
}

pub(super) fn quoted(text: &str, syntax: Syntax) -> String {
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
