//! The signer of a gate's answer: the person whose key a secret is.

use super::person::person;
use crate::error::{Problem, Refused};
use crate::project::fault::{Diagnostic, Fault, Result, Severity};
use crate::project::people::{GateKey, Home, People, Person, Secret};

/// Advice for a weak passphrase.
const STRONGER: &str = "take several uncommon words, such as four at random, or a key of 64 hexadecimal digits (`openssl rand -hex 32`)";

/// A key to sign with, and its entry.
pub(super) struct Signer {
    /// The key.
    pub(super) key: GateKey,
    /// The person's entry, where its key is the bare hash of this passphrase.
    pub(super) older: Option<Person>,
    /// The secret.
    pub(super) secret: Secret,
    /// Notes about the passphrase.
    pub(super) notes: Vec<Diagnostic>,
}

/// The signer among the people whose answers count; with `only`, that person.
pub(super) fn signer(people: &People, home: &Home, secret: Secret, only: Option<&str>) -> Result<Signer> {
    if people.is_empty() {
        must_be_strong(&secret)?;
        let key = secret.unlisted(home);
        return Ok(Signer { key, older: None, secret, notes: Vec::new() });
    }
    let is_called =
        |person: &Person| only.is_none_or(|only| person.name.to_lowercase() == only.to_lowercase());
    let known = people.names();
    if !people.0.iter().any(is_called) {
        let only = only.unwrap_or_default();
        return Err(Fault::refused(
            format!("nobody of this project is called {only}; it knows {known}"),
            Some("a person must be in `[people]` of baton.toml when the run starts".to_owned()),
        ));
    }
    let found = people.find(&secret, only, &person()).map_err(Problem::Refused)?;
    let Some(found) = found else {
        let refused = Refused::UnknownPerson { key: "that was given".to_owned(), known };
        return Err(Problem::Refused(refused).into());
    };
    let weak = secret.weakness().map(|weak| {
        let name = &found.person.name;
        let message =
            format!("weak passphrase: {weak}; `baton gate key {name}` makes another key ({STRONGER})");
        Diagnostic::new(Severity::Warning, message)
    });
    let older = found.is_older.then(|| found.person.clone());
    Ok(Signer { key: found.key, older, notes: Vec::from_iter(weak), secret })
}

/// Refuses a passphrase that is easily guessed.
pub fn must_be_strong(secret: &Secret) -> Result<()> {
    match secret.weakness() {
        Some(weak) => Err(Fault::refused(format!("weak passphrase: {weak}"), Some(STRONGER.to_owned()))),
        None => Ok(()),
    }
}
