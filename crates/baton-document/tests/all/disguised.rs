//! Secrets that are not written as they are: in base 64, split, with characters in them that are not shown.

use std::time::{Duration, Instant};

use baton_document::secrets::{self, ExcerptPart as Kept, excerpt};
use baton_document::tree::Syntax;

use crate::secret_forms::{Part, base_64, made, private_key};
use crate::secrets::{envelope, token};

/// Checks that of some secrets, each at least once in a text, nothing is left when it is redacted.
fn assert_gone(text: &str, pieces: &[&str]) {
    let (after, count) = secrets::redacted(text, None);
    assert!(count > 0, "nothing is found in {text}");
    for piece in pieces {
        assert!(!after.contains(piece), "{piece} is left of {text}: {after}");
    }
    assert!(secrets::find(&after).is_empty(), "not clean: {after}");
}

fn key() -> String {
    made("disguised", &[Part::Is("AK"), Part::Is("IA"), Part::Capitals(16)])
}

fn url_safe(text: &str) -> String {
    text.replace('+', "-").replace('/', "_")
}

#[test]
fn a_token_in_base_64_is_found_in_every_alphabet_and_place() {
    for token in [token(), key()] {
        for inner in [
            token.clone(),
            format!("{token}\n"),
            format!("GITHUB_TOKEN={token}\n"),
            format!("{{\"user\":\"a??>\",\"token\":\"{token}\"}}"),
            format!("{} {token} {}", "some words before it ".repeat(20), "and others behind. ".repeat(20)),
        ] {
            let plain = base_64(inner.as_bytes());
            for coded in [plain.clone(), plain.trim_end_matches('=').to_owned(), url_safe(&plain)] {
                for text in [
                    coded.clone(),
                    format!("data:text/plain;base64,{coded}"),
                    format!("apiVersion: v1\nkind: Secret\ndata:\n  token: {coded}\n"),
                    format!("{{\"data\": {{\"a\": \"{coded}\"}}}}"),
                    format!("echo {coded} | base64 -d"),
                    format!("see a/b-c/{coded} and more"),
                    base_64(format!("twice: {coded} it is").as_bytes()),
                ] {
                    assert_gone(&text, &[&coded, &coded[coded.len() / 2..]]);
                }
                let json = envelope(&format!("used {coded}"));
                assert!(secrets::redacted(&json, Some(Syntax::Json)).1 > 0, "{json}");
            }
            let lines: Vec<&str> =
                plain.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
            for end_of_line in ["\n", "\r\n", "\n    ", "\\n"] {
                assert_gone(&format!("data:\n{}\n\nend", lines.join(end_of_line)), &lines);
            }
        }
    }
    let wide: Vec<u8> = token().bytes().flat_map(|byte| [byte, 0]).collect();
    assert_gone(&format!("powershell -enc {}", base_64(&wide)), &[]);
}

#[test]
fn a_token_in_base_64_has_the_fingerprint_of_the_token() {
    let whole = secrets::find(&token())[0].fingerprint.clone();
    for text in [base_64(token().as_bytes()), base_64(format!("a {} b", token()).as_bytes())] {
        assert_eq!(secrets::find(&text)[0].fingerprint, whole);
    }
}

#[test]
fn base_64_without_a_secret_is_none() {
    for text in [
        format!("data:image/png;base64,iVBORw0KGgo{}", made("png", &[Part::Mixed(4_000)])),
        format!("\"integrity\": \"sha512-{}==\"", made("sri", &[Part::Mixed(86)])),
        format!("\"integrity\": \"sha384-{}\"", made("sri", &[Part::Mixed(64)])),
        base_64(
            "a text of some words in which nothing is secret, and a commit 3f786850e387550fdab836ed"
                .as_bytes(),
        ),
        base_64("password: changeme\ntoken: <token>\nsecret: ${SECRET}\n".as_bytes()),
        private_key("CERTIFICATE", "\n"),
        format!("ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAABgQ{} ada@host", made("rsa", &[Part::Mixed(300)])),
    ] {
        assert_eq!(secrets::find(&text), [], "{text}");
    }
}

#[test]
fn a_token_that_is_wrapped_is_found_at_every_column() {
    let long = made(
        "long",
        &[Part::Is("github_"), Part::Is("pat_"), Part::Mixed(22), Part::Is("_"), Part::Mixed(59)],
    );
    for secret in [token(), key(), long] {
        for width in [64, 76, 80] {
            for before in 0..width {
                let text = format!("{}token {secret} and more words behind it", "word ".repeat(16));
                let text = &text[80usize.saturating_sub(before)..];
                let lines: Vec<&str> =
                    text.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
                // A piece of twenty characters is needed where line ends are escaped.
                let ends = ["\n", "\n    ", "\n> ", "\\\n", "\\n"];
                for end_of_line in ends.into_iter().take(if secret.len() < 40 { 4 } else { 5 }) {
                    let text = lines.join(end_of_line);
                    let (after, _) = secrets::redacted(&text, None);
                    let whole: String = after.split(end_of_line).collect();
                    for piece in
                        secret.as_bytes().windows(12).map(|piece| std::str::from_utf8(piece).unwrap())
                    {
                        assert!(!whole.contains(piece), "{piece} of {text:?} is left: {after:?}");
                    }
                }
            }
        }
    }
}

#[test]
fn a_token_that_is_put_together_is_found() {
    for secret in [token(), key()] {
        for at in [1, 2, 3, 4, 7, 12, secret.len() - 1] {
            let (a, b) = secret.split_at(at);
            let others =
                [format!("$t = '{a}' . '{b}';"), format!("T=\"{a}\"'{b}'"), format!("select '{a}' || '{b}'")];
            // A piece of twenty characters is needed where the operator is met in any text.
            for text in others.iter().filter(|_| a.len().max(b.len()) >= 20) {
                assert_gone(text, &[if a.len() > b.len() { a } else { b }]);
            }
            for text in [
                format!("let t = \"{a}\" + \"{b}\";"),
                format!("t = '{a}' + '{b}'"),
                format!("t = \"{a}\" +\n    \"{b}\""),
                format!("t = (\"{a}\"\n     \"{b}\")"),
                format!("T={a}\\\n{b}"),
                envelope(&format!("t = \\\"{a}\\\" + \\\"{b}\\\"")),
                format!("note: \"{a}\\\n    {b}\""),
            ] {
                assert_gone(&text, &[if a.len() > b.len() { a } else { b }]);
            }
        }
    }
}

#[test]
fn a_token_with_characters_that_are_not_shown_is_found() {
    for secret in [token(), key()] {
        for hidden in [
            '\u{200b}',
            '\u{200c}',
            '\u{200d}',
            '\u{200e}',
            '\u{200f}',
            '\u{2060}',
            '\u{feff}',
            '\u{ad}',
            '\u{34f}',
            '\u{fe0f}',
            '\u{301}',
            '\u{202e}',
            '\u{2063}',
            '\u{e0041}',
            '\u{180e}',
        ] {
            for at in 1..secret.len() {
                let text = format!("use {}{hidden}{} now", &secret[..at], &secret[at..]);
                assert_gone(&text, &[&secret[..at.max(4)], &secret[at.min(secret.len() - 4)..]]);
            }
            let all: String = secret.chars().flat_map(|c| [c, hidden]).collect();
            let (after, count) = secrets::redacted(&format!("use {all} now"), None);
            assert!(count == 1 && after.starts_with("use [redacted:"), "{after}");
            let escaped: String =
                secret.chars().flat_map(|c| [c.to_string(), "\\u200b".to_owned()]).collect();
            assert!(secrets::redacted(&envelope(&escaped), Some(Syntax::Json)).1 > 0);
        }
        let coloured = format!("use {}\u{1b}[31m{} now", &secret[..6], &secret[6..]);
        assert_gone(&coloured, &[&secret[6..]]);
    }
}

#[test]
fn a_private_key_is_found_whatever_stands_before_its_lines() {
    let usual = secrets::find(&private_key("RSA PRIVATE KEY", "\n"))[0].fingerprint.clone();
    let key = private_key("RSA PRIVATE KEY", "\n");
    let second = key.lines().nth(1).unwrap();
    for before in [
        "| ",
        "  | ",
        "> > ",
        " * ",
        "// ",
        "; ",
        "[12:00:01] ",
        "2026-01-31T09:30:00.123Z stderr F ",
        "app-1  | ",
        "12: ",
    ] {
        let prefixed: String = key.lines().map(|line| format!("{before}{line}\n")).collect();
        let text = format!("start\n{prefixed}done\n");
        assert_gone(&text, &[second]);
        // A slash may be a part of the key.
        let is_usual = secrets::find(&text)[0].fingerprint == usual;
        assert!(is_usual || before == "// ", "{text}");
        let (after, _) = secrets::redacted(&text, None);
        assert!(after.starts_with("start\n") && after.ends_with("\ndone\n"), "{after}");
        let lines: Vec<&str> = prefixed.lines().collect();
        let headless = format!("start\n{}\ndone\n", lines[2..].join("\n"));
        assert_gone(&headless, &[key.lines().nth(2).unwrap(), key.lines().nth(5).unwrap()]);
        let endless = format!("start\n{}\ndone\n", lines[..5].join("\n"));
        assert_gone(&endless, &[second, key.lines().nth(4).unwrap()]);
    }
    let body = format!("MIIEvQIBADANBgkqhkiG9w0BAQEFAASC{}", made("body", &[Part::Mixed(600)]));
    assert_gone(&format!("key: {body}"), &[&body[40..]]);
}

#[test]
fn nothing_of_a_secret_is_left_wherever_a_text_is_cut() {
    let key = private_key("PRIVATE KEY", "\n");
    for secret in [token(), key, base_64(format!("a {} b", token()).as_bytes())] {
        let text = format!("some words {secret} others");
        for bytes in 0..=text.len() {
            for part in [Kept::First(bytes), Kept::Last(bytes)] {
                let kept = excerpt(&text, part);
                let mut pieces =
                    secret.as_bytes().windows(9).map(|piece| std::str::from_utf8(piece).unwrap());
                assert!(
                    pieces.all(|piece| piece.contains("PRIVATE")
                        || piece.contains("--")
                        || !kept.contains(piece)),
                    "{kept}"
                );
            }
        }
    }
}

#[test]
fn text_that_may_be_a_disguise_is_looked_through_in_bounded_time() {
    let size = 2 * 1024 * 1024;
    let mut nested = token();
    while nested.len() < size / 2 {
        nested = base_64(format!("{nested}{}", "padding of words ".repeat(nested.len() / 17)).as_bytes());
    }
    let bounded = |text: &str| {
        let start = Instant::now();
        let _ = secrets::find(text);
        assert!(start.elapsed() < Duration::from_secs(60), "{} took {:?}", &text[..40], start.elapsed());
    };
    bounded(&nested);
    for part in [
        "A",
        "a1",
        "\u{200b}a",
        "a\n",
        "a1b2c3d4e5f6\n",
        "\"a\" + ",
        "\"a1\" + \"b2\" ",
        "a\\\n",
        "+/",
        "\"",
        "-----BEGIN PRIVATE KEY-----\n",
        "-----END PRIVATE KEY-----\n",
        "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\n",
        "\"auth\":\"",
        "cookie: a=b; ",
        "\tTRUE\t",
        ":5432:a:b:",
        "\u{1b}[0m1a",
        "\u{1b}[0m",
        "\u{1b}[",
        "\u{1b}",
        "a\0",
        "\0",
        "\0a ",
        "+a1b2c3d4e5f6\n",
        "-a1b2c3d4e5f6\n",
        "// a1b2c3d4e5f6\n",
        "a%5F",
        "curl -b a=b; ",
        "DB_PASSWORD=\"a b1 ",
        "password=$6$a",
        "\"name\":\"session\",\"value\":\"",
        "Private-Lines: 80\n",
    ] {
        bounded(&part.repeat(size / 8 / part.len()));
    }
}
