//! A flow as Mermaid, for documents that draw it themselves.

use std::fmt::Write;

use baton_document::flow::Flow;

use super::{Graph, Look};

/// The text of the drawing.
pub(crate) fn mermaid(flow: &Flow) -> String {
    let graph = Graph::of(flow);
    let mut out = String::from("flowchart TD\n");
    for (at, node) in graph.nodes.iter().enumerate() {
        let (open, close) = match node.look {
            Look::Agent => ("[", "]"),
            Look::Loop => ("[[", "]]"),
            Look::Gate => ("{", "}"),
            Look::Parallel => ("{{", "}}"),
            Look::Wait => ("([", "])"),
            Look::Person => ("[/", "/]"),
            Look::End => ("((", "))"),
        };
        let note = if node.note.is_empty() { String::new() } else { format!("<br/>{}", escaped(&node.note)) };
        let _ = writeln!(out, "  s{at}{open}\"{}{note}\"{close}", escaped(&node.name));
    }
    for edge in &graph.edges {
        let arrow = if edge.is_aside { "-.->" } else { "-->" };
        let label =
            if edge.label.is_empty() { String::new() } else { format!("|\"{}\"|", escaped(&edge.label)) };
        let _ = writeln!(out, "  s{} {arrow}{label} s{}", edge.from, edge.to);
    }
    out
}

/// What could be taken for syntax becomes the code of its character.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for one in text.chars() {
        if one.is_alphanumeric() || matches!(one, ' ' | '.' | ',' | '_' | '-' | '…' | '·' | '×' | '⇄') {
            out.push(one);
        } else {
            let _ = write!(out, "#{};", u32::from(one));
        }
    }
    out
}
