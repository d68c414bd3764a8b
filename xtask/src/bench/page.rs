//! The page that is written: headings, words and tables, and which limits did not hold.

use super::figures::Limit;

/// A page as it grows.
pub(super) struct Page {
    text: String,
    misses: Vec<String>,
}

impl Page {
    /// Starts with its head.
    pub(super) fn new(head: &str) -> Self {
        Self { text: head.to_owned(), misses: Vec::new() }
    }

    /// Starts a section: its title, and what was done to get its figures.
    pub(super) fn section(&mut self, title: &str, about: &str) {
        eprintln!("== {title}");
        self.text += &format!("\n## {title}\n\n{about}\n");
    }

    /// Adds a paragraph.
    pub(super) fn words(&mut self, words: &str) {
        self.text += &format!("\n{words}\n");
    }

    /// Adds a table; the first column is text, the others are numbers.
    pub(super) fn table(&mut self, columns: &[&str], rows: &[Vec<String>]) {
        let line = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
        let names: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
        let rules: Vec<String> =
            (0..columns.len()).map(|at| if at == 0 { "---" } else { "---:" }.to_owned()).collect();
        self.text += "\n";
        self.text += &line(&names);
        self.text += &line(&rules);
        for row in rows {
            self.text += &line(row);
        }
    }

    /// `yes` or `no` for a figure and its limit; a miss is recorded under its name.
    pub(super) fn holds(&mut self, name: &str, figure: f64, limit: Limit) -> String {
        if limit.holds(figure) {
            return "yes".to_owned();
        }
        self.misses.push(format!("{name}: {figure:.2}, {limit}"));
        "**no**".to_owned()
    }

    /// Records a failure that is no figure.
    pub(super) fn miss(&mut self, what: String) {
        self.misses.push(what);
    }

    /// Adds a section as it was.
    pub(super) fn keep(&mut self, section: &str) {
        self.text += section;
    }

    /// Text so far.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Limits that do not hold.
    pub(super) fn misses(&self) -> &[String] {
        &self.misses
    }
}

/// The section with a title, with its heading; nothing where there is none.
pub(super) fn section_of(page: &str, title: &str) -> String {
    let heading = format!("\n## {title}\n");
    let Some(start) = page.find(&heading) else { return String::new() };
    let behind = start + heading.len();
    let end = page[behind..].find("\n## ").map_or(page.len(), |at| behind + at);
    page[start..end].to_owned()
}

/// A page with a section made again; at its end where it had none.
pub(super) fn with_section(page: &str, title: &str, section: &str) -> String {
    let heading = format!("\n## {title}\n");
    let Some(start) = page.find(&heading) else { return format!("{page}{section}") };
    let behind = start + heading.len();
    let end = page[behind..].find("\n## ").map_or(page.len(), |at| behind + at);
    format!("{}{section}{}", &page[..start], &page[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_its_tables_and_remembers_what_did_not_hold() {
        let mut page = Page::new("# Figures\n");
        page.section("Speed", "Measured.");
        let fast = page.holds("fast", 3.0, Limit::AtLeast(2.0));
        let slow = page.holds("slow", 1.0, Limit::AtLeast(2.0));
        page.table(&["what", "holds"], &[vec!["fast".into(), fast], vec!["slow".into(), slow]]);
        let expected = "# Figures\n\n## Speed\n\nMeasured.\n\n| what | holds |\n| --- | ---: |\n\
                        | fast | yes |\n| slow | **no** |\n";
        assert_eq!(page.text(), expected);
        assert_eq!(page.misses(), ["slow: 1.00, at least 2"]);
    }
    #[test]
    fn a_section_is_made_again_in_its_place() {
        let page = "# Page\n\n## A\n\nold\n\n## B\n\nkept\n";
        assert_eq!(with_section(page, "A", "\n## A\n\nnew\n"), "# Page\n\n## A\n\nnew\n\n## B\n\nkept\n");
        assert_eq!(with_section(page, "B", "\n## B\n\nnew\n"), "# Page\n\n## A\n\nold\n\n## B\n\nnew\n");
        assert_eq!(with_section("# Page\n", "C", "\n## C\n"), "# Page\n\n## C\n");
        assert_eq!(section_of(page, "A"), "\n## A\n\nold\n");
        assert_eq!(section_of(page, "C"), "");
    }
}
