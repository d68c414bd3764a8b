//! The folders that agent programs keep for themselves below a home folder, as they are seen from behind the wall: what a session
//! needs can be written, settings can be read, and all else is empty and gone afterwards.
//!
//! Settings name programs that run outside of the wall the next time a person starts the agent: hooks, servers, status lines.
//! They are shown by exception and never writable, so that one that does not exist yet cannot be made either.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};

use baton_courier::sandbox::View;

/// A folder of an agent program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Home {
    /// Its name below the home folder.
    name: &'static str,
    /// Variable that says it lies elsewhere.
    variable: Option<&'static str>,
    /// Folders that sessions are kept in; they are made where there are none.
    sessions: &'static [&'static str],
    /// What else can be written.
    writable: &'static [&'static str],
    /// What is not shown: what other sessions run, and what leads to other programs.
    hidden: &'static [&'static str],
    /// Files beside the folder of which the agent has a copy.
    copied: &'static [&'static str],
}

pub(super) const CLAUDE: Home = Home {
    name: ".claude",
    variable: Some("CLAUDE_CONFIG_DIR"),
    sessions: &["projects"],
    writable: &[".credentials.json", "file-history", "plans", "tasks", "todos"],
    hidden: &[
        "backups",
        "cache",
        "debug",
        "history.jsonl",
        "ide",
        "paste-cache",
        "session-env",
        "sessions",
        "shell-snapshots",
        "statsig",
        "telemetry",
    ],
    copied: &[".claude.json"],
};

pub(super) const CODEX: Home = Home {
    name: ".codex",
    variable: Some("CODEX_HOME"),
    sessions: &["sessions"],
    writable: &["archived_sessions", "auth.json"],
    hidden: &[".tmp", "history.jsonl", "log", "shell_snapshots", "tmp"],
    copied: &[],
};

const GEMINI: Home = Home {
    name: ".gemini",
    variable: None,
    sessions: &["tmp"],
    writable: &["google_accounts.json", "history", "oauth_creds.json"],
    hidden: &[],
    copied: &[],
};

const QWEN: Home = Home { name: ".qwen", ..GEMINI };

/// The folders that are known; listed as writable, each is still seen in this way.
const KNOWN: [Home; 4] = [CLAUDE, CODEX, GEMINI, QWEN];

/// A home folder of which a whole may not be writable, with what lies in it.
pub(super) fn known(below_home: &str) -> Option<Home> {
    KNOWN.into_iter().find(|home| home.name == below_home.trim_end_matches('/'))
}

impl Home {
    /// What is seen of it by an agent that has some variables of the environment.
    pub(super) fn view(&self, environment: &[String]) -> Vec<View> {
        let variable = self.variable.filter(|&name| environment.iter().any(|other| other == name));
        let elsewhere = variable.and_then(env::var_os).map(PathBuf::from).filter(|path| path.is_absolute());
        let usual = || env::var_os("HOME").map(|home| PathBuf::from(home).join(self.name));
        let (Some(named), is_usual) = (elsewhere.clone().or_else(usual), elsewhere.is_none()) else {
            return Vec::new();
        };
        self.view_of(&named, is_usual)
    }

    fn view_of(&self, named: &Path, is_usual: bool) -> Vec<View> {
        for sessions in self.sessions {
            // Without it a session is lost with the wall, and a person is asked.
            let _ = fs::create_dir_all(named.join(sessions));
        }
        let folder = named.canonicalize().unwrap_or_else(|_| named.to_owned());
        let mut view = vec![View::Empty(folder.clone())];
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut names: Vec<_> = entries.map(|entry| entry.file_name()).collect();
        names.sort();
        for name in names {
            let is_among = |list: &[&str]| list.iter().any(|other| name == *other);
            let path = folder.join(&name);
            if is_among(self.sessions) || is_among(self.writable) {
                view.push(View::Writable(path));
            } else if !is_among(self.hidden) && !is_among(self.copied) {
                view.push(View::Readable(path));
            }
        }
        if folder != named {
            view.push(View::Link { at: named.to_owned(), to: folder.clone() });
        }
        let beside = if is_usual { named.parent().unwrap_or(named) } else { &folder };
        view.extend(self.copied.iter().map(|name| View::Copied(beside.join(name))));
        view
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_are_written_settings_are_read_and_the_rest_is_not_there() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().canonicalize().expect("it is there").join(".claude");
        fs::create_dir_all(path.join("shell-snapshots")).expect("it can be made");
        fs::write(path.join("settings.json"), "{}").expect("it can be written");
        let view = CLAUDE.view_of(&path, true);
        assert_eq!(view.first(), Some(&View::Empty(path.clone())));
        assert!(view.contains(&View::Writable(path.join("projects"))) && path.join("projects").is_dir());
        assert!(view.contains(&View::Readable(path.join("settings.json"))));
        assert!(view.contains(&View::Copied(path.with_file_name(".claude.json"))));
        let names = |view: &View| format!("{view:?}");
        assert!(
            !view
                .iter()
                .any(|view| names(view).contains("settings.local") || names(view).contains("snapshots"))
        );
    }
}
