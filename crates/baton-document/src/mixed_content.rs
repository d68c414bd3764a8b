//! Text among elements in XML, kept as it is written.
//!
//! As keys and values it would lose its order, and with that what it says. A conversion holds the content of such an
//! element as one value, `{"#mixed": source}`, in the place of its text; as text it is that source, and whoever writes
//! XML writes it as it stands. The canonical form does not know it.

use crate::arena_value::{ArenaValue, Maker};
use crate::tree::{NodeId, Symbol, Tree, XmlToken, XmlTokens, has_known_references};

/// The key of the source.
pub(crate) const KEY: &str = "#mixed";

/// The key of the text of an element beside its attributes.
const TEXT: &str = "#text";

/// The content of an element in which text stands among elements; nothing of others, and of one with an element that
/// is a field of its own.
pub(crate) fn content<'t>(
    tree: &'t Tree<'_>,
    element: NodeId,
    is_field: impl Fn(Symbol) -> bool,
) -> Option<&'t str> {
    let (mut has_text, mut has_elements) = (false, false);
    for entry in tree.known_entries(element) {
        match tree.text(entry.key) {
            TEXT => has_text = true,
            name if name.starts_with('@') => {}
            _ if is_field(entry.symbol) => return None,
            _ => has_elements = true,
        }
    }
    if !has_text || !has_elements {
        return None;
    }
    inside(tree.source().get(tree.local_span(element).range())?).filter(|inside| is_content(inside))
}

/// Text between the tags of an element, given from its name on.
fn inside(element: &str) -> Option<&str> {
    let mut quote = None;
    let is_end = |byte: u8| {
        match (quote, byte) {
            (None, b'>') => return true,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (_, _) => {}
        }
        false
    };
    let inside = &element[element.bytes().position(is_end)? + 1..];
    inside.rfind("</").map(|end| &inside[..end])
}

/// The attributes of an element, with its content in the place of its text.
pub(crate) fn beside_attributes<'v>(
    element: ArenaValue<'v>,
    content: &'v str,
    maker: &mut Maker<'v>,
) -> ArenaValue<'v> {
    let content = as_value(content, maker);
    let start = maker.entries.len();
    maker.entries.extend(element.entries().iter().filter(|(key, _)| key.starts_with('@')));
    maker.entries.push((TEXT, content));
    maker.map(start)
}

/// The content of an element as a value.
pub(crate) fn as_value<'v>(content: &'v str, maker: &mut Maker<'v>) -> ArenaValue<'v> {
    maker.map_of(KEY, ArenaValue::Text(content))
}

/// Content as text; nothing where a value is something else.
pub(crate) fn text_of(value: ArenaValue<'_>) -> Option<&str> {
    match value {
        ArenaValue::Map([(key, ArenaValue::Text(content))]) if **key == *KEY => Some(content.trim()),
        ArenaValue::Null
        | ArenaValue::Boolean(_)
        | ArenaValue::Number(_)
        | ArenaValue::Text(_)
        | ArenaValue::List(_)
        | ArenaValue::Map(_) => None,
    }
}

/// Tells whether an element may hold content, so that only reading tells what comes back of it.
pub(crate) fn may_hold(element: ArenaValue<'_>) -> bool {
    element.get(KEY).is_some() || element.get(TEXT).is_some_and(|text| text.as_text().is_none())
}

/// Tells whether a text can stand inside an element as it is.
pub(crate) fn is_content(text: &str) -> bool {
    let mut open = Vec::new();
    let mut tokens = XmlTokens::starting_at(text, 0);
    while let Some(token) = tokens.next() {
        let is_right = match token {
            Ok(XmlToken::Start { name, .. }) => {
                open.push(&text[name.range()]);
                true
            }
            Ok(XmlToken::Empty { .. }) => open.pop().is_some(),
            Ok(XmlToken::Close { name, .. }) => open.pop() == Some(&text[name.range()]),
            Ok(XmlToken::Attribute { value: span, .. } | XmlToken::Text { text: span }) => {
                has_known_references(&text[span.range()])
            }
            Ok(XmlToken::Open | XmlToken::Cdata { .. } | XmlToken::Comment) => true,
            Ok(XmlToken::Instruction) | Err(_) => false,
        };
        if !is_right {
            return false;
        }
    }
    open.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_is_what_can_stand_inside_an_element() {
        for text in
            ["", "a", " a <b>c</b> ", "<b/>", "<x:b y='>'>a</x:b>&amp;&#10;", "<!-- < --><![CDATA[<]]>"]
        {
            assert!(is_content(text), "{text}");
        }
        for text in [
            "<",
            "&",
            "&no;",
            "<b>",
            "</b>",
            "<b></c>",
            "<b></a:b>",
            "a</b><b>",
            "<b",
            "<b x='&no;'/>",
            "<!-- ",
            "<?a?>",
            "<!DOCTYPE a>",
            "]]>",
            "\u{1}",
            "\u{ffff}",
            "<b x='1'",
        ] {
            assert!(!is_content(text), "{text}");
        }
        assert_eq!(inside("a b='>' c=\"'>\">d</e> </a >"), Some("d</e> "));
    }
}
