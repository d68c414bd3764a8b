//! Gives each hostile file to the real program, in every form of report, in a process of its own with a limit.

use std::fs::{self, File};
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::super::page::Page;
use super::super::process::{self, End, Seen};
use super::{FILES, Hostile};

/// The address space of the process, which its resident memory cannot exceed.
const ADDRESS_SPACE_MIB: u64 = 256;

const SECONDS_MAX: f64 = 1.0;

/// Time limit of a process.
const PATIENCE: Duration = Duration::from_secs(5);

const FORMS: &[&str] = &["text", "json", "jsonl", "sarif", "github", "junit"];

/// The form whose first line names the first rule.
const LINES: &str = "jsonl";

/// Part of a report that is searched for that rule.
const FIRST_BYTES: u64 = 64 * 1024;

/// Rules that refuse a text or a part of it regardless of its content, as every rule about syntax does.
const REFUSALS: &[&str] = &[
    "document/alias-bomb",
    "document/duplicate-key",
    "document/not-text",
    "document/too-deep",
    "document/too-large",
    "document/xml-doctype",
];

/// Runs them all and adds their section.
pub(in crate::bench) fn measure(program: &Path, page: &mut Page) -> Result<()> {
    page.section(
        "Hostile files",
        &format!(
            "Each file is checked by `baton check FILE` in every form of report ({}), each time in a process of its own whose\n\
             address space is limited to {ADDRESS_SPACE_MIB} MiB. The row shows the slowest form, the highest resident memory and the largest report\n\
             of them all, the rule that is found first, and the first that refuses the text itself. The limits: {SECONDS_MAX:.0} second and {ADDRESS_SPACE_MIB} MiB, and the process ends by itself\n\
             with a report.",
            FORMS.join(", ")
        ),
    );
    let files: Vec<&Hostile> = FILES.iter().copied().flatten().collect();
    let mut rows = Vec::new();
    for file in files {
        let answer = answer(program, file)?;
        eprintln!("{:<70} {:.3} s {:.1} MiB", file.name, answer.seconds, answer.peak_mib);
        if let Some(miss) = &answer.miss {
            page.miss(format!("{} ({miss})", file.name));
        }
        rows.push(vec![
            file.name.to_owned(),
            format!("{:.3}", answer.seconds),
            format!("{:.1}", answer.peak_mib),
            format!("{:.1}", answer.report_mib),
            quoted(answer.rule),
            quoted(answer.refusal),
            answer.miss.map_or_else(|| "yes".to_owned(), |miss| format!("**no**: {miss}")),
        ]);
    }
    page.table(&["file", "seconds", "peak MiB", "report MiB", "first rule", "refusal", "holds"], &rows);
    Ok(())
}

fn quoted(rule: Option<String>) -> String {
    rule.map_or_else(|| "none".to_owned(), |rule| format!("`{rule}`"))
}

/// Worst result of a hostile file over all forms.
struct Answer {
    seconds: f64,
    peak_mib: f64,
    report_mib: f64,
    /// The rule found first.
    rule: Option<String>,
    /// The first rule that refuses the text itself.
    refusal: Option<String>,
    miss: Option<String>,
}

fn answer(program: &Path, hostile: &Hostile) -> Result<Answer> {
    let folder = tempfile::tempdir().context("failed to make a folder")?;
    write(folder.path(), "baton.toml", &[])?;
    if let Some(beside) = &hostile.beside {
        write(folder.path(), beside.path, &(beside.make)())?;
    }
    write(folder.path(), hostile.path, &(hostile.make)())?;
    let mut answer =
        Answer { seconds: 0.0, peak_mib: 0.0, report_mib: 0.0, rule: None, refusal: None, miss: None };
    let mut misses = Vec::new();
    for form in FORMS {
        let report = folder.path().join("report");
        let mut command = Command::new("prlimit");
        command
            .arg(format!("--as={}", ADDRESS_SPACE_MIB * 1024 * 1024))
            .arg(program)
            .args(["check", hostile.path, "--format", form])
            .current_dir(folder.path())
            .stdout(File::create(&report).context("failed to make a file")?)
            .stderr(Stdio::null());
        let seen = process::watch(&mut command, PATIENCE)?;
        answer.seconds = answer.seconds.max(seen.seconds);
        answer.peak_mib = answer.peak_mib.max(seen.peak_mib);
        let bytes = report.metadata().context("failed to look at a report")?.len();
        let mib = bytes as f64 / f64::from(1 << 20);
        answer.report_mib = answer.report_mib.max(mib);
        if *form == LINES {
            let rules = rules(&start_of(&report)?);
            answer.refusal = rules.iter().find(|rule| is_refusal(rule)).cloned();
            answer.rule = rules.into_iter().next();
        }
        if let Some(miss) = missed(seen) {
            misses.push((*form, miss));
        }
    }
    answer.miss = summed(&misses);
    Ok(answer)
}

fn write(root: &Path, path: &str, bytes: &[u8]) -> Result<()> {
    let path = root.join(path);
    fs::create_dir_all(path.parent().unwrap_or(root)).context("failed to make a folder")?;
    fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.display()))
}

fn start_of(report: &Path) -> Result<String> {
    let mut bytes = Vec::new();
    File::open(report)?.take(FIRST_BYTES).read_to_end(&mut bytes).context("failed to read a report")?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The rules in a report of lines, in its order; its last line may be cut.
fn rules(report: &str) -> Vec<String> {
    let rule = |line: &str| {
        let (_, rest) = line.split_once("\"rule\":\"")?;
        rest.split_once('"').map(|(rule, _)| rule.to_owned())
    };
    report.lines().filter_map(rule).collect()
}

fn is_refusal(rule: &str) -> bool {
    REFUSALS.contains(&rule) || rule.ends_with("-syntax")
}

/// Broken promise of a run.
fn missed(seen: Seen) -> Option<&'static str> {
    match seen.end {
        // 0: nothing blocks, 1: findings block.
        End::Code(0 | 1) if seen.seconds <= SECONDS_MAX => None,
        End::Code(0 | 1) => Some("too slow"),
        End::Code(_) => Some("no answer"),
        End::Signal => Some("out of memory"),
        End::Patience => Some("ended after 5 seconds"),
    }
}

/// One sentence for what was missed in which forms.
fn summed(misses: &[(&str, &'static str)]) -> Option<String> {
    let first = misses.first()?.1;
    if misses.len() == FORMS.len() && misses.iter().all(|(_, miss)| *miss == first) {
        return Some(first.to_owned());
    }
    let parts: Vec<String> = misses.iter().map(|(form, miss)| format!("{form} {miss}")).collect();
    Some(parts.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_are_read_from_a_report_of_lines() {
        let report = "{\"path\":\"a\",\"rule\":\"a/b\",\"level\":\"error\"}\n{\"rule\":\"document/too-deep\"}\n{\"rule\":\"do";
        assert_eq!(rules(report), ["a/b", "document/too-deep"]);
        assert_eq!(rules("{\"files\":0}\n"), [""; 0]);
    }

    #[test]
    fn a_refusal_is_about_the_text_and_not_about_what_it_says() {
        assert!(is_refusal("document/too-deep") && is_refusal("document/yaml-syntax"));
        assert!(!is_refusal("document/unknown-key") && !is_refusal("envelope/evidence"));
    }

    #[test]
    fn a_run_must_end_by_itself_in_time() {
        let seen = |seconds, end| Seen { seconds, peak_mib: 1.0, end };
        assert_eq!(missed(seen(0.9, End::Code(1))), None);
        assert_eq!(missed(seen(1.1, End::Code(0))), Some("too slow"));
        assert_eq!(missed(seen(0.1, End::Code(4))), Some("no answer"));
        assert_eq!(missed(seen(0.1, End::Signal)), Some("out of memory"));
    }

    #[test]
    fn what_every_form_misses_is_said_once() {
        assert_eq!(summed(&[]), None);
        let all: Vec<(&str, &'static str)> = FORMS.iter().map(|form| (*form, "too slow")).collect();
        assert_eq!(summed(&all).as_deref(), Some("too slow"));
        assert_eq!(
            summed(&[("text", "too slow"), ("json", "out of memory")]).as_deref(),
            Some("text too slow, json out of memory")
        );
    }

    #[test]
    fn every_hostile_file_has_a_name_of_its_own() {
        let mut names: Vec<&str> = FILES.iter().copied().flatten().map(|file| file.name).collect();
        let all = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), all);
        assert!(names.iter().all(|name| !name.contains('|')), "a bar would end the cell of a table");
    }
}
