//! Every rule has a page, and every example on it does what the page says.

use baton_document::carrier::Look;
use baton_document::dialect::{DialectFile, Keys, Settings};
use baton_document::page::{self, Example, Page, Role};
use baton_document::{
    Checker, Finding, Input, Level, LevelSet, Levels, Limits, LineIndex, MemoryWorld, Scratch, read_dialect,
};

/// The checkers that examples are run with, made once: that is what takes time.
struct Checkers {
    usual: Checker,
    small: Checker,
}

fn made_with(limits: Limits, rules: Vec<(String, Option<Level>)>) -> Checker {
    Checker::new(&Settings::default(), Levels::new(vec![LevelSet { paths: Vec::new(), rules }]), limits)
}

impl Checkers {
    fn new() -> Self {
        let small =
            Limits { file_bytes: 1_000, depth: 8, scalar_bytes: 100, alias_nodes: 20, ..Limits::default() };
        // A rule that is off unless configured is configured for its own page.
        let off = baton_document::rules::all().filter(|rule| rule.level.is_none());
        let rules: Vec<_> = off.map(|rule| (rule.id.to_owned(), Some(Level::Warning))).collect();
        Self { usual: made_with(Limits::default(), rules.clone()), small: made_with(small, rules) }
    }

    fn findings(&self, page: &Page, example: &Example, world: &MemoryWorld) -> Vec<Finding> {
        match example.file.as_deref() {
            Some(file) if file.ends_with(".dialect.yaml") => findings_of_dialect(example),
            Some(_) | None => self.findings_of_handoff(page, example, world),
        }
    }

    fn findings_of_handoff(&self, page: &Page, example: &Example, world: &MemoryWorld) -> Vec<Finding> {
        let checker = if example.has_small_limits { &self.small } else { &self.usual };
        let with_own = with_dialects_beside(page, example);
        let checker = with_own.as_ref().unwrap_or(checker);
        let dialect = page.id.split('/').next().filter(|name| !matches!(*name, "document" | "dialect"));
        let name = example.file.as_deref();
        let input = Input {
            path: name,
            bytes: &example.bytes,
            dialect: dialect.filter(|_| name.is_none()),
            look: Look::Prose,
            is_named: true,
        };
        checker.check(input, world, &mut Scratch::default()).findings
    }
}

/// A checker with the dialect files that lie beside the examples of a page, where there are some.
///
/// On the page of a rule about dialect files the example itself is one.
fn with_dialects_beside(page: &Page, example: &Example) -> Option<Checker> {
    let examples = page::examples_of(&page.text);
    let beside = examples.iter().filter(|example| example.role == Role::Beside);
    let beside = beside.chain(page.id.starts_with("dialect/").then_some(example));
    let files: Vec<DialectFile<'_>> = beside
        .filter_map(|example| {
            let path = example.file.as_deref().filter(|path| path.starts_with("dialects/"))?;
            Some(DialectFile { path, text: std::str::from_utf8(&example.bytes).unwrap() })
        })
        .collect();
    let made = || Checker::with_dialects(&Settings::default(), Levels::default(), Limits::default(), &files);
    (!files.is_empty()).then(made)
}

/// Dialect files define what is checked and are read by their own reader.
fn findings_of_dialect(example: &Example) -> Vec<Finding> {
    let mut findings = Vec::new();
    let text = std::str::from_utf8(&example.bytes).unwrap();
    read_dialect(text, &Settings::default(), &mut Keys::default(), &mut findings);
    findings
}

fn run(checkers: &Checkers, page: &Page, faults: &mut Vec<String>) {
    let examples = page::examples_of(&page.text);
    let mut world = MemoryWorld::default();
    for example in examples.iter().filter(|example| example.role == Role::Beside) {
        let (path, text) =
            (example.file.clone().unwrap_or_default(), String::from_utf8_lossy(&example.bytes));
        if example.is_created { world.create(path, text) } else { world.insert(path, text) }
    }
    for role in [Role::Wrong, Role::Right] {
        if !examples.iter().any(|example| example.role == role) {
            faults.push(format!("{}: no {role:?} example", page.id));
        }
    }
    for example in examples.iter().filter(|example| example.role != Role::Beside) {
        let all = checkers.findings(page, example, &world);
        let own: Vec<&Finding> = all.iter().filter(|finding| finding.rule == page.id).collect();
        let shown = || format!("{}\n{}", page.id, String::from_utf8_lossy(&example.bytes));
        match example.role {
            Role::Wrong if own.is_empty() => {
                faults.push(format!("finds nothing wrong: {}\n{all:?}", shown()));
            }
            Role::Right if !own.is_empty() => {
                faults.push(format!("finds fault with what is right: {}\n{own:?}", shown()));
            }
            Role::Right if all.iter().any(|finding| finding.level == Level::Error) => {
                faults.push(format!("the right example has errors: {}\n{all:?}", shown()));
            }
            Role::Wrong | Role::Right | Role::Beside => {}
        }
        if let Some((line, column)) = example.finds {
            let text = String::from_utf8_lossy(&example.bytes);
            let index = LineIndex::new(&text);
            let places: Vec<_> =
                own.iter().filter_map(|finding| finding.span).map(|span| index.place(span.start)).collect();
            if !places.iter().any(|place| (place.line, place.column) == (line, column)) {
                faults.push(format!("not found at {line}:{column} but at {places:?}: {}", shown()));
            }
        }
    }
}

fn run_all(is_wanted: impl Fn(&str) -> bool) {
    let checkers = Checkers::new();
    let checker = &checkers.usual;
    let mut faults = Vec::new();
    let mut count = 0;
    for (id, _) in page::ids(checker).into_iter().filter(|(id, _)| is_wanted(id)) {
        count += 1;
        match page::find(checker, &id) {
            Some(page) => run(&checkers, &page, &mut faults),
            None => faults.push(format!("{id}: no page")),
        }
    }
    assert!(count > 0, "no rule was looked at");
    for fault in &faults {
        eprintln!("{fault}\n");
    }
    assert!(faults.is_empty(), "{} of {count} pages are wrong", faults.len());
}

fn is_shape(id: &str) -> bool {
    id.split('/').count() == 3
}

#[test]
fn the_examples_on_the_pages_of_rules_do_what_the_pages_say() {
    // proves A-14
    run_all(|id| !is_shape(id));
}

#[test]
fn the_examples_made_for_shape_rules_do_what_their_pages_say() {
    // proves
    run_all(is_shape);
}
