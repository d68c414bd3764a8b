//! The door: addresses of ledgers, and the stores that their schemes stand for.
//!
//! An address is a path, or a URL such as `sqlite:PATH`. A new store is one row in [`SCHEMES`].

use std::fmt;
use std::path::{Path, PathBuf};

use crate::sqlite::SqliteBackend;
use crate::{Error, Store};

/// Opens the ledger at an address; makes it if there is none.
pub fn open(address: &str) -> Result<Box<dyn Store>, Error> {
    Address::parse(address)?.open()
}

/// Address of a ledger.
#[derive(Clone)]
pub struct Address {
    backend: &'static dyn Backend,
    /// The part behind the scheme.
    location: PathBuf,
}

/// Kind of store, before a ledger is opened.
pub(crate) trait Backend: Sync {
    /// Tells whether there is a ledger; its remains, or another thing in its place, are an error.
    fn exists(&self, location: &Path) -> Result<bool, Error>;

    /// Opens a ledger; makes it if there is none, and migrates an older one.
    fn open(&self, location: &Path) -> Result<Box<dyn Store>, Error>;

    /// Makes the views of a ledger again from its log, and opens it.
    fn rebuild(&self, location: &Path) -> Result<Box<dyn Store>, Error>;

    /// Files that only the store may open: a process that closes one loses its locks on it.
    fn files(&self, location: &Path) -> Vec<PathBuf>;

    /// Copies that migrations left; they hold payloads that were erased since.
    fn backups(&self, location: &Path) -> Vec<PathBuf>;
}

/// Row of a store: its scheme, its name, and its backend where this build has it.
type Row = (&'static str, &'static str, Option<&'static dyn Backend>);

/// All schemes; a path without one is the first.
const SCHEMES: &[Row] = &[
    ("sqlite", "SQLite", Some(&SqliteBackend)),
    ("postgres", "PostgreSQL", None),
    ("postgresql", "PostgreSQL", None),
];

impl Address {
    /// Reads a path or a URL.
    pub fn parse(address: &str) -> Result<Self, Error> {
        let Some((scheme, rest)) = split(address) else { return Ok(Self::file(address)) };
        match SCHEMES.iter().find(|(known, ..)| *known == scheme) {
            Some((_, _, Some(backend))) => {
                let location = rest.strip_prefix("//").unwrap_or(rest);
                Ok(Self { backend: *backend, location: location.into() })
            }
            Some((_, store, None)) => Err(Error::NoStore { scheme: scheme.to_owned(), store: Some(store) }),
            None => Err(Error::NoStore { scheme: scheme.to_owned(), store: None }),
        }
    }

    /// Address of a ledger in a file.
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self { backend: &SqliteBackend, location: path.into() }
    }

    /// Tells whether there is a ledger; its remains, or another thing in its place, are an error.
    pub fn exists(&self) -> Result<bool, Error> {
        self.backend.exists(&self.location)
    }

    /// Opens the ledger; makes it if there is none, and migrates an older one, with a backup beside it.
    pub fn open(&self) -> Result<Box<dyn Store>, Error> {
        self.backend.open(&self.location)
    }

    /// Makes the views of the ledger again from its log, all or nothing, and opens it. No other process may have it open.
    pub fn rebuild(&self) -> Result<Box<dyn Store>, Error> {
        self.backend.rebuild(&self.location)
    }

    /// Files that only the store may open: a process that closes one loses its locks on it.
    pub fn files(&self) -> Vec<PathBuf> {
        self.backend.files(&self.location)
    }

    /// Copies that migrations left; they hold payloads that were erased since.
    pub fn backups(&self) -> Vec<PathBuf> {
        self.backend.backups(&self.location)
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Address({})", self.location.display())
    }
}

/// Splits a URL behind its scheme; a path is none. One letter before the colon is a drive.
///
/// A file may be called `a:b`, so an unknown scheme needs its slashes.
fn split(address: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = address.split_once(':')?;
    let is_word = scheme.len() > 1 && scheme.bytes().all(|byte| byte.is_ascii_lowercase());
    let is_known = SCHEMES.iter().any(|(known, ..)| *known == scheme);
    (is_word && (is_known || rest.starts_with("//"))).then_some((scheme, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_and_a_url_lead_to_the_same_file() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("ledger.db");
        let plain = path.to_str().expect("it is Unicode").to_owned();
        for address in [plain.clone(), format!("sqlite:{plain}"), format!("sqlite://{plain}")] {
            let before = path.exists();
            assert_eq!(Address::parse(&address).expect("it is known").exists().expect("readable"), before);
            drop(open(&address).expect("it opens"));
            assert!(path.exists(), "{address}");
        }
    }

    #[test]
    fn a_colon_in_a_name_makes_no_url() {
        for path in ["a:b.db", "C:\\ledger.db", "./sqlite:x", "odd://"] {
            let is_path = Address::parse(path).is_ok_and(|address| address.location == Path::new(path));
            assert_eq!(is_path, path != "odd://", "{path}");
        }
    }

    #[test]
    fn a_store_that_is_not_built_in_is_refused_without_the_rest_of_its_address() {
        for address in ["postgres://me:secret@host/db", "postgresql:db"] {
            let error = Address::parse(address).expect_err("this build has none");
            assert!(error.to_string().contains("this build has no PostgreSQL store"), "{error}");
            assert!(!format!("{error} {error:?}").contains("secret"));
        }
        let error = open("mysql://host/db").map(drop).expect_err("there is none");
        assert_eq!(error.to_string(), "open the ledger: unknown store `mysql:`");
        assert_eq!(error.hint(), "give a path or `sqlite:PATH`");
    }
}
