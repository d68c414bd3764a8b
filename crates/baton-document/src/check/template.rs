//! Tells a template from a handoff: values like `a|b|c`, placeholders like `[agent-id]`.

use crate::tree::{Kind, NodeId, Tree};

/// Finds the first placeholder in a document.
pub(crate) fn placeholder(tree: &Tree<'_>, document: NodeId) -> Option<NodeId> {
    tree.subtree(document).filter(|(_, is_key)| !is_key).map(|(node, _)| node).find(|node| {
        match tree.kind(*node) {
            Kind::Text => is_placeholder(tree.text(*node)),
            Kind::List => {
                // `[...]` and `[N]` without quotes are lists of one word.
                let mut items = tree.items(*node);
                match (items.next(), items.next()) {
                    (Some(only), None) => matches!(tree.text(only), "..." | "…" | "N"),
                    _ => false,
                }
            }
            Kind::Null
            | Kind::False
            | Kind::True
            | Kind::Integer
            | Kind::Float
            | Kind::Map
            | Kind::Broken => false,
        }
    })
}

fn is_placeholder(text: &str) -> bool {
    let text = text.trim();
    is_bracketed(text, '[', ']')
        || is_bracketed(text, '{', '}')
        || is_bracketed(text, '<', '>')
        || is_choice(text)
}

/// One pair of brackets around a few words, as in `[agent-id]`.
fn is_bracketed(text: &str, open: char, close: char) -> bool {
    let inner = text.strip_prefix(open).and_then(|rest| rest.strip_suffix(close));
    inner.is_some_and(|inner| {
        !inner.contains([open, close, '"', ':', ',']) && inner.chars().any(char::is_alphabetic)
            || inner == "..."
    })
}

/// Words with `|` between them, as in `VERIFIED | UNVERIFIED | BLOCKED`, perhaps with a remark behind them.
fn is_choice(text: &str) -> bool {
    let end = [" (", " - "].into_iter().filter_map(|remark| text.find(remark)).min();
    let choice = &text[..end.unwrap_or(text.len())];
    let is_word = |part: &str| {
        let part = part.trim();
        !part.is_empty() && part.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.'))
    };
    choice.contains('|') && choice.split('|').all(is_word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn choices_and_brackets_are_placeholders_and_sentences_are_not() {
        // proves A-01
        for text in
            ["success|failure|blocked", "VERIFIED | UNVERIFIED", "[agent-id]", "{run-id}", "<name>", "[...]"]
        {
            assert!(is_placeholder(text), "{text}");
        }
        for text in
            ["done", "use a | b in the shell", "[1, 2]", "{\"a\": 1}", "see [RFC 3339] for it", "", "a || b"]
        {
            assert!(!is_placeholder(text), "{text}");
        }
    }
}
