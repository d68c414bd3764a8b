//! Starts a rule: its `.rs` and its page, from the two templates.
//!
//! Invariant: never writes over a file.

use std::fs;
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result, ensure};

const RULES: &str = "crates/baton-document/src/rules";

/// Writes the two files of the rule `id` and says what is left to do by hand.
pub(crate) fn start(id: &str) -> Result<()> {
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let rule = NewRule::named(id)?;
    for path in rule.write(root)? {
        println!("wrote {path}");
    }
    print!("{}", rule.what_is_left());
    Ok(())
}

struct NewRule<'a> {
    id: &'a str,
    dialect: &'a str,
    module: String,
}

impl<'a> NewRule<'a> {
    fn named(id: &'a str) -> Result<Self> {
        let (dialect, name) =
            id.split_once('/').with_context(|| format!("{id:?} is not of the form DIALECT/NAME"))?;
        for part in [dialect, name] {
            let well_formed = part.starts_with(|first: char| first.is_ascii_lowercase())
                && !part.ends_with('-')
                && !part.contains("--")
                && part.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
            ensure!(well_formed, "{part:?} is not lower-case words joined by hyphens");
        }
        Ok(Self { id, dialect, module: name.replace('-', "_") })
    }

    fn folder(&self) -> String {
        format!("{RULES}/{}", self.dialect.replace('-', "_"))
    }

    fn write(&self, root: &Path) -> Result<[String; 2]> {
        let folder = self.folder();
        ensure!(
            root.join(&folder).join("mod.rs").is_file(),
            "{folder}/mod.rs does not exist: {:?} has no rules yet, start its table first",
            self.dialect
        );
        let code = format!("{folder}/{}.rs", self.module);
        let page = format!("{folder}/{}.md", self.module);
        for path in [&code, &page] {
            ensure!(!root.join(path).exists(), "{path} exists already");
        }
        for (path, template) in
            [(&code, include_str!("templates/rule.rs.txt")), (&page, include_str!("templates/rule.md.txt"))]
        {
            let text = template.replace("{id}", self.id).replace("{module}", &self.module);
            fs::File::create_new(root.join(path))
                .and_then(|mut file| file.write_all(text.as_bytes()))
                .with_context(|| format!("failed to write {path}"))?;
        }
        Ok([code, page])
    }

    fn what_is_left(&self) -> String {
        let Self { id, module, .. } = self;
        let table = format!("{}/mod.rs", self.folder());
        format!(
            "now:\n\
             \x20 1. in {table}: `mod {module};` and the row `&{module}::RULE`\n\
             \x20 2. write the page: its wrong and right examples are the rule's tests\n\
             \x20 3. write `check` until they pass, then read the page with `baton explain {id}`\n"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_that_is_no_rule_id_is_refused() {
        for id in ["manifest", "Manifest/x", "manifest/", "manifest/-x", "manifest/x--y", "manifest/a/b"] {
            assert!(NewRule::named(id).is_err(), "{id}");
        }
    }

    #[test]
    fn two_files_are_written_once_and_never_over_another() {
        let root = tempfile::tempdir().expect("a directory for the test");
        let rule = NewRule::named("manifest/from-equals-to").expect("a well-formed id");
        let folder = root.path().join(rule.folder());

        let without_table = rule.write(root.path()).expect_err("the dialect has no table yet");
        assert!(without_table.to_string().contains("start its table first"), "{without_table}");

        fs::create_dir_all(&folder).expect("the folder of the dialect");
        fs::write(folder.join("mod.rs"), "").expect("the table of the dialect");
        rule.write(root.path()).expect("two new files");
        let code = fs::read_to_string(folder.join("from_equals_to.rs")).expect("the rule");
        let page = fs::read_to_string(folder.join("from_equals_to.md")).expect("the page");
        assert!(code.contains("include_str!(\"from_equals_to.md\")"), "{code}");
        assert!(page.starts_with("# manifest/from-equals-to\n"), "{page}");
        assert!(!format!("{code}{page}").contains("{id}"), "{code}{page}");

        fs::remove_file(folder.join("from_equals_to.rs")).expect("the rule is gone");
        let over_page = rule.write(root.path()).expect_err("the page exists");
        assert!(over_page.to_string().contains("exists already"), "{over_page}");
        assert!(!folder.join("from_equals_to.rs").exists(), "nothing is written when one of the two exists");
    }
}
