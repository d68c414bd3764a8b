//! Whose key a secret is, among the people that a run has pinned.
//!
//! Invariant: however many people and salts a file lists, a derivation is done [`TRIED_MAX`] times at most.

use super::{GateKey, People, Person, Salt, Secret};
use crate::error::Refused;

/// How many salts are tried for one secret.
pub const TRIED_MAX: usize = 4;

/// The person whose key a secret is.
#[derive(Debug)]
pub struct Found<'p> {
    /// The person.
    pub person: &'p Person,
    /// Their key.
    pub key: GateKey,
    /// Whether the key is the bare hash of a passphrase, as keys were made before there were salts.
    pub is_older: bool,
}

impl People {
    /// The person whose key a secret is; none if it is nobody's.
    ///
    /// With `only`, one person is tried. Without, whoever is called `first` is tried before the others.
    pub fn find(
        &self,
        secret: &Secret,
        only: Option<&str>,
        first: &str,
    ) -> Result<Option<Found<'_>>, Refused> {
        let is_called = |person: &Person, name: &str| person.name.to_lowercase() == name.to_lowercase();
        let mut people: Vec<&Person> =
            self.0.iter().filter(|person| only.is_none_or(|name| is_called(person, name))).collect();
        people.sort_by_key(|person| !is_called(person, first));
        // One hash and a comparison each: this is free, and settles 64 digits.
        let (older, is_passphrase) = (secret.older(), secret.is_passphrase());
        let public = older.public();
        let has_it = |person: &&&Person| person.key == public && (!is_passphrase || person.salt.is_none());
        if let Some(person) = people.iter().find(has_it) {
            return Ok(Some(Found { person, key: older, is_older: is_passphrase }));
        }
        if !is_passphrase {
            return Ok(None);
        }
        let mut tried: Vec<(Salt, GateKey)> = Vec::new();
        for person in people {
            let Some(salt) = person.salt.as_deref().and_then(Salt::parse) else { continue };
            if !tried.iter().any(|(known, _)| *known == salt) {
                if tried.len() == TRIED_MAX {
                    return Err(Refused::ManyPeople { tried: TRIED_MAX });
                }
                let key = secret.key(&salt);
                tried.push((salt.clone(), key));
            }
            let at = tried.iter().position(|(known, key)| *known == salt && key.public() == person.key);
            if let Some(at) = at {
                return Ok(Some(Found { person, key: tried.swap_remove(at).1, is_older: false }));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::from_text(text).expect("it is a secret")
    }

    fn person(name: &str, key: &GateKey, salt: Option<String>) -> Person {
        Person { name: name.to_owned(), key: key.public(), salt }
    }

    #[test]
    fn a_person_is_found_by_any_form_of_their_key() {
        let salt = Salt::random().expect("the system has random numbers");
        let (ada, eve, digits) = (secret("ada's own"), secret("eve's own"), secret(&"7".repeat(64)));
        let people = People(vec![
            person("ada", &ada.older(), None),
            person("eve", &eve.key(&salt), Some(salt.to_string())),
            person("bot", &digits.older(), None),
        ]);
        let found = |secret: &Secret, only| {
            let found = people.find(secret, only, "nora").expect("there are few");
            found.map(|found| (found.person.name.as_str(), found.key.public(), found.is_older))
        };
        assert_eq!(found(&ada, None), Some(("ada", ada.older().public(), true)));
        assert_eq!(found(&eve, None), Some(("eve", eve.key(&salt).public(), false)));
        assert_eq!(found(&digits, None), Some(("bot", digits.older().public(), false)));
        assert_eq!(found(&eve, Some("EVE")).map(|found| found.0), Some("eve"));
        assert_eq!(found(&eve, Some("ada")), None);
        assert_eq!(found(&secret("battery staple"), None), None);
    }

    #[test]
    fn a_file_full_of_salts_is_not_tried_to_its_end() {
        let salt = |number: usize| Salt::parse(&format!("argon2id-1:{number:032x}")).expect("it is a salt");
        let nora = secret("nora's own");
        let nobody = secret(&"7".repeat(64)).older();
        let mut all: Vec<Person> = (0..10_000)
            .map(|number| person(&format!("p{number}"), &nobody, Some(salt(number).to_string())))
            .collect();
        all.push(person("nora", &nora.key(&salt(1 << 20)), Some(salt(1 << 20).to_string())));
        let people = People(all);
        assert_eq!(
            people.find(&nora, None, "root").map(|_| ()),
            Err(Refused::ManyPeople { tried: TRIED_MAX })
        );
        for (only, first) in [(None, "nora"), (Some("nora"), "root")] {
            let found = people.find(&nora, only, first).expect("she is tried first");
            assert_eq!(found.map(|found| found.person.name.as_str()), Some("nora"));
        }
    }

    #[test]
    fn a_salt_that_cannot_be_read_is_not_tried() {
        let nora = secret("nora's own");
        let people = People(vec![person("nora", &nora.older(), Some("argon2id-9:07".to_owned()))]);
        assert!(people.find(&nora, None, "nora").expect("there are few").is_none());
    }
}
