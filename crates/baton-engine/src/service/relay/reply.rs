//! The answer to a manifest: where it is written, and how it begins.

use super::discussion::{FOLDER, Numbered, numbered};
use super::names::slug;
use crate::project::Project;

/// The highest number that a response can have.
const NUMBER_MAX: u32 = 999;

/// The path of the next response of an agent; nothing if no number is left, or the agent has no name for a file.
pub(crate) fn path(project: &Project, agent: &str) -> Option<String> {
    let name = slug(agent);
    let last = numbered(project).last().map_or(0, |file| file.number);
    let is_possible = last < NUMBER_MAX && !name.is_empty();
    is_possible.then(|| format!("{FOLDER}/{:03}-{name}-response.md", last + 1))
}

/// The response of an agent that is there already: one of its own behind the source.
pub(crate) fn existing(project: &Project, agent: &str, source: &str) -> Option<Numbered> {
    let source = Numbered::of(source.strip_prefix(FOLDER)?.strip_prefix('/')?)?;
    let ending = format!("-{}-response.md", slug(agent));
    let is_answer = |file: &Numbered| file.number > source.number && file.name.get(3..) == Some(&ending);
    numbered(project).into_iter().find(is_answer)
}

/// What a reply stub says.
pub(crate) fn stub(from: &str, to: &str, source: &str, day: &str) -> String {
    let about = source.strip_prefix("discussion/").unwrap_or(source);
    let about = about.strip_suffix(".md").unwrap_or(about);
    format!(
        "# Response to {about}\n\n**From:** {from}\n**To:** {to}\n**Re:** {about}\n**Date:** {day}\n\n---\n\n\n---\n\n\
         ## Open Questions\n\n## Proposals\n"
    )
}
