//! The folder that git is shown in place of a repository's own: with a configuration that Baton writes, the references and
//! objects of the repository to be read, and a place of its own for what is new.

use std::env;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicU64, Ordering};

use baton_courier::temporary::{Folder, Use};

use super::Silence;
use super::home::{Home, config, of_person, places, text, word};
use crate::files::private;

/// The bytes of `HEAD`, and of the list of commits at which a clone ends.
const HEAD_BYTES_MAX: u64 = 4 * 1024;
const SHALLOW_BYTES_MAX: u64 = 1024 * 1024;

/// Settings of a repository that are taken over, each with the words it may have.
const TAKEN_OVER: [(&str, &[&str]); 5] = [
    ("autocrlf", &["true", "false", "input"]),
    ("eol", &["lf", "crlf", "native"]),
    ("filemode", &["true", "false"]),
    ("ignorecase", &["true", "false"]),
    ("precomposeunicode", &["true", "false"]),
];

#[derive(Debug)]
pub(super) struct Private {
    folder: Folder,
    objects: PathBuf,
    settings: Vec<String>,
    /// `HEAD` as it was last taken over.
    head: Mutex<String>,
    indexes: AtomicU64,
}

impl Private {
    /// Makes the folder; new objects go to `kept`, if that is said.
    pub(super) fn new(home: &Home, kept: Option<&Path>) -> Result<Self, Silence> {
        let made = || -> io::Result<Self> {
            let folder = Folder::new(Use::Git)?;
            let path = folder.path();
            let objects = kept.map_or_else(|| path.join("objects"), Path::to_owned);
            private::folder(&path.join("objects"))?;
            private::folder(&objects.join("info"))?;
            keep(&objects.join("info/alternates"), &alternates(&home.common.join("objects"))?)?;
            let own = config(&home.common);
            fs::write(path.join("config"), configuration(&own))?;
            link(&home.common.join("refs"), &path.join("refs"))?;
            link(&home.common.join("packed-refs"), &path.join("packed-refs"))?;
            link(&home.common.join("reftable"), &path.join("reftable"))?;
            if let Some(shallow) = text(&home.common.join("shallow"), SHALLOW_BYTES_MAX) {
                fs::write(path.join("shallow"), shallow)?;
            }
            let settings = settings(&own, &home.top);
            let (head, indexes) = (Mutex::default(), AtomicU64::new(0));
            Ok(Self { folder, objects, settings, head, indexes })
        };
        let private = made()
            .map_err(|error| Silence::Failed(format!("git cannot be given a folder of its own: {error}")))?;
        private.follow(home)?;
        Ok(private)
    }

    pub(super) fn path(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn objects(&self) -> &Path {
        &self.objects
    }

    pub(super) fn settings(&self) -> &[String] {
        &self.settings
    }

    /// A path for an index that nothing else uses.
    pub(super) fn new_index(&self) -> PathBuf {
        self.path().join(format!("index-{}", self.indexes.fetch_add(1, Ordering::Relaxed)))
    }

    /// Takes `HEAD` over, which may have moved.
    pub(super) fn follow(&self, home: &Home) -> Result<(), Silence> {
        let text = text(&home.git_dir.join("HEAD"), HEAD_BYTES_MAX);
        let Some(now) = text.as_deref().map(str::trim).filter(|head| is_head(head)) else {
            return Err(Silence::Refused(format!(
                "{} cannot be read as HEAD",
                home.git_dir.join("HEAD").display()
            )));
        };
        let mut head = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        if *head != now {
            let taken = self.path().join("HEAD.new");
            fs::write(&taken, format!("{now}\n"))
                .and_then(|()| fs::rename(&taken, self.path().join("HEAD")))
                .map_err(|error| Silence::Failed(format!("git cannot be given a HEAD: {error}")))?;
            now.clone_into(&mut head);
        }
        Ok(())
    }
}

/// A folder of objects as git reads it from a list of such.
fn alternates(folder: &Path) -> io::Result<String> {
    let text = folder.to_str().filter(|text| !text.contains(['\n', '"']));
    let text = text.ok_or_else(|| io::Error::other(format!("git cannot be told of {}", folder.display())))?;
    Ok(format!("{text}\n"))
}

/// Writes a file that others may read meanwhile, unless it holds the text already.
fn keep(path: &Path, text: &str) -> io::Result<()> {
    if fs::read(path).is_ok_and(|there| there == text.as_bytes()) {
        return Ok(());
    }
    let made = path.with_extension(std::process::id().to_string());
    fs::write(&made, text)?;
    fs::rename(&made, path)
}

/// What git must know of how a repository is stored; anything else in its configuration is not for Baton.
pub(super) fn configuration(own: &str) -> String {
    let mut text =
        "[core]\n\trepositoryformatversion = 1\n\tbare = false\n\tlogallrefupdates = false\n[extensions]\n"
            .to_owned();
    if word(own, "extensions", "objectformat").is_some_and(|word| word.eq_ignore_ascii_case("sha256")) {
        text += "\tobjectformat = sha256\n";
    }
    if word(own, "extensions", "refstorage").is_some_and(|word| word.eq_ignore_ascii_case("reftable")) {
        text += "\trefstorage = reftable\n";
    }
    text
}

/// The settings that files are compared by: of the repository, else of the person.
fn settings(own: &str, top: &Path) -> Vec<String> {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    let places = places(home.as_deref());
    let of_person = of_person();
    let mut all = Vec::new();
    for (key, words) in TAKEN_OVER {
        let said = word(own, "core", key).or_else(|| word(&of_person, "core", key));
        let said = said.map(|said| said.to_ascii_lowercase()).filter(|said| words.contains(&&**said));
        all.extend(said.map(|said| format!("core.{key}={said}")));
    }
    let from_home = |path: String| match path.strip_prefix("~/") {
        Some(below) => home.as_ref().map(|home| home.join(below)),
        None => Some(PathBuf::from(path)),
    };
    let ignores = word(&of_person, "core", "excludesfile").and_then(from_home);
    let ignores = ignores.or_else(|| places.map(|places| places.join("ignore")));
    // What lies in the project is the project's to change.
    let ignores =
        ignores.filter(|path| path.canonicalize().is_ok_and(|path| path.is_file() && !path.starts_with(top)));
    let ignores = ignores.and_then(|path| path.to_str().map(str::to_owned));
    all.push(format!("core.excludesFile={}", ignores.as_deref().unwrap_or("/dev/null")));
    all
}

/// Whether a text is what `HEAD` may hold.
fn is_head(text: &str) -> bool {
    match text.strip_prefix("ref: ") {
        Some(name) => {
            name.starts_with("refs/")
                && !name.contains("..")
                && name.bytes().all(|byte| byte.is_ascii_graphic() || byte >= 0x80)
        }
        None => super::is_name(text),
    }
}

#[cfg(unix)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(to, at)
}

#[cfg(windows)]
fn link(to: &Path, at: &Path) -> io::Result<()> {
    if to.is_dir() {
        std::os::windows::fs::symlink_dir(to, at)
    } else {
        std::os::windows::fs::symlink_file(to, at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_head_is_a_reference_or_a_commit() {
        for good in ["ref: refs/heads/main", "ref: refs/heads/é", &"a".repeat(40), &"0".repeat(64)] {
            assert!(is_head(good), "{good}");
        }
        for bad in
            ["", "ref: ../x", "ref: refs/../../x", "ref: HEAD", "--help", "ref: refs/a\nb", "ref: refs/a b"]
        {
            assert!(!is_head(bad), "{bad}");
        }
    }

    #[test]
    fn no_setting_of_a_repository_is_taken_over_that_is_no_plain_word() {
        let own = "[core]\nautocrlf = true\nfilemode = $(id)\nfsmonitor = ./x\neol = --x\n[filter \"x\"]\nclean = ./x\n";
        let settings = settings(own, Path::new("/"));
        assert!(settings.contains(&"core.autocrlf=true".to_owned()), "{settings:?}");
        assert!(
            !settings
                .iter()
                .any(|setting| setting.contains('$') || setting.contains("--x") || setting.contains("./x"))
        );
        assert!(!configuration(own).contains("filter"));
    }
}
