//! What expressions come to, and that none of them takes for ever.

use std::time::{Duration, Instant};

use super::*;

fn said(entries: Vec<(&'static str, Datum<'static>)>) -> Said {
    Said { dialect: String::new(), kind: String::new(), document: map(entries), sayings: Vec::new() }
}

fn map(entries: Vec<(&'static str, Datum<'static>)>) -> Datum<'static> {
    Datum::Map(entries.into_iter().map(|(key, value)| (key.into(), value)).collect())
}

fn number(text: &'static str) -> Datum<'static> {
    Datum::Number(text.into())
}

fn truth(expression: &str, said: &Said) -> Truth {
    Expressions.over_handoffs(&[expression], &[said]).remove(0)
}

fn why(expression: &str, said: &Said) -> String {
    let truth = truth(expression, said);
    truth.unknown().unwrap_or_else(|| panic!("{expression} is known: {truth:?}")).to_owned()
}

#[test]
fn an_expression_sees_the_fields_of_the_handoff() {
    let said = said(vec![
        ("count", number("3")),
        ("state", Datum::text("open")),
        ("tests", Datum::List(vec![Datum::Boolean(true), Datum::Boolean(false)])),
    ]);
    let truth = |expression| truth(expression, &said);
    assert_eq!(truth("handoff.count > 2 && handoff.state == 'open'"), Truth::Holds);
    assert_eq!(truth("handoff.tests.exists(t, !t)"), Truth::Holds);
    assert_eq!(truth("handoff.tests.all(t, t)"), Truth::Fails);
    assert_eq!(truth("has(handoff.missing) && handoff.missing == 1"), Truth::Fails);
    assert_eq!(truth("handoff.missing == 1 || handoff.count == 3"), Truth::Holds, "one side decides");
}

#[test]
fn what_cannot_be_evaluated_is_unknown_with_the_reason() {
    let said = said(vec![
        ("count", Datum::text("three")),
        ("list", Datum::List(vec![number("1"), Datum::text("two")])),
        ("findings", map(vec![("count", Datum::text("3")), ("x-team", Datum::Null)])),
        ("zero", number("0")),
    ]);
    for (expression, reason) in [
        ("handoff.missing == 1", "handoff.missing is missing"),
        ("handoff.missing.deeper == 1", "handoff.missing is missing"),
        ("handoff.findings['x-other'] == 1", "handoff.findings['x-other'] is missing"),
        ("handoff.findings.count > 2", "handoff.findings.count is text, not a number"),
        ("2 < handoff.findings.count", "handoff.findings.count is text, not a number"),
        ("handoff.findings.count + 1 > 2", "handoff.findings.count is text, not a number"),
        ("handoff.zero == 0 && handoff.count > 1", "handoff.count is text, not a number"),
        ("!handoff.count", "handoff.count is text, not true or false"),
        ("handoff.count && true", "handoff.count is text, not true or false"),
        ("handoff.count.more == 1", "handoff.count is text, not a map"),
        ("handoff.count.exists(c, c == 1)", "handoff.count is text, not a list"),
        ("handoff.list.all(l, l > 0)", "`>` cannot be used with text and a number"),
        ("handoff.list.all(l, l.size > 0)", "text stands where a map is expected"),
        ("handoff.list[7] == 1", "handoff.list has no such entry"),
        ("handoff.count", "it is text, neither true nor false"),
        ("handoff.count >", "the expression cannot be read"),
        ("handofff.count > 1", "nothing is called handofff"),
        ("1 / handoff.zero == 1", "it divides by zero"),
        ("9223372036854775807 + 1 > 0", "a number is out of range"),
        ("unheard(handoff.count)", "nothing is called unheard"),
    ] {
        assert!(why(expression, &said).starts_with(reason), "{expression}: {}", why(expression, &said));
    }
}

#[test]
fn no_number_makes_an_expression_panic() {
    let least = "(-9223372036854775807 - 1)";
    let said = said(vec![("text", Datum::text("é")), ("list", Datum::List(vec![Datum::Null]))]);
    for expression in [
        format!("{least} / -1 == 0"),
        format!("{least} % -1 == 0"),
        format!("-{least} == 0"),
        format!("{least} * -1 == 0"),
        "int(1e300) == 0".to_owned(),
        "uint(-1) == 0u".to_owned(),
        "int('x') == 0".to_owned(),
        "handoff.list[9223372036854775807] == 1".to_owned(),
        "handoff.list[-1] == 1".to_owned(),
        "0.0 / 0.0 < 1.0".to_owned(),
        "18446744073709551615u + 1u > 0u".to_owned(),
        "handoff.text.size() == 1".to_owned(),
        "b'\\xff' == bytes(handoff.text)".to_owned(),
        "{'a': 1, 'a': 2}.a == 1".to_owned(),
        "{null: 1} == {}".to_owned(),
        "Made{field: 1} == 1".to_owned(),
        "string(b'\\xff') == ''".to_owned(),
    ] {
        truth(&expression, &said);
    }
}

#[test]
fn a_reason_quotes_no_document_and_fits_into_a_record() {
    let secret = "hunter2".repeat(1_000);
    let said = said(vec![
        ("count", Datum::Text(secret.into())),
        ("list", Datum::List(vec![Datum::text("hunter2")])),
    ]);
    for expression in [
        "handoff.count > 2",
        "handoff.count && true",
        "handoff.count",
        "handoff[handoff.count] == 1",
        "handoff.list.all(l, l > 2)",
        "handoff.list.all(l, handoff[l] > 2)",
        "int(handoff.count) > 2",
        "handoff.list.map(l, l) + 1 == []",
        "{handoff.count: 1}[1] == 1",
        &format!("handoff.{} == 1", "a".repeat(1_900)),
    ] {
        let why = why(expression, &said);
        assert!(!why.contains("hunter"), "{why}");
        assert!(why.len() <= bounds::TEXT_BYTES_MAX, "{}", why.len());
    }
}

#[test]
fn branches_are_seen_together() {
    let branch = |passed| said(vec![("passed", Datum::Boolean(passed))]);
    let all = [branch(true), branch(false), branch(true)];
    assert_eq!(Expressions.over_branches("branches.filter(b, b.passed).size() >= 2", &all), Truth::Holds);
    assert_eq!(Expressions.over_branches("branches.all(b, b.passed)", &all), Truth::Fails);
    let odd = [branch(true), said(vec![])];
    let unknown = Expressions.over_branches("branches.all(b, b.passed)", &odd);
    assert_eq!(unknown, Truth::Unknown("the field passed is missing".to_owned()));
}

#[test]
fn a_check_of_several_handoffs_fails_for_one_and_is_unknown_for_one() {
    let (yes, no, odd) =
        (said(vec![("ok", Datum::Boolean(true))]), said(vec![("ok", Datum::Boolean(false))]), said(vec![]));
    let checked = |handoffs: &[&Said]| Expressions.over_handoffs(&["handoff.ok"], handoffs).remove(0);
    assert_eq!(checked(&[&yes, &yes]), Truth::Holds);
    assert_eq!(checked(&[&yes, &odd, &no]), Truth::Fails);
    assert!(checked(&[&yes, &odd]).unknown().is_some());
    assert!(checked(&[]).unknown().is_some(), "a check of nothing is no check that holds");
}

fn list(entries: usize, item: &Datum<'static>) -> Datum<'static> {
    Datum::List(vec![item.clone(); entries])
}

#[test]
fn what_is_too_large_or_too_deep_is_unknown_and_what_is_ten_times_what_was_is_seen() {
    let long = said(vec![("list", list(ENTRIES_MAX + 1, &Datum::Null))]);
    assert_eq!(
        why("handoff.list.size() > 1", &long),
        "a list or map of the handoff has 5001 entries, of at most 5000"
    );
    let most = said(vec![("list", list(ENTRIES_MAX, &number("1")))]);
    assert_eq!(truth("handoff.list.all(a, a == 1)", &most), Truth::Holds);
    let nested = |depth: usize| (0..depth).fold(Datum::Null, |inner, _| Datum::List(vec![inner]));
    let deep = said(vec![("list", nested(DEPTH_MAX))]);
    assert_eq!(why("handoff.list.size() == 1", &deep), "the handoff is more than 320 levels deep");
    let deepest = said(vec![("list", nested(DEPTH_MAX - 1))]);
    assert_eq!(
        truth("handoff.list == handoff.list && [handoff.list].map(l, l).size() == 1", &deepest),
        Truth::Holds
    );
}

#[test]
fn an_expression_may_be_ten_times_as_long_and_nested_ten_times_as_deep() {
    let small = said(vec![("list", list(2, &number("1")))]);
    let macros = (0..10).fold("true".to_owned(), |inner, at| format!("handoff.list.all(a{at}, {inner})"));
    assert_eq!(truth(&macros, &small), Truth::Holds);
    assert!(
        why(&format!("{}true", "handoff.list.all(a, a == 1) && ".repeat(21)), &small).contains("21 times")
    );
    let brackets = format!("{}true{}", "(".repeat(80), ")".repeat(80));
    assert_eq!(truth(&brackets, &small), Truth::Holds);
    let long = format!("true{}", " && true".repeat(240));
    assert_eq!(truth(&long, &small), Truth::Holds);
    assert!(why(&format!("true{}", " || true".repeat(1_300)), &small).contains("bytes"));
}

/// Runs something on a thread with as small a stack as those that wait for agents have.
fn on_a_small_stack(work: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(128 * 1024).spawn(work);
    thread.expect("a thread starts").join().expect("its stack is enough");
}

#[test]
fn the_deepest_expression_over_the_deepest_document_needs_no_stack_of_its_caller() {
    on_a_small_stack(|| {
        let nested = (0..DEPTH_MAX - 1).fold(Datum::Null, |inner, _| Datum::List(vec![inner]));
        let said = said(vec![("list", nested), ("text", Datum::text("a"))]);
        let lists = format!("{}handoff.list{} != []", "[".repeat(80), "]".repeat(80));
        for expression in [
            lists,
            format!("{}true{}", "(".repeat(80), ")".repeat(80)),
            format!("1{} > 0", "+1".repeat(990)),
            format!("{}true", "!".repeat(998)),
            format!("handoff{} == 1", "[0]".repeat(990)),
            format!("{}true", "true ? true : ".repeat(79)),
            (0..20).fold("true".to_owned(), |inner, at| format!("[1].all(a{at}, {inner})")),
        ] {
            for text in [expression.as_str(), "handoff.list == handoff.list"] {
                truth(text, &said);
                Expressions.over_branches(text, std::slice::from_ref(&said));
            }
        }
        // A document that is deeper than any reader makes must not be dropped on this stack either.
        assert!(!why(&format!("1{} > 0", "+1".repeat(4_000)), &said).is_empty());
    });
}

/// Expressions over lists of such items, each of which takes longer the longer its list is.
fn growing() -> Vec<(String, Datum<'static>)> {
    let wide = || map(vec![("a", Datum::text("x")), ("b", list(20, &number("1")))]);
    let text = || Datum::Text("x".repeat(1_000).into());
    let over = |inner: &str, depth: usize| {
        (0..depth).fold(inner.to_owned(), |inner, at| format!("handoff.list.all(a{at}, {inner})"))
    };
    let mut all = Vec::new();
    for depth in [1, 2, 5, 19] {
        for inner in ["true", "a0 == a0", "handoff.list == handoff.list", "[a0, a0].exists_one(x, x == a0)"] {
            all.extend([wide(), text()].map(|item| (over(inner, depth), item)));
        }
    }
    for expression in [
        "handoff.list.map(a, handoff.list).size() > 0",
        "handoff.list.map(a, handoff.list.map(b, handoff.list)).size() > 0",
        "handoff.list.map(a, handoff).map(b, b).map(c, c).size() > 0",
        "handoff.list.map(a, [a, a, a, a]).map(b, [b, b, b, b]).map(c, [c, c, c, c]).size() > 0",
        "handoff.list.filter(a, a in handoff.list).size() > 0",
        "(handoff.list + handoff.list + handoff.list).all(a, a in handoff.list)",
        "handoff.list.map(a, {'k': handoff.list}).all(m, m.k == handoff.list)",
        "handoff.list.all(a, string(a) + string(a) != '')",
        "handoff.list.all(a, (a + a + a + a).contains('y') || true)",
        "handoff.list.all(a, a.size() > 0 || true)",
        "handoff.list.all(a, handoff.list > 1 || true)",
    ] {
        all.extend([wide(), text()].map(|item| (expression.to_owned(), item)));
    }
    all
}

/// The longest list over which an expression is evaluated at all.
fn entries_max(expression: &str, item: &Datum<'static>) -> usize {
    let is_too_much = |entries: usize| {
        let said = said(vec![("list", list(entries, item))]);
        let cost = expression::deep(|stack| {
            let documents = Documents::one(&said.document);
            let program = expression::compile(stack, expression).expect("it can be read");
            (documents.estimate(stack, &program, "handoff"), documents.weight())
        });
        let (cost, weight) = cost.expect("a thread starts");
        let cost = cost.expect("it uses what expressions have");
        cost > WORK_MAX || weight > WEIGHT_MAX
    };
    [ENTRIES_MAX, 1_000, 400, 150, 50, 20, 9, 6, 3, 2]
        .into_iter()
        .find(|entries| !is_too_much(*entries))
        .unwrap_or(1)
}

/// Far beyond what one takes, which a machine that is busy with other things may multiply.
const LONG: Duration = Duration::from_secs(60);

#[test]
fn an_expression_is_known_or_given_up_in_time_however_long_its_lists_are() {
    for (expression, item) in growing() {
        let entries = entries_max(&expression, &item);
        let said = said(vec![("list", list(entries, &item))]);
        let began = Instant::now();
        let truth = truth(&expression, &said);
        let took = began.elapsed();
        assert!(!truth.unknown().is_some_and(|why| why.contains("steps")), "{expression}: {truth:?}");
        assert!(took < LONG, "{expression} over {entries} entries: {took:?}");
    }
}

#[test]
fn a_sum_of_texts_is_not_larger_than_memory() {
    let said = said(vec![("text", Datum::Text("x".repeat(1 << 20).into()))]);
    assert!(why(&format!("size({}) > 0", vec!["handoff.text"; 120].join(" + ")), &said).contains("steps"));
    assert_eq!(truth("size(handoff.text + handoff.text) > 0", &said), Truth::Holds);
}

#[test]
fn what_is_plainly_small_is_evaluated_over_the_longest_lists() {
    let tags = || list(10, &Datum::text("tag"));
    let item = || map(vec![("id", Datum::text("an-id")), ("count", number("7")), ("tags", tags())]);
    let said = said(vec![("items", list(ENTRIES_MAX, &item())), ("id", Datum::text("an-id"))]);
    for expression in [
        "handoff.items.all(i, i.tags.exists(t, t == 'tag'))",
        "handoff.items.filter(i, i.count > 5 && i.id == handoff.id).size() == 5000",
        "handoff.items.map(i, i.count).exists(c, c == 7)",
        "handoff.items.all(i, size(handoff.items) > 3)",
    ] {
        assert_eq!(truth(expression, &said), Truth::Holds, "{expression}");
    }
}

#[test]
fn the_expressions_of_a_step_share_what_they_may_cost() {
    let said = said(vec![("list", list(2_000, &Datum::Null))]);
    let one = "handoff.list.all(a, handoff.list.size() > 0)";
    let many = vec![one; 1_000];
    let truths = Expressions.over_handoffs(&many, &[&said]);
    assert_eq!(truths[0], Truth::Holds);
    assert!(truths[999].unknown().is_some_and(|why| why.contains("steps")), "{:?}", truths[999]);
}
