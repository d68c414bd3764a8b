//! Where everything of a drawing goes: layers from top to bottom, few crossings, straight where possible.
//!
//! Every arrow has a place of its own in the layers that it passes, as wide as its label, so that nothing lies on
//! anything else. Bounded: arrows that would need too many places are drawn straight through.

use std::collections::{BTreeMap, VecDeque};

/// What is laid out.
pub(super) struct Plan {
    /// Width and height of each node.
    pub(super) nodes: Vec<(f64, f64)>,
    /// From, to, and the width of the label.
    pub(super) edges: Vec<(usize, usize, f64)>,
}

/// Where it goes.
pub(super) struct Placed {
    /// The middle of each node.
    pub(super) nodes: Vec<(f64, f64)>,
    /// Each arrow.
    pub(super) edges: Vec<Line>,
    pub(super) width: f64,
    pub(super) height: f64,
}

/// Where an arrow goes.
pub(super) struct Line {
    /// Its points from its start to its end.
    pub(super) points: Vec<(f64, f64)>,
    /// The middle of its label.
    pub(super) label: (f64, f64),
}

/// An end of an arrow at the side of a node.
struct Port {
    /// The column that the arrow comes from.
    x: f64,
    edge: usize,
    is_start: bool,
}

/// Space between what stands beside each other, and around all of it.
const GAP: f64 = 28.0;
const MARGIN: f64 = 24.0;
/// The height of a layer between steps.
const BETWEEN: f64 = 58.0;
/// Space between arrows that meet the same side of a node.
const PORT: f64 = 14.0;
/// Places of arrows in all layers together.
const PLACES_MAX: usize = 20_000;
const SWEEPS: usize = 8;

/// A node or the place of an arrow in a layer.
struct Item {
    width: f64,
    above: Vec<usize>,
    below: Vec<usize>,
    layer: usize,
    x: f64,
}

pub(super) fn place(plan: &Plan) -> Placed {
    let reversed = backward(plan);
    let layers_of = ranks(plan, &reversed);
    let mut items: Vec<Item> = plan
        .nodes
        .iter()
        .zip(&layers_of)
        .map(|((width, _), layer)| Item {
            width: *width,
            above: Vec::new(),
            below: Vec::new(),
            layer: *layer,
            x: 0.0,
        })
        .collect();
    let chains = chains(plan, &reversed, &mut items);
    let mut layers: Vec<Vec<usize>> =
        vec![Vec::new(); items.iter().map(|item| item.layer + 1).max().unwrap_or(1)];
    for (at, item) in items.iter().enumerate() {
        layers[item.layer].push(at);
    }
    order(&mut layers, &items);
    columns(&layers, &mut items);
    finish(plan, &reversed, &layers, &items, &chains)
}

/// The arrows that lead back: those to a node from which a search is still under way.
fn backward(plan: &Plan) -> Vec<bool> {
    let mut out: Vec<Vec<usize>> = vec![Vec::new(); plan.nodes.len()];
    for (at, (from, ..)) in plan.edges.iter().enumerate() {
        out[*from].push(at);
    }
    let mut state = vec![0_u8; plan.nodes.len()];
    let mut reversed = vec![false; plan.edges.len()];
    for start in 0..plan.nodes.len() {
        let mut open = if state[start] == 0 { vec![(start, 0)] } else { Vec::new() };
        while let Some((node, next)) = open.pop() {
            state[node] = 1;
            match out[node].get(next) {
                Some(edge) => {
                    open.push((node, next + 1));
                    let to = plan.edges[*edge].1;
                    match state[to] {
                        0 => open.push((to, 0)),
                        1 => reversed[*edge] = true,
                        _ => {}
                    }
                }
                None => state[node] = 2,
            }
        }
    }
    reversed
}

/// The layer of each node, with one between any two for arrows.
fn ranks(plan: &Plan, reversed: &[bool]) -> Vec<usize> {
    let count = plan.nodes.len();
    let (mut below, mut waits) = (vec![Vec::new(); count], vec![0_usize; count]);
    for ((from, to, _), is_reversed) in plan.edges.iter().zip(reversed) {
        let (top, bottom) = if *is_reversed { (*to, *from) } else { (*from, *to) };
        if top != bottom {
            below[top].push(bottom);
            waits[bottom] += 1;
        }
    }
    let mut rank = vec![0; count];
    let mut open: VecDeque<usize> = (0..count).filter(|node| waits[*node] == 0).collect();
    while let Some(node) = open.pop_front() {
        for &to in &below[node] {
            rank[to] = rank[to].max(rank[node] + 2);
            waits[to] -= 1;
            if waits[to] == 0 {
                open.push_back(to);
            }
        }
    }
    rank
}

/// Gives every arrow its places in the layers between, from its upper end to its lower one.
fn chains(plan: &Plan, reversed: &[bool], items: &mut Vec<Item>) -> Vec<Vec<usize>> {
    let mut chains = Vec::new();
    let mut room = PLACES_MAX;
    for ((from, to, label), is_reversed) in plan.edges.iter().zip(reversed) {
        let (top, bottom) = if *is_reversed { (*to, *from) } else { (*from, *to) };
        let (first, last) = (items[top].layer, items[bottom].layer);
        let count = last.saturating_sub(first + 1);
        let mut chain = Vec::new();
        if count <= room && top != bottom {
            room -= count;
            // The label stands where the arrow begins.
            let labelled = if *is_reversed { last - 1 } else { first + 1 };
            let mut above = top;
            for layer in first + 1..last {
                let width = if layer == labelled { label.max(8.0) } else { 8.0 };
                items.push(Item { width, above: vec![above], below: Vec::new(), layer, x: 0.0 });
                let place = items.len() - 1;
                items[above].below.push(place);
                chain.push(place);
                above = place;
            }
            items[above].below.push(bottom);
            items[bottom].above.push(above);
        }
        chains.push(chain);
    }
    chains
}

/// Orders each layer by where its neighbours are, down and up again.
fn order(layers: &mut [Vec<usize>], items: &[Item]) {
    let mut place = vec![0.0; items.len()];
    let note = |layer: &[usize], place: &mut [f64]| {
        for (number, at) in (0_u32..).zip(layer) {
            place[*at] = f64::from(number);
        }
    };
    layers.iter().for_each(|layer| note(layer, &mut place));
    for sweep in 0..SWEEPS {
        let is_down = sweep % 2 == 0;
        let mut turn: Vec<usize> = (0..layers.len()).collect();
        if !is_down {
            turn.reverse();
        }
        for at in turn {
            let weight = |item: &usize| {
                let near = if is_down { &items[*item].above } else { &items[*item].below };
                let sum: f64 = near.iter().map(|other| place[*other]).sum();
                if near.is_empty() { place[*item] } else { sum / count(near.len()) }
            };
            let mut weighed: Vec<(f64, usize)> =
                layers[at].iter().map(|item| (weight(item), *item)).collect();
            weighed.sort_by(|one, other| one.0.total_cmp(&other.0));
            layers[at] = weighed.into_iter().map(|(_, item)| item).collect();
            note(&layers[at], &mut place);
        }
    }
}

/// Moves everything in its layer towards its neighbours, without changing the order.
fn columns(layers: &[Vec<usize>], items: &mut [Item]) {
    for layer in layers {
        let mut x = 0.0;
        for at in layer {
            items[*at].x = x + items[*at].width / 2.0;
            x += items[*at].width + GAP;
        }
    }
    for sweep in 0..SWEEPS * 2 {
        let is_down = sweep % 2 == 0;
        let mut turn: Vec<&Vec<usize>> = layers.iter().collect();
        if !is_down {
            turn.reverse();
        }
        for layer in turn {
            let wanted: Vec<f64> = layer
                .iter()
                .map(|at| {
                    let near = if is_down { &items[*at].above } else { &items[*at].below };
                    let sum: f64 = near.iter().map(|other| items[*other].x).sum();
                    if near.is_empty() { items[*at].x } else { sum / count(near.len()) }
                })
                .collect();
            let (left, right) = (packed(layer, &wanted, items, false), packed(layer, &wanted, items, true));
            for ((at, left), right) in layer.iter().zip(left).zip(right) {
                items[*at].x = f64::midpoint(left, right);
            }
        }
    }
}

/// The wanted columns, pushed apart to the right or, seen from the other end, to the left.
fn packed(layer: &[usize], wanted: &[f64], items: &[Item], is_mirrored: bool) -> Vec<f64> {
    let mut order: Vec<usize> = (0..layer.len()).collect();
    if is_mirrored {
        order.reverse();
    }
    let sign = if is_mirrored { -1.0 } else { 1.0 };
    let mut placed = vec![0.0; layer.len()];
    let mut edge = f64::NEG_INFINITY;
    for at in order {
        let half = items[layer[at]].width / 2.0;
        let x = (wanted[at] * sign).max(edge + half);
        edge = x + half + GAP;
        placed[at] = x * sign;
    }
    placed
}

fn finish(
    plan: &Plan,
    reversed: &[bool],
    layers: &[Vec<usize>],
    items: &[Item],
    chains: &[Vec<usize>],
) -> Placed {
    let left = items.iter().map(|item| item.x - item.width / 2.0).fold(f64::INFINITY, f64::min);
    let right = items.iter().map(|item| item.x + item.width / 2.0).fold(0.0, f64::max);
    let mut middles = Vec::new();
    let mut y = MARGIN;
    for layer in layers {
        let heights = layer.iter().filter_map(|at| plan.nodes.get(*at)).map(|(_, height)| *height);
        let height = heights.fold(0.0, f64::max);
        let height = if height > 0.0 { height } else { BETWEEN };
        middles.push(y + height / 2.0);
        y += height;
    }
    let middle = |at: usize| (items[at].x - left + MARGIN, middles[items[at].layer]);
    let mut loops = 0.0_f64;
    let edges =
        plan.edges.iter().zip(reversed).zip(chains).map(|(((from, to, label), is_reversed), chain)| {
            let ((x, y), (width, height)) = (middle(*from), plan.nodes[*from]);
            if from == to {
                let side = x + width / 2.0;
                loops = loops.max(side + 30.0 + label);
                let points = vec![(side, y - height / 4.0), (side + 26.0, y), (side, y + height / 4.0)];
                return Line { points, label: (side + 26.0 + label / 2.0, y) };
            }
            let mut points: Vec<(f64, f64)> = chain.iter().map(|at| middle(*at)).collect();
            if *is_reversed {
                points.reverse();
            }
            let (end, end_height) = (middle(*to), plan.nodes[*to].1);
            let side = if *is_reversed { -1.0 } else { 1.0 };
            let label_at =
                points.first().copied().unwrap_or((f64::midpoint(x, end.0), f64::midpoint(y, end.1)));
            points.insert(0, (x, y + side * height / 2.0));
            points.push((end.0, end.1 - side * end_height / 2.0));
            Line { points, label: label_at }
        });
    let mut edges: Vec<Line> = edges.collect();
    spread(plan, &mut edges);
    let nodes = (0..plan.nodes.len()).map(middle).collect();
    Placed { nodes, edges, width: (right - left + 2.0 * MARGIN).max(loops + MARGIN), height: y + MARGIN }
}

/// Lets arrows that meet the same side of a node do so beside each other, in the order in which they come.
fn spread(plan: &Plan, edges: &mut [Line]) {
    // By node and side.
    let mut ports: BTreeMap<(usize, bool), Vec<Port>> = BTreeMap::new();
    for (edge, ((from, to, _), Line { points, .. })) in plan.edges.iter().zip(&*edges).enumerate() {
        let (Some(first), Some(last)) = (points.first(), points.last()) else { continue };
        if from == to {
            continue;
        }
        let is_down = first.1 < last.1;
        let (next, before) = (points[1].0, points[points.len() - 2].0);
        ports.entry((*from, is_down)).or_default().push(Port { x: next, edge, is_start: true });
        ports.entry((*to, !is_down)).or_default().push(Port { x: before, edge, is_start: false });
    }
    for ((node, _), mut meeting) in ports {
        meeting.sort_by(|one, other| one.x.total_cmp(&other.x));
        let gaps = count(meeting.len() - 1);
        let step = if gaps > 0.0 { PORT.min((plan.nodes[node].0 - 2.0 * PORT) / gaps) } else { 0.0 };
        for (number, port) in (0_u32..).zip(&meeting) {
            let points = &mut edges[port.edge].points;
            let last = points.len() - 1;
            points[if port.is_start { 0 } else { last }].0 += step * (f64::from(number) - gaps / 2.0);
        }
    }
}

fn count(number: usize) -> f64 {
    u32::try_from(number).map_or(f64::from(u32::MAX), f64::from)
}
