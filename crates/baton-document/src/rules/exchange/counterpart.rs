//! Finds the request that a response answers, in the files beside it.

use crate::dialect::Keys;
use crate::rule::{Case, Value};
use crate::tree::{Block, Kind, Limits, Spare, Syntax, Tree, parse};
use crate::world::Seen;

/// A file with more neighbours than this is in a store, where nothing says which request is its own.
const NEIGHBOURS_MAX: usize = 8;

/// Depth to which requests are searched in a file, the same as for handoffs.
const DEPTH_MAX: usize = 3;

/// Parts by which the names of a response and its request differ.
const NAMES: [(&str, &str); 4] =
    [("response", "request"), ("Response", "Request"), ("RESPONSE", "REQUEST"), ("resp", "req")];

/// A file with requests.
pub(super) struct Counterpart {
    /// Its path from the root.
    pub(super) path: String,
    /// The task id and phase of each request in it.
    pub(super) requests: Vec<[Option<String>; 2]>,
}

/// The file with the request of a response that is the only handoff of its own file.
pub(super) fn find(case: &Case<'_>) -> Option<Counterpart> {
    let path = case.path().filter(|_| case.earlier().is_empty())?;
    syntax_of(path)?;
    let own = Exchanges::of(case.tree());
    if !own.requests.is_empty() || own.responses > 1 {
        return None;
    }
    by_name(case, path).or_else(|| only_one(case, path))
}

/// The file whose name has `request` where this one has `response`.
fn by_name(case: &Case<'_>, path: &str) -> Option<Counterpart> {
    let name_start = path.rfind('/').map_or(0, |at| at + 1);
    let (folder, name) = path.split_at(name_start);
    NAMES.iter().find_map(|(response, request)| {
        let at = name.rfind(response)?;
        let other = format!("{folder}{}{request}{}", &name[..at], &name[at + response.len()..]);
        let is_file = case.world().look(&other) == Seen::File;
        let exchanges = is_file.then(|| read(case, &other)).flatten()?;
        let requests = exchanges.requests;
        (!requests.is_empty()).then_some(Counterpart { path: other, requests })
    })
}

/// The only request of the folder, where this is its only response.
fn only_one(case: &Case<'_>, path: &str) -> Option<Counterpart> {
    let mut others = case.world().neighbours(path);
    others.retain(|other| syntax_of(other).is_some());
    if others.len() > NEIGHBOURS_MAX {
        return None;
    }
    let mut found = None;
    for other in others {
        let Some(exchanges) = read(case, &other) else { continue };
        if exchanges.responses > 0 || (found.is_some() && !exchanges.requests.is_empty()) {
            return None;
        }
        if !exchanges.requests.is_empty() {
            found = Some(Counterpart { path: other, requests: exchanges.requests });
        }
    }
    found
}

fn read(case: &Case<'_>, path: &str) -> Option<Exchanges> {
    let text = case.world().read(path)?;
    let block = Block { text: &text, base: 0, syntax: syntax_of(path)? };
    let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut Vec::new());
    Some(Exchanges::of(&tree))
}

fn syntax_of(path: &str) -> Option<Syntax> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "json" => Some(Syntax::Json),
        "yaml" | "yml" => Some(Syntax::Yaml),
        _ => None,
    }
}

/// The requests and responses of a file.
#[derive(Default)]
struct Exchanges {
    requests: Vec<[Option<String>; 2]>,
    responses: usize,
}

impl Exchanges {
    fn of(tree: &Tree<'_>) -> Self {
        let mut found = Self::default();
        for root in tree.roots() {
            found.add(Value::new(tree, root), 0);
        }
        found
    }

    fn add(&mut self, value: Value<'_>, depth: usize) {
        if depth > DEPTH_MAX {
            return;
        }
        match value.kind() {
            Kind::List => value.items().for_each(|item| self.add(item, depth + 1)),
            Kind::Map => self.add_map(value, depth),
            Kind::Null
            | Kind::False
            | Kind::True
            | Kind::Integer
            | Kind::Float
            | Kind::Text
            | Kind::Broken => {}
        }
    }

    fn add_map(&mut self, map: Value<'_>, depth: usize) {
        let (mut task_id, mut phase) = (None, None);
        let (mut asks, mut answers) = (false, false);
        for (key, value) in map.entries() {
            match key {
                "task_id" => task_id = task_id.or_else(|| value.text()),
                "phase" => phase = phase.or_else(|| value.text()),
                "context" | "instructions" | "expected_output" => asks = true,
                "decision" | "findings" | "context_summary" => answers = true,
                _ => {}
            }
        }
        if task_id.is_none() || phase.is_none() || !(asks || answers) {
            return map.entries().for_each(|(_, value)| self.add(value, depth + 1));
        }
        if answers {
            self.responses += 1;
        } else {
            self.requests.push([task_id, phase].map(|text| text.map(str::to_owned)));
        }
    }
}
