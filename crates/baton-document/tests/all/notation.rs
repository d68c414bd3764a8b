//! What a notation says beyond JSON – numbers of other forms, merged maps, streams, line ends – is read as its own
//! standard has it, and means the same in every other notation.

use baton_document::carrier::Look;
use baton_document::dialect::{Strictness, json_schema};
use baton_document::{Checker, Datum, Input, LineIndex, NoWorld, Scratch};
use serde_json::{Value, json};

use crate::convert::{canonical, checker, convert};
use crate::found::Text;
use crate::users::with_one;

/// A dialect in all notations, with a field of each kind that numbers can be taken for.
const OWN: &str = "\
dialect: own
written-in: [yaml, json, xml, toml]
recognise: {all: [note]}
kinds:
  own:
    about: The only kind.
    required: [note]
    root: own
    fields:
      note: {type: text, means: summary, pattern: '(?m)^end$'}
      whole: {type: integer}
      number: {type: number}
      word: {type: text}
      \"@form\": {type: text}
    examples:
      - |
        own:
          note: end
";

/// The handoffs of a text by their lines, and its findings, at a path or none.
fn seen(checker: &Checker, path: Option<&str>, text: &str) -> Vec<String> {
    let input = Input { path, bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let checked = checker.check(input, &NoWorld, &mut Scratch::default());
    let index = LineIndex::new(text);
    let handoffs = checked.handoffs.iter().map(|handoff| {
        format!("{} {}", index.place(handoff.span.start).line, checker.dialect_of(handoff).name)
    });
    let findings = checked.findings.iter().map(|finding| {
        let line = finding.span.map_or(0, |span| index.place(span.start).line);
        format!("{line} {} {}", finding.level.word(), finding.rule)
    });
    handoffs.chain(findings).collect()
}

#[test]
fn numbers_of_yaml_are_what_its_core_schema_says() {
    // proves A-08, A-10
    let own = with_one(OWN);
    let rows = [
        ("0x1F", json!(31)),
        ("0xff", json!(255)),
        ("0o17", json!(15)),
        ("+1", json!(1)),
        (".5", json!(0.5)),
        ("!!int \"12\"", json!(12)),
        ("!!bool 'true'", json!(true)),
        ("!!null ''", json!(null)),
        ("!!str 12", json!("12")),
        ("~", json!(null)),
        // Text in the core schema, whatever older readers make of it.
        ("yes", json!("yes")),
        ("1_000", json!("1_000")),
        ("12:30:45", json!("12:30:45")),
        ("0o18", json!("0o18")),
        ("0x", json!("0x")),
        ("-0x1F", json!("-0x1F")),
        ("\"0x1F\"", json!("0x1F")),
        // What JSON has no number for, and what readers do not agree on.
        (".inf", json!(".inf")),
        ("-.INF", json!("-.INF")),
        (".nan", json!(".nan")),
        ("012", json!("012")),
        ("0xffffffffffffffffffffffffffffffffff", json!("0xffffffffffffffffffffffffffffffffff")),
    ];
    for (written, meant) in rows {
        let text = format!("own:\n  note: end\n  other: {written}\n  more: [{written}]\n");
        let form = canonical(&own, &text);
        assert_eq!((&form["own"]["other"], &form["own"]["more"][0]), (&meant, &meant), "{written}");
        assert_eq!(convert(&own, &text, "own", &[]), text, "where the dialect stays, so does the text");
        let set = [("from.agent", "a"), ("to.agent", "b"), ("from", "a"), ("to", "b")];
        for (to, set) in [("package", &set[..2]), ("pipeline", &set[2..])] {
            let home = convert(&own, &convert(&own, &text, to, set), "own", &[]);
            assert_eq!(canonical(&own, &home)["own"]["other"], meant, "{written} by way of {to}");
        }
    }
}

#[test]
fn a_number_is_one_in_the_check_and_in_the_schema_alike() {
    // proves A-10
    let own = with_one(OWN);
    let dialect = own.dialects().handoffs.iter().find(|dialect| *dialect.name == *"own").unwrap();
    let schema = jsonschema::validator_for(&json_schema(dialect, Strictness::Strict)).unwrap();
    let rows = [
        ("a.yaml", "own:\n  note: end\n  whole: 0x1F\n  number: 0o17\n", true),
        ("a.yaml", "own:\n  note: end\n  word: 0x1F\n", false),
        ("a.yaml", "own:\n  note: end\n  number: .inf\n", false),
        ("a.yaml", "own:\n  note: end\n  number: -.NaN\n", false),
        ("a.toml", "[own]\nnote = 'end'\nwhole = 0x1F\nnumber = 0b11\n", true),
        ("a.toml", "[own]\nnote = 'end'\nwhole = 1_000\nnumber = +0.5\n", true),
        ("a.toml", "[own]\nnote = 'end'\nnumber = inf\n", false),
        ("a.toml", "[own]\nnote = 'end'\nnumber = -nan\n", false),
    ];
    for (path, text, is_right) in rows {
        let input = Input {
            path: Some(path),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Prose,
            is_named: true,
        };
        let findings = own.check(input, &NoWorld, &mut Scratch::default()).findings;
        assert_eq!(findings.is_empty(), is_right, "{text}{findings:?}");
        let form = Value::from(&own.canonical(input, &mut Scratch::default()).unwrap()[0]);
        assert_eq!(schema.is_valid(&form), is_right, "{form}");
    }
}

#[test]
fn a_merged_map_gives_what_is_not_said() {
    // proves A-05, A-08
    let text = "\
base: &base
  from: {agent: architect}
  to: {agent: nobody}
  expectations: {deliverable: docs/api.md}
more: &more
  <<: *base
  to: {agent: backend, step: review}
  id: HO-1
handoff:
  id: HO-2
  <<: [*more, *base]
  context: {summary: The API has 12 endpoints}
";
    let form = canonical(&checker(), text);
    let expected = json!({
        "id": "HO-2",
        "context": {"summary": "The API has 12 endpoints"},
        "to": {"agent": "backend", "step": "review"},
        "from": {"agent": "architect"},
        "expectations": {"deliverable": "docs/api.md"},
    });
    assert_eq!(form["handoff"], expected);
    let asked = Text { path: Some("a.yaml"), ..Text::default() };
    assert_eq!(
        asked.found(text),
        ["info document/unknown-key 1:1", "info document/unknown-key 5:1", "info document/unknown-key 7:24"]
    );
    let home = convert(&checker(), &convert(&checker(), text, "pipeline", &[]), "package", &[]);
    assert_eq!(canonical(&checker(), &home)["handoff"], expected);
    // In quotes it is a key like any other, and so it is in JSON.
    let quoted = text.replace("<<: [*more, *base]", "\"<<\": [*more, *base]");
    assert_eq!(canonical(&checker(), &quoted)["handoff"]["<<"][1]["to"]["agent"], "nobody");
}

#[test]
fn a_fix_leaves_a_person_what_a_merge_shares() {
    // proves A-03
    let merged = |other: &str| {
        format!("base: &base {{gate: {{type: AUTO}}}}\nhandoff:\n  <<: *base\n  from: {{agent: a}}\n{other}")
    };
    let fixes = |text: &str| -> Vec<bool> {
        let found = Text { path: Some("a.yaml"), ..Text::default() }.findings(text);
        let of_case = found.iter().filter(|finding| finding.rule == "document/enum-case");
        of_case.map(|finding| finding.fix.as_ref().unwrap().safe).collect()
    };
    assert_eq!(fixes(&merged("")), [false]);
    assert_eq!(fixes(&merged("  gate: {type: AUTO}\n")), [true], "what stands there itself");
}

#[test]
fn a_merge_that_is_none_is_refused_where_it_stands() {
    // proves A-05, A-11
    let asked = Text { path: Some("a.yaml"), ..Text::default() };
    let rows = [
        ("<<: text", "3:7"),
        ("<<: {to: b}", "3:7"),
        ("<<: *word", "3:7"),
        ("<<: [*base, text]", "3:15"),
        ("<<: [*base, *word]", "3:15"),
        ("<<: [[*base], *base]", "3:8"),
        ("<<: [{a: [b, {}]}, *base]", "3:8"),
        ("<<:", "3:5"),
    ];
    for (merge, place) in rows {
        let text = format!(
            "a: [&word x, &base {{id: HO-1}}]\nhandoff:\n  {merge}\n  from: {{agent: a}}\n  to: {{agent: b}}\n  context: {{summary: done}}\n"
        );
        let found = asked.found(&text);
        assert!(found.contains(&format!("error document/yaml-syntax {place}")), "{merge}: {found:?}");
        // The rest is read all the same.
        assert!(found.contains(&"error package/empty-summary 6:22".to_owned()), "{merge}: {found:?}");
    }
    // Itself, and more than is copied.
    let itself = asked.found("handoff: &self\n  <<: *self\n  from: {agent: a}\n");
    assert!(itself.iter().any(|finding| finding.starts_with("error document/yaml-syntax")), "{itself:?}");
    let keys: String = (0..600).map(|at| format!("k{at}: 1, ")).collect();
    let bomb = format!("a: &a {{{keys}}}\nb: {{<<: *a}}\nc: {{<<: *a}}\nhandoff: {{from: a, to: b}}\n");
    let found = asked.found(&bomb);
    assert!(found.contains(&"error document/alias-bomb 2:9".to_owned()), "{found:?}");
    let many = format!("handoff: {{from: a, to: b, <<: [{}]}}\n", "1, ".repeat(100_000));
    assert!(asked.found(&many).len() < 50);
}

#[test]
fn a_stream_of_yaml_without_a_name_is_read_to_its_end() {
    // proves A-02
    let one = "handoff:\n  from: {agent: a}\n  to: {agent: b}\n  context:\n    summary: 12 endpoints\n";
    let rows: [(String, &[&str]); 12] = [
        (format!("---\n{one}"), &["2 package"]),
        (format!("---\n{one}---\n{one}"), &["2 package", "8 package"]),
        (format!("---\n{one}---\n{one}---\n{one}"), &["2 package", "8 package", "14 package"]),
        (format!("---\n{one}...\n---\n{one}"), &["2 package", "9 package"]),
        (format!("%YAML 1.2\n---\n{one}---\n{one}"), &["3 package", "9 package"]),
        (format!("--- # first\n{one}--- # second\n{one}"), &["2 package", "8 package"]),
        (format!("---\n---\n{one}"), &["3 package"]),
        (format!("---\ntitle: Notes\n---\n{one}"), &["4 package"]),
        (
            format!("---\n{one}---\n{one}    more: |\n      ```yaml\n      {{a: b}}\n      ```\n"),
            &["2 package", "8 package", "13 info document/unknown-key"],
        ),
        // Front matter, and text below it that only looks like entries.
        (format!("---\n{one}---\n# Notes\n\nWords: and more words.\n"), &["2 package"]),
        (format!("---\n{one}---\nNote: done\n"), &["2 package"]),
        (format!("---\ntitle: Notes\n---\n\n```yaml\n{one}```\n"), &["6 package"]),
    ];
    for (text, expected) in rows {
        for text in [text.clone(), text.replace('\n', "\r\n"), format!("\u{feff}{text}")] {
            assert_eq!(seen(&checker(), None, &text), expected, "{text}");
        }
    }
}

#[test]
fn lines_end_alike_in_every_notation() {
    // proves A-11
    let own = with_one(OWN);
    let rows = [
        ("a.xml", "<own form=\"one\ntwo\tthree\">\n  <note>some\nend\nmore</note>\n</own>\n"),
        ("a.xml", "<own form=\"one&#32;two three\">\n  <note><![CDATA[some\nend\n]]>more</note>\n</own>\n"),
        ("a.xml", "<own form=\"one two three\">\n  <note>s&#111;me\nend<!-- -->\nmore</note>\n</own>\n"),
        ("a.yaml", "own:\n  \"@form\": one two three\n  note: |-\n    some\n    end\n    more\n"),
        ("a.toml", "[own]\n\"@form\" = 'one two three'\nnote = '''\nsome\nend\nmore'''\n"),
        ("a.toml", "[own]\n\"@form\" = 'one two three'\nnote = \"\"\"\nsome\nend\nmore\"\"\"\n"),
    ];
    for (path, text) in rows {
        for text in [text.to_owned(), text.replace('\n', "\r\n")] {
            let input = Input {
                path: Some(path),
                bytes: text.as_bytes(),
                dialect: None,
                look: Look::Prose,
                is_named: true,
            };
            let form: Datum<'_> = own.canonical(input, &mut Scratch::default()).unwrap().remove(0);
            let expected = json!({"own": {"@form": "one two three", "note": "some\nend\nmore"}});
            assert_eq!(Value::from(&form), expected, "{text:?}");
            assert_eq!(seen(&own, Some(path), &text), ["1 own"]);
        }
    }
    // A line end that is written as a reference or an escape is meant.
    let meant = canonical(&own, "<own><note>some&#13;\nend</note></own>");
    assert_eq!(meant["own"]["note"], "some\r\nend");
}

#[test]
fn zeros_in_front_of_a_whole_number_say_nothing() {
    // proves A-09, A-10
    let numbered = OWN.replace(
        "recognise:",
        "places: [\"notes/{whole}.yaml\"]\ncaptures: {whole: {type: integer}}\nrecognise:",
    );
    let own = with_one(&numbered);
    for (path, text, meant) in [
        ("notes/007.yaml", "own: {note: end}\n", 7),
        ("notes/-010.yaml", "own: {note: end}\n", -10),
        ("notes/000.yaml", "own: {note: end}\n", 0),
        ("a.xml", "<own><note>end</note><whole>007</whole></own>", 7),
    ] {
        let input = Input {
            path: Some(path),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Prose,
            is_named: true,
        };
        let form = Value::from(&own.canonical(input, &mut Scratch::default()).unwrap()[0]);
        assert_eq!(form["own"]["whole"].to_string(), meant.to_string(), "{path}");
    }
}
