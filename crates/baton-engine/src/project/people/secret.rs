//! What a person types to sign: a passphrase, or the 64 digits of a key.
//!
//! Invariant: the cost of a derivation is fixed by the version in front of a salt. Nothing else about it is read from a file, so that
//! no file makes it cheap or endless.

use std::fmt;

use argon2::{Algorithm, Argon2, Block, Params, Version};
use baton_kernel::Digest;
use baton_ledger::digest;
use ed25519_dalek::SigningKey;
use zeroize::{Zeroize, Zeroizing};

use super::{GateKey, Home, hex};

/// Version of the derivation, in front of its salt. Other costs are another version.
const VERSION: &str = "argon2id-1:";
const SALT_BYTES: usize = 16;
/// Memory of one derivation: 64 MiB, the second choice of RFC 9106.
const MEMORY_KIB: u32 = 64 * 1024;
const PASSES: u32 = 3;
const LANES: u32 = 1;
/// Bytes of a passphrase that is accepted.
const PASSPHRASE_BYTES_MAX: usize = 4096;
/// Guesses that a passphrase must withstand, as zxcvbn estimates them.
const GUESSES_MIN: u64 = 10_000_000;

/// A salt, kept beside a public key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Salt([u8; SALT_BYTES]);

impl Salt {
    /// A new one; says why the system gives no random numbers.
    pub fn random() -> Result<Self, String> {
        let mut bytes = [0; SALT_BYTES];
        getrandom::fill(&mut bytes).map_err(|error| error.to_string())?;
        Ok(Self(bytes))
    }

    /// The salt that a text names.
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.strip_prefix(VERSION)?;
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        if digits.len() != 2 * SALT_BYTES || !digits.bytes().all(is_digit) {
            return None;
        }
        // The second half is padding up to the length of a hash.
        let padded = Digest::from_hex(&digits.repeat(2))?;
        padded.0.first_chunk().copied().map(Self)
    }

    /// The salt where nobody is listed: the same for all answers in one ledger, and another in every other.
    fn of(home: &Home) -> Self {
        let digest = digest(format!("baton salt 1\n{}\n", home.digest()).as_bytes());
        Self(*digest.0.first_chunk().expect("a hash is longer than a salt"))
    }
}

impl fmt::Display for Salt {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{VERSION}{}", hex(&self.0))
    }
}

/// Why a passphrase is weak.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Weak {
    /// How many guesses find it.
    pub guesses: u64,
    /// What makes it weak, as a fragment.
    pub reason: String,
}

/// What a person typed. Wiped when it is dropped.
pub struct Secret(Typed);

enum Typed {
    Seed(Zeroizing<[u8; 32]>),
    Passphrase(Zeroizing<String>),
}

impl Secret {
    /// The secret that a text is: 64 hexadecimal digits are the key itself, any other text is a passphrase.
    ///
    /// Blanks around it do not count. None where nothing is left, or more than any passphrase has.
    pub fn from_text(text: &str) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() || text.len() > PASSPHRASE_BYTES_MAX {
            return None;
        }
        Some(Self(match Digest::from_hex(text) {
            Some(mut seed) => {
                let kept = Zeroizing::new(seed.0);
                seed.0.zeroize();
                Typed::Seed(kept)
            }
            None => Typed::Passphrase(Zeroizing::new(text.to_owned())),
        }))
    }

    /// Whether a key is derived from it.
    pub fn is_passphrase(&self) -> bool {
        matches!(self.0, Typed::Passphrase(_))
    }

    /// The key without a salt: the digits themselves, or the SHA-256 of a passphrase, as keys were made before.
    pub fn older(&self) -> GateKey {
        match &self.0 {
            Typed::Seed(seed) => GateKey(SigningKey::from_bytes(seed)),
            Typed::Passphrase(text) => {
                let mut seed = digest(text.as_bytes());
                let key = GateKey(SigningKey::from_bytes(&seed.0));
                seed.0.zeroize();
                key
            }
        }
    }

    /// The key of a passphrase with a salt; the digits of a key need none. Takes some hundred milliseconds.
    pub fn key(&self, salt: &Salt) -> GateKey {
        let Typed::Passphrase(text) = &self.0 else { return self.older() };
        let mut seed = Zeroizing::new([0; 32]);
        let params =
            Params::new(MEMORY_KIB, PASSES, LANES, Some(seed.len())).expect("the costs are in bounds");
        let mut blocks = Zeroizing::new(vec![Block::default(); params.block_count()]);
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(
                text.as_bytes(),
                &salt.0,
                seed.as_mut_slice(),
                blocks.as_mut_slice(),
            )
            .expect("passphrase, salt and memory are in bounds");
        GateKey(SigningKey::from_bytes(&seed))
    }

    /// The key where nobody is listed, and any key counts.
    pub fn unlisted(&self, home: &Home) -> GateKey {
        self.key(&Salt::of(home))
    }

    /// Why it is weak, if it is a passphrase that is.
    pub fn weakness(&self) -> Option<Weak> {
        let Typed::Passphrase(text) = &self.0 else { return None };
        if let Some(guesses) = dressed_word(text) {
            let reason = "one word with digits or signs around it".to_owned();
            return Some(Weak { guesses, reason });
        }
        let estimate = zxcvbn::zxcvbn(text, &[]);
        let guesses = estimate.guesses();
        let warning = estimate.feedback().and_then(zxcvbn::feedback::Feedback::warning);
        let reason = warning.map_or_else(
            || "too short or too common".to_owned(),
            |warning| {
                let said = warning.to_string();
                let mut letters = said.trim_end_matches('.').chars();
                letters.next().into_iter().flat_map(char::to_lowercase).chain(letters).collect()
            },
        );
        (guesses < GUESSES_MIN).then_some(Weak { guesses, reason })
    }
}

/// Guesses for one known word with a few digits or signs around it, which zxcvbn counts as independent parts.
fn dressed_word(text: &str) -> Option<u64> {
    const WORD_GUESSES_MAX: u64 = 100_000;
    const DRESS_CHARS_MAX: usize = 6;
    let word = text.trim_matches(|letter: char| !letter.is_alphabetic());
    let dress = text.chars().count() - word.chars().count();
    if word.is_empty() || !word.chars().all(char::is_alphabetic) || !(1..=DRESS_CHARS_MAX).contains(&dress) {
        return None;
    }
    let guesses = zxcvbn::zxcvbn(&word.to_lowercase(), &[]).guesses();
    (guesses < WORD_GUESSES_MAX).then(|| (guesses * 10).min(GUESSES_MIN - 1))
}

impl fmt::Debug for Secret {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(if self.is_passphrase() { "Secret(passphrase)" } else { "Secret(key)" })
    }
}

impl fmt::Display for Weak {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "about {} guesses find it, and {GUESSES_MIN} is the least: {}", self.guesses, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn secret(text: &str) -> Secret {
        Secret::from_text(text).expect("it is a secret")
    }

    #[test]
    fn a_key_is_made_of_digits_or_of_a_passphrase_and_never_shown() {
        let digits = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60";
        // The first test vector of RFC 8032.
        let public = "ed25519:d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
        let key = secret(digits).key(&Salt([7; SALT_BYTES]));
        assert_eq!((key.public().as_str(), secret(digits).older().public().as_str()), (public, public));
        for shown in
            [format!("{key:?}"), format!("{:?}", secret(digits)), format!("{:?}", secret("correct horse"))]
        {
            assert!(!shown.contains(digits) && !shown.contains("horse"), "{shown}");
        }
        assert!(Secret::from_text("  ").is_none());
    }

    #[test]
    fn a_passphrase_with_another_salt_is_another_key() {
        let (one, other) = (Salt([7; SALT_BYTES]), Salt([8; SALT_BYTES]));
        let key = secret("correct horse").key(&one).public();
        assert_eq!(
            key, "ed25519:8cea4baaea77db15ced7d6ed1379729bbc78e3bd6d9e30f23cbd0cbef7550db9",
            "the derivation never changes under its version"
        );
        assert_eq!(key, secret(" correct horse\n").key(&one).public());
        assert_ne!(key, secret("correct horse").key(&other).public());
        assert_ne!(key, secret("correct horse").older().public());
    }

    #[test]
    fn a_salt_says_nothing_of_the_cost_of_a_derivation() {
        let salt = Salt::random().expect("the system has random numbers");
        assert_eq!(Salt::parse(&salt.to_string()), Some(salt));
        let digits = "07".repeat(SALT_BYTES);
        let bad = [
            digits.clone(),
            format!("argon2id-2:{digits}"),
            format!("argon2id-1:{digits}0"),
            format!("argon2id-1:{digits},m=4294967295"),
            format!("argon2id-1:{}", "0A".repeat(SALT_BYTES)),
            "argon2id-1:".to_owned(),
            format!("argon2id-1:{}", "é".repeat(SALT_BYTES)),
            format!("$argon2id$v=19$m=4194304,t=99999,p=1${digits}"),
            "7".repeat(1 << 20),
        ];
        assert_eq!(bad.iter().find(|text| Salt::parse(text).is_some()), None);
    }

    #[test]
    fn words_that_belong_together_are_a_passphrase_and_common_ones_are_none() {
        for text in ["nora's own", "correct horse", "battery staple", "nora's passphrase", "blue whale"] {
            assert_eq!(secret(text).weakness(), None, "{text}");
        }
        for text in [
            "mine",
            "password",
            "Password1!",
            "nora",
            "12345678",
            "hunter2",
            "Password2024!",
            "Summer2026!",
            "!!2026summer",
            "qwertyuiop",
            "aaaaaaaaaaaaaaaa",
        ] {
            assert!(secret(text).weakness().is_some(), "{text}");
        }
        let weak = secret("password").weakness().expect("it is weak");
        assert!(weak.to_string().ends_with("this is a top-10 common password"), "{weak}");
        assert_eq!(secret(&"0".repeat(64)).weakness(), None, "digits are no passphrase");
    }

    #[test]
    fn a_passphrase_without_end_is_none() {
        assert!(Secret::from_text(&"correct horse ".repeat(1 << 16)).is_none());
        let start = std::time::Instant::now();
        let _ = secret(&"ab".repeat(PASSPHRASE_BYTES_MAX / 2)).weakness();
        assert!(start.elapsed().as_secs() < 20, "it is judged in bounded time");
    }
}
