//! `cargo xtask bench check`: every figure that this project claims, made in one run and written to one page.
//! `cargo xtask bench judgement`, `ledger`, `flow`, `hop` and `couriers` make their sections again.
//!
//! Invariant: a figure stands beside its limit, and a limit that does not hold is said on the page and ends
//! the run as failed.

mod conversion;
mod couriers;
mod documents;
mod figures;
mod flow;
mod hop;
mod hostile;
mod judgement;
mod ledger;
mod page;
mod process;
mod start;
mod tree;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail, ensure};

use crate::{Task, cargo};
use page::Page;

/// Measures and writes the page of figures.
pub(crate) const TASK: Task = Task {
    name: "bench",
    arguments: "check [SECTION] | judgement | ledger | flow | hop | couriers",
    does: "measures, and writes docs/benchmarks.md; one section of check is only printed",
    run,
};

/// A part of the page.
struct Section {
    name: &'static str,
    measure: fn(&Path, &mut Page) -> Result<()>,
}

const SECTIONS: &[Section] = &[
    Section { name: "documents", measure: documents::measure },
    Section { name: "conversion", measure: conversion::measure },
    Section { name: "start", measure: start::measure },
    Section { name: "tree", measure: tree::measure },
    Section { name: "hostile", measure: hostile::measure },
    Section { name: "judgement", measure: judgement::measure },
];

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const PAGE: &str = "docs/benchmarks.md";

const HEAD: &str = "\
# Benchmarks

`cargo xtask bench check` makes this page in one run, but for its last sections, which `cargo xtask bench ledger`,
`cargo xtask bench flow` and `cargo xtask bench couriers` make.
The machine has 2 cores. Times say what this machine needs; ratios are taken between things that ran in turn on it, so
they should hold on others.
";

fn run(arguments: &[String]) -> Result<()> {
    if let Some(stood_in) = couriers::stand_in::run(arguments) {
        return stood_in;
    }
    let (sections, is_all) = match arguments {
        [what] if what == "judgement" => return alone(judgement::TITLE, judgement::measure),
        [what] if what == "ledger" => return alone(ledger::TITLE, ledger::measure),
        [what] if what == "flow" => {
            return alone(flow::TITLE, flow::measure).and(alone(hop::TITLE, hop::measure));
        }
        [what] if what == "hop" => return alone(hop::TITLE, hop::measure),
        [what] if what == "couriers" => return alone(couriers::TITLE, couriers::measure),
        [what] if what == "check" => (SECTIONS, true),
        [what, name] if what == "check" => (section(name)?, false),
        _ => bail!("usage: cargo xtask bench {}", TASK.arguments),
    };
    cargo::run("the program", &["build", "--release", "--package", "baton"])?;
    let program = program()?;
    let mut page = Page::new(HEAD);
    for section in sections {
        (section.measure)(&program, &mut page)?;
    }
    println!("{}", page.text());
    if is_all {
        let path = Path::new(ROOT).join(PAGE);
        // The flows have a run of their own, and stay on the page.
        let old = fs::read_to_string(&path).unwrap_or_default();
        page.keep(&page::section_of(&old, ledger::TITLE));
        page.keep(&page::section_of(&old, flow::TITLE));
        page.keep(&page::section_of(&old, hop::TITLE));
        page.keep(&page::section_of(&old, couriers::TITLE));
        fs::write(&path, page.text()).with_context(|| format!("failed to write {}", path.display()))?;
    }
    match page.misses() {
        [] => Ok(()),
        misses => bail!("{} limits do not hold:\n{}", misses.len(), misses.join("\n")),
    }
}

/// Makes a section again that needs no other program, in its place on the page.
fn alone(title: &str, measure: fn(&Path, &mut Page) -> Result<()>) -> Result<()> {
    let mut page = Page::new("");
    measure(Path::new(""), &mut page)?;
    println!("{}", page.text());
    let path = Path::new(ROOT).join(PAGE);
    let old = fs::read_to_string(&path).with_context(|| format!("failed to read {}", path.display()))?;
    fs::write(&path, page::with_section(&old, title, page.text()))
        .with_context(|| format!("failed to write {}", path.display()))?;
    match page.misses() {
        [] => Ok(()),
        misses => bail!("{} limits do not hold:\n{}", misses.len(), misses.join("\n")),
    }
}

fn section(name: &str) -> Result<&'static [Section]> {
    let found = SECTIONS.iter().position(|section| section.name == name);
    let names: Vec<&str> = SECTIONS.iter().map(|section| section.name).collect();
    let at = found.with_context(|| format!("no section is called {name:?}, only {}", names.join(", ")))?;
    Ok(&SECTIONS[at..=at])
}

/// The program that was built last; it lies beside this one, wherever cargo builds.
fn program() -> Result<PathBuf> {
    let here = std::env::current_exe().context("failed to find this program")?;
    let target = here.ancestors().nth(2).context("this program lies in no target folder")?;
    let program = target.join("release/baton");
    ensure!(program.is_file(), "{} is not there", program.display());
    Ok(program)
}
