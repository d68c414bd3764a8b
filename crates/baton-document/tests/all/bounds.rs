//! Files made to cost time or memory: each notation is read within the same bounds.

use std::time::{Duration, Instant};

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{Checker, Finding, Input, Levels, Limits, NoWorld, Scratch};

/// Keys, attributes or elements of one hostile file.
const MANY: usize = 240_000;
/// What reading one takes at most. A build without optimisation is twenty times slower than the one that ships.
const WITHIN: Duration = Duration::from_secs(if cfg!(debug_assertions) { 20 } else { 1 });

fn findings(path: &str, text: &str) -> Vec<Finding> {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let (started, before) = (Instant::now(), time_at_work());
    let findings = checker.check(input, &NoWorld, &mut Scratch::default()).findings;
    let taken = match (before, time_at_work()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        (None | Some(_), None | Some(_)) => started.elapsed(),
    };
    assert!(taken < WITHIN, "{path} took {taken:?}: {}", &text[..40]);
    findings
}

/// How long this thread has been at work, whatever else the machine did meanwhile; nothing where no system tells.
fn time_at_work() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split(' ').next()?.parse().ok()?))
}

fn rules(path: &str, text: &str) -> Vec<String> {
    findings(path, text).iter().map(|finding| finding.rule.to_string()).collect()
}

fn has(rules: &[String], rule: &str) -> bool {
    rules.iter().any(|other| other == rule)
}

fn many(count: usize, part: impl Fn(usize) -> String) -> String {
    (0..count).map(part).collect()
}

fn handoff(attributes: &str, elements: &str) -> String {
    format!("<handoff {attributes}><from>a</from><to>b</to>{elements}</handoff>")
}

#[test]
fn an_element_of_many_attributes_is_read_in_time() {
    // proves A-11
    let attributes = [
        many(MANY, |at| format!("a{at}=\"{at}\" ")),
        many(MANY, |at| format!("xmlns:n{at}=\"{at}\" ")),
        many(MANY, |at| format!("a{at}=\"&lt;&#x41;\" ")),
        "a=\"1\" ".repeat(MANY),
    ];
    for attributes in attributes {
        let rules = rules("a.xml", &handoff(&attributes, ""));
        assert!(has(&rules, "document/unknown-key") && has(&rules, "document/too-large"), "{rules:?}");
    }
    let in_field =
        format!("<handoff><from {}>a</from><to>b</to></handoff>", many(100_000, |at| format!("a{at}=\"\" ")));
    assert!(has(&rules("a.xml", &in_field), "document/unknown-key"));
}

#[test]
fn an_element_of_many_elements_is_read_in_time() {
    // proves A-11
    let elements = [
        many(MANY, |at| format!("<a{at}/>")),
        many(MANY, |at| format!("<n{at}:a/>")),
        "x<a/>".repeat(MANY),
        // The ids of a kind stand out of their order, behind a long row of others.
        format!("{}{}", "<x/>".repeat(60_000), "<to>b</to><from>a</from>".repeat(16_000)),
    ];
    for elements in elements {
        assert!(!findings("a.xml", &handoff("", &elements)).is_empty());
    }
}

#[test]
fn what_stands_between_elements_is_read_in_time() {
    // proves A-11
    for part in
        ["<!--x-->", "<?x y?>", "<![CDATA[x]]>", "x<!---->", "&lt;", "&x;", "&#x41;", "< ", "</x>", "]]>"]
    {
        let _ = findings("a.xml", &handoff("", &part.repeat(MANY)));
    }
    let value = "x".repeat(2_000_000);
    assert!(has(&rules("a.xml", &handoff(&format!("a=\"{value}\""), "")), "document/too-large"));
}

#[test]
fn document_types_end_the_reading_like_any_other_mistake() {
    // proves A-11
    let rules = rules("a.xml", &handoff("", &"<!DOCTYPE x []>".repeat(MANY)));
    assert!(has(&rules, "document/xml-doctype") && has(&rules, "document/too-many"), "{rules:?}");
    assert!(rules.len() < 50, "{}", rules.len());
    let entities = many(MANY, |at| format!("<!ENTITY e{at} \"x\">"));
    let typed = format!("<!DOCTYPE x [{entities}]>{}", handoff("", "&e1;"));
    assert!(has(
        &findings("a.xml", &typed).iter().map(|f| f.rule.to_string()).collect::<Vec<_>>(),
        "document/xml-doctype"
    ));
}

#[test]
fn a_map_of_many_keys_is_read_in_time_and_one_that_stands_twice_is_found() {
    // proves A-11
    let keys = 120_000;
    let json = many(keys, |at| format!("\"k{at}\": 1, "));
    let json =
        format!("{{\"task_id\": \"a\", \"phase\": \"write\", \"instructions\": \"x\", {json}\"k77777\": 2}}");
    let yaml = many(keys, |at| format!("k{at}: 1\n"));
    let yaml = format!("task_id: a\nphase: write\ninstructions: x\n{yaml}k77777: 2\n");
    let xml = handoff(&format!("{}a77777=\"\"", many(keys, |at| format!("a{at}=\"\" "))), "");
    for (path, text) in [("a.json", json), ("a.yaml", yaml), ("a.xml", xml)] {
        let rules = rules(path, &text);
        assert!(has(&rules, "document/duplicate-key"), "{path}: {:?}", &rules[..3]);
    }
    let toml = format!("{}k77777 = 2\n", many(keys, |at| format!("k{at} = 1\n")));
    assert!(has(&rules("a.toml", &toml), "document/toml-syntax"));
}

#[test]
fn toml_of_more_values_than_any_handoff_has_is_not_read() {
    // proves A-11
    let bytes = 10_000_000;
    let fill = |part: &dyn Fn(usize) -> String| {
        let mut text = String::with_capacity(bytes + 1_000);
        (0..)
            .take_while(|at| {
                text.push_str(&part(*at));
                text.len() < bytes
            })
            .for_each(drop);
        text
    };
    let deep = vec!["a"; 70].join(".");
    let hostile = [
        fill(&|at| format!("k{at} = 1\n")),
        fill(&|at| format!("[t{at}]\n")),
        fill(&|at| format!("a{at}.b.c.d.e.f = 1\n")),
        fill(&|at| format!("[{deep}.k{at}]\n")),
        fill(&|_| "[[a]]\n[[a.b]]\n".to_owned()),
        fill(&|_| "a=1\n".to_owned()),
        fill(&|_| "'\n".to_owned()),
        format!("a = [{}1]\n", "1,".repeat(bytes / 2)),
        format!("a = [{}{{}}]\n", "{a={}},".repeat(bytes / 7)),
        format!("a = [{}[]]\n", "[],".repeat(bytes / 3)),
        format!("a = {}1\n", "{a=".repeat(bytes / 3)),
        format!("a = [{}]\n", ",".repeat(bytes)),
        ".".repeat(bytes),
        "[".repeat(bytes),
        "= ".repeat(bytes / 2),
        format!("{}a = 1\n", "a.".repeat(bytes / 2)),
    ];
    for text in hostile {
        let rules = rules("a.toml", &text);
        assert!(has(&rules, "document/too-large"), "{rules:?} for {}", &text[..40]);
    }
}

#[test]
fn toml_of_many_lines_and_few_values_is_read() {
    // proves A-11
    let lines = "# a comment\n\n  # another\r\n".repeat(100_000);
    let text = format!("{lines}a = 1\n{lines}a = [ # one\n{lines}1,\n\n{lines}2]\n{lines}");
    let twice = findings("a.toml", &text);
    let syntax: Vec<&Finding> =
        twice.iter().filter(|finding| finding.rule == "document/toml-syntax").collect();
    let [finding] = syntax[..] else { panic!("{twice:?}") };
    let at = finding.span.expect("it has a place").start as usize;
    assert!(text[at..].starts_with("a = ["), "the place is one of the file as it is");
    assert!(!twice.iter().any(|finding| finding.rule == "document/too-large"));
}

#[test]
fn a_value_in_toml_has_the_bound_of_any_other() {
    // proves A-11
    for value in ["x", "\\n"] {
        let text = format!("a = \"{}\"\nb = 1\n", value.repeat(1_100_000));
        assert!(has(&rules("a.toml", &text), "document/too-large"));
    }
    assert!(has(&rules("a.toml", &format!("a = 1{}\n", "0".repeat(1_100_000))), "document/too-large"));
}
