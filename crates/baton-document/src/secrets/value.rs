//! Tells a secret from a placeholder, a word, a path or a digest.

use super::letters;

/// Tells whether a byte may be a part of a token.
pub(super) fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-')
}

/// Words that stand where a secret would, in documentation and templates.
const INVENTED: &[&str] = &[
    "example",
    "placeholder",
    "changeme",
    "change-me",
    "change_me",
    "change-this",
    "your",
    "dummy",
    "sample",
    "redacted",
    "insert",
    "replace",
    "todo",
    "xxxx",
    "****",
    "....",
    "----",
    "____",
    "notreal",
    "not-real",
    "not_real",
    "fakefake",
    "secrets.",
    "process.env",
    "environ",
    "getenv",
    "env.",
    "vault:",
    "secretsmanager",
    "keyring",
    "op://",
];

/// Values that are no secrets.
const PLAIN: &[&str] = &[
    "password",
    "passwd",
    "pass",
    "secret",
    "hunter2",
    "username",
    "postgres",
    "string",
    "required",
    "optional",
    "undefined",
    "null",
    "none",
    "true",
    "false",
    "unknown",
    "disabled",
    "enabled",
    "generated",
    "rotated",
    "revoked",
    "expired",
    "missing",
    "hidden",
    "omitted",
    "removed",
];

/// The bytes at the start of a token that are those of its form.
const TOKEN_START: usize = 4;

/// Prefixes of a value that names where a secret is kept.
const KEPT: &[&str] = &["env:", "env/", "file:", "vault:", "ssm:", "sops:", "ref:", "secret:", "keychain:"];

/// The longest stretch of equal or of ascending characters that a real secret has.
const STRETCH_MAX: usize = 6;

/// Tells whether a value only shows where a secret would stand.
pub(super) fn is_placeholder(value: &str) -> bool {
    let lower = value.to_ascii_lowercase();
    let is_reference =
        lower.starts_with(['$', '<', '%', '{', '@', '#', '[', '/', '.', '~']) || lower.contains("${");
    is_reference
        || KEPT.iter().any(|start| lower.starts_with(start))
        || INVENTED.iter().any(|word| lower.contains(word))
        || PLAIN.contains(&lower.as_str())
        || stretch(lower.as_bytes(), |a, b| a == b) > STRETCH_MAX
        || stretch(lower.as_bytes(), |a, b| a.checked_add(1) == Some(b)) > STRETCH_MAX
        || !value.chars().any(|c| c.is_alphanumeric())
}

/// The longest stretch in which each byte follows the one before it.
fn stretch(bytes: &[u8], follows: impl Fn(u8, u8) -> bool) -> usize {
    let mut longest = usize::from(!bytes.is_empty());
    let mut length = 1;
    for pair in bytes.windows(2) {
        length = if follows(pair[0], pair[1]) { length + 1 } else { 1 };
        longest = longest.max(length);
    }
    longest
}

/// The bits of each character, by how often each stands there.
pub(super) fn entropy(value: &str) -> f64 {
    let mut counts = [0_u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len().max(1) as f64;
    let bits = |count: &u32| {
        let share = f64::from(*count) / length;
        -share * share.log2()
    };
    counts.iter().filter(|count| **count > 0).map(bits).sum()
}

/// Tells whether there are letters, and digits or signs among them.
pub(super) fn is_mixed(value: &str) -> bool {
    let has_digit = value.bytes().any(|byte| byte.is_ascii_digit());
    let has_sign = value
        .bytes()
        .any(|byte| matches!(byte, b'!' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'?' | b'@'));
    (value.chars().any(char::is_alphabetic) && (has_digit || has_sign)) || letters::are_random(value)
}

/// Tells whether figures stand in more than one place of a value, as in no name, version or number that prose has.
pub(super) fn is_scattered(value: &str) -> bool {
    let bytes = value.as_bytes();
    let starts =
        bytes.windows(2).filter(|pair| !pair[0].is_ascii_digit() && pair[1].is_ascii_digit()).count();
    let has = |is: fn(&u8) -> bool| bytes.iter().any(is);
    starts + usize::from(bytes.first().is_some_and(u8::is_ascii_digit)) > 1
        && has(u8::is_ascii_lowercase)
        && has(u8::is_ascii_uppercase)
        && !bytes.iter().any(|byte| matches!(byte, b'/' | b'.' | b':'))
}

/// Tells whether a value is no name that prose may have in this place, such as `argon2id`: it has digits, and large letters
/// or signs behind its first.
pub(super) fn is_strong(value: &str) -> bool {
    let is_odd = |c: char| {
        c.is_uppercase() || matches!(c, '!' | '#' | '$' | '%' | '^' | '&' | '*' | '?' | '@' | '+' | '=')
    };
    is_mixed(value) && value.contains(|c: char| c.is_ascii_digit()) && value.chars().skip(1).any(is_odd)
}

/// Tells whether what stands behind the start of a token is no name: it has digits, no small letters, or random ones.
pub(super) fn is_no_name(token: &str) -> bool {
    let rest = token.get(TOKEN_START..).unwrap_or_default();
    let has = |is: fn(&u8) -> bool| rest.as_bytes().iter().any(is);
    has(u8::is_ascii_digit) || !has(u8::is_ascii_lowercase) || letters::are_random(rest)
}

/// Tells whether words with blanks between them are more than a sentence: one of them is strong, or two are mixed, and are no
/// names with a number behind them.
pub(super) fn is_phrase(value: &str) -> bool {
    let is_name = |word: &str| {
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        stem.bytes().all(|byte| byte.is_ascii_alphabetic())
            && (is_capitalised(stem) || stem.bytes().all(|byte| byte.is_ascii_uppercase()))
    };
    let words = value.split(' ').map(|word| word.trim_end_matches([',', '.', ';', ':']));
    let is_odd =
        |word: &&str| is_mixed(word) && !is_words(word) && !is_name(word) && !word.contains(['$', '(']);
    let (mut count, mut has_strong) = (0, false);
    for word in words.filter(is_odd) {
        count += 1;
        has_strong |= is_strong(word);
    }
    has_strong || count > 1
}

/// Tells whether letters are a word, with a capital or without.
fn is_capitalised(letters: &str) -> bool {
    letters.bytes().skip(1).all(|byte| byte.is_ascii_lowercase())
}

/// Tells whether a value is words and numbers with something between them: a name, a path, a date, a version.
pub(super) fn is_words(value: &str) -> bool {
    let is_part = |part: &str| {
        let is_number = part.bytes().all(|byte| byte.is_ascii_digit());
        let rest = part.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(part);
        let is_word = rest.bytes().all(|byte| byte.is_ascii_lowercase());
        let is_shout = part.bytes().all(|byte| byte.is_ascii_uppercase());
        // A number at the end of a word, as in `v2` and `utf8`, but none in between.
        let stem = part.trim_end_matches(|c: char| c.is_ascii_digit());
        let is_numbered = part.len() - stem.len() <= 3 && stem.bytes().all(|byte| byte.is_ascii_lowercase());
        // And one before it, as in `12chars`.
        let unit = part.trim_start_matches(|c: char| c.is_ascii_digit());
        let is_counted = part.len() - unit.len() <= 3
            && unit.len() >= 4
            && unit.bytes().all(|byte| byte.is_ascii_lowercase());
        is_number || is_word || is_shout || is_counted || (is_numbered && stem.len() <= 8)
    };
    let parts = value.split(['-', '_', '.', '/', ':', '@', '+', '=', '~', '?', '&', '#', '%', '|']);
    let mut count = 0;
    (parts.inspect(|_| count += 1).all(is_part) && count > 1)
        || value.contains("://")
        || letters::is_name(value)
}

/// Tells whether a value is a digest, a commit or a UUID.
pub(super) fn is_digest(value: &str) -> bool {
    let digits = value.bytes().filter(|byte| byte.is_ascii_hexdigit()).count();
    let dashes = value.bytes().filter(|byte| *byte == b'-').count();
    digits + dashes == value.len() && (dashes == 0 || (dashes == 4 && digits == 32))
}

/// Tells whether the first part of a JSON Web Token is its header.
pub(super) fn is_jwt(value: &str) -> bool {
    let header = value.split('.').next().map(decoded).unwrap_or_default();
    let header: Option<serde_json::Value> = serde_json::from_slice(&header).ok();
    header.is_some_and(|header| header.get("alg").is_some_and(serde_json::Value::is_string))
}

/// Tells whether a value is a user name and a password as HTTP sends them.
pub(super) fn is_basic(value: &str) -> bool {
    let pair = String::from_utf8(decoded(value)).unwrap_or_default();
    let is_shown = pair.chars().all(|c| !c.is_control());
    is_shown
        && pair.split_once(':').is_some_and(|(_, password)| password.len() >= 4 && !is_placeholder(password))
}

/// The bytes of a line of a key, or more, that its last line may lack.
const KEY_RUN: usize = 20;

/// Tells whether there is a key behind the first line of what may be one: a run of base 64 that is no word.
pub(super) fn has_key(secret: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let mut runs = secret.split(|c: char| !is_part(c));
    runs.any(|run| {
        let has = |is: fn(&u8) -> bool| run.as_bytes().iter().any(is);
        run.len() >= KEY_RUN && has(u8::is_ascii_uppercase) && has(u8::is_ascii_lowercase)
    })
}

/// Tells whether base 64 is that of a private key: a structure of ASN.1, or what OpenSSH starts one with.
pub(super) fn is_key_body(secret: &str) -> bool {
    let bytes = decoded(&joined(secret));
    let is_asn1 = matches!(
        *bytes,
        [0x30, 0x82, _, _, 0x02, 0x01, 0x00, ..]
            | [0x30, 0x81, _, 0x02, 0x01, ..]
            | [0x30, _, 0x02, 0x01, ..]
    );
    is_asn1 || bytes.starts_with(b"openssh-key-v1")
}

/// Tells whether base 64 is that of a private key with its first line.
pub(super) fn is_pem(secret: &str) -> bool {
    let text = decoded(&joined(secret));
    let first = text.split(|byte| *byte == b'\n').next().unwrap_or_default();
    memchr::memmem::find(first, b"PRIVATE KEY").is_some() && text.len() > first.len() + KEY_RUN
}

/// The bytes of base 64 in either alphabet; what is none ends it.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len() * 3 / 4);
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let six = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = (bits << 6 | u32::from(six)) & 0xffff;
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count).to_le_bytes()[0]);
        }
    }
    bytes
}

/// A secret of several lines without what only breaks, indents or marks them: white space, also escaped, the signs of
/// comments and quotes, and what lists and sums of texts have between two of them.
pub(super) fn joined(secret: &str) -> String {
    let mut into = String::with_capacity(secret.len());
    let mut chars = secret.chars().peekable();
    let mut starts_line = false;
    while let Some(c) = chars.next() {
        match c {
            // A line end that was escaped twice, as in JSON inside JSON.
            '\\' => drop(chars.next_if(|next| matches!(next, 'n' | 'r' | 't'))),
            '"' | '\'' | '`' => {
                while let Some(blank) = chars.next_if(|next| next.is_whitespace()) {
                    starts_line |= blank == '\n';
                }
                let _ = chars.next_if(|next| matches!(next, ',' | '+' | '.'));
            }
            '#' | '>' => {}
            // An item of a list.
            '-' if starts_line && chars.peek() == Some(&' ') => {}
            '\n' => starts_line = true,
            c if c.is_whitespace() => {}
            c => {
                starts_line = false;
                into.push(c);
            }
        }
    }
    into
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_known() {
        for value in [
            "xxxxxxxxxxxx",
            "<token>",
            "${VAR}",
            "$TOKEN",
            "AKIAIOSFODNN7EXAMPLE",
            "changeme123",
            "********",
            "aaaaaaaaaaaa1",
            "abcdefgh12",
            "12345678",
            "{{ token }}",
            "process.env.KEY",
            "Password",
            "/run/secrets/db",
            "your-key-here1",
        ] {
            assert!(is_placeholder(value), "{value}");
        }
        for value in ["Tr0ub4dor&3", "k3J9x2Lm8QpW5rT1", "9f8e7d6c5b4a"] {
            assert!(!is_placeholder(value), "{value}");
        }
    }

    #[test]
    fn names_paths_and_dates_are_words() {
        for value in [
            "rotated-2026-01-31",
            "src/auth/session2.rs",
            "use-the-vault",
            "v1.2.3-rc1",
            "oauth2.token-store",
            "secret-store_v2",
        ] {
            assert!(is_words(value), "{value}");
        }
        for value in ["k3J9x2Lm8QpW", "Tr0ub4dor&3", "a9f-3kd-92j"] {
            assert!(!is_words(value), "{value}");
        }
    }

    #[test]
    fn base_64_is_decoded_in_both_alphabets() {
        assert_eq!(decoded("aGk6eW91Pz8_"), b"hi:you???");
        assert_eq!(decoded("aGk6eW91Pz8/"), b"hi:you???");
        assert!((entropy("aabb") - 1.0).abs() < 1e-9);
    }
}
