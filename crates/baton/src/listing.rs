//! The entry of a person in `[people]` of `baton.toml`: as it is printed, and as an older one is replaced.

use std::path::Path;

use baton_document::Limits;
use baton_engine::service::project::people::{Person, Salt, Secret};
use baton_engine::service::write::{Written, replace};
use toml_edit::{Document, InlineTable, Key, Value};

use crate::project::Project;
use crate::say;
use baton_engine::service::Fault;
use baton_engine::service::project::config;
use baton_engine::service::project::read::{self, Content};

/// A new entry for a person: with a salt of its own where the key is derived.
pub(crate) fn made(name: &str, secret: &Secret) -> Result<Person, Fault> {
    let name = name.to_owned();
    if !secret.is_passphrase() {
        return Ok(Person { name, key: secret.older().public(), salt: None });
    }
    let salt = Salt::random().map_err(|why| Fault::failed(format!("cannot make a salt: {why}")))?;
    Ok(Person { name, key: secret.key(&salt).public(), salt: Some(salt.to_string()) })
}

/// The line for `[people]`.
pub(crate) fn entry(person: &Person) -> String {
    format!("{} = {}", Key::new(&person.name), value(person))
}

fn value(person: &Person) -> Value {
    let Some(salt) = &person.salt else { return Value::from(&person.key) };
    let mut table = InlineTable::new();
    table.insert("key", Value::from(&person.key));
    table.insert("salt", Value::from(salt));
    Value::InlineTable(table)
}

/// Replaces the entry of a person whose key is the bare hash of a passphrase, after they answered with it.
///
/// Runs that have pinned the older key go on with it. What fails here is said, and is no failure of the answer.
pub(crate) fn renew(project: &Project, older: &Person, secret: &Secret) {
    if !project.config.people.contains(older) {
        return;
    }
    let name = say::printable(&older.name);
    let person = match made(&older.name, secret) {
        Ok(person) => person,
        Err(_) => return say::warning(&format!("the key of {name} has no salt, and none could be made now")),
    };
    match project
        .config_path
        .as_deref()
        .ok_or_else(|| "there is none".to_owned())
        .and_then(|path| put(path, older, &person))
    {
        Ok(()) => say::note(&format!(
            "baton.toml: the key of {name} is derived with argon2id and a salt from now on"
        )),
        Err(why) => say::warning(&format!(
            "the key of {name} is a bare hash, and baton.toml could not be changed ({why}); put this under [people]: {}",
            entry(&person)
        )),
    }
}

/// Puts an entry in the place of an older one, and leaves everything else in the file as it is.
fn put(path: &Path, older: &Person, person: &Person) -> Result<(), String> {
    if path.symlink_metadata().map_err(|error| error.to_string())?.is_symlink() {
        return Err("it is a link".to_owned());
    }
    let bytes = match read::file(path, Limits::default().own_bytes) {
        Ok(Content::Bytes(bytes)) => bytes,
        Ok(Content::TooLarge(_)) => return Err("it is too large".to_owned()),
        Err(why) => return Err(why),
    };
    let text = std::str::from_utf8(&bytes).map_err(|error| error.to_string())?;
    let edited = edited(text, older, person).ok_or("its entry cannot be found")?;
    match replace(path, &bytes, edited.as_bytes())? {
        Written::Done => Ok(()),
        Written::Changed | Written::Beside(_) => {
            Err("another program changed it at the same moment".to_owned())
        }
    }
}

/// The text with one value in the place of another. What the parser makes of the rest is of no use: it would write it as it likes.
fn edited(text: &str, older: &Person, person: &Person) -> Option<String> {
    let document = Document::parse(text).ok()?;
    let listed = document.get("people")?.as_table_like()?.get(&older.name)?.as_value()?;
    if listed.as_str() != Some(&older.key) {
        return None;
    }
    let span = listed.span()?;
    let is_value = text.get(span.clone()).is_some_and(|found| found.contains(&older.key));
    let edited = format!("{}{}{}", text.get(..span.start)?, value(person), text.get(span.end..)?);
    (is_value && config::read(&edited).people.contains(person)).then_some(edited)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn person(key: &str, salt: Option<&str>) -> Person {
        Person { name: "ada".to_owned(), key: key.to_owned(), salt: salt.map(str::to_owned) }
    }

    #[test]
    fn an_entry_is_replaced_and_all_else_is_kept() {
        let (older, new) = (person("ed25519:1", None), person("ed25519:2", Some("argon2id-1:3")));
        let with = "{ key = \"ed25519:2\", salt = \"argon2id-1:3\" }";
        for (text, name) in [
            (
                "# all\n[people] # who\neve  = \"ed25519:1\"\nada  =   \"ed25519:1\"   # Ada L.\n\n[check]\nstrict=true\n",
                "ada  =   ",
            ),
            ("people = { eve = 'x', ada = 'ed25519:1' }\n", "ada = "),
            ("\u{feff}[people]\nada = \"ed25519:1\"\n# é\n", "ada = "),
            ("people.ada = \"ed25519:1\"\r\ncheck.strict = true\r\n", "people.ada = "),
        ] {
            let edited = edited(text, &older, &new).expect("it has the entry");
            let (before, after) = text.split_once(name).expect("it is there");
            let quote = after.chars().next().expect("it is there");
            let rest = after[1..].split_once(quote).expect("it ends").1;
            assert_eq!(edited, format!("{before}{name}{with}{rest}"));
        }
    }

    #[test]
    fn what_is_not_the_entry_that_signed_is_not_replaced() {
        let (older, new) = (person("ed25519:1", None), person("ed25519:2", Some("argon2id-1:3")));
        for text in [
            "",
            "[people]\nada = \"ed25519:9\"\n",
            "[people]\neve = \"ed25519:1\"\n",
            "[people]\nada = { key = \"ed25519:1\" }\n",
            "[people]\nada = \"ed25519:1\"\nada = \"ed25519:1\"\n",
            "people = 7\n",
        ] {
            assert_eq!(edited(text, &older, &new), None, "{text}");
        }
    }

    #[test]
    fn a_name_of_any_letters_is_quoted_where_it_must_be() {
        let listed = |name: &str| entry(&Person { name: name.to_owned(), key: "k".to_owned(), salt: None });
        assert_eq!(listed("ada"), "ada = \"k\"");
        assert_eq!(listed("Ada L."), "\"Ada L.\" = \"k\"");
        assert_eq!(listed("a\nb = 1"), "\"a\\nb = 1\" = \"k\"");
    }
}
