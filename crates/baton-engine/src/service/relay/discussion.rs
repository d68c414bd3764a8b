//! The discussion: numbered files, the newest response among them, and what its head says.

use std::collections::BTreeSet;
use std::fs;

use baton_document::carrier::{Look, Origin, pieces};
use baton_document::{Datum, Seen, World};

use super::side;
use crate::project::Project;
use crate::project::fault::Fault;

/// Where the discussion is.
pub(crate) const FOLDER: &str = "discussion";
/// The protocol that its files keep, where one is written down.
pub(crate) const PROTOCOL: &str = "discussion/PROTOCOL.md";
/// How many names of a folder are looked at.
const NAMES_MAX: usize = 100_000;
/// How many lines a head has at most.
const HEAD_LINES_MAX: usize = 100;

/// A numbered file of the discussion.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Numbered {
    /// Its number.
    pub(crate) number: u32,
    /// Its name.
    pub(crate) name: String,
}

impl Numbered {
    /// The number and name of a file, if it has three digits before the first dash.
    pub(crate) fn of(name: &str) -> Option<Self> {
        let (digits, _) = name.split_once('-')?;
        let is_number = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = is_number.then(|| digits.parse().ok())??;
        Some(Self { number, name: name.to_owned() })
    }

    /// Whether it is a response.
    pub(crate) fn is_response(&self) -> bool {
        let middle = self.name.get(4..).and_then(|rest| rest.strip_suffix("-response.md"));
        middle.is_some_and(|middle| !middle.is_empty())
    }

    /// Its path from the root.
    pub(crate) fn path(&self) -> String {
        format!("{FOLDER}/{}", self.name)
    }
}

/// The numbered files of a discussion, in order.
pub(crate) fn numbered(project: &Project) -> Vec<Numbered> {
    let folder = project.root.join(FOLDER);
    let is_inside = folder.canonicalize().is_ok_and(|resolved| project.world.contains(&resolved));
    let entries = is_inside.then(|| fs::read_dir(&folder).ok()).flatten().into_iter().flatten().flatten();
    let name = |entry: fs::DirEntry| entry.file_name().into_string().ok();
    let files = entries.take(NAMES_MAX).filter_map(name).filter_map(|name| Numbered::of(&name));
    let mut files: Vec<Numbered> = files.collect();
    files.sort();
    files
}

/// The newest response, the one before it, and those with the same number as the newest.
#[derive(Debug)]
pub(crate) struct Newest {
    /// It.
    pub(crate) file: Numbered,
    /// Its text.
    pub(crate) text: String,
    /// Those of lower numbers, the nearest first.
    pub(crate) before: Vec<Numbered>,
    /// Others with its number.
    pub(crate) twins: Vec<Numbered>,
}

/// Finds the newest response: the one with the highest number.
pub(crate) fn newest(project: &Project) -> Result<Newest, Fault> {
    let mut responses: Vec<Numbered> = numbered(project).into_iter().filter(Numbered::is_response).collect();
    let file = responses.pop().ok_or_else(|| {
        Fault::refused(
            format!("there is no response in {FOLDER}/"),
            Some(format!(
                "write one, such as {FOLDER}/001-codex-response.md, that says who it is from and to"
            )),
        )
    })?;
    let text = text(project, &file.path())?;
    let (twins, mut before): (Vec<_>, Vec<_>) =
        responses.into_iter().partition(|other| other.number == file.number);
    before.reverse();
    Ok(Newest { file, text, before, twins })
}

/// The text of a file of the discussion.
pub(crate) fn text(project: &Project, path: &str) -> Result<String, Fault> {
    project.world.read(path).ok_or_else(|| match project.world.look(path) {
        Seen::Nothing => Fault::refused(format!("{path} does not exist"), None),
        Seen::Outside => Fault::refused(
            format!("{path} leads out of the project"),
            Some("put the file itself there".to_owned()),
        ),
        Seen::File | Seen::Folder | Seen::Unknown => {
            Fault::failed(format!("cannot read {path}: it is no text file of at most 1 MB"))
        }
    })
}

/// What the head of a response says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Head {
    /// Who wrote it, as it stands there.
    pub(crate) from: Option<String>,
    /// Who it is for, as it stands there.
    pub(crate) to: Option<String>,
    /// How its work stands, in its own word.
    pub(crate) status: Option<String>,
    /// The items of the work queue that it is about.
    pub(crate) items: Vec<String>,
    /// The files that it changed, if it says.
    pub(crate) files: Option<Vec<String>>,
    /// Whether there is front matter that cannot be read whole.
    pub(crate) is_broken: bool,
}

impl Head {
    /// Reads the head of a response: its front matter, then the lines that begin it.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let mut head = Self::default();
        let front = pieces(Some(path), text, Look::Prose, &[], |_| false).next();
        let front = front.filter(|piece| piece.origin == Origin::FrontMatter);
        let mut end = 0;
        if let Some(front) = &front
            && let (Some(value @ Datum::Map(_)), is_whole) = side::value(&front.text)
        {
            head.is_broken = !is_whole;
            let word = |key| value.word_at(key).map(str::trim).filter(|word| !word.is_empty());
            let owned = |key| word(key).map(str::to_owned);
            (head.from, head.to, head.status) = (owned("from"), owned("to"), owned("status"));
            let items = ["work_queue_item", "work_queue_items"].iter();
            head.items = items.filter_map(|key| side::words(&value, key)).flatten().collect();
            let mut seen = BTreeSet::new();
            head.items.retain(|item| seen.insert(item.clone()));
            head.files = side::words(&value, "files_changed");
            end = front.base as usize + front.text.len();
        }
        let body = text.get(end..).unwrap_or_default();
        for line in lines(body) {
            let Some((key, value)) = labelled(line) else { continue };
            let slot = match key.to_lowercase().as_str() {
                "from" => &mut head.from,
                "to" => &mut head.to,
                "status" => &mut head.status,
                _ => continue,
            };
            slot.get_or_insert_with(|| value.to_owned());
        }
        head
    }
}

/// The lines that begin a text: up to a rule, a fence or a heading below the title.
fn lines(body: &str) -> impl Iterator<Item = &str> {
    let body = body.trim_start_matches('\u{feff}').trim_start();
    // What is left of the mark behind front matter is no rule.
    let body = body.strip_prefix("---").map_or(body, |rest| rest.trim_start_matches('-'));
    let is_end = |line: &&str| {
        let line = line.trim();
        let mut marks = line.chars().filter(|c| !c.is_whitespace());
        let first = marks.next().filter(|c| "-*_".contains(*c));
        let is_rule = first.is_some_and(|first| marks.clone().all(|c| c == first) && marks.count() >= 2);
        is_rule || ["```", "~~~", "##"].iter().any(|mark| line.starts_with(mark))
    };
    body.lines().take(HEAD_LINES_MAX).take_while(move |line| !is_end(line))
}

/// A line such as `**From:** Codex` as its label and what it says.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let line = line.trim().trim_start_matches(['-', '>', ' ']);
    let (label, value) = line.split_once(':')?;
    let label = label.trim().trim_matches('*').trim();
    let value = value.trim().trim_start_matches("**").trim();
    let is_label = !label.is_empty() && label.chars().all(char::is_alphabetic);
    (is_label && !value.is_empty()).then_some((label, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_ends_where_the_text_begins() {
        // proves M-13
        for end in ["---", "* * *", "***", "```", "## Plan"] {
            let head = Head::read("a.md", &format!("# T\n\n**From:** Ada\n{end}\n**To:** Ben\n"));
            assert_eq!(head.from.as_deref(), Some("Ada"), "{end}");
            assert_eq!(head.to, None, "{end}");
        }
        let rules = Head::read("a.md", "---\n\n**From:** Ada\n**To:** Ben\n\n---\n\nfrom: Eve\n");
        assert_eq!((rules.from.as_deref(), rules.to.as_deref()), (Some("Ada"), Some("Ben")));
        let long = format!("{}**From:** Ada\n", "\nwords\n".repeat(HEAD_LINES_MAX));
        assert_eq!(Head::read("a.md", &long), Head::default());
        assert_eq!(Head::read("a.md", "See: https://example.com\n12:30\n:\nFrom:\n"), Head::default());
    }

    #[test]
    fn front_matter_that_is_broken_is_read_as_far_as_it_can_be() {
        let head = Head::read("a.md", "---\nfrom: ada\nto: [ben\nstatus: {\n---\n**To:** Cleo\n");
        assert!(head.is_broken, "{head:?}");
        assert_eq!(head.from.as_deref(), Some("ada"));
    }
}
