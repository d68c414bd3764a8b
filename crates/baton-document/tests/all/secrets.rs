//! Secrets in handoffs: found wherever they stand, named without being told, taken out so that nothing is left.

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::report::{Colour, FileReport, REPORTS, ReportOptions, Summary};
use baton_document::tree::Syntax;
use baton_document::{Checker, Finding, Input, Level, Levels, Limits, NoWorld, Scratch, secrets};

use crate::found::Text;
use crate::secret_forms::{FORMS, Part, made, private_key};

const RULE: &str = "document/secret";

pub(super) fn token() -> String {
    made("any", &[Part::Is("gh"), Part::Is("p_"), Part::Mixed(36)])
}

/// An envelope with a text in it.
pub(super) fn envelope(did: &str) -> String {
    format!(
        r#"{{"meta": {{"step_id": "a", "flow_key": "b", "agent_key": "c", "timestamp": "2026-01-31T09:30:00Z"}}, "status": "UNVERIFIED", "summary": {{"what_i_did": "{did}"}}, "routing": {{"recommendation": "CONTINUE", "reason": "done"}}}}"#
    )
}

pub(super) fn manifest(more: &str) -> String {
    format!(
        "version: 1\nsource_file: discussion/001-a-response.md\ngenerated_at: 2026-01-02\nfrom: a\nto: b\nstatus: sent\n{more}"
    )
}

fn pipeline(more: &str) -> String {
    format!("<handoff><from>x</from><to>y</to>{more}</handoff>")
}

fn secrets_in(path: &str, text: &str) -> Vec<Finding> {
    let all = Text { path: Some(path), ..Text::default() }.findings(text);
    all.into_iter().filter(|finding| finding.rule == RULE).collect()
}

/// The text after the fixes of all secrets.
fn fixed(path: &str, text: &str) -> String {
    let mut edits: Vec<_> = secrets_in(path, text).into_iter().filter_map(|finding| finding.fix).collect();
    edits.reverse();
    let mut text = text.to_owned();
    for edit in edits.into_iter().flat_map(|fix| fix.edits) {
        text.replace_range(edit.span.range(), &edit.text);
    }
    text
}

#[test]
fn every_form_is_found_at_its_place() {
    // proves A-13
    let mut faults = Vec::new();
    for form in FORMS {
        let (text, secret) = form.made();
        let places = [
            format!("say {text} now"),
            text.clone(),
            format!("\"{text}\""),
            format!("({text}),"),
            format!("x\n{text}\ny"),
        ];
        for around in places {
            let found = secrets::find(&around);
            let is_right =
                found.len() == 1 && found[0].kind == form.kind && around[found[0].span.range()] == secret;
            if !is_right {
                let shown: Vec<_> = found.iter().map(|one| (one.kind, &around[one.span.range()])).collect();
                faults.push(format!("{}: {around}\n  {shown:?}", form.kind));
            }
            let (redacted, count) = secrets::redacted(&around, None);
            if count != 1 || redacted.contains(&secret) || !secrets::find(&redacted).is_empty() {
                faults.push(format!("{} is not clean: {redacted}", form.kind));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let mut kinds: Vec<&str> = FORMS.iter().map(|form| form.kind).collect();
    kinds.dedup();
    assert!(kinds.len() > 100, "{} kinds", kinds.len());
}

#[test]
fn a_password_in_an_address_is_found_whatever_its_scheme() {
    // proves A-13
    let password = made("address", &[Part::Mixed(4), Part::Digits(2), Part::Mixed(8)]);
    let schemes = "ftp ftps sftp mqtt mqtts nats mariadb clickhouse neo4j oracle kafka ssh git ws wss imap smtp ldap \
        socks5 postgresql+psycopg2 mongodb+srv http https s x-any.new-1";
    for scheme in schemes.split_whitespace() {
        for user in ["alice", "a", "", "alice%40corp.example"] {
            for shift in 0..9 {
                let text = format!("{}{scheme}://{user}:{password}@files.corp", " ".repeat(shift));
                let found: Vec<_> = secrets::find(&text).iter().map(|one| &text[one.span.range()]).collect();
                assert_eq!(found, [password.as_str()], "{text}");
            }
        }
    }
    let names = [
        "pwd=",
        "PWD=",
        "db_pwd: ",
        "\"pwd\": \"",
        "Pwd = ",
        "<pwd>",
        "x.pwd='",
        "DB_PASS=",
        "smtp_pass: '",
        "sshpass -p ",
        "sshpass -p'",
    ];
    for name in names {
        for shift in 0..9 {
            let text = format!("{}{name}{password}", " ".repeat(shift));
            assert_eq!(secrets::find(&text).len(), 1, "{text}");
        }
    }
}

#[test]
fn a_token_is_seen_wherever_its_bytes_fall() {
    // proves A-13
    for shift in 0..40 {
        for form in FORMS {
            let (text, _) = form.made();
            let around = format!("{}\n{text} {}", " ".repeat(shift), ".".repeat(shift % 9));
            assert_eq!(secrets::find(&around).len(), 1, "{} behind {shift} bytes", form.kind);
        }
    }
}

#[test]
fn private_keys_are_found_as_a_whole() {
    // proves A-13
    for label in [
        "PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
        "ENCRYPTED PRIVATE KEY",
    ] {
        for end_of_line in ["\n", "\r\n", "\n    ", "\\n", "\\\\n"] {
            let key = private_key(label, end_of_line);
            let text = format!("before {key} behind");
            let found = secrets::find(&text);
            assert_eq!(found.len(), 1, "{label} {end_of_line:?}");
            assert_eq!(&text[found[0].span.range()], key, "{label} {end_of_line:?}");
        }
        let key = private_key(label, "\n");
        let cut = &key[..key.len() - 60];
        let text = format!("key: |\n{cut}\nstatus: done\n");
        let found = secrets::find(&text);
        assert_eq!(found.len(), 1, "{label}, cut");
        assert!(!text[found[0].span.range()].contains("status"), "{label}, cut");
    }
    for end_of_line in ["\n    # ", "\r\n# ", "\n#", "\n> # "] {
        let key = private_key("RSA PRIVATE KEY", end_of_line);
        let text = format!("a: b\n    # {key}\n    # more\n");
        let found = secrets::find(&text);
        assert_eq!(found.len(), 1, "{end_of_line:?}");
        assert_eq!(&text[found[0].span.range()], key, "{end_of_line:?}");
        let cut = format!("# {}\n# more\nb: c\n", &key[..key.len() - 60]);
        let (redacted, count) = secrets::redacted(&cut, Some(Syntax::Yaml));
        assert_eq!((count, redacted.ends_with("]\n# more\nb: c\n")), (1, true), "{redacted}");
    }
    let public = private_key("PUBLIC KEY", "\n");
    assert_eq!(secrets::find(&public), []);
    assert_eq!(
        secrets::find(&format!("{0}BEGIN PRIVATE KEY{0}\n...\n{0}END PRIVATE KEY{0}", "-".repeat(5))),
        []
    );
}

#[test]
fn what_is_no_secret_is_not_found() {
    // proves A-13
    let shapes = [
        "{}xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        "{}<token>",
        "{}${GITHUB_TOKEN}",
        "{}***",
        "{}EXAMPLEEXAMPLEEXAMPLEEXAMPLEEXAMPLE1234",
        "{}0000000000000000000000000000000000000",
    ];
    let prefixes = [
        ["gh", "p_"].concat(),
        ["sk", "-"].concat(),
        ["AK", "IA"].concat(),
        "token: ".to_owned(),
        "password=".to_owned(),
    ];
    for (shape, prefix) in shapes.iter().flat_map(|shape| prefixes.iter().map(move |prefix| (shape, prefix)))
    {
        let text = shape.replace("{}", prefix);
        assert_eq!(secrets::find(&text), [], "{text}");
    }
    let sha1 = made("a", &[Part::Hex(40)]);
    let sha256 = made("b", &[Part::Hex(64)]);
    let sha512 = made("c", &[Part::Mixed(86)]);
    let uuid = made("d", &[Part::Uuid]);
    let example = ["AKIA", "IOSFODNN7", "EXAMPLE"].concat();
    let example_secret = ["wJalrXUtnFEMI/K7MDENG/", "bPxRfiCYEXAMPLEKEY"].concat();
    let texts = [
        format!("commit {sha1}"),
        format!("sha256:{sha256}"),
        format!("\"integrity\": \"sha512-{sha512}==\""),
        format!("id: {uuid}"),
        format!("checksum = \"{sha256}\""),
        format!("token: {uuid}"),
        format!("token: {sha1}"),
        example,
        format!("AWS_SECRET_ACCESS_KEY={example_secret}"),
        "password: must have 12 characters".into(),
        "secret: rotated-2026-01-31".into(),
        "api_key: changeme123456".into(),
        "the token is read from os.environ['API_TOKEN_2']".into(),
        "password: ${DB_PASSWORD}".into(),
        "password: <your-password-1>".into(),
        "secret: projects/12/secrets/db-password/versions/3".into(),
        "password_hash: bcrypt".into(),
        "postgres://user:password@localhost/app".into(),
        "postgres://app:${PGPASSWORD}@db/app".into(),
        "Authorization: Bearer <token>".into(),
        "tokens: 12345678901234567890".into(),
        "next_token: page-2-of-10-in-the-list".into(),
        "fixes_the_very_long_test_name_number_42".into(),
        "task-12345678901234567890123456789012".into(),
        "https://example.org/a/b?token=abc".into(),
        "Basic information about the project layout".into(),
        "data:image/png;base64,iVBORw0KGgo".into(),
        "The password is stored hashed, the passphrase is argon2id.".into(),
        "The password is Argon2id-hashed with 12 rounds of SHA512.".into(),
        "The password is <password>, or ${PASSWORD}, or ********.".into(),
        "password is: example1Key".into(),
        "Le mot de passe : 12 caractères au moins, dont un chiffre".into(),
        "mot de passe : ${MDP}".into(),
        "Le mot de passe est haché avec argon2id.".into(),
        "curl -u user:password https://api.test".into(),
        "curl -u $USER:$PASSWORD https://api.test".into(),
        "curl -u ada:<password> https://api.test and curl --user-agent x:1".into(),
        "machine h login ada password secret".into(),
        "login page password field".into(),
        "redis://:password@cache:6379".into(),
        "redis://:${REDIS_PASSWORD}@cache:6379".into(),
        "ssh://git@github.com:22/a/b.git and git+ssh://git@host/x".into(),
        "pwd=/home/ada/project1 and PWD=/tmp/x9".into(),
        "first_pass=parse_tokens and second_pass: lower the tree".into(),
        "DB_PASS=${DB_PASS} and sshpass -p $SSHPASS ssh host".into(),
        "GET /a?auth=none&x=1".into(),
        "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI".into(),
        "see docs/api_key.md and src/secret_store.rs:12".into(),
        "secret=kubernetes_secret.db_v2.name".into(),
        "api_key: settings.providers.mailer2.key".into(),
        "\"private_key\": \"/etc/ssl/private/site2.key\"".into(),
        "password: yourPassword, changeMePlease or passwordFromTheVault".into(),
        "password: PasswordHasherFactory and secret = JsonWebKeySet".into(),
        "postgres://app:changeMePlease@db/prod and postgres://app:userPassword@db".into(),
        "api_key: env:OPENAI_API_KEY_PROD2".into(),
        "token: csrfTokenFromMetaTag2".into(),
        "The password SHA256-hash is kept, the password Argon2ID-digest too.".into(),
        "the password for the admin page is read from settings2.toml".into(),
        "use the password reset2 flow; the password policy for v2 is in docs/policy-v2.md".into(),
        "mysql -p and mysql -pfoo and mysql -u root -p$MYSQL_PASSWORD".into(),
        "docker login -u ci -p $TOKEN and docker login --password-stdin registry2.test".into(),
        "redis-cli -a $REDIS_PASSWORD -h cache2.internal".into(),
        "define('DB_PASSWORD', getenv('DB_PASSWORD2'))".into(),
        "[\"password\", \"address2\", \"SHA256-hash\"]".into(),
        format!("https://github.com/a/b/commit/{sha1}?x=@"),
        "Authorization: token <token>".into(),
        "the encryption_key: rotated-every-90-days-by-the-platform-team".into(),
        "tests pass: https://ci.internal/run/3f9a8c".into(),
    ];
    for text in texts {
        let found: Vec<_> = secrets::find(&text).into_iter().map(|one| one.kind).collect();
        assert!(found.is_empty(), "{text}: {found:?}");
    }
}

#[test]
fn it_is_found_wherever_in_a_handoff_it_stands() {
    // proves A-13
    let token = token();
    let coded: String = token.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let entities: String = token.chars().map(|c| format!("&#{};", u32::from(c))).collect();
    let cases = [
        ("a.json", envelope(&format!("used {token}")), token.clone()),
        ("a.json", envelope(&format!("line\\n{token}\\tend")), token.clone()),
        ("a.json", envelope(&coded), coded.clone()),
        ("a.json", envelope(&format!("{{\\\"token\\\": \\\"{token}\\\"}}")), token.clone()),
        ("a.json", envelope("x").replacen('{', &format!("{{\"{token}\": 1, "), 1), token.clone()),
        ("meta/handoff.yaml", manifest(&format!("# {token}\n")), token.clone()),
        ("meta/handoff.yaml", manifest(&format!("branch: {token}\n")), token.clone()),
        ("meta/handoff.yaml", manifest(&format!("note: |\n  first\n  {token}\n")), token.clone()),
        ("meta/handoff.yaml", manifest(&format!("note: >-\n  {token}\n")), token.clone()),
        ("meta/handoff.yaml", manifest(&format!("note: \"{coded}\"\n")), coded.clone()),
        ("meta/handoff.yaml", manifest(&format!("note: '{token}'\n")), token.clone()),
        ("a.xml", pipeline(&format!("<note>{token}</note>")), token.clone()),
        ("a.xml", pipeline(&format!("<note key=\"{token}\"/>")), token.clone()),
        ("a.xml", pipeline(&format!("<!-- {token} -->")), token.clone()),
        ("a.xml", pipeline(&format!("<note><![CDATA[{token}]]></note>")), token.clone()),
        ("a.xml", pipeline(&format!("<note>{entities}</note>")), entities),
        ("a.xml", pipeline(&format!("<note><![CDATA[{}]]>{} x</note>", &token[..9], &token[9..])), {
            format!("{}]]>{}", &token[..9], &token[9..])
        }),
        ("a.xml", pipeline(&format!("<note>{}<![CDATA[{}]]> x</note>", &token[..2], &token[2..])), {
            format!("{}<![CDATA[{}", &token[..2], &token[2..])
        }),
        ("a.md", format!("```xml\n{}\n```\n", pipeline(&format!("<note>{token}</note>"))), token.clone()),
        ("a.md", format!("> ```json\n> {}\n> ```\n", envelope(&token)), token.clone()),
    ];
    let whole = secrets::find(&token)[0].fingerprint.clone();
    // A word that a section is joined to hides nothing.
    let key = made("joined", &[Part::Is("AK"), Part::Is("IA"), Part::Capitals(16)]);
    let joined = pipeline(&format!("<note>is<![CDATA[{key}]]>now and is<![CDATA[{token}]]></note>"));
    let found = secrets_in("a.xml", &joined);
    let shown: Vec<&str> = found.iter().map(|one| &joined[one.span.unwrap().range()]).collect();
    assert_eq!(shown, [&key, &token]);
    for (path, text, written) in cases {
        let found = secrets_in(path, &text);
        assert_eq!(found.len(), 1, "{text}");
        assert_eq!(text[found[0].span.unwrap().range()], written, "{text}");
        assert_eq!(found[0].level, Level::Error);
        assert_eq!(found[0].found.as_deref(), Some(&*whole), "the same secret has one name: {text}");
        assert!(!found[0].fix.as_ref().unwrap().safe);
        assert!(!format!("{found:?}").contains(&token), "it is not told: {found:?}");
    }
}

#[test]
fn a_redacted_handoff_is_read_as_before_and_is_clean() {
    // proves A-13
    let token = token();
    let key = private_key("PRIVATE KEY", "\n    ");
    let password = format!("DB_PASSWORD={}", made("p", &[Part::Mixed(6), Part::Digits(2), Part::Mixed(6)]));
    let mut cases = vec![
        ("a.json", Syntax::Json, envelope(&format!("used {token} and {password}"))),
        ("a.xml", Syntax::Xml, pipeline(&format!("<note key=\"{token}\">{token}</note>"))),
        ("a.xml", Syntax::Xml, {
            pipeline(&format!("<note>a <![CDATA[<b> {}]]>{} x</note>", &token[..9], &token[9..]))
        }),
        ("a.xml", Syntax::Xml, {
            let [first, second, third] = [&token[..5], &token[5..20], &token[20..]];
            pipeline(&format!("<note>{first}<![CDATA[{second}]]><![CDATA[{third} <b>]]></note>"))
        }),
        ("meta/handoff.yaml", Syntax::Yaml, manifest(&format!("note: |\n    {key}\n"))),
    ];
    for yaml in [
        format!("branch: {token}\n"),
        format!("branch: {token} it is\n"),
        format!("branch: it is {token}\n"),
        format!("branch: '{token}'\n"),
        format!("branch: \"{token}\"\n"),
        format!("work_queue_items: [{token}, b]\n"),
        format!("work_queue_items: [is {token}, b]\n"),
        format!("work_queue_items:\n  - {token}\n  - {password}\n"),
        format!("note: |\n  {token}\n  more\n"),
        format!("note: >-\n  a {password}\n"),
        format!("note: >-\n  {token}\n"),
        format!("{token}: x\n"),
        format!("# {token}\n"),
        format!("    # {}\n", private_key("RSA PRIVATE KEY", "\n    # ")),
    ] {
        cases.push(("meta/handoff.yaml", Syntax::Yaml, manifest(&yaml)));
    }
    for (path, syntax, text) in cases {
        let others = |text: &str| {
            let all = Text { path: Some(path), ..Text::default() }.findings(text);
            all.into_iter()
                .filter(|finding| finding.rule != RULE)
                .map(|finding| finding.rule)
                .collect::<Vec<_>>()
        };
        let after = fixed(path, &text);
        assert_eq!(secrets_in(path, &after), [], "{after}");
        assert!(!after.contains(">-\n  \""), "a block needs no quotes: {after}");
        assert!(after.contains("redacted:") && !after.contains(&token), "{after}");
        assert_eq!(others(&text), others(&after), "{after}");
        let (same, count) = secrets::redacted(&text, Some(syntax));
        assert_eq!(same, after);
        assert_eq!(count, secrets_in(path, &text).len());
    }
}

pub(super) fn reported(checker: &Checker, path: &str, text: &str) -> Vec<(&'static str, String)> {
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let checked = checker.check(input, &NoWorld, &mut Scratch::default());
    let write = |form: &baton_document::report::ReportForm| {
        let mut out = Vec::new();
        let options = ReportOptions { colour: Colour::Plain, width: 120, blocks: Level::Error };
        let mut report = (form.make)(&options);
        let mut summary = Summary::default();
        summary.add(&checked);
        report.start(&mut out).unwrap();
        report.file(&FileReport { path, checked: &checked, checker }, &mut out).unwrap();
        report.finish(&summary, &mut out).unwrap();
        (form.name, String::from_utf8(out).unwrap())
    };
    REPORTS.iter().map(write).collect()
}

#[test]
fn no_report_shows_a_secret_not_even_for_another_finding() {
    // proves A-13
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let token = token();
    let long = made("long", &[Part::Is("ya"), Part::Is("29."), Part::Mixed(300)]);
    let key = private_key("PRIVATE KEY", "\n  ");
    let coded: String = token.chars().map(|c| format!("\\u{:04x}", u32::from(c))).collect();
    let cases = [
        // An enum, a pattern, a type, an unknown key, a broken line, a name that is too long to be shown whole.
        ("a.json", envelope("x").replace("UNVERIFIED", &token)),
        ("a.json", envelope("x").replace("UNVERIFIED", &coded)),
        ("a.json", envelope("x").replace("UNVERIFIED", &long)),
        ("a.json", envelope("x").replacen('{', &format!("{{\"{token}\": 1, "), 1)),
        ("a.json", envelope("x").replace("CONTINUE", &format!("{token} {token}"))),
        ("meta/handoff.yaml", manifest(&format!("source_file: {token}\n"))),
        ("meta/handoff.yaml", manifest(&format!("unknown: [ {token}\n"))),
        ("meta/handoff.yaml", manifest(&format!("k: |\n  {key}\n")).replace("sent", "Sent")),
        ("a.xml", pipeline(&format!("<{token}>1</{token}><a>"))),
        // Broken, and not read as a handoff at all.
        ("b.yaml", format!("a: [{token}\nb: }}\n")),
        ("baton.toml", format!("[check]\n{token} = 1\n[rules]\n\"{token}\" = \"off\"\n")),
        ("a.md", format!("{token} {}", pipeline("<x>1</x>").replace("<from>x</from>", ""))),
    ];
    let second_line = key.lines().nth(1).unwrap().trim().to_owned();
    for (path, text) in cases {
        for (name, shown) in reported(&checker, path, &text) {
            let starts = [&token[..12], &long[..12], &coded[..36], &second_line[..12]];
            for start in starts {
                assert!(!shown.contains(start), "{name} of {path} shows {start}:\n{shown}");
            }
        }
        assert!(reported(&checker, path, &text)[0].1.len() > 40, "{path} has findings: {text}");
    }
}

/// Whoever keeps a text looks for secrets once, in the check, and once more only where that does not say that there are none.
#[test]
fn a_text_is_said_to_have_no_secret_only_where_none_can_be_found() {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let says = |text: &str| {
        let look = Look::Prose;
        let input =
            Input { path: None, bytes: text.as_bytes(), dialect: Some("envelope"), look, is_named: true };
        checker.check(input, &NoWorld, &mut Scratch::default()).has_no_secret()
    };
    assert!(says(&envelope("wrote the tests")));
    assert!(says(&envelope(r#"said \"yes\" in the café"#)));
    let token = token();
    let coded: String = token.chars().map(|letter| format!("\\u{:04x}", u32::from(letter))).collect();
    let named: String = token.chars().map(|letter| format!("&#{};", u32::from(letter))).collect();
    for text in [&token, &coded, &named] {
        assert!(!secrets::find(&envelope(text)).is_empty(), "{text}");
        assert!(!says(&envelope(text)), "{text}");
    }
    let around = format!("It is {token}.\n\n```json\n{}\n```\n", envelope("wrote the tests"));
    assert!(!says(&around), "what stands around a handoff is not looked at");
}

#[test]
fn what_is_allowed_is_no_secret() {
    // proves A-13
    let (token, other) = (token(), made("other", &[Part::Is("gh"), Part::Is("p_"), Part::Mixed(36)]));
    let text = envelope(&format!("{token} {other}"));
    let found = secrets_in("a.json", &text);
    let fingerprint = found[0].found.clone().unwrap();
    assert!(found[0].help.as_deref().unwrap().contains(&format!("allow = [\"{fingerprint}\"]")));
    let mark = secrets::find(&token)[0].mark();
    let shown = mark.trim_matches(['[', ']']).trim_start_matches("redacted:").to_owned();
    assert_eq!(shown.len() + 8, fingerprint.len());
    for allowed in [fingerprint, shown] {
        let checker =
            Checker::new(&Settings::default(), Levels::default(), Limits::default()).allowing(vec![allowed]);
        let input = Input {
            path: Some("a.json"),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Prose,
            is_named: true,
        };
        let checked = checker.check(input, &NoWorld, &mut Scratch::default());
        let left: Vec<&Finding> = checked.findings.iter().filter(|finding| finding.rule == RULE).collect();
        assert_eq!(left.len(), 1);
        assert_eq!(text[left[0].span.unwrap().range()], other);
    }
}

#[test]
fn a_fingerprint_is_the_same_on_every_machine_and_in_every_version() {
    let found = secrets::find(&token());
    assert_eq!(found[0].fingerprint, "github-token:0953e01bd5b46b5c");
    assert_eq!(found[0].mark(), "[redacted:github-token:0953e01b]");
}

#[test]
fn a_private_key_has_one_fingerprint_however_its_lines_are_written() {
    // proves A-13
    let named = |text: &str| {
        let found = secrets::find(text);
        assert_eq!(found.len(), 1, "{text}");
        found[0].fingerprint.clone()
    };
    let written = |end_of_line: &str| named(&private_key("RSA PRIVATE KEY", end_of_line));
    let usual = written("\n");
    for end_of_line in
        ["\r\n", "\n    ", "\r\n\t", "\\n", "\\r\\n", "\\\\n", "\n  # ", "\n> ", "&#10;", " \\\n  "]
    {
        assert_eq!(written(end_of_line), usual, "{end_of_line:?}");
    }
    assert_ne!(named(&private_key("EC PRIVATE KEY", "\n")), usual);
    let lines = [made("1", &[Part::Mixed(64)]), made("2", &[Part::Mixed(64)])];
    let putty = |end_of_line: &str| {
        named(&format!("Private-Lines: 2{end_of_line}{}{end_of_line}{}\n\n", lines[0], lines[1]))
    };
    for end_of_line in ["\r\n", "\n    ", "\\n", "\n  # "] {
        assert_eq!(putty(end_of_line), putty("\n"), "{end_of_line:?}");
    }
}

#[test]
fn a_fingerprint_that_is_none_is_a_finding_in_the_configuration() {
    // proves A-13
    let said = |allow: &str| {
        let text = format!("[secrets]\nallow = [\"{allow}\"]\n");
        Text { path: Some("baton.toml"), ..Text::default() }.found(&text)
    };
    assert_eq!(said("github-token:0123456789abcdef"), [""; 0]);
    assert_eq!(said("github-token:01234567"), [""; 0]);
    assert_eq!(said("github-token"), ["error config/config/secrets.allow-pattern 2:10"]);
    assert_eq!(said("github-token:0123"), ["error config/config/secrets.allow-pattern 2:10"]);
    assert_eq!(said("nothing-known:0123456789abcdef"), ["error config/bad-value 2:10"]);
}

#[test]
fn hostile_text_is_bounded() {
    // proves A-11, A-13
    let size = 64 * 1024;
    let token = token();
    let dashes = "-".repeat(5);
    let header = format!("{dashes}BEGIN PRIVATE KEY{dashes} ");
    for part in [
        token.as_str(),
        &format!("{token} "),
        "eyJ-",
        "-eyJa.eyJ",
        "password=",
        "password=a1b2c3d4 ",
        &header,
        "://a:bcdef1g@",
        "a1",
        "ignore all previous ",
        "ignore all previous instructions ",
        "\\u202e",
        "\u{202e} ",
        "&#x41;",
        "\\\\",
        "gh",
        "Bearer aaaa1",
        "sk-",
        "1//0",
        "AZDO",
        ".atlasv1.",
        "-us",
    ] {
        let text = part.repeat(size / part.len());
        let (redacted, count) = secrets::redacted(&text, None);
        assert!(count == 0 || redacted != text, "{part}");
        let text = format!("<handoff><from>x</from><to>y</to><note>{text}</note></handoff>");
        let found = Text { path: Some("a.xml"), ..Text::default() }.findings(&text);
        assert!(found.len() <= 1_001, "{part}: {}", found.len());
    }
}
