//! Whether rework can mend what a validator says blocks: failed types, lint or tests, and nothing else.
//!
//! Each blocking issue must say itself what it is. One that does not is taken for something else, and the run halts:
//! halting in vain costs a person a look, going on in vain buries what that person had to know.

use baton_document::ArenaValue;

/// A check whose failures the writer can mend.
struct Mendable {
    /// Its key in `checks`.
    key: &'static str,
    /// The words that name it, its usual tools among them.
    names: &'static [&'static str],
}

const MENDABLE: [Mendable; 3] = [
    Mendable {
        key: "types",
        names: &["type", "types", "typing", "typecheck", "typechecker", "typage", "mypy", "pyright", "tsc"],
    },
    Mendable {
        key: "lint",
        names: &["lint", "lints", "linter", "linting", "eslint", "pylint", "flake8", "ruff", "clippy"],
    },
    Mendable {
        key: "tests",
        names: &["test", "tests", "testing", "unittest", "unittests", "pytest", "jest", "vitest"],
    },
];

/// How words begin that say that something failed.
const FAILING: [&str; 10] =
    ["fail", "error", "erreur", "échou", "échec", "broken", "broke", "violat", "warning", "mismatch"];

/// How words begin that speak of security, which is never reworked.
const SECURITY: [&str; 13] = [
    "secur",
    "sécur",
    "insecur",
    "vulnerab",
    "vulnérab",
    "injection",
    "exploit",
    "faille",
    "xss",
    "csrf",
    "ssrf",
    "cve",
    "owasp",
];

/// Whether all that blocks is failed types, lint or tests.
pub(crate) fn is_reworkable(findings: ArenaValue<'_>) -> bool {
    let Some(checks) = findings.get("checks") else { return false };
    let security = checks.get("security");
    let has_issues = security.and_then(|check| check.get("issues")).is_some_and(|issues| !is_empty(issues));
    if has_issues || security.is_some_and(has_failed) {
        return false;
    }
    let failed: Vec<(&Mendable, ArenaValue<'_>)> = MENDABLE
        .iter()
        .filter_map(|check| Some((check, checks.get(check.key)?)))
        .filter(|(_, said)| has_failed(*said))
        .collect();
    let blocking = findings.get("blocking_issues").unwrap_or(ArenaValue::Null);
    !failed.is_empty() && items(blocking).iter().all(|issue| is_one_of(*issue, &failed))
}

/// Whether a blocking issue is what one of these checks found.
fn is_one_of(issue: ArenaValue<'_>, failed: &[(&Mendable, ArenaValue<'_>)]) -> bool {
    let Some(text) = issue.as_text() else { return false };
    let issue = words(text);
    if issue.is_empty() || begins(&issue, &SECURITY) {
        return false;
    }
    failed.iter().any(|(check, said)| names(&issue, text, check) || repeats(&issue, *said))
}

/// Whether an issue says that this check failed: in words, or as `types: …`.
fn names(issue: &[String], text: &str, check: &Mendable) -> bool {
    let is_name = |word: &str| check.names.contains(&word);
    let head = text.split_once(':').map(|(head, _)| words(head));
    let is_headed = head.is_some_and(|head| matches!(head.as_slice(), [word] if is_name(word)));
    is_headed || (issue.iter().any(|word| is_name(word)) && begins(issue, &FAILING))
}

/// Whether an issue says what a check lists: the same, a part of it, or it with no more than as much besides.
fn repeats(issue: &[String], said: ArenaValue<'_>) -> bool {
    let holds = |all: &[String], part: &[String]| all.windows(part.len()).any(|window| window == part);
    let lists = ["errors", "failures"].into_iter().filter_map(|list| said.get(list));
    lists.flat_map(items).filter_map(|listed| listed.as_text()).map(words).any(|listed| {
        !listed.is_empty()
            && (holds(&listed, issue) || (listed.len() * 2 >= issue.len() && holds(issue, &listed)))
    })
}

fn has_failed(check: ArenaValue<'_>) -> bool {
    matches!(check.get("passed"), Some(ArenaValue::Boolean(false)))
}

fn begins(words: &[String], stems: &[&str]) -> bool {
    words.iter().any(|word| stems.iter().any(|stem| word.starts_with(stem)))
}

/// The words of a text, in small letters.
fn words(text: &str) -> Vec<String> {
    let words = text.split(|one: char| !one.is_alphanumeric()).filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// What a list lists; a value by itself is a list of one.
fn items(list: ArenaValue<'_>) -> Vec<ArenaValue<'_>> {
    match list {
        ArenaValue::List(items) => items.to_vec(),
        ArenaValue::Null => Vec::new(),
        ArenaValue::Boolean(_) | ArenaValue::Number(_) | ArenaValue::Text(_) | ArenaValue::Map(_) => {
            vec![list]
        }
    }
}

fn is_empty(list: ArenaValue<'_>) -> bool {
    items(list).is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether these issues can be mended where types and tests failed, with what they list.
    fn is_mended(issues: &[&str]) -> bool {
        let text = |text: &&'static str| ArenaValue::Text(text);
        let errors: Vec<_> = ["e", "src/lib/auth.ts:42 no property token"].iter().map(text).collect();
        let types = [("passed", ArenaValue::Boolean(false)), ("errors", ArenaValue::List(&errors))];
        let failures: Vec<_> = ["login"].iter().map(text).collect();
        let tests = [("passed", ArenaValue::Boolean(false)), ("failures", ArenaValue::List(&failures))];
        let security = [("passed", ArenaValue::Boolean(true)), ("issues", ArenaValue::List(&[]))];
        let checks = [
            ("types", ArenaValue::Map(&types)),
            ("lint", ArenaValue::Map(&[("passed", ArenaValue::Boolean(true))])),
            ("tests", ArenaValue::Map(&tests)),
            ("security", ArenaValue::Map(&security)),
        ];
        let issues: Vec<_> = issues.iter().map(|issue| ArenaValue::Text(issue)).collect();
        let findings = [("checks", ArenaValue::Map(&checks)), ("blocking_issues", ArenaValue::List(&issues))];
        is_reworkable(ArenaValue::Map(&findings))
    }

    // proves X-09: rework is for failed types, lint and tests.
    #[test]
    fn an_issue_that_says_which_check_failed_is_mended() {
        assert!(is_mended(&[]));
        for issue in [
            "Type error in src/lib/auth.ts:42",
            "1 test fails",
            "mypy: no property token",
            "Tests: 5 of 6 pass",
            "test_login failed",
            "2 erreurs de typage",
            "login",
            "no property token",
            "src/lib/auth.ts:42: no property token on User",
        ] {
            assert!(is_mended(&[issue]), "{issue}");
        }
    }

    // proves X-09: any other stop halts, and security always does.
    #[test]
    fn one_issue_of_another_kind_is_enough_to_halt() {
        for issue in [
            "SQL injection in src/auth.py",
            "licence of the new library is not approved",
            "the type of the licence is not approved",
            "3 lint errors",
            "src/lib/auth.ts has no owner who could approve it",
            "the tests fail because of an XSS vulnerability",
            "security: types fail",
            "",
        ] {
            assert!(!is_mended(&["1 test fails", issue]), "{issue}");
        }
    }
}
