//! `cargo xtask fuzz [TARGET] [SECONDS]`: runs the fuzz targets from seeds that the repository already holds.
//!
//! A target without a crash ends after its seconds; a crash ends the run with the command that repeats it.
//! Cannot: mend what it finds; the input stays in `fuzz/artifacts`, which is not kept in git.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

use crate::{Task, cargo};

pub(crate) const TASK: Task = Task {
    name: "fuzz",
    arguments: "[TARGET] [SECONDS]",
    does: "runs the fuzz targets, each for a minute unless told otherwise",
    run,
};

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

const TARGETS: &[&str] = &["json", "yaml", "xml", "prose", "lines", "check", "fix", "convert"];

/// The targets that read a file's name from the first byte of their input.
const NAMED: &[&str] = &["check", "fix", "convert"];

/// First bytes that choose each of the names which those targets know.
const NAMES: std::ops::RangeInclusive<u8> = b'0'..=b'7';

const SECONDS: u32 = 60;

/// The longest that one input may take before it counts as a hang.
const INPUT_SECONDS_MAX: u32 = 5;

/// Whole files that are seeds: what people read, what rules say of themselves, what is measured.
const SEED_FOLDERS: &[&str] =
    &["examples", "crates/baton-document/src/rules", "crates/baton-document/benches/data"];

/// Files whose examples are seeds.
const DIALECTS: &str = "crates/baton-document/dialects";

const ENDINGS: &[&str] = &["json", "jsonl", "yaml", "xml", "md"];

fn run(arguments: &[String]) -> Result<()> {
    let request = meant(arguments)?;
    if !cargo::has("fuzz") {
        bail!("needs cargo-fuzz; install it with: cargo install cargo-fuzz --locked");
    }
    let seeds = seeds(Path::new(ROOT))?;
    println!("{} seeds", seeds.len());
    for target in request.targets {
        sow(target, &seeds)?;
        let seconds = format!("-max_total_time={}", request.seconds);
        let input_seconds = format!("-timeout={INPUT_SECONDS_MAX}");
        let arguments = ["fuzz", "run", target, "--", &seconds, &input_seconds, "-print_final_stats=1"];
        // Instrumented code is an unstable option of the compiler; this opens it on a stable one.
        cargo::run_with(target, &arguments, &[("RUSTC_BOOTSTRAP", "1")])?;
    }
    Ok(())
}

/// Arguments of the task.
#[derive(Debug, PartialEq)]
struct Request {
    targets: Vec<&'static str>,
    seconds: u32,
}

fn meant(arguments: &[String]) -> Result<Request> {
    let known = |name: &String| TARGETS.iter().find(|target| *target == name);
    let (targets, rest) = match arguments.split_first() {
        Some((name, rest)) if known(name).is_some() => (known(name).into_iter().copied().collect(), rest),
        _ => (TARGETS.to_vec(), arguments),
    };
    let seconds = match rest {
        [] => SECONDS,
        [seconds] => seconds.parse().with_context(|| {
            format!("{seconds:?} is neither a target ({}) nor seconds", TARGETS.join(", "))
        })?,
        _ => bail!("wants at most {}", TASK.arguments),
    };
    Ok(Request { targets, seconds })
}

/// Puts the seeds into the corpus of a target; those that are there already stay as they are.
fn sow(target: &str, seeds: &[String]) -> Result<()> {
    let corpus: PathBuf = [ROOT, "fuzz/corpus", target].iter().collect();
    fs::create_dir_all(&corpus).with_context(|| format!("failed to make {}", corpus.display()))?;
    let write = |name: String, bytes: &[u8]| {
        let path = corpus.join(name);
        fs::write(&path, bytes).with_context(|| format!("failed to write {}", path.display()))
    };
    for (at, seed) in seeds.iter().enumerate() {
        if NAMED.contains(&target) {
            for name in NAMES {
                write(format!("seed-{at}-{}", char::from(name)), &[&[name], seed.as_bytes()].concat())?;
            }
        } else {
            write(format!("seed-{at}"), seed.as_bytes())?;
        }
    }
    Ok(())
}

/// Every text of the repository that a handoff stands in.
fn seeds(root: &Path) -> Result<Vec<String>> {
    let mut seeds = Vec::new();
    for folder in SEED_FOLDERS {
        for path in files_below(&root.join(folder))? {
            let is_seed = path.extension().is_some_and(|ending| ENDINGS.iter().any(|known| ending == *known));
            if is_seed {
                seeds.push(read(&path)?);
            }
        }
    }
    for path in files_below(&root.join(DIALECTS))? {
        seeds.extend(examples(&read(&path)?));
    }
    Ok(seeds)
}

fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).with_context(|| format!("failed to read {}", path.display()))
}

/// The files below a folder, in the order of their paths.
fn files_below(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        let entries =
            fs::read_dir(&folder).with_context(|| format!("failed to read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    Ok(files)
}

/// The literal blocks below `examples:` in a file of a dialect, without their indentation.
fn examples(dialect: &str) -> Vec<String> {
    let mut examples: Vec<String> = Vec::new();
    // Indentation of `examples:`, and of its current block.
    let mut list: Option<usize> = None;
    let mut block: Option<usize> = None;
    for line in dialect.lines() {
        let start = line.trim_start();
        let depth = line.len() - start.len();
        if let Some(margin) = block
            && (depth > margin || start.is_empty())
            && let Some(example) = examples.last_mut()
        {
            // A block stands two columns right of its dash.
            example.push_str(line.get(margin + 2..).unwrap_or_default());
            example.push('\n');
            continue;
        }
        block = None;
        if start == "examples:" {
            list = Some(depth);
        } else if list.is_some_and(|list| depth > list) && start == "- |" {
            examples.push(String::new());
            block = Some(depth);
        } else if !start.is_empty() {
            list = None;
        }
    }
    examples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn without_arguments_every_target_runs() -> Result<()> {
        assert_eq!(meant(&[])?, Request { targets: TARGETS.to_vec(), seconds: SECONDS });
        assert_eq!(meant(&words(&["5"]))?, Request { targets: TARGETS.to_vec(), seconds: 5 });
        assert_eq!(meant(&words(&["xml"]))?, Request { targets: vec!["xml"], seconds: SECONDS });
        assert_eq!(meant(&words(&["xml", "5"]))?, Request { targets: vec!["xml"], seconds: 5 });
        Ok(())
    }

    #[test]
    fn what_is_neither_target_nor_seconds_is_refused() {
        assert!(meant(&words(&["toml"])).is_err());
        assert!(meant(&words(&["xml", "5", "6"])).is_err());
    }

    #[test]
    fn the_targets_are_those_of_the_manifest() -> Result<()> {
        let manifest = read(&Path::new(ROOT).join("fuzz/Cargo.toml"))?;
        let paths = manifest.lines().filter_map(|line| line.strip_prefix("path = \"fuzz_targets/"));
        let names: Vec<&str> = paths.filter_map(|path| path.strip_suffix(".rs\"")).collect();
        assert_eq!(names, TARGETS);
        Ok(())
    }

    #[test]
    fn examples_lose_their_margin_and_nothing_else() {
        let dialect = "\
kinds:
  a:
    examples:
      - |
        from: x

          to: y
      - |
        <a/>
    required: [b]
  b:
    text: |
      - |
        none
";
        assert_eq!(examples(dialect), ["from: x\n\n  to: y\n", "<a/>\n"]);
    }

    #[test]
    fn every_dialect_gives_seeds() -> Result<()> {
        let seeds = seeds(Path::new(ROOT))?;
        for part in ["\"step_id\":", "\"task_id\":", "source_file:", "<handoff>", "handoff:\n  id"] {
            assert!(
                seeds.iter().any(|seed| seed.starts_with(['{', '<', 'v', 'h']) && seed.contains(part)),
                "{part}"
            );
        }
        Ok(())
    }
}
