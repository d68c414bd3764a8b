//! Two agents take turns: manifests go to and fro until nothing is left in the work queue.

use baton_kernel::{Ending, Event, Outcome, Reason};

use super::{Scene, given, play};

const TOPIC: (&str, &str) = ("topic", "safety gates");
const FILE: &str = "meta/handoff.yaml";

/// A manifest about the n-th discussion file.
fn manifest(number: u8, from: &str, to: &str, left: &[&str]) -> String {
    let left = left.join(", ");
    format!(
        "version: 1\nsource_file: discussion/{number:03}-{from}-response.md\ngenerated_at: \"2026-02-09\"\nfrom: {from}\nto: {to}\nbranch: handoff/{number}-{from}-to-{to}\nwork_queue_items: [{left}]\nfiles_changed: [src/gates.ts]\nstatus: pending\nsent_at: null\nsession_key: null\n"
    )
}

fn claude(scene: &mut Scene<'_>, number: u8, left: &[&str]) -> String {
    given(&scene.answer("claude", &manifest(number, "claude", "codex", left)))
}

fn codex(scene: &mut Scene<'_>, number: u8, left: &[&str]) -> String {
    given(&scene.answer("codex", &manifest(number, "codex", "claude", left)))
}

// proves S-03: the relay of two agents runs from the first proposal to the end of the queue.
#[test]
fn two_agents_alternate_until_nothing_is_left() {
    play("relay", TOPIC, |scene| {
        let asked = scene.answer("claude", &manifest(57, "claude", "codex", &["safety-gates", "autonomy"]));
        let prompt = asked.prompt.as_deref().unwrap_or_default();
        assert_eq!(prompt, "Answer with the next discussion file about safety gates.");
        let asked = codex(scene, 58, &["autonomy"]);
        assert!(
            asked.contains("source_file: discussion/057-claude-response.md"),
            "as it was written: {asked}"
        );
        assert!(asked.contains("from: claude") && asked.contains("to: codex"), "{asked}");
        assert!(asked.contains("- safety-gates") && !asked.contains("x-baton"), "{asked}");
        let asked = claude(scene, 59, &["autonomy"]);
        assert!(
            asked.contains("from: codex") && asked.contains("discussion/058-codex-response.md"),
            "{asked}"
        );
        codex(scene, 60, &[]);
        assert_eq!(scene.ending(), Some(Ending::Finished(Outcome::Done)));
        assert_eq!(scene.at_work(), 0);
        assert_eq!(scene.reasons().last(), Some(&Reason::Holds), "nothing is left, and that is why it ends");
    });
}

// proves S-07: both directions repeat the same content; it is found without waking an agent.
#[test]
fn the_same_thing_to_and_fro_is_stopped() {
    play("relay", TOPIC, |scene| {
        claude(scene, 57, &["autonomy"]);
        codex(scene, 58, &["autonomy"]);
        claude(scene, 57, &["autonomy"]);
        assert_eq!(scene.asked(), None, "mere alternation is none, and one side that repeats itself neither");
        codex(scene, 58, &["autonomy"]);
        assert_eq!(scene.asked(), Some(Reason::PingPong));
        assert_eq!(scene.at_work(), 0, "nobody was woken for it");
        let before = scene.events().len();
        scene.go_on(60_000);
        assert_eq!(scene.events().len(), before);
    });
}

// proves S-03: the file of that system says what is relayed, with the time; what went to nobody stays `pending`.
#[test]
fn the_manifest_file_follows_the_delivery() {
    play("relay", TOPIC, |scene| {
        assert!(!scene.has_file(FILE), "nothing was handed over yet");
        claude(scene, 57, &["autonomy"]);
        scene.go_on(0);
        let file = scene.file(FILE);
        assert!(
            file.contains("discussion/057-claude-response.md") && file.contains("status: sent"),
            "{file}"
        );
        assert!(file.contains("sent_at: \"1970-01-01T00:16:4"), "{file}");
        // The last one goes to nobody.
        codex(scene, 58, &[]);
        let file = scene.file(FILE);
        assert!(file.contains("discussion/058-codex-response.md"), "{file}");
        assert!(file.contains("status: pending") && file.contains("sent_at: null"), "{file}");
    });
}

// proves M-18: each manifest and each sending stays in the ledger, also when the file is replaced.
#[test]
fn history_is_never_overwritten() {
    play("relay", TOPIC, |scene| {
        let all = [57, 58, 59].map(|number| format!("discussion/{number:03}-"));
        claude(scene, 57, &["autonomy", "gates"]);
        codex(scene, 58, &["autonomy"]);
        claude(scene, 59, &["gates"]);
        scene.go_on(0);
        let file = scene.file(FILE);
        assert!(file.contains(&all[2]) && !file.contains(&all[0]), "the file is the latest: {file}");
        let texts = scene.payloads();
        for one in &all {
            assert_eq!(
                texts.iter().filter(|text| text.contains(one.as_str())).count(),
                1,
                "{one}: {texts:?}"
            );
        }
        let sent = scene.events().into_iter().filter(|event| matches!(event, Event::DeliveryStarted { .. }));
        assert_eq!(sent.count(), 4, "each sending is a fact of its own");
    });
}
