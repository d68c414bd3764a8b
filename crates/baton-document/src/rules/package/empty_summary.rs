//! `package/empty-summary`: a summary that is a phrase which says nothing.

use std::sync::LazyLock;

use super::words::{Phrases, words};
use crate::check::{Case, Value};
use crate::finding::Level;
use crate::rules::{Check, Rule};
use crate::tree::Kind;

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/empty-summary",
    level: Some(Level::Error),
    page: include_str!("empty_summary.md"),
    check: Check::Handoff(check),
};

/// A text that only strings such phrases together is short; a longer one is left to the other rules.
const BYTES_MAX: usize = 120;

static PHRASES: LazyLock<Phrases> = LazyLock::new(|| Phrases::new(&[ENGLISH, FRENCH]));

const ENGLISH: &str = "done, all done, it s done, it is done, its done, i m done, i am done, we re done, we are done, \
     all is done, everything done, everything is done, job done, work done, task done, the work is done, \
     the task is done, the job is done, finished, all finished, it is finished, i m finished, \
     i am finished, work finished, task finished, finish, completed, complete, all completed, all complete, \
     it is complete, task completed, task complete, work completed, work complete, job complete, \
     mission accomplished, ok, okay, all ok, all okay, everything ok, everything is ok, it is ok, all good, \
     all is good, everything is good, everything is fine, all fine, fine, good, great, perfect, all set, \
     good to go, ready, all ready, ready to go, success, successful, it works, everything works, fixed, \
     all fixed, see above, as above, as requested, as discussed, lgtm, looks good, looks good to me, thanks, \
     thank you, yes, there you go, here you go, here it is, nothing, nothing to report, nothing to say, none, \
     no summary, n a, na, tbd, todo, to do, to be completed, ditto, idem, same as before";

const FRENCH: &str = "fait, c est fait, voila, et voila, le voila, c est bon, c est ok, c est okay, c est termine, \
     c est fini, c est acheve, c est pret, c est parfait, c est tout, termine, tout termine, tout est termine, \
     j ai termine, nous avons termine, fini, tout est fini, j ai fini, tout est fait, tout fait, tout est bon, \
     tout bon, tout est ok, tout ok, tout est pret, tout est en ordre, tout va bien, tout s est bien passe, \
     tout fonctionne, tout marche, ca marche, ca fonctionne, travail termine, travail fait, travail fini, \
     travail acheve, le travail est termine, le travail est fait, tache terminee, tache faite, tache finie, \
     tache accomplie, la tache est terminee, la tache est faite, mission accomplie, boulot fait, effectue, \
     realise, acheve, complete, pret, d accord, bon, bien, nickel, parfait, impeccable, super, reussi, succes, \
     corrige, merci, oui, voir ci dessus, voir plus haut, comme demande, comme convenu, comme prevu, rien, \
     rien a signaler, rien a dire, ras, r a s, neant, sans objet, a completer, a remplir, a faire";

fn check(case: &mut Case<'_>) {
    let Some(summary) = of(case) else { return };
    let Some(text) = summary.text().filter(|text| is_empty(text)) else { return };
    let is_blank = words(text).next().is_none();
    let message = if is_blank { "`summary` is empty" } else { "`summary` is a phrase that says nothing" };
    let finding = case
        .finding(&RULE, message)
        .at(summary.span())
        .label("the receiver learns nothing from this")
        .found(if text.trim().is_empty() { "empty text" } else { text })
        .expected("what was done, how much, or where")
        .help("name what was made, how many, and the paths: the receiver knows only what is written here");
    case.report(&RULE, finding);
}

/// The summary of a package, where it is text.
pub(super) fn of<'c>(case: &Case<'c>) -> Option<Value<'c>> {
    let has_summary = case.kind() != "acknowledgment";
    let summary = has_summary.then(|| case.value("context.summary")).flatten();
    summary.filter(|summary| summary.kind() == Kind::Text)
}

/// Whether a text is nothing but known phrases that say nothing.
pub(super) fn is_empty(text: &str) -> bool {
    if text.len() > BYTES_MAX {
        return text.trim().is_empty();
    }
    let mut rest = words(text);
    while let Some(word) = rest.next() {
        match PHRASES.after(&word, &rest) {
            Some(after) => rest = after,
            None => return false,
        }
    }
    true
}
