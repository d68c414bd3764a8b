//! `flow/not-accepted`: a handoff that its receiver does not take.

use super::{FlowCase, listed, unrouted};
use crate::finding::{Finding, Level};
use crate::flow::{AgentSpec, Does, Spanned, Way, WayKind, When};
use crate::rule::{Check, Rule};
use crate::spelling::nearest;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "flow/not-accepted",
    level: Some(Level::Error),
    page: include_str!("not_accepted.md"),
    check: Check::Reading,
};

/// Looks at everybody who says what they accept.
pub(crate) fn check(look: &FlowCase<'_>, findings: &mut Vec<Finding>) {
    for agent in &look.flow.agents {
        for entry in agent.accepts.iter().flatten() {
            named(look, entry, findings);
        }
    }
    for way in &look.ways {
        let Some((receiver, accepts)) = way.to.and_then(|to| receiver(look, to)) else { continue };
        let span = way.span.unwrap_or(look.flow.steps[way.from].name.span);
        let shown = || listed(accepts.iter().map(|entry| entry.value.as_str()));
        let (dialects, words): (Vec<_>, Vec<_>) =
            accepts.iter().map(|entry| entry.value.as_str()).partition(|entry| is_dialect(look, entry));
        // Whatever is sent arrives in the dialect of the receiver.
        let own = receiver.dialect.as_ref().map(|dialect| dialect.value.as_str());
        let takes_own = own.is_none_or(|own| dialects.iter().any(|entry| dialect_of(entry) == own));
        if takes_own && !dialects.is_empty() {
            continue;
        }
        if words.is_empty() {
            let (name, own) = (&receiver.name.value, own.unwrap_or_default());
            let message = format!("`{name}` is sent `{own}`, its own dialect, and does not accept it");
            let finding = Finding::new(RULE.id, message).at(span).found(own);
            findings.push(finding.expected(format!("`{own}` among what it accepts: {}", shown())));
            continue;
        }
        for word in sent(look, way) {
            if !words.iter().any(|known| known.eq_ignore_ascii_case(word)) {
                let message = format!("`{}` is sent `{word}` and does not accept it", receiver.name.value);
                let finding = Finding::new(RULE.id, message).at(span).found(word);
                findings.push(finding.expected(format!("one of {}, or a step that takes `{word}`", shown())));
            }
        }
    }
}

/// Agent of a step that says what it accepts.
fn receiver<'l>(look: &'l FlowCase<'_>, step: usize) -> Option<(&'l AgentSpec, &'l [Spanned<String>])> {
    let name = match &look.flow.steps[step].does {
        Does::Agent(pass) => &pass.agent.value,
        Does::Loop(looped) => &looped.author.value,
        Does::Gate(_) | Does::Parallel(_) | Does::Wait(_) | Does::Escalate(_) | Does::End(_) => return None,
    };
    let agent = look.full.agent(name)?;
    Some((agent, agent.accepts.as_deref()?))
}

/// The words with which a handoff can come this way, as far as its sender says what it produces.
fn sent<'l>(look: &'l FlowCase<'_>, way: &Way<'l>) -> Vec<&'l str> {
    let Does::Agent(pass) = &look.flow.steps[way.from].does else { return Vec::new() };
    let produces = look.full.agent(&pass.agent.value).and_then(|agent| agent.produces.as_ref());
    match way.kind {
        WayKind::Route(When::Decision(word)) => vec![&word.value],
        WayKind::Next => {
            let is_routed = |word: &str| {
                pass.routes.iter().any(|route| match &route.when {
                    When::Decision(known) => known.value.eq_ignore_ascii_case(word),
                    When::Outcome(_) | When::If(_) => false,
                })
            };
            let words = produces.into_iter().flat_map(|produces| unrouted::decisions(produces));
            words.filter(|word| !is_routed(word)).collect()
        }
        WayKind::Route(When::Outcome(_) | When::If(_))
        | WayKind::Rework
        | WayKind::Rejected
        | WayKind::Due
        | WayKind::Failed
        | WayKind::Branch
        | WayKind::Detour(_) => Vec::new(),
    }
}

fn dialect_of(entry: &str) -> &str {
    entry.split('/').next().unwrap_or(entry)
}

/// Tells whether an entry names a dialect, or a kind of one; else it is a word with which handoffs come.
fn is_dialect(look: &FlowCase<'_>, entry: &str) -> bool {
    entry.contains('/') || look.dialects.handoffs.iter().any(|dialect| &*dialect.name == entry)
}

/// Looks at whether a kind that is accepted exists.
fn named(look: &FlowCase<'_>, entry: &Spanned<String>, findings: &mut Vec<Finding>) {
    let Some((name, kind)) = entry.value.split_once('/') else { return };
    let dialects = &look.dialects.handoffs;
    let dialect = dialects.iter().find(|dialect| &*dialect.name == name);
    let (message, near) = match dialect {
        None => {
            let names = dialects.iter().map(|dialect| &*dialect.name);
            (format!("no dialect is called `{name}`"), nearest(name, names).map(str::to_owned))
        }
        Some(dialect) if dialect.kinds.iter().all(|known| &*known.name != kind) => {
            let near = nearest(kind, dialect.kinds.iter().map(|kind| &*kind.name));
            (format!("`{name}` has no kind `{kind}`"), near.map(|near| format!("{name}/{near}")))
        }
        Some(_) => return,
    };
    let finding = Finding::new(RULE.id, message).at(entry.span).found(&entry.value);
    let finding = finding.expected("a dialect, a kind as dialect/kind, or a word with which handoffs come");
    findings.push(match near {
        Some(near) => finding.help(format!("did you mean `{near}`?")),
        None => finding,
    });
}
