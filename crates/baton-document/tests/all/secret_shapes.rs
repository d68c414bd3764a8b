//! Secrets in the shapes in which programs print them: coloured, in a diff, in a comment, with more behind them.

use baton_document::secrets::{self, Lines};

use crate::secret_forms::{Part, base_64, made, private_key};
use crate::secrets::token;

/// The text as it is shown whole, and as it is shown line by line.
fn shown(text: &str) -> [String; 2] {
    let mut lines = Lines::default();
    let mut all: Vec<String> = text.split('\n').flat_map(|line| lines.push(line)).collect();
    all.extend(lines.finish());
    [secrets::redacted(text, None).0, all.join("\n")]
}

/// Checks that the pieces of a secret are shown in neither way.
fn assert_hidden(text: &str, pieces: &[&str]) {
    for shown in shown(text) {
        for piece in pieces {
            assert!(!shown.contains(piece), "{piece} is left of {text:?}: {shown:?}");
        }
        assert!(secrets::find(&shown).is_empty(), "not clean: {shown:?}");
    }
}

fn assert_shown(text: &str) {
    let found: Vec<_> = secrets::find(text).into_iter().map(|one| one.kind).collect();
    assert!(found.is_empty(), "{text}: {found:?}");
    assert_eq!(shown(text), [text, text]);
}

fn fixed_shapes() -> [String; 5] {
    [
        token(),
        made("shape1", &[Part::Is("AK"), Part::Is("IA"), Part::Capitals(16)]),
        made("shape2", &[Part::Is("np"), Part::Is("m_"), Part::Mixed(36)]),
        made("shape3", &[Part::Is("xo"), Part::Is("xb-"), Part::Digits(12), Part::Is("-"), Part::Mixed(24)]),
        made("shape4", &[Part::Is("AI"), Part::Is("za"), Part::Mixed(35)]),
    ]
}

#[test]
fn a_token_with_a_dash_behind_it_is_found() {
    // proves A-13
    for secret in fixed_shapes() {
        for behind in ["-x", "_x", "-", "_", "--", "-2", "_backup.tar", "-x and more"] {
            assert_hidden(&format!("cloned with {secret}{behind}"), &[&secret]);
        }
    }
    let digest = made("dash1", &[Part::Hex(32)]);
    let uuid = made("dash2", &[Part::Uuid]);
    assert_shown(&format!("restored cache-key-{digest}-v2 and api-{uuid}-0"));
    assert_shown("fw_updateTheFirmwareVersions_all and npm_updateEveryPackageOfTheWholeWorkspa_x");
}

#[test]
fn a_secret_in_coloured_output_is_found() {
    // proves A-13
    for (on, off) in [
        ("\u{1b}[32m", "\u{1b}[m"),
        ("\u{1b}[1;38;5;208m", "\u{1b}[0m"),
        ("\u{1b}[01;31m\u{1b}[K", "\u{1b}[m\u{1b}[K"),
        ("\u{1b}[1m", "\u{1b}(B\u{1b}[m"),
    ] {
        for secret in fixed_shapes() {
            assert_hidden(&format!("use {on}{secret}{off} now"), &[&secret]);
            assert_hidden(&format!("{on}+{off}{on}token: {secret}{off}"), &[&secret]);
        }
        let password = made("colour", &[Part::Mixed(7), Part::Digits(1), Part::Is("K"), Part::Mixed(6)]);
        assert_hidden(&format!("{on}DB_PASSWORD{off}={on}{password}{off}"), &[&password]);
        for label in ["RSA PRIVATE KEY", "PRIVATE KEY"] {
            for sign in ["", "+", "-", " "] {
                let key = private_key(label, "\n");
                let lines: Vec<&str> = key.lines().collect();
                for lines in [&lines[..], &lines[..lines.len() - 2]] {
                    let coloured: Vec<String> =
                        lines.iter().map(|line| format!("{on}{sign}{off}{on}{line}{off}")).collect();
                    assert_hidden(&format!("start\n{}\ndone", coloured.join("\n")), &lines[1..6]);
                }
            }
        }
    }
    assert_shown(
        "\u{1b}[32mok\u{1b}[0m 12 tests \u{1b}[1mpassed\u{1b}[0m, commit 3f786850e387550fdab836ed7e6dc881",
    );
    assert_shown("\u{1b}[32m+\u{1b}[m\u{1b}[32mpassword: must have 12 characters\u{1b}[m");
}

#[test]
fn control_characters_hide_no_token() {
    // proves A-13
    for secret in fixed_shapes() {
        let (first, last) = secret.split_at(13);
        for hidden in
            ["\0", "\u{1}", "\u{8}", "\u{b}", "\u{c}", "\u{1c}", "\u{1f}", "\u{7f}", "\u{2800}", "\u{1b}"]
        {
            assert_hidden(&format!("use {first}{hidden}{last} now"), &[first, last]);
        }
    }
}

#[test]
fn a_token_split_over_the_lines_of_a_comment_or_a_diff_is_found() {
    // proves A-13
    for secret in fixed_shapes() {
        for at in [6, 13, secret.len() - 6] {
            let (first, last) = secret.split_at(at);
            for mark in ["// ", "+", "-", "-- ", "; ", "+    ", "# ", "> ", "| ", "* "] {
                let text = format!("{mark}it is {first}\n{mark}{last}\n");
                // A part that is a token by itself ends with its line.
                if at > 12 && secrets::find(first).is_empty() {
                    assert_hidden(&text, &[first, last]);
                }
                let whole = secrets::redacted(&text, None).0;
                assert!(!secrets::find(first).is_empty() || !whole.contains(last), "{text}: {whole}");
            }
        }
    }
    for mark in ["// ", "+", "-", "-- ", "; "] {
        for label in ["RSA PRIVATE KEY", "PRIVATE KEY"] {
            let key = private_key(label, "\n").replace("-----END", "aB3dQw==\n-----END");
            let lines: Vec<&str> = key.lines().collect();
            let marked =
                |lines: &[&str]| lines.iter().map(|line| format!("{mark}{line}\n")).collect::<String>();
            assert_hidden(&format!("start\n{}done", marked(&lines)), &lines[1..8]);
            assert_hidden(&format!("start\n{}done", marked(&lines[..5])), &lines[1..5]);
        }
    }
    assert_shown("+sent: item1-and-more-of-it2\n+note: item2-and-more-of-it3\n");
    assert_shown("-a1b2c3d4e5f6\n-b2c3d4e5f6a7\n-c3d4e5f6a7b8\n");
    assert_shown("-- version2-of-the-schema\n-- version3-of-the-schema\n// src/a2/b3.rs\n// src/a2/b4.rs\n");
}

#[test]
fn a_password_with_blanks_in_quotes_is_found() {
    // proves A-13
    let value = format!(
        "{} {} Ab",
        made("b1", &[Part::Is("p4"), Part::Mixed(4), Part::Is("Q")]),
        made("b2", &[Part::Mixed(6)])
    );
    for text in [
        format!("DB_PASSWORD=\"{value}\""),
        format!("export SMTP_PASS='{value}'"),
        format!("KEY_PASSPHRASE = \"{value}\""),
        format!("-e MYSQL_ROOT_PASSWORD=\"{value}\" mysql"),
    ] {
        assert_hidden(&text, &[&value]);
    }
    for text in [
        "DB_PASSWORD=\"must have 12 characters\"",
        "DB_PASSWORD=\"set by the operator, see step 2 of v2\"",
        "DB_PASSWORD=\"hashed with Argon2id or SHA256\"",
        "DB_PASSWORD=\"your Pa55 w0rD here1\"",
        "DB_PASSWORD=\"rotated on 2026-01-31 by ci-bot2\"",
        "DB_PASSWORD=\"$(cat /run/secrets/db2)\" and X_PASS='${OTHER_1} ${OTHER_2}'",
        "PASSWORD_RULE=\"at least 1Upper and 2digits\"",
    ] {
        assert_shown(text);
    }
}

#[test]
fn a_putty_key_is_in_no_line() {
    // proves A-13
    let lines: Vec<String> = (0..4).map(|at| made(&format!("putty{at}"), &[Part::Mixed(64)])).collect();
    for (mark, last) in [("", "aB3dQw=="), ("> ", "aB3dQw=="), ("+", "aB3d"), ("\u{1b}[32m+", "aB3d")] {
        let text = format!(
            "{mark}PuTTY-User-Key-File-3: ssh-rsa\n{mark}Encryption: none\n{mark}Private-Lines: 4\n{mark}{}\n{mark}{}\n{mark}{}\n{mark}{last}\n{mark}Private-MAC: {}\ndone",
            lines[0],
            lines[1],
            lines[2],
            made("mac", &[Part::Hex(64)])
        );
        assert_hidden(&text, &[&lines[0], &lines[1], &lines[2]]);
        assert!(shown(&text).iter().all(|shown| shown.ends_with("\ndone")), "{:?}", shown(&text));
    }
    assert_shown("Private-Lines: 14\nare the lines of the key\n");
}

#[test]
fn a_telegram_token_is_found_whatever_its_number() {
    // proves A-13
    for number in ["1234567890", "123456789", "7777777777"] {
        let secret = format!("{number}:{}", made("bot", &[Part::Is("A"), Part::Is("A"), Part::Mixed(33)]));
        for text in [
            format!("TG={secret}"),
            format!("https://api.telegram.org/bot{secret}/getMe"),
            format!("{secret}-x"),
        ] {
            assert_hidden(&text, &[&secret]);
        }
    }
    assert_shown(&format!("1234567890:{}", "A".repeat(35)));
}

#[test]
fn a_cookie_is_found_on_a_command_line_and_in_json() {
    // proves A-13
    let value = made("cookie", &[Part::Mixed(40)]);
    for text in [
        format!("curl -b 'session={value}' https://example.com"),
        format!("curl -s -b \"theme=dark; sid={value}; a=b\" https://example.com"),
        format!("curl https://example.com -b session_token={value}"),
        format!("curl --cookie 'auth={value}' https://example.com"),
        format!(
            "{{\"name\":\"session\",\"value\":\"{value}\",\"domain\":\"example.com\",\"httpOnly\":true}}"
        ),
        format!("[{{\"name\": \"connect.sid\", \"value\": \"{value}\"}}]"),
    ] {
        assert_hidden(&text, &[&value]);
    }
    for text in [
        "curl -b cookies.txt https://example.com/session2",
        "curl -b 'session=$SESSION_ID_2' https://example.com",
        "curl -b 'session=<session-id-2>' https://example.com",
        "{\"name\":\"session-timeout\",\"value\":\"900-seconds-of-idle-time2\"}",
        "{\"name\":\"auth_token\",\"value\":\"${AUTH_TOKEN_OF_STAGE_2}\"}",
        "{\"name\":\"author\",\"value\":\"ada.lovelace2@example.com\"}",
    ] {
        assert_shown(text);
    }
}

#[test]
fn the_hash_of_a_password_is_found_where_it_is_kept() {
    // proves A-13
    let salt = made("salt", &[Part::Mixed(16)]);
    let hash = |length| made("hash", &[Part::Mixed(length)]);
    for (start, hash) in [
        ("$2b$12$".to_owned(), hash(53)),
        ("$2y$10$".to_owned(), hash(53)),
        (format!("$6${salt}$"), hash(86)),
        (format!("$6$rounds=656000${salt}$"), hash(86)),
        (format!("$5${salt}$"), hash(43)),
        (format!("$y$j9T${salt}$"), hash(43)),
        (format!("$argon2id$v=19$m=65536,t=3,p=4${salt}$"), hash(43)),
    ] {
        for text in [
            format!("root:{start}{hash}:19000:0:99999:7:::"),
            format!("password_hash: \"{start}{hash}\""),
            format!("DB_PASSWORD={start}{hash}"),
            format!("\"passwd\": \"{start}{hash}\""),
        ] {
            assert_hidden(&text, &[&hash]);
        }
    }
    assert_shown("password_hash: $2b$12$ and 53 characters, as bcrypt has");
    assert_shown("root:$6$salt$hash:19000:0:99999:7:::");
    assert_shown("psql -c 'select $1$, $2' and the price:$6$7");
}

#[test]
fn a_login_of_a_registry_over_two_lines_is_found() {
    // proves A-13
    let value = base_64(b"bob:k3J9x2Lm8QpW5rT1");
    for between in ["\n    ", "\n\t\t", "\r\n      ", " \n  ", "\n          "] {
        assert_hidden(&format!("{{\n  \"auth\":{between}\"{value}\"\n}}"), &[&value]);
    }
    assert_shown("{\n  \"auth\":\n    \"required\"\n}");
}

#[test]
fn a_token_with_percent_encoding_in_an_address_is_found() {
    // proves A-13
    let secret = token();
    for (from, to) in [("_", "%5F"), ("_", "%5f"), ("ghp", "gh%70")] {
        let coded = secret.replacen(from, to, 1);
        assert_hidden(&format!("https://x.example/?t={coded}&a=b"), &[&secret[4..]]);
        assert_hidden(&format!("https://x.example/?t={coded}"), &[&secret[4..]]);
    }
    assert_shown("https://x.example/a%5Fb%5Fc?t=some%5Fname%5Fof%5Fa%5Fpage%5Fin%5Fversion%5F2");
}

#[test]
fn an_aws_secret_in_words_is_found() {
    // proves A-13
    let secret = made("words", &[Part::Mixed(20), Part::Is("/"), Part::Mixed(19)]);
    for text in [
        format!("the secret access key is {secret}"),
        format!("Secret Access Key: {secret}"),
        format!("its secret access key was: `{secret}`."),
    ] {
        assert_hidden(&text, &[&secret]);
    }
    assert_shown("the secret access key is read from the environment of the runner");
    assert_shown(&format!("the secret access key is {}", made("sha", &[Part::Hex(40)])));
}
