//! People and their keys: an answer to a gate counts because its signature verifies, not because it is there.
//!
//! Cannot: keep a secret key. It is handed in for one signature, and wiped when it is dropped.

mod find;
mod home;
mod secret;

use std::fmt;

use baton_kernel::{Digest, GateAnswer, GateId};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize};

pub use find::{Found, TRIED_MAX};
pub use home::Home;
pub use secret::{Salt, Secret, Weak};

use crate::error::Refused;

/// How the text of a public key begins.
const PREFIX: &str = "ed25519:";
/// First line of what is signed.
const STATEMENT: &str = "baton gate answer 2\n";
/// First line of what was signed before the statement named a project and a ledger.
const STATEMENT_1: &str = "baton gate answer 1\n";

/// The people of a project, each with a public key. A run pins them at its start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct People(pub Vec<Person>);

/// A person.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Person {
    /// Their name.
    pub name: String,
    /// Their public key, as `ed25519:` and 64 hexadecimal digits.
    pub key: String,
    /// Salt of the passphrase that the key is derived from; none for 64 digits, and for keys made before there were salts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<String>,
}

/// An answer with its signature.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signed {
    /// Who signed, as they call themselves.
    pub name: String,
    /// Their public key.
    pub key: String,
    /// What was signed.
    pub text: String,
    /// The signature, in hexadecimal digits.
    pub signature: String,
}

/// What a person signs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statement<'s> {
    /// The project and the ledger that the answer is for.
    pub home: &'s Home,
    /// The run.
    pub run: &'s str,
    /// The gate, or the question of an agent: both have their numbers from one row.
    pub gate: GateId,
    /// The answer.
    pub answer: GateAnswer,
    /// Hash of what the person was shown.
    pub shown: Digest,
}

impl Statement<'_> {
    /// The bytes that are signed.
    pub(crate) fn text(&self) -> String {
        let Home { project, ledger } = self.home;
        format!("{STATEMENT}project {project}\nledger {ledger}\n{}", self.subject())
    }

    /// What is answered, apart from where.
    fn subject(&self) -> String {
        let Self { run, gate, answer, shown, .. } = self;
        let word = match answer {
            GateAnswer::Approve => "approve",
            GateAnswer::Reject => "reject",
            GateAnswer::Question => "ask",
        };
        format!("run {run}\ngate {}\nanswer {word}\nshown {shown}\n", gate.0)
    }

    /// Refuses a signature that was given for something else.
    pub(crate) fn must_be_in(&self, signed: &Signed) -> Result<(), Refused> {
        if signed.text == self.text() {
            return Ok(());
        }
        // A run's name has no line break, so that the same lines are the same subject.
        let Some(before) = signed.text.strip_suffix(&self.subject()) else {
            return Err(Refused::BadSignature);
        };
        if before == STATEMENT_1 {
            return Err(Refused::OlderAnswer);
        }
        Err(if before.starts_with(STATEMENT) { Refused::OtherLedger } else { Refused::BadSignature })
    }
}

/// A secret key, for one signature.
pub struct GateKey(SigningKey);

impl GateKey {
    /// Its public half, as `baton.toml` has it.
    pub fn public(&self) -> String {
        format!("{PREFIX}{}", hex(self.0.verifying_key().as_bytes()))
    }

    /// Signs an answer, bound to what was shown and to the ledger that it is for.
    pub fn sign(&self, name: &str, statement: &Statement<'_>) -> Signed {
        let text = statement.text();
        let signature = hex(&self.0.sign(text.as_bytes()).to_bytes());
        Signed { name: name.to_owned(), key: self.public(), text, signature }
    }
}

impl fmt::Debug for GateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "GateKey({})", self.public())
    }
}

impl People {
    /// Whether anybody is registered: without, a signature proves only that the same key gave all answers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The names, for a message.
    pub fn names(&self) -> String {
        self.0.iter().map(|person| person.name.as_str()).collect::<Vec<_>>().join(", ")
    }

    /// The name of the person whose signature this is.
    pub(crate) fn verified(&self, signed: &Signed) -> Result<String, Refused> {
        let is_valid = || {
            let key = Digest::from_hex(signed.key.strip_prefix(PREFIX)?)?;
            let key = VerifyingKey::from_bytes(&key.0).ok()?;
            let signature = Signature::from_bytes(&bytes(&signed.signature)?);
            // A key of small order verifies signatures of texts that it never signed.
            key.verify_strict(signed.text.as_bytes(), &signature).ok()
        };
        if is_valid().is_none() {
            return Err(Refused::BadSignature);
        }
        if self.is_empty() {
            return Ok(signed.name.clone());
        }
        let person = self.0.iter().find(|person| person.key == signed.key);
        person
            .map(|person| person.name.clone())
            .ok_or_else(|| Refused::UnknownPerson { key: signed.key.clone(), known: self.names() })
    }
}

fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

fn bytes(hex: &str) -> Option<[u8; 64]> {
    let (first, second) = hex.split_at_checked(64)?;
    let mut all = [0; 64];
    all[..32].copy_from_slice(&Digest::from_hex(first)?.0);
    all[32..].copy_from_slice(&Digest::from_hex(second)?.0);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOWN: Digest = Digest([7; 32]);
    const HERE: Home = Home { project: Digest([1; 32]), ledger: Digest([2; 32]) };

    fn key(digit: &str) -> GateKey {
        Secret::from_text(&digit.repeat(64)).expect("it is a key").older()
    }

    fn statement(home: &Home) -> Statement<'_> {
        Statement { home, run: "run-1", gate: GateId(3), answer: GateAnswer::Approve, shown: SHOWN }
    }

    #[test]
    fn a_signature_counts_only_for_what_it_was_given_for_and_by_whom() {
        let person = Person { name: "Ada L.".to_owned(), key: key("a").public(), salt: None };
        let people = People(vec![person]);
        let signed = |digit: &str| key(digit).sign("ada", &statement(&HERE));
        assert_eq!(people.verified(&signed("a")).as_deref(), Ok("Ada L."));
        let other = people.verified(&signed("b"));
        assert!(matches!(other, Err(Refused::UnknownPerson { .. })), "{other:?}");
        let mut changed = signed("a");
        changed.text = changed.text.replace("approve", "reject");
        assert_eq!(people.verified(&changed), Err(Refused::BadSignature));
        let mut cut = signed("a");
        cut.signature.truncate(100);
        assert_eq!(people.verified(&cut), Err(Refused::BadSignature));
    }

    #[test]
    fn an_answer_for_another_project_or_ledger_is_not_one_for_this() {
        let signed = key("a").sign("ada", &statement(&HERE));
        assert_eq!(statement(&HERE).must_be_in(&signed), Ok(()));
        for other in [Home { project: SHOWN, ..HERE }, Home { ledger: SHOWN, ..HERE }] {
            assert_eq!(statement(&other).must_be_in(&signed), Err(Refused::OtherLedger));
        }
        let rejected = Statement { answer: GateAnswer::Reject, ..statement(&HERE) };
        assert_eq!(rejected.must_be_in(&signed), Err(Refused::BadSignature));
    }

    #[test]
    fn a_recorded_answer_of_version_1_verifies_and_is_not_taken_anew() {
        // As it was recorded: the key is the SHA-256 of "correct horse", and the text names no ledger.
        let shown = "07".repeat(32);
        let text = format!("baton gate answer 1\nrun run-1\ngate 3\nanswer approve\nshown {shown}\n");
        let key = "ed25519:9948edbb75bf6d319864a81b7c61ada570fcdae8c601eef23a4608c43de81f90".to_owned();
        let signature = "381770f2366767e8c554ec8942a7f6ac2c6eae9cbe7a7e3b8ba3e99163e601a6f03435422a8f211f6fdf8c99c9142451b8161a3440d0e3d52e55d2a549e51402".to_owned();
        let signed = Signed { name: "ada".to_owned(), key: key.clone(), text, signature };
        let people: People = serde_json::from_str(&format!(r#"[{{"name": "ada", "key": "{key}"}}]"#))
            .expect("it was pinned so");
        assert_eq!(people.verified(&signed).as_deref(), Ok("ada"));
        assert_eq!(statement(&HERE).must_be_in(&signed), Err(Refused::OlderAnswer));
    }

    #[test]
    fn a_key_that_verifies_what_it_never_signed_is_no_key() {
        // The neutral element: with it, the signature below holds for any text where small orders are let through.
        let zeros = "00".repeat(31);
        let mut signed = key("a").sign("ada", &statement(&HERE));
        signed.key = format!("ed25519:01{zeros}");
        signed.signature = format!("01{zeros}{}", "00".repeat(32));
        assert_eq!(People::default().verified(&signed), Err(Refused::BadSignature));
    }
}
