//! `package/unmeasurable-criterion`: a success criterion on which two people would not agree.
//!
//! A figure or a tool or standard known for its verdicts settles it. So does a definite condition or a
//! name, unless a word of opinion stands beside it: "all pages are nice" is still a matter of taste.

use std::sync::LazyLock;

use super::words::{Phrases, Word, words};
use crate::check::Case;
use crate::finding::Level;
use crate::rules::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/unmeasurable-criterion",
    level: Some(Level::Warning),
    page: include_str!("unmeasurable_criterion.md"),
    check: Check::Handoff(check),
};

/// Numbers in words.
static FIGURES: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "zero, two, three, four, five, six, seven, eight, nine, ten, twenty, fifty, hundred, half, \
          deux, trois, quatre, cinq, sept, huit, neuf, dix, vingt, cinquante, cent, moitie, un seul, une seule, \
          exactly one, at most one",
    ])
});

/// Tools and standards that say yes or no by themselves.
static VERDICTS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "owasp, wcag, rgaa, rgpd, gdpr, iso, rfc, nist, cwe, cve, w3c, lighthouse, pagespeed, axe, \
          sonar, sonarqube, sonarcloud, eslint, stylelint, prettier, tslint, tsc, pylint, flake8, mypy, ruff, black, \
          rubocop, phpstan, psalm, clippy, rustfmt, gofmt, golangci, checkstyle, ktlint, shellcheck, hadolint, \
          pytest, jest, vitest, mocha, cypress, playwright, selenium, phpunit, junit, rspec, k6, gatling, jmeter, \
          locust, snyk, trivy, semgrep, codeql, dependabot, npm audit, cargo audit, terraform plan, pa11y, zap, \
          burp, codecov, coveralls, postman, newman, pact",
    ])
});

/// Words of opinion.
static OPINIONS: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&[ENGLISH_OPINIONS, FRENCH_OPINIONS]));

const ENGLISH_OPINIONS: &str = "good, better, best, great, excellent, perfect, perfectly, nice, nicely, beautiful, \
     elegant, clean, cleanly, cleaner, proper, properly, correctly, fast, faster, quick, quickly, quicker, easy, \
     easily, easier, simpler, friendly, intuitive, efficient, efficiently, effective, robust, reliable, scalable, \
     maintainable, readable, clear, clearly, clearer, modern, optimal, optimally, optimized, optimised, improved, \
     improve, appropriate, appropriately, adequate, adequately, sufficient, sufficiently, enough, reasonable, \
     reasonably, acceptable, satisfactory, satisfied, satisfying, happy, smooth, smoothly, seamless, \
     seamlessly, professional, solid, performant, flexible, significant, significantly, attractive, polished, \
     well written, well structured, well designed, well organized, well organised, well documented, well tested, \
     well done, high quality, as needed, if possible, as possible, best practice";

const FRENCH_OPINIONS: &str = "bon, bonne, meilleur, mieux, beau, belle, beaux, joli, propre, proprement, rapide, \
     rapidement, vite, facile, facilement, simplement, intuitif, intuitive, efficace, efficacement, robuste, \
     fiable, maintenable, lisible, clair, clairement, moderne, elegant, optimal, optimaux, optimise, ameliore, \
     ameliorer, approprie, adequat, suffisant, suffisamment, raisonnable, raisonnablement, acceptable, \
     satisfaisant, satisfait, fluide, professionnel, professionnelle, solide, performant, parfait, parfaitement, \
     excellent, correctement, soigne, convivial, ergonomique, agreable, pertinent, coherent, attractif, \
     attractive, bien ecrit, bien structure, bien concu, bien organise, bien documente, bien teste, bien fait, \
     bien pense, de qualite, si possible, au mieux";

/// Conditions that hold or do not.
static CONDITIONS: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(&[ENGLISH_CONDITIONS, FRENCH_CONDITIONS]));

const ENGLISH_CONDITIONS: &str = "all, every, each, no, none, nothing, never, always, without, only, any, pass, passes, \
     passing, exist, exists, compile, build succeeds, builds, can, cannot, must, return, respond, reject, display, \
     redirect, start, load, run, open, contain, include, match, matches, equal, succeed, fail, show, send, \
     written, built, sent, shown, kept, green, identical, present, absent, available, valid, empty, less than, \
     more than, fewer than, at least, at most, maximum, minimum, above, below, under, within, up to date, \
     sign off, signoff, approval by, approval from, approval of, spec, specs, specification, contract, mockup, \
     wireframe, checklist, changelog, readme, schema, user story, user stories, acceptance criteria";

const FRENCH_CONDITIONS: &str = "tout, tous, toute, chaque, aucun, nul, rien, jamais, toujours, sans, seul, seulement, \
     uniquement, passe, passent, existe, existent, compile, compilent, peut, peuvent, doit, doivent, renvoie, \
     renvoient, retourne, retournent, repond, repondent, rejette, affiche, affichent, redirige, demarre, \
     contient, contiennent, correspond, correspondent, couvre, couvrent, envoie, reussit, reussissent, echoue, \
     ecrit, construit, produit, fourni, defini, rempli, etabli, transmis, soumis, recu, rendu, couvert, ouvert, \
     conforme, identique, present, absent, disponible, valide, vide, vert, egal, egaux, inferieur, superieur, \
     moins de, plus de, au moins, au plus, maximum, minimum, a jour, feu vert, accord du, accord de, accord des, \
     validation du, validation de, validation par, approbation du, approbation de, specification, cahier des charges, \
     maquette, contrat, charte, checklist, changelog, readme, schema";

/// Abbreviations of whole fields, which name nothing that could be looked up.
static FIELDS: LazyLock<Phrases> = LazyLock::new(|| {
    Phrases::new(&[
        "ui, ux, api, apis, seo, css, html, js, ts, sql, db, bdd, mvp, url, http, json, xml, kpi, it, ok, \
          rest, crud, php, ia, ai, ihm, cms, saas, i",
    ])
});

fn check(case: &mut Case<'_>) {
    if case.kind() == "acknowledgment" {
        return;
    }
    let Some(criteria) = case.value("expectations.success_criteria") else { return };
    for criterion in criteria.items().filter(|item| item.kind() == Kind::Text) {
        let Some(text) = criterion.text().filter(|text| !is_measurable(text)) else { continue };
        let opinions = opinions(text);
        let message = if opinions.is_empty() {
            "two people could not agree on whether this criterion is met".to_owned()
        } else {
            format!("this criterion is a matter of opinion: {opinions}")
        };
        let finding = case
            .finding(&RULE, message)
            .at(criterion.span())
            .label(if opinions.is_empty() {
                "no figure, name or definite condition in this".to_owned()
            } else {
                format!("when is it {opinions}?")
            })
            .found(text)
            .expected("a figure, a named tool, document or approver, or a definite condition")
            .help("say how it is checked, such as `coverage above 80 %`, `no critical issue open`, `build passes in CI`");
        case.report(&RULE, finding);
    }
}

/// Whether two people checking would agree on yes or no.
fn is_measurable(text: &str) -> bool {
    let mut is_definite = has_path(text);
    let mut is_opinion = false;
    let mut is_first = true;
    let mut rest = words(text);
    while let Some(word) = rest.next() {
        let is_figure = word.text.starts_with(|first: char| first.is_ascii_digit());
        if is_figure || FIGURES.after(&word, &rest).is_some() || VERDICTS.after(&word, &rest).is_some() {
            return true;
        }
        if let Some(after) = OPINIONS.after(&word, &rest) {
            is_opinion = true;
            rest = after;
        } else if !is_definite {
            is_definite =
                CONDITIONS.after(&word, &rest).is_some() || is_state(&word) || is_name(&word, is_first);
        }
        is_first = false;
    }
    is_definite && !is_opinion
}

/// The words of opinion in a text, as they are written there.
fn opinions(text: &str) -> String {
    let mut found = Vec::new();
    let mut rest = words(text);
    while let Some(word) = rest.next() {
        if let Some(after) = OPINIONS.after(&word, &rest) {
            found.push(format!("`{}`", &text[word.start..after.at()]));
            rest = after;
        }
    }
    found.join(", ")
}

/// A word for a state that is reached or not, such as `deployed` or `documentée`.
fn is_state(word: &Word<'_>) -> bool {
    const ENDINGS: [&str; 4] = ["é", "ée", "és", "ées"];
    const NO_STATES: [&str; 12] = [
        "speed", "need", "exceed", "indeed", "feed", "clarte", "beaute", "sante", "surete", "proprete",
        "cote", "volonte",
    ];
    let folded = word.folded();
    let is_french =
        ENDINGS.iter().any(|end| word.text.ends_with(end)) && !folded.trim_end_matches('s').ends_with("ite");
    let is_english = folded.len() > 4 && folded.ends_with("ed");
    (is_french || is_english) && !NO_STATES.contains(&folded.trim_end_matches('s'))
}

/// A name: in capitals, or with one where no sentence starts.
fn is_name(word: &Word<'_>, is_first: bool) -> bool {
    let capitals = word.text.chars().filter(|letter| letter.is_uppercase()).count();
    let is_marked = capitals > 1 || (capitals == 1 && !is_first);
    is_marked && !FIELDS.has(word)
}

/// Whether a text has a path, a file name or a piece of code.
fn has_path(text: &str) -> bool {
    let is_inside = |at: usize, mark: char| {
        let before = text[..at].ends_with(|letter: char| letter.is_ascii_alphanumeric());
        let after = text[at + mark.len_utf8()..].starts_with(|letter: char| letter.is_ascii_alphabetic());
        before && after
    };
    text.contains(['`', '_']) || text.match_indices('.').any(|(at, _)| is_inside(at, '.'))
}
