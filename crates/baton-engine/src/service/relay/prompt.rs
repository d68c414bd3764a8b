//! What the receiver of a manifest is told: what to read, how things stand, and how to answer.
//!
//! Invariant: what stands in files is data. It is shown in one line each, shortened, without control characters and
//! without secrets.

use crate::mirror::manifests::PATH;
use baton_document::secrets::redacted;
use baton_document::{Seen, World};

use super::discussion::{FOLDER, PROTOCOL};
use super::{Generated, reply, side};
use crate::project::Project;

/// How many characters of a value are shown.
const VALUE_MAX: usize = 200;
/// How many files are listed.
const FILES_MAX: usize = 100;

/// An item of the work queue.
#[derive(Debug)]
pub(crate) struct Item {
    /// Its id.
    pub(crate) id: String,
    title: Option<String>,
}

/// The first item of the work queue that is ready.
pub(crate) fn next_ready(world: &dyn World) -> Option<Item> {
    let queue = side::read(world, "meta/work-queue.yaml")?;
    let ready = side::items(&queue, "items").iter().find(|item| item.word_at("status") == Some("ready"))?;
    let title = ready.word_at("title").map(str::to_owned);
    Some(Item { id: ready.word_at("id")?.to_owned(), title })
}

/// The prompt for the receiver; `program` is what Baton is called.
pub(crate) fn relay(project: &Project, made: &Generated, next: Option<&Item>, program: &str) -> String {
    let (from, to, source) = (made.word("from"), made.word("to"), made.word("source_file"));
    let mut lines = vec![
        "# Relay".to_owned(),
        String::new(),
        format!("**From:** {}", shown(from)),
        format!("**To:** {}", shown(to)),
        format!("**Re:** {}", shown(source)),
        format!("**Date:** {}", made.word("generated_at")),
        String::new(),
        "---".to_owned(),
        String::new(),
        format!("Please read `{}`.", shown(source)),
        String::new(),
        format!("Status: {}", made.status.as_deref().map_or_else(|| "not stated".to_owned(), shown)),
        format!("Handoff manifest: {PATH}"),
    ];
    lines.push(match next {
        Some(Item { id, title: Some(title) }) => {
            format!("Next ready item of the work queue: `{}` – {}", shown(id), shown(title))
        }
        Some(Item { id, title: None }) => format!("Next ready item of the work queue: `{}`", shown(id)),
        None => "No item of the work queue is ready.".to_owned(),
    });
    let items: Vec<String> =
        made.words("work_queue_items").map(|item| format!("`{}`", shown(item))).collect();
    if !items.is_empty() {
        lines.push(format!("Work queue items: {}", items.join(", ")));
    }
    lines.push(format!("Branch: `{}`", shown(made.word("branch"))));
    let files: Vec<&str> = made.words("files_changed").collect();
    if files.is_empty() {
        lines.push("Files changed: none named".to_owned());
    } else {
        lines.push("Files changed:".to_owned());
        lines.extend(files.iter().take(FILES_MAX).map(|file| format!("- {}", shown(file))));
    }
    if files.len() > FILES_MAX {
        lines.push(format!("- and {} more, which {PATH} names", files.len() - FILES_MAX));
    }
    let answer =
        reply::path(project, to).unwrap_or_else(|| format!("{FOLDER}/NNN-{}-response.md", shown(to)));
    let format = match project.world.look(PROTOCOL) {
        Seen::File => format!(" in the format of {PROTOCOL}"),
        Seen::Folder | Seen::Nothing | Seen::Outside | Seen::Unknown => String::new(),
    };
    lines.extend([
        String::new(),
        format!(
            "To answer, write `{answer}`{format}; `{program} receive` begins it, with From and To in place."
        ),
        format!("Then `{program} handoff` hands over to {}.", shown(from)),
        String::new(),
    ]);
    redacted(&lines.join("\n"), None).0
}

/// A value of a file in one line.
fn shown(value: &str) -> String {
    let mut line: String = value.split_whitespace().collect::<Vec<_>>().join(" ");
    line.retain(|c| !c.is_control() && c != '`');
    // Before it is cut, since half of a secret looks like none.
    let line = redacted(&line, None).0;
    match line.char_indices().nth(VALUE_MAX) {
        Some((at, _)) => format!("{}…", &line[..at]),
        None => line,
    }
}
