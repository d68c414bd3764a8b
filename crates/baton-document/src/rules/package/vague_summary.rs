//! `package/vague-summary`: a summary that names nothing specific.

use std::sync::LazyLock;

use super::empty_summary;
use super::words::{Phrases, words};
use crate::check::Case;
use crate::finding::Level;
use crate::rules::{Check, Rule};

/// The rule.
pub(crate) static RULE: Rule = Rule {
    id: "package/vague-summary",
    level: Some(Level::Warning),
    page: include_str!("vague_summary.md"),
    check: Check::Handoff(check),
};

static GENERAL: LazyLock<Phrases> =
    LazyLock::new(|| Phrases::new(&[ENGLISH_SMALL, ENGLISH, FRENCH_SMALL, FRENCH]));

const ENGLISH_SMALL: &str = "a, an, the, this, that, these, those, it, its, i, we, you, they, he, she, my, our, your, \
     their, me, us, them, is, are, was, were, be, been, being, am, has, have, had, do, does, did, will, would, \
     can, could, should, may, might, must, shall, not, no, and, or, but, so, then, than, as, at, by, for, from, \
     in, into, of, on, to, with, without, up, out, over, about, now, here, there, all, any, some, every, \
     everything, something, anything, nothing, each, both, more, most, many, much, few, other, another, next, \
     previous, last, first, new, same, also, just, only, very, too, again, already, still, yet, well, if, when, \
     while, what, which, who, how, via, off, down, after, before, once, above, below, s, t, ve, re, ll, d, m, \
     fully, partially, entirely, completely, almost, nearly, mostly, finally, quickly, soon, please, thanks";

const ENGLISH: &str = "done, finish, finished, complete, completed, completion, end, ended, ready, ok, okay, good, \
     great, fine, nice, best, better, success, successful, successfully, perfect, perfectly, correctly, \
     properly, smoothly, work, worked, working, job, jobs, task, thing, stuff, step, stage, phase, part, piece, item, \
     element, change, changed, update, updated, modification, modify, modified, fix, fixes, fixed, improve, \
     improved, improvement, implement, implemented, implementation, create, created, add, adds, added, make, \
     made, develop, developed, development, handle, handled, process, processed, processing, progress, proceed, \
     continue, continued, go, goes, gone, went, going, start, started, begin, begun, try, tried, look, looked, \
     looking, review, reviewed, check, checked, tested, verify, verified, validate, validated, validation, \
     approve, approved, deliver, delivered, delivery, deployed, prepare, prepared, set, configured, refactored, \
     cleaned, written, wrote, write, ran, adjust, adjusted, adjustment, requested, request, asked, require, \
     required, requirement, need, needed, expected, planned, discussed, agreed, described, mentioned, \
     instruction, provided, given, assigned, issue, problem, bug, bugs, error, code, file, feature, functionality, \
     project, result, output, handoff, handed, passed, summary, team, agent, taken, take, care, move, moved, \
     moving, forward, resolve, resolved, solved, addressed, final, finalize, finalized, quality, met, goal, \
     objective, order, place";

const FRENCH_SMALL: &str = "le, la, les, l, un, une, des, de, du, d, ce, cet, cette, ces, ca, cela, c, il, elle, on, \
     nous, vous, ils, elles, je, j, tu, ma, mon, mes, ta, ton, tes, sa, son, ses, se, notre, nos, votre, vos, \
     leur, est, sont, etait, etaient, ete, etre, suis, es, sommes, ai, avons, avez, ont, avait, avoir, sera, \
     seront, et, ou, mais, donc, puis, que, qu, qui, quoi, dont, comme, si, ne, n, pas, plus, y, en, au, aux, \
     par, pour, sur, sous, dans, avec, sans, chez, vers, tout, tous, rien, tres, bien, aussi, encore, deja, \
     maintenant, ici, voila, voici, afin, ainsi, selon, suite, apres, avant, peu, quelque, plusieurs, certain, \
     autre, meme, chaque, aucun, prochain, suivant, dernier, derniere, premier, premiere, nouveau, nouvelle, \
     nouveaux, lui, merci, normalement, desormais, ci, dessus, dessous, totalement, completement, \
     entierement, partiellement, presque, enfin, bientot";

const FRENCH: &str = "fait, faire, finir, fini, termine, terminer, acheve, complet, complete, fin, finalise, pret, bon, \
     bonne, super, parfait, parfaitement, nickel, reussi, succes, correctement, travail, travaux, boulot, \
     tache, chose, truc, etape, phase, partie, element, point, changement, modification, modifie, modif, mis, \
     mise, jour, correction, corrige, amelioration, ameliore, implemente, implementation, cree, creation, \
     ajoute, ajout, realise, realisation, effectue, developpe, developpement, traite, traitement, avance, \
     avancement, continue, continuer, commence, demarre, passe, passer, marche, fonctionne, regle, resolu, \
     verifie, verification, teste, valide, validation, approuve, livre, livraison, deploye, prepare, \
     preparation, configure, refactorise, nettoye, ecrit, redige, ajuste, ajustement, demande, requis, \
     necessaire, besoin, attendu, convenu, prevu, discute, decrit, mentionne, indique, fourni, donne, assigne, \
     probleme, erreur, souci, code, fichier, fonctionnalite, projet, resultat, ensemble, totalite, equipe, \
     agent, relais, main, cote, ordre, objectif, atteint, exigence, qualite, place";

fn check(case: &mut Case<'_>) {
    let Some(summary) = empty_summary::of(case) else { return };
    let Some(text) = summary.text() else { return };
    if is_specific(text) || empty_summary::is_empty(text) {
        return;
    }
    let finding = case
        .finding(&RULE, "`summary` names nothing specific")
        .at(summary.span())
        .label("no object, figure, name or path in this")
        .found(text)
        .expected("what was done, how much, or where; one of them is enough")
        .help("every word here fits any work at all; name the thing, the number or the path");
    case.report(&RULE, finding);
}

/// Whether a text has a path, or a word that does not fit just any work: a figure is such a word too.
fn is_specific(text: &str) -> bool {
    text.contains(['/', '_', '`']) || words(text).any(|word| !GENERAL.has(&word))
}
