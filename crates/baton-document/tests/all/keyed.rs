//! Secrets that only their key gives away, private keys in pieces, and redaction where a mark would break the text.

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::tree::Syntax;
use baton_document::{Checker, Finding, Input, Levels, Limits, NoWorld, Scratch, Wanted, secrets};

use crate::found::Text;
use crate::secret_forms::{Part, made, private_key};
use crate::secrets::{envelope, token};

const RULE: &str = "document/secret";

fn password() -> String {
    made(
        "keyed",
        &[Part::Mixed(3), Part::Digits(1), Part::Is("x"), Part::Mixed(3), Part::Digits(2), Part::Is("Qw")],
    )
}

/// A package with more in its context.
fn package(more: &str) -> String {
    format!(
        "handoff:\n  from: {{agent: a}}\n  to: {{agent: b}}\n  context:\n    summary: Login form done in src/login.rs\n{more}"
    )
}

fn json(more: &str) -> String {
    format!(
        r#"{{"handoff": {{"from": {{"agent": "a"}}, "to": {{"agent": "b"}}, "context": {{"summary": "Login form done in src/login.rs", {more}}}}}}}"#
    )
}

fn xml(more: &str) -> String {
    format!("<handoff><from>x</from><to>y</to>{more}</handoff>")
}

fn input<'t>(path: &'t str, text: &'t str) -> Input<'t> {
    Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true }
}

fn found<'t>(path: &str, text: &'t str) -> Vec<&'t str> {
    let all = Text { path: Some(path), ..Text::default() }.findings(text);
    let own = all.iter().filter(|finding| finding.rule == RULE);
    own.map(|finding| &text[finding.span.unwrap().range()]).collect()
}

/// The text after `--redact`, and the secrets that are left in it.
fn redacted(path: &str, text: &str) -> (String, usize) {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let wanted = Wanted { safe: false, secrets: true };
    let fixed = checker.fix(input(path, text), &NoWorld, wanted, &mut Scratch::default()).unwrap();
    let after = fixed.map_or_else(|| text.to_owned(), |fixed| fixed.text);
    let left = found(path, &after).len();
    (after, left)
}

/// Handoffs with a password that stands apart from its key.
fn apart() -> Vec<(&'static str, String)> {
    let p = &password();
    let yaml = [
        format!("    password:\n      {p}\n"),
        format!("    password: |\n      {p}\n"),
        format!("    password: >-\n      {p}\n"),
        format!("    password: &p {p}\n"),
        format!("    password: !!str {p}\n"),
        format!("    password   :    {p}\n"),
        format!("    ? password\n    : {p}\n"),
        format!("    password: # c\n      {p}\n"),
        format!("    password:\n      - {p}\n"),
        format!("    password: [{p}]\n"),
        format!("    db: {{user: bob, pass: {p}}}\n"),
        format!("    db:\n      pass: {p}\n"),
        format!("    env:\n      - name: DB_PASSWORD\n        value: {p}\n"),
        format!("    args: [--password, {p}]\n"),
    ];
    let json_ones = [
        format!("\"password\":\n      \"{p}\""),
        format!("\"password\": [\"{p}\"]"),
        format!("\"password\": {{\"value\":\"{p}\"}}"),
        format!("\"db\":{{\"user\":\"bob\",\"pass\":\"{p}\"}}"),
        format!("\"args\": [\"--password\",\"{p}\"]"),
        format!("\"env\": [{{\"name\":\"DB_PASSWORD\",\"value\":\"{p}\"}}]"),
        format!("\"env\": [{{\"value\":\"{p}\", \"name\":\"DB_PASSWORD\"}}]"),
    ];
    let xml_ones = [
        format!("<password type=\"plain\">{p}</password>"),
        format!("<db:password xmlns:db=\"u\">{p}</db:password>"),
        format!("<password><!-- c -->{p}</password>"),
        format!("<password>\n      {p}\n   </password>"),
        format!("<property name=\"password\" value=\"{p}\"/>"),
        format!("<entry key=\"db.password\">{p}</entry>"),
        format!("<db><pass>{p}</pass></db>"),
    ];
    let yaml = yaml.iter().map(|more| ("a.yaml", package(more)));
    let json_ones = json_ones.iter().map(|more| ("a.json", json(more)));
    yaml.chain(json_ones).chain(xml_ones.iter().map(|more| ("a.xml", xml(more)))).collect()
}

#[test]
fn a_password_is_found_below_its_key_wherever_it_stands() {
    // proves A-13
    let p = password();
    let mut faults = Vec::new();
    for (path, text) in apart() {
        let all = found(path, &text);
        if all != [&p] {
            faults.push(format!("{all:?} in {text}"));
        }
        let (after, left) = redacted(path, &text);
        if after.contains(&p) || left > 0 {
            faults.push(format!("not taken out: {after}"));
        }
        let syntax = match path {
            "a.json" => Syntax::Json,
            "a.xml" => Syntax::Xml,
            _ => Syntax::Yaml,
        };
        if secrets::redacted(&text, Some(syntax)).0.contains(&p) {
            faults.push(format!("not taken out of the text: {text}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn no_finding_shows_a_password_below_its_key() {
    // proves A-13
    let p = password();
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    for (path, text) in apart() {
        let text = text.replace("agent: b", &format!("agnt: '{p}'"));
        let checked = checker.check(input(path, &text), &NoWorld, &mut Scratch::default());
        let told = |finding: &Finding| format!("{finding:?}").contains(&p);
        assert!(!checked.findings.iter().any(told), "{text}");
        let is_hidden = checked.hidden.iter().any(|span| &text[span.range()] == p.as_str());
        assert!(is_hidden, "{:?} in {text}", checked.hidden);
    }
}

#[test]
fn what_stands_below_such_a_key_and_is_no_secret_is_left_alone() {
    // proves A-13
    for more in [
        "    password:\n      min_length: 12\n      hint: at least 3 figures\n",
        "    password:\n      changeme123\n",
        "    password: |\n      ${DB_PASSWORD}\n",
        "    password:\n      - required\n      - min:12chars\n",
        "    password: getSecret2(\"db\")\n",
        "    tests: {pass: 12, fail: 0}\n",
        "    pass: src/login.rs:12\n",
        "    first_pass: lowerTheTree2\n",
        "    token: csrfTokenFromMetaTag2\n",
        "    api_key: env:OPENAI_API_KEY_PROD2\n",
        "    secret: https://vault.internal/v1/kv/9f3kd92jx1\n",
        "    secret:\n      name: db-credentials-v2\n      key: password1\n",
        "    env:\n      - name: DB_PASSWORD\n        value: ${DB_PASSWORD}\n",
        "    files: [password2.rs, secretStore1.rs]\n",
        "    keys: [flow_key1, agent_key2]\n",
        "    args: [--password-stdin, registry1.internal/app2]\n",
        "    password_policy: minimum12characters\n",
    ] {
        let text = package(more);
        assert_eq!(found("a.yaml", &text), [""; 0], "{text}");
    }
    for more in
        ["\"fields\": [\"password\", \"address2\"]", "\"password\": {\"type\": \"string8\", \"value\": null}"]
    {
        assert_eq!(found("a.json", &json(more)), [""; 0], "{more}");
    }
    let element =
        "<field name=\"password\" value=\"required\"/><field name=\"token\">see src/auth2.rs</field>";
    assert_eq!(found("a.xml", &xml(element)), [""; 0]);
}

#[test]
fn a_private_key_is_found_line_by_line_in_a_list_or_a_sum() {
    // proves A-13
    let usual = secrets::find(&private_key("RSA PRIVATE KEY", "\n"))[0].fingerprint.clone();
    for between in ["\",\n  \"", "\\n\" +\n  \"", "\\n', \n '", "\n  - ", "\n      - ", "\"\n  - \""] {
        let key = private_key("RSA PRIVATE KEY", between);
        let text = format!("key \"{key}\" behind");
        let all = secrets::find(&text);
        assert_eq!(all.len(), 1, "{text}");
        assert_eq!(&text[all[0].span.range()], key, "{between:?}");
        assert_eq!(all[0].fingerprint, usual, "{between:?}");
    }
    let lines = private_key("PRIVATE KEY", "\n");
    let quoted: Vec<String> = lines.lines().map(|line| format!("\"{line}\"")).collect();
    let items: String = lines.lines().map(|line| format!("      - {line}\n")).collect();
    let second = lines.lines().nth(1).unwrap();
    let sum: Vec<String> = lines.lines().map(|line| format!("\\\"{line}\\\\n\\\"")).collect();
    for (path, text) in [
        ("a.json", json(&format!("\"key\": [{}]", quoted.join(", ")))),
        ("a.json", json(&format!("\"code\": \"key = {}\"", sum.join(" + ")))),
        ("a.yaml", package(&format!("    key:\n{items}"))),
    ] {
        assert_eq!(found(path, &text).len(), 1, "{text}");
        let (after, left) = redacted(path, &text);
        assert!(!after.contains(second) && left == 0, "{after}");
    }
    let dashes = "-".repeat(5);
    for text in [
        format!(
            "text.startsWith(\"{dashes}BEGIN PRIVATE KEY{dashes}\") and then text.trim().endsWith(\"{dashes}END PRIVATE KEY{dashes}\")"
        ),
        format!("[\"{dashes}BEGIN RSA PRIVATE KEY{dashes}\", \"somewhereinthemiddleofit\", \"x\"]"),
    ] {
        assert_eq!(secrets::find(&text), [], "{text}");
    }
}

#[test]
fn a_private_key_in_base_64_is_found_and_a_public_one_is_not() {
    // proves A-13
    let coded = |text: &str| {
        const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        let mut into = String::new();
        for three in text.as_bytes().chunks(3) {
            let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte))
                << (8 * (3 - three.len()));
            (0..=three.len())
                .for_each(|at| into.push(char::from(LETTERS[(bits >> (18 - 6 * at)) as usize & 63])));
            into.push_str(&"=".repeat(3 - three.len()));
        }
        into
    };
    for label in ["PRIVATE KEY", "RSA PRIVATE KEY", "OPENSSH PRIVATE KEY"] {
        let key = coded(&private_key(label, "\n"));
        let text = package(&format!("    data:\n      tls.key: {key}\n    type: kubernetes.io/tls\n"));
        assert_eq!(found("a.yaml", &text), [&key], "{text}");
        let (after, left) = redacted("a.yaml", &text);
        assert!(after.contains("tls.key: \"[redacted:private-key-base64:") && left == 0, "{after}");
        let wrapped: Vec<&str> =
            key.as_bytes().chunks(76).map(|line| std::str::from_utf8(line).unwrap()).collect();
        let text = package(&format!("    tls.key: |\n      {}\n", wrapped.join("\n      ")));
        assert_eq!(found("a.yaml", &text).len(), 1, "{text}");
    }
    for label in ["PUBLIC KEY", "CERTIFICATE"] {
        assert_eq!(secrets::find(&coded(&private_key(label, "\n"))), [], "{label}");
    }
}

#[test]
fn a_secret_that_is_a_name_or_stands_bare_is_taken_out() {
    // proves A-13
    let (t, p) = (&token(), &password());
    for (path, text) in [
        ("a.json", json(&format!("\"k\": {t}"))),
        ("a.json", json(&format!("\"k\": [1, {t}]"))),
        ("a.json", envelope("x").replace("\"UNVERIFIED\"", &format!("\"UNVERIFIED\", \"k\": {t}"))),
        ("a.yaml", package(&format!("    a: &{t} x\n    b: *{t}\n"))),
        ("a.yaml", package(&format!("    b: *{t}\n"))),
        ("a.yaml", package(&format!("    a: !{t} x\n"))),
        ("a.yaml", package(&format!("    a: # see &{t}\n      x\n"))),
        ("a.xml", xml(&format!("<{t}>1</{t}>"))),
        ("a.xml", xml(&format!("<note {t}=\"1\">x</note>"))),
        ("a.xml", xml(&format!("<{t}/>"))),
        ("a.xml", xml(&format!("<?cfg password={p}?>"))),
    ] {
        let (after, left) = redacted(path, &text);
        assert!(!after.contains(t) && !after.contains(p) && left == 0, "{text}\n{after}");
        assert!(after.contains("redacted"), "{after}");
    }
    let text = xml(&format!("<?cfg password={p}?>"));
    assert_eq!(found("a.xml", &text), [p], "the end of the instruction is no part of it");
}

#[test]
fn an_error_is_kept_however_many_hints_come_before_it() {
    // proves A-13
    let mut text = String::from(
        "handoff:\n  from: {agent: a}\n  to: {agent: b}\n  context:\n    summary: Login form done in src/login.rs\n",
    );
    (0..1_200).for_each(|at| text.push_str(&format!("  unknown_{at}: x\n")));
    text.push_str(&format!("  note: {}\n", token()));
    let all = Text { path: Some("a.yaml"), ..Text::default() }.findings(&text);
    assert!(all.len() <= 1_001, "{}", all.len());
    let own: Vec<&Finding> = all.iter().filter(|finding| finding.rule == RULE).collect();
    assert_eq!(own.len(), 1, "{:?}", all.last());
}
