//! Description of an agent: the same keys in a flow, in `[agents.NAME]` of `baton.toml`, and in the front matter of
//! `workflow-agents/NAME.md` and `.claude/agents/NAME.md`.

use std::collections::BTreeSet;

use super::read::Reader;
use super::{CourierWord, Ends, Flow, Permissions, ReceptionWord, Restart, SandboxWord, Spanned, Word};
use crate::carrier::{self, Look, Origin};
use crate::finding::Finding;
use crate::span::{BOM, Span, offset};
use crate::tree::{Block, Keys, Kind, Limits, NodeId, Spare, Syntax, Tree, parse};
use crate::world::World;

/// An agent as one place describes it; the rest may stand elsewhere.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSpec {
    /// Its name.
    pub name: Spanned<String>,
    /// The dialect that it reads and writes.
    pub dialect: Option<Spanned<String>>,
    /// Its courier.
    pub courier: Option<Spanned<CourierWord>>,
    /// The program that does its work, or through which its courier speaks with it, with its arguments.
    pub run: Option<Spanned<Vec<String>>>,
    /// True if it asks for its work itself, with `baton inbox`.
    pub inbox: Option<bool>,
    /// The agent of Claude Code that it is, by the name in its definition.
    pub persona: Option<String>,
    /// The address of a service.
    pub url: Option<Spanned<String>>,
    /// The variable of the environment that holds a secret; never the secret itself.
    pub secret: Option<Spanned<String>>,
    /// The session that it always works in.
    pub session_key: Option<Spanned<String>>,
    /// The model that it is to use.
    pub model: Option<String>,
    /// Further arguments for the program of its courier.
    pub arguments: Option<Vec<String>>,
    /// Answer to its requests for permission.
    pub permissions: Option<Permissions>,
    /// True if it works in a copy of the project of its own.
    pub worktree: Option<bool>,
    /// The file with what it is told, from the root.
    pub prompt: Option<Spanned<String>>,
    /// The bytes that its answer may have.
    pub output: Option<Spanned<u64>>,
    /// True if it runs in a sandbox.
    pub sandbox: Option<SandboxWord>,
    /// Paths that it may read in the sandbox beside the project, from the root or from the home folder.
    pub readable: Option<Vec<String>>,
    /// Paths that it may read and write in the sandbox beside the project.
    pub writable: Option<Vec<String>>,
    /// Paths among them that `baton.toml` does not allow, although it puts the agent into a sandbox.
    pub loosened: Vec<String>,
    /// The tokens of one message to it.
    pub prompt_tokens: Option<Spanned<u64>>,
    /// True if its work may be begun again without asking.
    pub restart: Option<Restart>,
    /// Handling of a handoff that it could not start with.
    pub reception: Option<ReceptionWord>,
    /// Its capabilities, in words of the project.
    pub capabilities: Option<Vec<String>>,
    /// The time of one attempt, in milliseconds.
    pub time_ms: Option<Spanned<u64>>,
    /// The variables of the environment that it may see.
    pub environment: Option<Vec<String>>,
    /// The folder that it works in, from the root.
    pub directory: Option<Spanned<String>>,
    /// Dialects that it takes, or kinds as `dialect/kind`.
    pub accepts: Option<Vec<Spanned<String>>>,
    /// Its possible answers.
    pub produces: Option<Vec<Produces>>,
    /// The tool or command that its stage uses.
    pub tool: Option<String>,
}

/// Answers of an agent: words that decide, perhaps by how its work ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Produces {
    /// The end of its work; nothing where only a word is given.
    pub ends: Option<Spanned<Ends>>,
    /// The word that routes may ask for, or the kind of handoff.
    pub word: Option<Spanned<String>>,
}

impl AgentSpec {
    /// An agent of which nothing but the name is known.
    pub fn named(name: Spanned<String>) -> Self {
        Self {
            name,
            dialect: None,
            courier: None,
            run: None,
            inbox: None,
            persona: None,
            url: None,
            secret: None,
            session_key: None,
            model: None,
            arguments: None,
            permissions: None,
            worktree: None,
            prompt: None,
            output: None,
            sandbox: None,
            readable: None,
            writable: None,
            loosened: Vec::new(),
            prompt_tokens: None,
            restart: None,
            reception: None,
            capabilities: None,
            time_ms: None,
            environment: None,
            directory: None,
            accepts: None,
            produces: None,
            tool: None,
        }
    }

    /// Takes over values that are not known here yet. How it is reached is one thing, and what is said for one
    /// courier is nothing for another.
    pub fn complete(&mut self, other: &AgentSpec) {
        fn take<T: Clone>(own: &mut Option<T>, other: &Option<T>) {
            if own.is_none() {
                own.clone_from(other);
            }
        }
        if self.courier.is_none() && self.run.is_none() && self.inbox.is_none() {
            (self.courier, self.run, self.inbox) = (other.courier.clone(), other.run.clone(), other.inbox);
            self.persona.clone_from(&other.persona);
        }
        if other.way().is_none() || other.way() == self.way() {
            take(&mut self.url, &other.url);
            take(&mut self.secret, &other.secret);
            take(&mut self.session_key, &other.session_key);
            take(&mut self.model, &other.model);
            take(&mut self.arguments, &other.arguments);
            take(&mut self.permissions, &other.permissions);
        }
        take(&mut self.worktree, &other.worktree);
        take(&mut self.prompt, &other.prompt);
        take(&mut self.output, &other.output);
        take(&mut self.sandbox, &other.sandbox);
        take(&mut self.readable, &other.readable);
        take(&mut self.writable, &other.writable);
        take(&mut self.dialect, &other.dialect);
        take(&mut self.prompt_tokens, &other.prompt_tokens);
        take(&mut self.restart, &other.restart);
        take(&mut self.reception, &other.reception);
        take(&mut self.capabilities, &other.capabilities);
        take(&mut self.time_ms, &other.time_ms);
        take(&mut self.environment, &other.environment);
        take(&mut self.directory, &other.directory);
        take(&mut self.accepts, &other.accepts);
        take(&mut self.produces, &other.produces);
        take(&mut self.tool, &other.tool);
    }

    /// Tells whether it is said how it is reached.
    pub fn is_reachable(&self) -> bool {
        self.way().is_some()
    }

    /// Its courier, given or usual.
    pub fn way(&self) -> Option<CourierWord> {
        match &self.courier {
            Some(courier) => Some(courier.value),
            None if self.run.is_some() => Some(CourierWord::Program),
            None => (self.inbox == Some(true)).then_some(CourierWord::Inbox),
        }
    }

    /// The agents of a `baton.toml`, with what cannot be used of them.
    pub fn of_config(text: &str) -> (Vec<AgentSpec>, Vec<Finding>) {
        let mut findings = Vec::new();
        let start = if text.starts_with(BOM) { BOM.len() } else { 0 };
        let block = Block { text: &text[start..], base: offset(start), syntax: Syntax::Toml };
        let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut Vec::new());
        let agents = tree.roots().next().map(|root| Self::of_tables(&tree, root, &mut findings));
        (agents.unwrap_or_default(), findings)
    }

    /// The sandbox of all agents in a `baton.toml`, as an agent without a name.
    pub fn sandboxed(text: &str) -> AgentSpec {
        let block = Block { text: text.trim_start_matches(BOM), base: 0, syntax: Syntax::Toml };
        let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut Vec::new());
        let mut reader = Reader::new(&tree);
        let mut usual = AgentSpec::named(Spanned::new(String::new(), Span::at(0)));
        if let Some(table) = tree.roots().next().and_then(|root| tree.find(root, "sandbox")) {
            usual.sandbox =
                reader.at(table, "agents").and_then(|node| reader.word(node)).map(|word| word.value);
            usual.readable = reader.texts_at(table, "readable");
            usual.writable = reader.texts_at(table, "writable");
        }
        usual
    }

    /// The agents in the map `agents` of a file.
    pub(crate) fn of_tables(tree: &Tree<'_>, root: NodeId, findings: &mut Vec<Finding>) -> Vec<AgentSpec> {
        let mut reader = Reader::new(tree);
        let agents = tree.find(root, "agents").map(|agents| reader.agents(agents)).unwrap_or_default();
        findings.append(&mut reader.findings);
        agents
    }

    /// The agent that a file of `workflow-agents/` or `.claude/agents/` defines, with what cannot be used of it.
    ///
    /// An agent of Claude Code is reached by its courier, as it is: its tools and instructions are Claude Code's to read.
    /// Its name is that of the file unless the front matter says another; nothing where there is no front matter.
    pub fn of_definition(path: &str, text: &str) -> Option<(AgentSpec, Vec<Finding>)> {
        let piece = carrier::pieces(Some(path), text, Look::Prose, &[], |_| false)
            .find(|piece| piece.origin == Origin::FrontMatter)?;
        let mut findings = Vec::new();
        let block = Block { text: &piece.text, base: piece.base, syntax: piece.syntax };
        let tree = parse(block, Keys::none(), &Limits::default(), Spare::default(), &mut findings);
        let root = tree.roots().next().filter(|root| tree.kind(*root) == Kind::Map)?;
        let file = path.rsplit('/').next().unwrap_or(path);
        let file = file.strip_suffix(".md").unwrap_or(file);
        let mut reader = Reader::new(&tree);
        let name = tree.find(root, "name").and_then(|name| reader.name(name));
        let name = name.unwrap_or_else(|| Spanned::new(file.to_owned(), Span::at(piece.base)));
        let mut agent = reader.agent(name, root);
        if path.starts_with(CLAUDE_AGENTS) {
            agent.persona = Some(agent.name.value.clone());
            if !agent.is_reachable() {
                agent.courier = Some(Spanned::new(CourierWord::Claude, Span::at(piece.base)));
            }
            // The word with which a definition leaves the choice to its caller.
            agent.model = agent.model.filter(|model| model != "inherit");
        }
        findings.append(&mut reader.findings);
        Some((agent, findings))
    }
}

impl Flow {
    /// Agents of the flow as the project describes them: `baton.toml` first, then their definitions.
    pub fn known_agents(&self, world: &dyn World) -> Vec<AgentSpec> {
        let names: BTreeSet<&str> = self
            .agents
            .iter()
            .map(|agent| agent.name.value.as_str())
            .chain(self.workers().map(|worker| worker.agent.value.as_str()))
            .filter(|name| is_name(name))
            .take(super::bounds::AGENTS_MAX)
            .collect();
        let mut known = world.read(CONFIG).map(|text| AgentSpec::of_config(&text).0).unwrap_or_default();
        known.retain(|agent| names.contains(agent.name.value.as_str()));
        for name in names {
            for folder in DEFINITIONS {
                let path = format!("{folder}/{name}.md");
                let read = world.read(&path).and_then(|text| AgentSpec::of_definition(&path, &text));
                known
                    .extend(read.map(|(agent, _)| AgentSpec { name: named(name, agent.name.span), ..agent }));
            }
        }
        known
    }
}

/// The settings of a project.
pub(crate) const CONFIG: &str = "baton.toml";

/// The folders that files lie in which define agents, the first that says something first.
pub const DEFINITIONS: [&str; 2] = ["workflow-agents", CLAUDE_AGENTS];

/// Place where Claude Code keeps the definitions of its agents.
const CLAUDE_AGENTS: &str = ".claude/agents";

/// Bounds of the bytes of an answer.
const OUTPUT_MAX: u64 = 1 << 30;

/// The file that defines an agent.
pub(crate) fn definition_path(name: &str) -> String {
    format!("workflow-agents/{name}.md")
}

/// Tells whether a text is a name of letters, digits, `-` and `_`.
pub(crate) fn is_name(text: &str) -> bool {
    let is_plain = |one: char| one.is_ascii_alphanumeric() || one == '-' || one == '_';
    !text.is_empty() && text.len() <= super::bounds::NAME_BYTES_MAX && text.chars().all(is_plain)
}

fn named(name: &str, span: Span) -> Spanned<String> {
    Spanned::new(name.to_owned(), span)
}

impl Reader<'_> {
    /// The agents in a map of them.
    pub(super) fn agents(&mut self, map: NodeId) -> Vec<AgentSpec> {
        let entries: Vec<_> = self.tree.entries(map).collect();
        let mut agents = Vec::new();
        for (key, value) in entries {
            let name = Spanned::new(self.tree.text(key).to_owned(), self.tree.span(key));
            match self.tree.kind(value) {
                Kind::Null => agents.push(AgentSpec::named(name)),
                Kind::Map => agents.push(self.agent(name, value)),
                Kind::False
                | Kind::True
                | Kind::Integer
                | Kind::Float
                | Kind::Text
                | Kind::List
                | Kind::Broken => self.wrong(value, "a map such as { dialect: envelope, run: ./critic }"),
            }
        }
        agents
    }

    /// One agent, from the map of its keys.
    pub(super) fn agent(&mut self, name: Spanned<String>, map: NodeId) -> AgentSpec {
        let run = self.at(map, "run").and_then(|node| self.command(node));
        AgentSpec {
            name,
            dialect: self.at(map, "dialect").and_then(|node| self.text(node)),
            courier: self.at(map, "courier").and_then(|node| self.word(node)),
            run,
            inbox: self.at(map, "inbox").and_then(|node| self.boolean(node)),
            persona: None,
            url: self.at(map, "url").and_then(|node| self.text(node)),
            secret: self.at(map, "secret").and_then(|node| self.text(node)),
            session_key: self.at(map, "session-key").and_then(|node| self.text(node)),
            model: self.at(map, "model").and_then(|node| self.text(node)).map(|model| model.value),
            arguments: self.texts_at(map, "arguments"),
            permissions: self.at(map, "permissions").and_then(|node| self.word(node)).map(|word| word.value),
            worktree: self.at(map, "worktree").and_then(|node| self.boolean(node)),
            prompt: self.at(map, "prompt").and_then(|node| self.text(node)),
            output: self.at(map, "output").and_then(|node| self.number(node, 1, OUTPUT_MAX)),
            sandbox: self.at(map, "sandbox").and_then(|node| self.word(node)).map(|word| word.value),
            readable: self.texts_at(map, "readable"),
            writable: self.texts_at(map, "writable"),
            loosened: Vec::new(),
            prompt_tokens: self.at(map, "prompt-tokens").and_then(|node| self.number(node, 1, OUTPUT_MAX)),
            restart: self.at(map, "restart").and_then(|node| self.word(node)).map(|word| word.value),
            reception: self.at(map, "reception").and_then(|node| self.word(node)).map(|word| word.value),
            capabilities: self.texts_at(map, "capabilities"),
            time_ms: self.at(map, "time").and_then(|node| self.duration(node)),
            environment: self.texts_at(map, "environment"),
            directory: self.at(map, "directory").and_then(|node| self.text(node)),
            accepts: self.at(map, "accepts").map(|node| self.texts(node)),
            produces: self.at(map, "produces").map(|node| self.produces(node)),
            tool: self.at(map, "tool").and_then(|node| self.text(node)).map(|tool| tool.value),
        }
    }

    fn texts_at(&mut self, map: NodeId, key: &str) -> Option<Vec<String>> {
        let list = self.at(map, key)?;
        Some(self.texts(list).into_iter().map(|text| text.value).collect())
    }

    /// A program with its arguments: a list, or the program alone.
    fn command(&mut self, node: NodeId) -> Option<Spanned<Vec<String>>> {
        let words: Vec<String> = self.texts(node).into_iter().map(|text| text.value).collect();
        if words.first().is_none_or(|program| program.trim().is_empty()) {
            self.wrong(node, "a program, or a list of a program and its arguments");
            return None;
        }
        Some(Spanned::new(words, self.tree.span(node)))
    }

    /// Reads its answers: a list of words, or words by how its work ends.
    fn produces(&mut self, node: NodeId) -> Vec<Produces> {
        let row = |word: Spanned<String>| match Ends::from_word(&word.value) {
            Some(ends) => Produces { ends: Some(Spanned::new(ends, word.span)), word: None },
            None => Produces { ends: None, word: Some(word) },
        };
        if self.tree.kind(node) != Kind::Map {
            return self.texts(node).into_iter().map(row).collect();
        }
        let mut all = Vec::new();
        let entries: Vec<_> = self.tree.entries(node).collect();
        for (key, value) in entries {
            let Some(ends) = Ends::from_word(self.tree.text(key)) else {
                self.wrong(key, "success, failure or blocked");
                continue;
            };
            let ends = Some(Spanned::new(ends, self.tree.span(key)));
            let is_empty = self.tree.kind(value) == Kind::Null;
            let words = if is_empty { Vec::new() } else { self.texts(value) };
            if words.is_empty() {
                all.push(Produces { ends: ends.clone(), word: None });
            }
            all.extend(words.into_iter().map(|word| Produces { ends: ends.clone(), word: Some(word) }));
        }
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn defined(path: &str, front: &str) -> AgentSpec {
        AgentSpec::of_definition(path, &format!("---\n{front}---\nYou review.\n"))
            .expect("it defines an agent")
            .0
    }

    #[test]
    fn an_agent_of_claude_code_is_read_as_it_is() {
        let front =
            "name: reviewer\ndescription: Reviews what was written\ntools: Read, Grep\nmodel: inherit\n";
        let (agent, findings) =
            AgentSpec::of_definition(".claude/agents/reviewer.md", &format!("---\n{front}---\n"))
                .expect("it defines an agent");
        assert_eq!(findings, []);
        assert_eq!((agent.way(), agent.persona.as_deref()), (Some(CourierWord::Claude), Some("reviewer")));
        assert_eq!((agent.model, agent.tool), (None, None));
        let agent = defined(".claude/agents/reviewer.md", "model: opus\n");
        assert_eq!((agent.name.value.as_str(), agent.model.as_deref()), ("reviewer", Some("opus")));
        let elsewhere = defined("workflow-agents/reviewer.md", "model: opus\n");
        assert_eq!((elsewhere.way(), elsewhere.persona), (None, None));
    }

    #[test]
    fn what_is_said_for_one_courier_is_nothing_for_another() {
        let claude = defined(".claude/agents/reviewer.md", "model: opus\ntime: 5m\n");
        let own = |front: &str| {
            let mut agent = defined("workflow-agents/reviewer.md", front);
            agent.complete(&claude);
            (agent.way(), agent.persona, agent.model, agent.time_ms.is_some())
        };
        let (opus, reviewer) = (Some("opus".to_owned()), Some("reviewer".to_owned()));
        assert_eq!(own("dialect: package\n"), (Some(CourierWord::Claude), reviewer.clone(), opus, true));
        assert_eq!(
            own("model: haiku\n"),
            (Some(CourierWord::Claude), reviewer, Some("haiku".to_owned()), true)
        );
        assert_eq!(own("courier: codex\n"), (Some(CourierWord::Codex), None, None, true));
        assert_eq!(own("run: ./reviewer\n"), (Some(CourierWord::Program), None, None, true));
    }
}
