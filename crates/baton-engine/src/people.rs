//! People and their keys: an answer to a gate counts because its signature verifies, not because it is there.
//!
//! Cannot: keep a secret key. It is handed in for one signature.

use std::fmt;

use baton_kernel::{Digest, GateAnswer, GateId};
use baton_ledger::digest;
use ed25519_dalek::{Signature, Signer, SigningKey, Verifier, VerifyingKey};
use serde::{Deserialize, Serialize};

use crate::Refused;

/// How the text of a public key begins.
const PREFIX: &str = "ed25519:";

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

/// A secret key, for one signature.
pub struct GateKey(SigningKey);

impl GateKey {
    /// The key that a text names: 64 hexadecimal digits are the key itself, any other text is a passphrase for one.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        let seed = Digest::from_hex(text).or_else(|| (!text.is_empty()).then(|| digest(text.as_bytes())))?;
        Some(Self(SigningKey::from_bytes(&seed.0)))
    }

    /// Its public half, as `baton.toml` has it.
    pub fn public(&self) -> String {
        format!("{PREFIX}{}", hex(self.0.verifying_key().as_bytes()))
    }

    /// Signs an answer to a gate, bound to what was shown.
    pub fn sign(&self, name: &str, run: &str, gate: GateId, answer: GateAnswer, shown: Digest) -> Signed {
        let text = statement(run, gate, answer, shown);
        let signature = hex(&self.0.sign(text.as_bytes()).to_bytes());
        Signed { name: name.to_owned(), key: self.public(), text, signature }
    }
}

impl fmt::Debug for GateKey {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "GateKey({})", self.public())
    }
}

/// What is signed.
pub(crate) fn statement(run: &str, gate: GateId, answer: GateAnswer, shown: Digest) -> String {
    let word = match answer {
        GateAnswer::Approve => "approve",
        GateAnswer::Reject => "reject",
        GateAnswer::Question => "ask",
    };
    format!("baton gate answer 1\nrun {run}\ngate {}\nanswer {word}\nshown {shown}\n", gate.0)
}

impl People {
    /// Whether anybody is registered: without, a signature proves only that the same key gave all answers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of the person whose signature this is.
    pub(crate) fn verified(&self, signed: &Signed) -> Result<String, Refused> {
        let is_valid = || {
            let key = Digest::from_hex(signed.key.strip_prefix(PREFIX)?)?;
            let key = VerifyingKey::from_bytes(&key.0).ok()?;
            let signature = Signature::from_bytes(&bytes(&signed.signature)?);
            key.verify(signed.text.as_bytes(), &signature).ok()
        };
        if is_valid().is_none() {
            return Err(Refused::BadSignature);
        }
        if self.is_empty() {
            return Ok(signed.name.clone());
        }
        let person = self.0.iter().find(|person| person.key == signed.key);
        person.map(|person| person.name.clone()).ok_or_else(|| Refused::UnknownPerson {
            key: signed.key.clone(),
            known: self.0.iter().map(|person| person.name.as_str()).collect::<Vec<_>>().join(", "),
        })
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

    fn signed(key: &str) -> Signed {
        let key = GateKey::from_text(key).expect("it is a key");
        key.sign("ada", "run-1", GateId(3), GateAnswer::Approve, SHOWN)
    }

    #[test]
    fn a_signature_counts_only_for_what_it_was_given_for_and_by_whom() {
        let key = GateKey::from_text("correct horse").expect("it is a key");
        let people = People(vec![Person { name: "Ada L.".to_owned(), key: key.public() }]);
        assert_eq!(people.verified(&signed("correct horse")).as_deref(), Ok("Ada L."));
        let other = people.verified(&signed("battery staple"));
        assert!(matches!(other, Err(Refused::UnknownPerson { .. })), "{other:?}");
        let mut changed = signed("correct horse");
        changed.text = changed.text.replace("approve", "reject");
        assert_eq!(people.verified(&changed), Err(Refused::BadSignature));
        let mut cut = signed("correct horse");
        cut.signature.truncate(100);
        assert_eq!(people.verified(&cut), Err(Refused::BadSignature));
    }

    #[test]
    fn a_key_is_made_of_digits_or_of_a_passphrase_and_never_shown() {
        let digits = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        let key = GateKey::from_text(digits).expect("it is a key");
        // The first test vector of RFC 8032.
        assert_eq!(key.public(), "ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a");
        assert!(!format!("{key:?}").contains(digits));
        assert!(GateKey::from_text("  ").is_none());
    }
}
