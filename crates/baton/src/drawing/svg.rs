//! A flow as a picture: SVG without scripts, fonts or anything else from elsewhere, readable on light and dark ground.

use std::fmt::Write;

use baton_document::flow::Flow;

use super::layout::{Line, Placed, Plan, place};
use super::{Graph, Look, Node};

const STYLE: &str = "\
svg{font:13px system-ui,-apple-system,'Segoe UI',sans-serif}\
.n{fill:#fff;stroke:#4b5563;stroke-width:1.3}.t{fill:#111827;font-weight:600}.s{fill:#4b5563;font-size:12px}\
.e{fill:none;stroke:#6b7280;stroke-width:1.3}.a{stroke-dasharray:5 4}.h{fill:#6b7280}\
.l{fill:#374151;font-size:12px}.b{fill:#fff;fill-opacity:.92}\
.gate{fill:#fef3c7;stroke:#b45309}.person{fill:#fee2e2;stroke:#b91c1c}.parallel{fill:#e0f2fe;stroke:#0369a1}\
.loop{fill:#ede9fe;stroke:#6d28d9}.wait{fill:#f3f4f6}.end{fill:#d1fae5;stroke:#047857}\
@media (prefers-color-scheme:dark){\
.n{fill:#1f2937;stroke:#9ca3af}.t{fill:#f9fafb}.s{fill:#d1d5db}.e{stroke:#9ca3af}.h{fill:#9ca3af}\
.l{fill:#e5e7eb}.b{fill:#111827}\
.gate{fill:#451a03;stroke:#f59e0b}.person{fill:#450a0a;stroke:#f87171}.parallel{fill:#082f49;stroke:#38bdf8}\
.loop{fill:#2e1065;stroke:#a78bfa}.wait{fill:#374151}.end{fill:#022c22;stroke:#34d399}}";

const HEIGHT: f64 = 48.0;

/// The picture.
pub(crate) fn svg(flow: &Flow) -> String {
    let graph = Graph::of(flow);
    let plan = Plan {
        nodes: graph.nodes.iter().map(size).collect(),
        edges: graph.edges.iter().map(|edge| (edge.from, edge.to, label_width(&edge.label))).collect(),
    };
    let placed = place(&plan);
    let mut out = String::new();
    let title = escaped(&format!("The flow {}", graph.title));
    let (width, height) = (placed.width.ceil(), placed.height.ceil());
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\n<title>{title}</title>\n<style>{STYLE}</style>"
    );
    let _ = writeln!(
        out,
        "<defs><marker id=\"h\" viewBox=\"0 0 8 8\" refX=\"7.5\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto-start-reverse\"><path class=\"h\" d=\"M0 0L8 4L0 8z\"/></marker></defs>"
    );
    for (edge, Line { points, .. }) in graph.edges.iter().zip(&placed.edges) {
        let class = if edge.is_aside { "e a" } else { "e" };
        let line = if edge.from == edge.to { around(points) } else { curve(points) };
        let _ = writeln!(out, "<path class=\"{class}\" marker-end=\"url(#h)\" d=\"{line}\"/>");
    }
    for (edge, Line { label: (x, y), .. }) in
        graph.edges.iter().zip(&placed.edges).filter(|(edge, _)| !edge.label.is_empty())
    {
        let width = label_width(&edge.label);
        let (left, top) = (x - width / 2.0, y - 9.0);
        let _ = writeln!(
            out,
            "<rect class=\"b\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"18\" rx=\"4\"/><text class=\"l\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            y + 4.0,
            escaped(&edge.label)
        );
    }
    nodes(&graph, &placed, &mut out);
    out.push_str("</svg>\n");
    out
}

fn nodes(graph: &Graph, placed: &Placed, out: &mut String) {
    for (node, (x, y)) in graph.nodes.iter().zip(&placed.nodes) {
        let (width, height) = size(node);
        let (left, top) = (x - width / 2.0, y - height / 2.0);
        let (class, radius) = match node.look {
            Look::Agent => ("n", 6.0),
            Look::Loop => ("n loop", 6.0),
            Look::Gate => ("n gate", 6.0),
            Look::Parallel => ("n parallel", 6.0),
            Look::Wait => ("n wait", height / 2.0),
            Look::Person => ("n person", 6.0),
            Look::End => ("n end", height / 2.0),
        };
        let _ = writeln!(
            out,
            "<rect class=\"{class}\" x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"{radius:.1}\"/>"
        );
        let name_y = if node.note.is_empty() { y + 4.5 } else { y - 3.5 };
        let text = |out: &mut String, class: &str, y: f64, text: &str| {
            let _ = writeln!(
                out,
                "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"middle\">{}</text>",
                escaped(text)
            );
        };
        text(out, "t", name_y, &node.name);
        if !node.note.is_empty() {
            text(out, "s", y + 14.0, &node.note);
        }
    }
}

/// A loop from a step to itself, at its side.
fn around(points: &[(f64, f64)]) -> String {
    let [(x, top), (side, _), (_, bottom)] = points else { return String::new() };
    let side = side + 10.0;
    format!("M{x:.1} {top:.1}C{side:.1} {top:.1} {side:.1} {bottom:.1} {x:.1} {bottom:.1}")
}

/// A line through all points that leaves and arrives upright.
fn curve(points: &[(f64, f64)]) -> String {
    let mut out = String::new();
    let Some((x, y)) = points.first() else { return out };
    let _ = write!(out, "M{x:.1} {y:.1}");
    for pair in points.windows(2) {
        let ((_, from), (x, y)) = (pair[0], pair[1]);
        let middle = f64::midpoint(from, y);
        let _ = write!(out, "C{:.1} {middle:.1} {x:.1} {middle:.1} {x:.1} {y:.1}", pair[0].0);
    }
    out
}

fn size(node: &Node) -> (f64, f64) {
    let width = text_width(&node.name, 7.8).max(text_width(&node.note, 6.6)) + 30.0;
    let height = if node.note.is_empty() { 34.0 } else { HEIGHT };
    (width.max(84.0), height)
}

fn label_width(label: &str) -> f64 {
    if label.is_empty() { 0.0 } else { text_width(label, 6.6) + 10.0 }
}

/// About how wide a text is: no font is at hand, and letters of some scripts take the room of two.
fn text_width(text: &str, letter: f64) -> f64 {
    text.chars()
        .map(|one| if u32::from(one) >= 0x1100 && !"…⇄".contains(one) { letter * 1.9 } else { letter })
        .sum()
}

fn escaped(text: &str) -> String {
    let mut out = String::new();
    for one in text.chars() {
        match one {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            // Neither is allowed in XML, even as a reference.
            '\u{fffe}' | '\u{ffff}' => out.push('\u{fffd}'),
            one if one.is_control() => out.push(' '),
            one => out.push(one),
        }
    }
    out
}
