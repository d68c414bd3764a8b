//! Dialect files that cannot be used as they are: what is wrong is said once, where it stands.

use baton_document::carrier::Look;
use baton_document::dialect::DialectFile;
use baton_document::{Checker, Input, LineIndex, MemoryWorld, Scratch};

use crate::users::{with, with_one};

/// All that is found in a file, with places, levels and messages.
fn said(checker: &Checker, path: &str, text: &str) -> Vec<String> {
    let input =
        Input { path: Some(path), bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
    let checked = checker.check(input, &MemoryWorld::default(), &mut Scratch::default());
    let index = LineIndex::new(text);
    let line = |finding: &baton_document::Finding| {
        let place = finding.span.map(|span| index.place(span.start)).unwrap();
        let help = finding.help.as_ref().map(|help| format!(" ({help})")).unwrap_or_default();
        format!("{}:{} {}: {}{help}", place.line, place.column, finding.level.word(), finding.message)
    };
    checked.findings.iter().map(line).collect()
}

/// Holds dialect files against all that is said of them.
fn all_is_said(cases: &[(String, &[&str])]) {
    let checker = with(&[]);
    let mut wrong = String::new();
    for (text, expected) in cases {
        let found = said(&checker, "dialects/own.yaml", text);
        if found != *expected {
            wrong.push_str(&format!("{text}found: {found:#?}\nexpected: {expected:#?}\n\n"));
        }
        let is_refused = found.iter().any(|one| one.contains(" error: "));
        let unusable = with(&[DialectFile { path: "dialects/own.yaml", text }]).unusable().len();
        assert_eq!(unusable, usize::from(is_refused), "{text}");
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A dialect file with a kind that has a field `a`, words `w`, a number `v`, and one more on line 10.
fn field(line: &str) -> String {
    format!(
        "dialect: own\nwritten-in: [yaml]\nrecognise: a\nkinds:\n  one:\n    fields:\n      a: text\n      w: {{words: [p, q]}}\n      v: integer\n      b: {line}\n"
    )
}

/// The same with a condition on line 6.
fn when(condition: &str) -> String {
    format!(
        "dialect: own\nwritten-in: [yaml]\nrecognise: a\nkinds:\n  one:\n    when: {condition}\n    fields: {{a: text, w: {{words: [p, q]}}, v: integer, t: {{type: text, nullable: true}}}}\n"
    )
}

#[test]
fn a_default_fits_its_field() {
    // proves A-09
    all_is_said(&[
        (
            field("{type: integer, default: abc}"),
            &["10:35 error: the default cannot stand there: `b` is text, not an integer"],
        ),
        (
            field("{type: integer, equals: 2.0, default: 3}"),
            &["10:48 error: the default cannot stand there: `b` must be 2"],
        ),
        (
            field("{words: [pending], default: pendng}"),
            &[
                "10:38 error: the default cannot stand there: `b` is `pendng`, which is none of its words (did you mean `pending`?)",
            ],
        ),
        (
            field("{type: timestamp, default: never}"),
            &["10:37 error: the default cannot stand there: `b` is not of the form YYYY-MM-DDTHH:MM:SSZ"],
        ),
        (field("{type: name, default: ''}"), &["10:32 error: the default cannot stand there: `b` is empty"]),
        (
            field("{pattern: '^[0-9]+$', default: x}"),
            &["10:41 error: the default cannot stand there: `b` has another form"],
        ),
        (
            field("{type: path, exists: true, default: ../x}"),
            &["10:46 error: the default cannot stand there: `../x` lies outside the project"],
        ),
        (
            field("{of: integer, default: [1, x]}"),
            &["10:33 error: the default cannot stand there: `b` is text, not an integer"],
        ),
        (
            field("{fields: {x: {type: name, required: true}}, default: {y: 1}}"),
            &["10:63 error: the default cannot stand there: `b.x` is missing"],
        ),
        (
            field("{type: text, default: {by: w, p: 1, r: x}}"),
            &[
                "10:43 error: the default cannot stand there: `b` is an integer, not text",
                "10:46 error: `w` is never `r`, so nothing goes with it (it is one of p, q)",
            ],
        ),
        (
            field("{type: text, default: {by: w}}"),
            &["10:32 error: there is no word here with which something goes"],
        ),
        // What is taken with an info will do.
        (field("{words: [pending], default: Pending}"), &[]),
        (field("{type: text, nullable: true, default: null}"), &[]),
        (field("{fields: {x: {type: name, required: true}}, default: {x: y}}"), &[]),
        (field("{type: path, default: src/../x}"), &[]),
    ]);
    let text = field("{tokens-max: 2, default: one two three four five}");
    let found = said(&with(&[]), "dialects/own.yaml", &text);
    assert!(
        found[0].starts_with("10:35 error: the default cannot stand there: `b` has 5 tokens"),
        "{found:?}"
    );
}

#[test]
fn a_field_means_what_a_value_of_its_type_can_say() {
    // proves A-09
    let cannot =
        |word: &str, column: usize| format!("10:{column} error: a field of this type cannot mean `{word}`");
    for (line, word, column) in [
        ("{of: {type: name}, means: outcome}", "outcome", 36),
        ("{type: boolean, means: delivery}", "delivery", 33),
        ("{type: integer, means: recommendation}", "recommendation", 33),
        ("{fields: {x: text}, means: id}", "id", 37),
        ("{type: list, means: flow}", "flow", 30),
        ("{type: list, means: written}", "written", 30),
        ("{type: list, means: tokens}", "tokens", 30),
        ("{type: boolean, means: branch}", "branch", 33),
        ("{type: date, or-means: [summary]}", "summary", 34),
        ("{either: [{type: boolean}, {type: list}], means: outcome}", "outcome", 59),
    ] {
        all_is_said(&[(field(line), &[&cannot(word, column)])]);
    }
    all_is_said(&[
        (field("{either: [{type: boolean}, {type: text}], means: outcome}"), &[]),
        (field("{of: {type: name}, means: to}"), &[]),
        (field("{words: [done, failed], means: outcome}"), &[]),
        (
            field("{words: [great], means: recommendation}"),
            &[
                "10:34 error: none of its words means any of: continue, repeat, detour, escalate, ask, stop (`great: {means: continue}` says what a word means)",
            ],
        ),
    ]);
}

#[test]
fn what_goes_with_a_field_has_an_effect() {
    // proves A-09
    let whole = "is for a field as a whole, and this is one of its shapes";
    let exists = format!("10:41 error: `exists` {whole}");
    all_is_said(&[
        (field("{either: []}"), &["10:19 error: there is no shape here that a value could have"]),
        (
            field("{either: [{type: number}, {type: integer}]}"),
            &["10:36 warning: no value gets here: a shape before this one takes all of its type"],
        ),
        (field("{either: [{type: path, exists: true}]}"), &[&exists]),
        (
            field("{either: [{type: integer, pattern: '^1'}]}"),
            &["10:45 error: `pattern` is for text: `text`, `name`, `path` or `location`"],
        ),
        (field("{tokens-max: -3}"), &["10:23 error: `tokens-max` is a number from 1 on"]),
        (field("{tokens-max: 0}"), &["10:23 error: `tokens-max` is a number from 1 on"]),
        (
            field("{type: integer, equals: 99999999999999999999}"),
            &["10:34 error: `equals` is a number that fits into 64 bits"],
        ),
        (
            field("{depends-on: zz, cases: {x: {y: text}}}"),
            &["10:23 error: `zz` decides about another field, but is no field of this kind"],
        ),
        (
            field("{type: text, default: {by: zz, x: y}}"),
            &["10:37 error: `zz` decides about another field, but is no field of this kind"],
        ),
        (
            field("{depends-on: w, cases: {pp: {y: text}, q: {y: text}}}"),
            &["10:34 error: `w` is never `pp`, so nothing goes with it (it is one of p, q)"],
        ),
        (field("{depends-on: w, cases: {}}"), &["10:33 error: there is no case here"]),
        (
            field("{type: text, aliases: [a.b]}"),
            &["10:33 error: `a` is a single value, so nothing ever stood at `a.b`"],
        ),
        (
            field("{type: text, aliases: [x-baton]}"),
            &["10:33 error: `x-baton` is known to every dialect, and no other name"],
        ),
        (
            field("text\n      c.d: {aliases: [e]}\n      c.e: text"),
            &["11:23 error: `e` is a field of its own, so it is no other name"],
        ),
        (
            field("text\n      x-baton: any"),
            &["11:7 error: `x-baton` is known to every dialect, and never checked"],
        ),
    ]);
    // What the form takes in other letters and other words is meant so.
    let drift = field("{type: Path, required: yes, levels: {missing: Warning}}");
    let checker = with_one(&drift);
    assert_eq!(said(&checker, "x.yaml", "a: x\n"), ["1:1 warning: `b` is missing"]);
}

#[test]
fn a_condition_says_one_thing_that_can_hold() {
    // proves A-09
    let none = "is no field of this dialect, so nothing can be asked of it";
    let one = "a condition says one thing, and this one says";
    let never = "6:11 error: this can never hold, so no document is of this kind";
    let nosuch = format!("6:11 error: `nosuch` {none}");
    let slip = format!("6:19 error: `vv` {none}");
    let second = format!(
        "6:29 error: {one} `is` already (`all: [{{field: a, is: …}}, {{field: a, matches: …}}]` says both)"
    );
    let other = format!("6:22 error: {one} `all` already (`all: [{{all: …}}, {{any: …}}]` says both)");
    all_is_said(&[
        (when("nosuch"), &[&nosuch]),
        (when("{field: vv, is: 1}"), &[&slip]),
        (when("{field: a, is: x, matches: '^y$'}"), &[&second]),
        (when("{all: [a], any: [w]}"), &[&other]),
        (
            when("{at-least: 1, all: [a]}"),
            &[
                "6:25 error: a condition says one thing, and this one says `at-least` already (`all: [{at-least: …}, {all: …}]` says both)",
            ],
        ),
        (when("{at-least: 1}"), &["6:22 error: `at-least` needs `of`"]),
        (when("{is: x}"), &["6:16 error: `is` needs `field`"]),
        (when("{field: v, from: 5, below: 2}"), &["6:38 error: no number is 5 or more and below 2"]),
        (when("{field: a, is: []}"), &["6:26 error: there is no word here that the field could be"]),
        (when("{field: a, is: [x, [y]]}"), &["6:30 error: a field is a word, a number, `true` or `false`"]),
        (when("false"), &["6:11 error: this can never hold"]),
        (when("{all: [a, {not: a}]}"), &[never]),
        (when("{all: [{any: [w, v]}, {not: {any: [v, w]}}]}"), &[never]),
        (when("{all: [{field: a, is: x}, {field: a, is: [y, z]}]}"), &[never]),
        (when("{all: [{field: v, from: 3}, {field: v, below: 3}]}"), &[never]),
        (when("{all: [{field: v, is: 4}, {field: v, below: 3}]}"), &[never]),
        (when("{all: [{at-least: 2, of: [a, w, v]}, {not: w}, {not: v}]}"), &[never]),
        (
            when("{field: w, is: [p, r]}"),
            &["6:30 error: `w` is never `r`, so this can never hold (`w` is one of p, q)"],
        ),
        (
            when("{field: v, is: x}"),
            &["6:26 error: `v` is never `x`, so this can never hold (`v` is an integer)"],
        ),
        (
            when("{field: v, matches: '^1'}"),
            &["6:31 error: `v` is never text of this form, so this can never hold (`v` is an integer)"],
        ),
        (
            when("{field: a, from: 1}"),
            &["6:28 error: `a` is never a number within such bounds, so this can never hold (`a` is text)"],
        ),
        (when("{'null': a}"), &["6:20 error: `a` is never null, so this can never hold (`a` is text)"]),
        (when("{'null': t}"), &[]),
        (when("{all: [{any: [w, v]}, {not: v}]}"), &[]),
        (when("{all: [{field: w, is: P}, {field: v, from: 3, below: 4}, {not: {field: a, is: x}}]}"), &[]),
    ]);
    let kinds = |kinds: &str| format!("dialect: own\nwritten-in: [yaml]\nrecognise: a\nkinds:\n{kinds}");
    let shared = "fields: {a: text, w: {words: [p, q]}}";
    all_is_said(&[
        (
            kinds(&format!("  one: {{when: a, {shared}}}\n  two: {{when: {{all: [a, w]}}, {shared}}}\n")),
            &[
                "6:3 warning: no document is a `two`: `one` takes all that it is for (put `two` before `one`: the first kind whose `when` holds is the one)",
            ],
        ),
        (
            kinds(&format!(
                "  one: {{when: {{field: w, is: p}}, {shared}}}\n  two: {{when: {{field: w, is: q}}, {shared}}}\n  three: {{when: {{field: w, is: [q, p]}}, {shared}}}\n  four: {{{shared}}}\n"
            )),
            &[
                "7:3 warning: no document is a `three`: the kinds before it take all that it is for (put it before them)",
            ],
        ),
        (
            kinds(&format!("  one: {{when: {{any: [w, {{not: w}}]}}, {shared}}}\n  two: {{{shared}}}\n")),
            &[
                "6:3 warning: no document is a `two`: `one` takes all that it is for (put `two` before `one`: the first kind whose `when` holds is the one)",
            ],
        ),
    ]);
    // A search that would take too long is none.
    let many: Vec<String> = (0..12)
        .map(|at| format!("{{any: [{{at-least: 6, of: [a{at}, w, v, a, t, b, c, d, e, f, g, h]}}, x{at}]}}"))
        .collect();
    let text = when(&format!("{{all: [{}]}}", many.join(", ")));
    assert!(!said(&with(&[]), "dialects/own.yaml", &text).is_empty());
}

#[test]
fn only_the_real_fault_of_a_dialect_file_is_said() {
    // proves A-09
    let file = |written: &str| {
        format!("dialect: own\nwritten-in: {written}\nkinds: {{one: {{fields: {{a: text}}}}}}\n")
    };
    all_is_said(&[
        (file("yaml"), &["2:13 error: `written-in` is text, not a list"]),
        (file("[yml]"), &["2:14 error: `written-in` is `yml`, which is none of its words (did you mean `yaml`?)"]),
        (file("[]"), &["2:13 error: there is no notation here, and a dialect needs one"]),
        (file("[YAML]"), &["2:14 info: `YAML` is taken as `yaml`"]),
        (
            "dialect: own\nwritten-in: [yaml]\nkinds: {}\n".to_owned(),
            &["3:8 error: there is no kind here, and a dialect needs one"],
        ),
        // What all kinds share is wrong once.
        (
            "dialect: own\nwritten-in: [yaml]\nrecognise: a\nfields: {a: {means: sumary}}\nkinds:\n  one: {when: a}\n  two: {}\n".to_owned(),
            &["4:21 error: the common model has no `sumary`; did you mean `summary`?"],
        ),
    ]);
}

#[test]
fn what_a_kind_says_goes_together() {
    // proves A-09
    let kind = |lines: &str| {
        format!(
            "dialect: own\nwritten-in: [yaml]\nrecognise: a\nkinds:\n  one:\n    fields: {{a: text, l: list}}\n{lines}"
        )
    };
    let whole = |lines: &str| format!("dialect: own\nwritten-in: [yaml]\n{lines}");
    all_is_said(&[
        (kind("    root-aliases: [x]\n"), &["7:19 error: `root-aliases` needs `root`"]),
        (kind("    root: x\n    root-aliases: [x]\n"), &["8:20 error: `x` is the root itself"]),
        (
            kind("    partial: true\n    required: [a]\n"),
            &["8:15 warning: `required` has no effect: anything may be missing in a kind that is `partial`"],
        ),
        (
            kind("    ordered: true\n"),
            &["7:14 warning: `ordered` has no effect: the order is the one of `required`, and there is none"],
        ),
        (
            kind("    implies: {outcome: great}\n"),
            &[
                "7:24 error: `great` is none of: done, done-with-concerns, partial, blocked, failed, skipped, running",
            ],
        ),
        (kind("    implies: {from: '{a'}\n"), &["7:21 error: a `{` is not closed"]),
        (
            kind("    implies: {from: '{l}'}\n"),
            &["7:21 error: `l` is no single value that could stand in a text"],
        ),
        (kind("    implies: {from: ''}\n"), &["7:21 error: this says nothing"]),
        (kind("    implies: {outcome: done, from: 'x-{a}'}\n"), &[]),
        (
            whole("places: ['{n}.yaml']\ncaptures: {n: {type: list}}\nkinds: {one: {fields: {a: text}}}\n"),
            &["4:15 error: a path gives one value, and `n` is none"],
        ),
        (
            whole(
                "recognise: items\nentries: {at: items.x, around: {items: text}}\nkinds: {one: {fields: {a: text}}}\n",
            ),
            &["4:15 error: `items` is a single value, so no handoffs stand there"],
        ),
        (
            whole("recognise: items\nentries: {at: items, key: a.b}\nkinds: {one: {fields: {a: text}}}\n"),
            &["4:15 error: `a.b` has a dot: the key of a handoff is a field at its top"],
        ),
        (
            whole("recognise: a\nshapes: {s: {fields: {x: text}}}\nkinds: {one: {fields: {a: text}}}\n"),
            &["4:10 warning: no field has the shape `s`"],
        ),
        (
            whole(
                "recognise: a\nshapes: {s: {type: text, required: true}}\nkinds: {one: {fields: {a: {shape: s}}}}\n",
            ),
            &[
                "4:36 error: `required` is for a field, and this is a shape that fields have (say it where a field has the shape)",
            ],
        ),
        (
            whole("recognise: a\nkinds: {'a kind': {fields: {a: text}}}\n"),
            &["4:9 error: the name of a kind is one word: it is part of the ids of its rules"],
        ),
    ]);
}

#[test]
fn a_path_lies_below_the_root_whether_its_file_is_there_or_not() {
    // proves A-09 A-12
    let checker =
        with_one(&field("{type: path}\n      l: {type: location}\n      e: {type: path, exists: true}"));
    let outside = |place: &str, path: &str| format!("{place} warning: `{path}` lies outside the project");
    assert_eq!(said(&checker, "x.yaml", "a: x\nb: ../x\n"), [outside("2:4", "../x")]);
    assert_eq!(said(&checker, "x.yaml", "a: x\nb: /etc/passwd\n"), [outside("2:4", "/etc/passwd")]);
    assert_eq!(said(&checker, "x.yaml", "a: x\nl: ../x.rs:12\n"), [outside("2:4", "../x.rs")]);
    assert_eq!(said(&checker, "x.yaml", "a: x\ne: ../x\n"), [outside("2:4", "../x")]);
    assert_eq!(said(&checker, "x.yaml", "a: x\nb: src/none.rs\n"), Vec::<String>::new());
}

#[test]
fn what_a_field_may_be_is_said_in_words() {
    // proves A-09
    let text = "dialect: own\nwritten-in: [yaml]\nrecognise: a\nshapes:\n  task:\n    either: [{fields: {what: {type: name, required: true}}}, {type: text}]\n  none: {type: text, nullable: true}\nkinds:\n  one:\n    required: [task]\n    fields: {a: text, task: {shape: task}, n: {either: [{shape: task}, {type: integer}]}, o: {shape: task, nullable: true}, p: {shape: none}}\n";
    let checker = with_one(text);
    let check = |text: &str| {
        let input = Input {
            path: Some("x.yaml"),
            bytes: text.as_bytes(),
            dialect: None,
            look: Look::Prose,
            is_named: true,
        };
        let checked = checker.check(input, &MemoryWorld::default(), &mut Scratch::default());
        let words = |one: &baton_document::Finding| {
            format!("{} | {}", one.message, one.expected.clone().unwrap_or_default())
        };
        checked.findings.iter().map(words).collect::<Vec<_>>()
    };
    assert_eq!(check("a: x\n"), ["`task` is missing | `task`: a map with `what` or text"]);
    assert_eq!(
        check("a: x\ntask: 5\n"),
        ["`task` is an integer, not a map or text | a map with `what` or text"]
    );
    assert_eq!(
        check("a: x\ntask: y\nn: true\n"),
        ["`n` is a boolean, not a map, text or an integer | a map with `what`, text or an integer"]
    );
    // Null is as good as absent where the field says so.
    assert_eq!(check("a: x\ntask: y\no: null\np: null\n"), Vec::<String>::new());
}
