//! Reads a flow from the tree of its text. What cannot be read is a finding, and the rest is read on.
//!
//! Invariant: a value that is skipped is said. What the form of flow files finds at the same place is not said twice.

use super::findings;
use super::{
    AgentStep, CapsSpec, Does, Flow, GateStep, Input, JoinSpec, LoopStep, OnCap, OnFail, Outcome,
    ParallelStep, ReworkSpec, RouteSpec, Spanned, StatusWord, StepSpec, Target, WaitStep, When, Word, Work,
    bounds,
};
use crate::datum::Datum;
use crate::finding::Finding;
use crate::span::{BOM, offset};
use crate::spelling::nearest;
use crate::tree::{Block, Keys, Kind, Limits, NodeId, Spare, Syntax, Tree, parse, report_duplicate_keys};

/// What a step can be, each by the key that says it, with the keys that go with it beside those of every step.
const KINDS: [(&str, &[&str]); 7] = [
    (
        "agent",
        &[
            "routes",
            "rework",
            "task",
            "give",
            "passes",
            "accumulates",
            "verify",
            "time",
            "on-time",
            "expires",
            "budget",
            "detours",
        ],
    ),
    (
        "loop",
        &[
            "task",
            "give",
            "passes",
            "accumulates",
            "verify",
            "time",
            "on-time",
            "expires",
            "budget",
            "detours",
        ],
    ),
    ("gate", &["items", "options", "checks", "due", "on-reject"]),
    ("parallel", &["join", "status", "on-fail"]),
    ("wait", &["signal", "on-due"]),
    ("escalate", &[]),
    ("end", &[]),
];

/// The keys of every step but an end.
const EVERY: [&str; 2] = ["then", "visits"];

impl Flow {
    /// Reads a flow from the text of its file; nothing where there is no flow in it at all.
    pub fn read(text: &str) -> (Option<Flow>, Vec<Finding>) {
        let mut findings = Vec::new();
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let block = Block { text: &text[start..], base: offset(start), syntax: Syntax::Yaml };
        let limits = Limits::default();
        let tree = parse(block, Keys::none(), &limits, Spare::default(), &mut findings);
        let Some(root) = tree.roots().next() else {
            findings.push(findings::empty());
            return (None, findings);
        };
        report_duplicate_keys(&tree, root, &limits, &mut findings);
        let flow = Self::of(&tree, root, &mut findings);
        (flow, findings)
    }

    /// Reads a flow from a tree.
    pub(crate) fn of(tree: &Tree<'_>, root: NodeId, findings: &mut Vec<Finding>) -> Option<Flow> {
        let mut reader = Reader::new(tree);
        let flow = reader.flow(root);
        findings.append(&mut reader.findings);
        flow
    }
}

/// Reads values and notes what is wrong with them.
pub(super) struct Reader<'r> {
    pub(super) tree: &'r Tree<'r>,
    pub(super) findings: Vec<Finding>,
}

impl<'r> Reader<'r> {
    pub(super) fn new(tree: &'r Tree<'r>) -> Self {
        Self { tree, findings: Vec::new() }
    }

    fn flow(&mut self, root: NodeId) -> Option<Flow> {
        if self.tree.kind(root) != Kind::Map {
            self.wrong(root, "a map with the keys flow and steps");
            return None;
        }
        let name = self.needed(root, root, "flow").and_then(|node| self.name(node));
        let steps = self.needed(root, root, "steps");
        let (mut made, mut unread) = (Vec::new(), Vec::new());
        if let Some(steps) = steps {
            self.steps(steps, &mut made, &mut unread);
        }
        let flow = Flow {
            name: name.unwrap_or_else(|| Spanned::new("flow".to_owned(), self.tree.first_char(root))),
            about: self.at(root, "about").and_then(|node| self.text(node)).map(|about| about.value),
            inputs: self.at(root, "inputs").map(|node| self.inputs(node)).unwrap_or_default(),
            agents: self.at(root, "agents").map(|node| self.agents_of(node)).unwrap_or_default(),
            steps: made,
            caps: self.at(root, "caps").map(|node| self.caps(node)).unwrap_or_default(),
            keeps: self.at(root, "keeps").map(|node| self.keeps(node)).unwrap_or_default(),
            unread,
        };
        (!flow.steps.is_empty() || !flow.unread.is_empty()).then_some(flow)
    }

    fn agents_of(&mut self, map: NodeId) -> Vec<super::AgentSpec> {
        if self.tree.kind(map) != Kind::Map {
            self.wrong(map, "a map of agents by their names");
        }
        self.agents(map)
    }

    fn inputs(&mut self, map: NodeId) -> Vec<Input> {
        if self.tree.kind(map) != Kind::Map {
            self.wrong(map, "a map of inputs by their names");
        }
        let entries: Vec<_> = self.tree.entries(map).collect();
        let mut inputs = Vec::new();
        for (key, value) in entries {
            let name = Spanned::new(self.tree.text(key).to_owned(), self.tree.span(key));
            let default = match self.tree.kind(value) {
                Kind::Null => None,
                Kind::List | Kind::Map | Kind::Broken => {
                    self.wrong(value, "a plain value, or null where it must be given");
                    continue;
                }
                Kind::False | Kind::True | Kind::Integer | Kind::Float | Kind::Text => {
                    Some(self.tree.text(value).to_owned())
                }
            };
            inputs.push(Input { name, default });
        }
        inputs
    }

    fn caps(&mut self, map: NodeId) -> CapsSpec {
        let max = bounds::HANDOFFS_MAX;
        CapsSpec {
            handoffs: self.at(map, "handoffs").and_then(|node| self.number(node, 1, max)),
            pair: self.at(map, "pair").and_then(|node| self.number(node, 1, max)),
            time_ms: self.at(map, "time").and_then(|node| self.duration(node)),
            tokens: self.at(map, "tokens").and_then(|node| self.number(node, 1, u64::MAX)),
            retries: self.at(map, "retries").and_then(|node| self.number(node, 0, bounds::RETRIES_MAX)),
            detours: self.at(map, "detours").and_then(|node| self.number(node, 0, bounds::ROUNDS_MAX)),
        }
    }

    fn keeps(&mut self, list: NodeId) -> Vec<super::Keeps> {
        if self.tree.kind(list) != Kind::List {
            self.wrong(list, "a list of envelope, package, pipeline or manifest");
        }
        let items: Vec<_> = self.tree.items(list).collect();
        items.into_iter().filter_map(|item| self.word(item)).map(|keeps| keeps.value).collect()
    }

    fn steps(&mut self, list: NodeId, made: &mut Vec<StepSpec>, unread: &mut Vec<String>) {
        if self.tree.kind(list) != Kind::List {
            return self.wrong(list, "a list of steps, such as `- write: writer`");
        }
        let items: Vec<_> = self.tree.items(list).collect();
        if items.is_empty() {
            self.wrong(list, "at least one step, such as `- write: writer`");
        }
        for item in items {
            let mut entries = self.tree.entries(item);
            let (Some((key, value)), None) = (entries.next(), entries.next()) else {
                let finding = findings::not_one_step(self.tree, item);
                self.findings.push(finding);
                unread.extend(self.tree.entries(item).map(|(key, _)| self.tree.text(key).to_owned()));
                continue;
            };
            let name = Spanned::new(self.tree.text(key).to_owned(), self.tree.span(key));
            match self.step(name.clone(), value) {
                Some(step) => made.push(step),
                None => unread.push(name.value),
            }
        }
    }

    fn step(&mut self, name: Spanned<String>, value: NodeId) -> Option<StepSpec> {
        let plain = |does: Does, name| StepSpec {
            name,
            does,
            then: None,
            visits: None,
            detours: Vec::new(),
            work: Work::default(),
        };
        if self.tree.kind(value) != Kind::Map {
            let agent = self.text(value)?;
            return Some(plain(Does::Agent(AgentStep { agent, routes: Vec::new(), rework: None }), name));
        }
        let kind = self.kind_of(&name, value)?;
        let does = self.does(kind, value)?;
        let step = plain(does, name);
        if kind == "end" {
            return Some(step);
        }
        Some(StepSpec {
            then: self.at(value, "then").and_then(|node| self.text(node)).map(|then| {
                let target = if then.value == "end" { Target::End } else { Target::Step(then.value) };
                Spanned::new(target, then.span)
            }),
            visits: self.at(value, "visits").and_then(|node| self.number(node, 1, bounds::ROUNDS_MAX)),
            detours: self.at(value, "detours").map(|node| self.detours(node)).unwrap_or_default(),
            work: self.work(value),
            ..step
        })
    }

    /// The one thing that a step is; its other keys must go with it.
    fn kind_of(&mut self, name: &Spanned<String>, map: NodeId) -> Option<&'static str> {
        let tree = self.tree;
        let said: Vec<(&'static str, NodeId)> = tree
            .entries(map)
            .filter_map(|(key, _)| Some((KINDS.iter().find(|(kind, _)| *kind == tree.text(key))?.0, key)))
            .collect();
        let kind = match said.as_slice() {
            [(kind, _)] => *kind,
            [] => {
                self.findings.push(findings::empty_step(name));
                return None;
            }
            [(first, _), (second, at), ..] => {
                self.findings.push(findings::two_steps(tree, *at, &name.value, first, second));
                return None;
            }
        };
        let own = KINDS.iter().find(|(one, _)| *one == kind).map_or(&[][..], |(_, keys)| keys);
        let every = if kind == "end" { &[][..] } else { &EVERY[..] };
        for (key, _) in tree.entries(map).filter(|(key, _)| tree.text(*key) != kind) {
            let text = tree.text(key);
            let owners: Vec<&str> =
                KINDS.iter().filter(|(_, keys)| keys.contains(&text)).map(|(kind, _)| *kind).collect();
            let is_known = !owners.is_empty() || EVERY.contains(&text);
            if is_known && !own.contains(&text) && !every.contains(&text) {
                self.findings.push(findings::idle_key(tree, key, kind, &owners));
            }
        }
        Some(kind)
    }

    fn does(&mut self, kind: &str, map: NodeId) -> Option<Does> {
        let value = self.at(map, kind)?;
        Some(match kind {
            "agent" => Does::Agent(AgentStep {
                agent: self.text(value)?,
                routes: self.at(map, "routes").map(|node| self.routes(node)).unwrap_or_default(),
                rework: self.at(map, "rework").and_then(|node| self.rework(node)),
            }),
            "loop" => Does::Loop(self.microloop(value)?),
            "gate" => Does::Gate(self.gate(value, map)?),
            "parallel" => Does::Parallel(self.parallel(value, map)?),
            "wait" => Does::Wait(WaitStep {
                for_ms: self.duration(value)?,
                signal: self.at(map, "signal").and_then(|node| self.name(node)),
                on_due: self.at(map, "on-due").and_then(|node| self.text(node)),
            }),
            "escalate" => Does::Escalate(self.text(value)?.value),
            _ => Does::End(self.word(value)?.value),
        })
    }

    fn routes(&mut self, list: NodeId) -> Vec<RouteSpec> {
        if self.tree.kind(list) != Kind::List {
            self.wrong(list, "a list such as `- { decision: approved, to: publish }`");
        }
        let items: Vec<_> = self.tree.items(list).collect();
        items.into_iter().filter_map(|item| self.route(item)).collect()
    }

    fn route(&mut self, item: NodeId) -> Option<RouteSpec> {
        let whens: Vec<(&str, NodeId)> = ["decision", "outcome", "if"]
            .into_iter()
            .filter_map(|key| Some((key, self.tree.find(item, key)?)))
            .collect();
        let &[(key, node)] = whens.as_slice() else {
            self.wrong(
                item,
                "one of decision, outcome or if, and where to: { decision: approved, to: publish }",
            );
            return None;
        };
        let when = match key {
            "decision" => When::Decision(self.name(node)?),
            "outcome" => {
                let outcome: Spanned<Outcome> = self.word(node)?;
                if outcome.value == Outcome::Blocked {
                    self.wrong(
                        node,
                        "done, concerns, partial, failed or skipped: what is blocked goes to a person",
                    );
                    return None;
                }
                When::Outcome(outcome)
            }
            _ => When::If(self.text(node)?),
        };
        let unknown = self.unknown(item, matches!(when, When::If(_)));
        let to = self.needed(item, item, "to").and_then(|to| self.text(to))?;
        Some(RouteSpec { when, to, unknown })
    }

    /// What an expression that cannot be evaluated counts as, said beside it.
    fn unknown(&mut self, map: NodeId, is_expression: bool) -> Option<bool> {
        let node = self.at(map, "unknown")?;
        if !is_expression {
            self.wrong(node, "an `if` beside it: only an expression can be unknown");
            return None;
        }
        self.boolean(node)
    }

    fn rework(&mut self, map: NodeId) -> Option<ReworkSpec> {
        let to = self.needed(map, map, "to").and_then(|to| self.text(to));
        let max = self.needed(map, map, "max").and_then(|max| self.number(max, 0, bounds::ROUNDS_MAX));
        Some(ReworkSpec { to: to?, max: max? })
    }

    fn microloop(&mut self, map: NodeId) -> Option<LoopStep> {
        let author = self.needed(map, map, "author").and_then(|node| self.text(node));
        let critic = self.needed(map, map, "critic").and_then(|node| self.text(node));
        let on_cap = self.at(map, "on-cap").and_then(|node| self.word(node));
        Some(LoopStep {
            rounds: self.at(map, "rounds").and_then(|node| self.number(node, 1, bounds::ROUNDS_MAX)),
            on_cap: on_cap.map_or(OnCap::GoOn, |word| word.value),
            on_stall: self.at(map, "on-stall").and_then(|node| self.text(node)),
            author: author?,
            critic: critic?,
        })
    }

    fn gate(&mut self, kind: NodeId, map: NodeId) -> Option<GateStep> {
        let texts = |texts: Vec<Spanned<String>>| texts.into_iter().map(|text| text.value).collect();
        let options = self.at(map, "options").map(|node| self.pairs(node)).unwrap_or_default();
        Some(GateStep {
            items: self.at(map, "items").map(|node| texts(self.texts(node))).unwrap_or_default(),
            options: options.into_iter().map(|(key, text)| (key.value, text.value)).collect(),
            checks: self.at(map, "checks").map(|node| self.texts(node)).unwrap_or_default(),
            due_ms: self.at(map, "due").and_then(|node| self.duration(node)),
            on_reject: self.at(map, "on-reject").and_then(|node| self.text(node)),
            kind: self.word(kind)?,
        })
    }

    fn parallel(&mut self, branches: NodeId, map: NodeId) -> Option<ParallelStep> {
        let usual = Spanned::new(JoinSpec::Word(super::JoinWord::AllComplete), self.tree.span(branches));
        let (join, unknown) = match self.at(map, "join") {
            Some(node) => {
                let join = self.join(node)?;
                let unknown = self.unknown(node, matches!(join.value, JoinSpec::If(_)));
                (join, unknown)
            }
            None => (usual, None),
        };
        let status = self.at(map, "status").and_then(|node| self.word(node));
        let on_fail = self.at(map, "on-fail").and_then(|node| self.text(node)).map(|text| {
            let made = match text.value.as_str() {
                "ask" => OnFail::Ask,
                "halt" => OnFail::Halt,
                _ => OnFail::Step(text.value),
            };
            Spanned::new(made, text.span)
        });
        Some(ParallelStep {
            branches: self.texts(branches),
            join,
            unknown,
            status: status.map_or(StatusWord::Worst, |word| word.value),
            on_fail,
        })
    }

    fn join(&mut self, node: NodeId) -> Option<Spanned<JoinSpec>> {
        let span = self.tree.span(node);
        if self.tree.kind(node) != Kind::Map {
            return self.word(node).map(|word| Spanned::new(JoinSpec::Word(word.value), span));
        }
        let (quorum, expression) = (self.tree.find(node, "quorum"), self.tree.find(node, "if"));
        match (quorum, expression) {
            (Some(quorum), None) => {
                let most = u64::try_from(bounds::BRANCHES_MAX).unwrap_or(u64::MAX);
                let number = self.number(quorum, 1, most)?;
                Some(Spanned::new(JoinSpec::Quorum(number.value), number.span))
            }
            (None, Some(expression)) => {
                let text = self.text(expression)?;
                Some(Spanned::new(JoinSpec::If(text.value), text.span))
            }
            (Some(_), Some(_)) | (None, None) => {
                self.wrong(
                    node,
                    "a word such as all-must-pass, { quorum: 2 }, or { if: an expression over branches }",
                );
                None
            }
        }
    }

    fn work(&mut self, map: NodeId) -> Work {
        let on_time = self.at(map, "on-time").and_then(|node| self.word(node));
        let passes = self.at(map, "passes").and_then(|node| self.word(node));
        let give = self.at(map, "give").filter(|give| self.tree.kind(*give) == Kind::Map);
        let given = give.into_iter().flat_map(|give| self.tree.entries(give));
        Work {
            give: given
                .map(|(key, value)| {
                    let key = Spanned::new(self.tree.text(key).to_owned(), self.tree.span(key));
                    (key, Datum::of(self.tree, value).into_owned())
                })
                .collect(),
            task: self.at(map, "task").and_then(|node| self.text(node)),
            passes: passes.map_or(super::Passes::All, |word| word.value),
            accumulates: self.at(map, "accumulates").and_then(|node| self.boolean(node)).unwrap_or_default(),
            verify: self.at(map, "verify").and_then(|node| self.word(node)),
            time_ms: self.at(map, "time").and_then(|node| self.duration(node)),
            on_time: on_time.map_or(super::OnTime::Retry, |word| word.value),
            expires_ms: self.at(map, "expires").and_then(|node| self.duration(node)),
            budget: self.at(map, "budget").and_then(|node| self.number(node, 1, u64::MAX)),
        }
    }

    fn detours(&mut self, map: NodeId) -> Vec<(Spanned<String>, Spanned<String>)> {
        self.pairs(map)
    }

    /// The texts of a map, by their keys.
    fn pairs(&mut self, map: NodeId) -> Vec<(Spanned<String>, Spanned<String>)> {
        if self.tree.kind(map) != Kind::Map {
            self.wrong(map, "a map");
        }
        let entries: Vec<_> = self.tree.entries(map).collect();
        let mut pairs = Vec::new();
        for (key, value) in entries {
            let key = Spanned::new(self.tree.text(key).to_owned(), self.tree.span(key));
            pairs.extend(self.text(value).map(|value| (key, value)));
        }
        pairs
    }
}

/// Values.
impl Reader<'_> {
    /// The value of a key, if it is there and is something.
    pub(super) fn at(&self, map: NodeId, key: &str) -> Option<NodeId> {
        self.tree.find(map, key).filter(|value| self.tree.kind(*value) != Kind::Null)
    }

    /// The value of a key that must be there.
    fn needed(&mut self, map: NodeId, at: NodeId, key: &str) -> Option<NodeId> {
        let value = self.at(map, key);
        if value.is_none() {
            self.findings.push(findings::missing(self.tree.first_char(at), key));
        }
        value
    }

    /// Notes a value that cannot be used.
    pub(super) fn wrong(&mut self, node: NodeId, expected: &str) {
        if self.tree.kind(node) != Kind::Broken {
            self.findings.push(findings::bad_value(self.tree, node, expected));
        }
    }

    /// A text that says something; numbers and booleans are taken as they are written.
    pub(super) fn text(&mut self, node: NodeId) -> Option<Spanned<String>> {
        let text = self.tree.text(node);
        let is_scalar = matches!(
            self.tree.kind(node),
            Kind::Text | Kind::Integer | Kind::Float | Kind::False | Kind::True
        );
        if is_scalar && !text.trim().is_empty() {
            return Some(Spanned::new(text.to_owned(), self.tree.span(node)));
        }
        self.wrong(node, "text");
        None
    }

    /// A text that is a name or a word, and not longer than one may be.
    pub(super) fn name(&mut self, node: NodeId) -> Option<Spanned<String>> {
        let name = self.text(node)?;
        if name.value.len() > bounds::NAME_BYTES_MAX {
            self.wrong(node, &format!("at most {} bytes", bounds::NAME_BYTES_MAX));
            return None;
        }
        Some(name)
    }

    /// The texts of a list; a single text is a list of one.
    pub(super) fn texts(&mut self, node: NodeId) -> Vec<Spanned<String>> {
        if self.tree.kind(node) != Kind::List {
            return self.text(node).into_iter().collect();
        }
        let items: Vec<_> = self.tree.items(node).collect();
        items.into_iter().filter_map(|item| self.text(item)).collect()
    }

    pub(super) fn boolean(&mut self, node: NodeId) -> Option<bool> {
        match self.tree.kind(node) {
            Kind::True => Some(true),
            Kind::False => Some(false),
            Kind::Null | Kind::Integer | Kind::Float | Kind::Text | Kind::List | Kind::Map | Kind::Broken => {
                self.wrong(node, "true or false");
                None
            }
        }
    }

    pub(super) fn number(&mut self, node: NodeId, from: u64, to: u64) -> Option<Spanned<u64>> {
        let number =
            (self.tree.kind(node) == Kind::Integer).then(|| self.tree.text(node).parse().ok()).flatten();
        match number.filter(|number| (from..=to).contains(number)) {
            Some(number) => Some(Spanned::new(number, self.tree.span(node))),
            None => {
                let to = if to == u64::MAX { " on".to_owned() } else { format!(" to {to}") };
                self.wrong(node, &format!("a whole number from {from}{to}"));
                None
            }
        }
    }

    /// A span of time, in milliseconds.
    pub(super) fn duration(&mut self, node: NodeId) -> Option<Spanned<u64>> {
        match milliseconds(self.tree.text(node)).filter(|_| self.tree.kind(node) == Kind::Text) {
            Some(span_ms) => Some(Spanned::new(span_ms, self.tree.span(node))),
            None => {
                self.wrong(node, "a time from 1ms to ten years, such as 250ms, 90s, 10m, 2h or 3d");
                None
            }
        }
    }

    /// One of a closed set of words.
    pub(super) fn word<W: Word>(&mut self, node: NodeId) -> Option<Spanned<W>> {
        let text = self.tree.text(node);
        let is_word = self.tree.kind(node) == Kind::Text;
        if let Some(word) = W::from_word(text).filter(|_| is_word) {
            return Some(Spanned::new(word, self.tree.span(node)));
        }
        let words: Vec<&str> =
            W::WORDS.iter().filter(|(text, one)| one.word() == *text).map(|(text, _)| *text).collect();
        let mut finding = findings::bad_value(self.tree, node, &format!("one of {}", words.join(", ")));
        if let Some(near) = nearest(text, words.iter().copied()) {
            finding = finding.help(format!("did you mean `{near}`?"));
        }
        self.findings.push(finding);
        None
    }
}

/// A span of time as people write it, such as `90s`, in milliseconds; nothing where it is none that can be used.
pub fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.len() - text.trim_start_matches(|one: char| one.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let unit_ms = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        "h" => 3_600_000,
        "d" => 86_400_000,
        _ => return None,
    };
    let span_ms = number.parse::<u64>().ok()?.checked_mul(unit_ms)?;
    (1..=bounds::SPAN_MS_MAX).contains(&span_ms).then_some(span_ms)
}
