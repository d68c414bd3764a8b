//! Author and critic in rounds: every way out of the loop, the detours, the files, and the joins of branches.

use baton_courier::What as Says;
use baton_engine::mirror::Filed;
use baton_kernel::{Choice, Ending, Event, Outcome, Reason, Target, Verdict};

use super::{RUN, Scene, given, play, play_text};

const GOAL: (&str, &str) = ("goal", "Limit loans to five.");

/// An envelope of an agent at a step; `routing` is what its routing says besides the reason.
fn envelope(at: (&str, &str), status: &str, what: &str, concerns: &str, routing: &str) -> String {
    let (step, agent) = at;
    format!(
        r#"{{"meta":{{"step_id":"{step}","flow_key":"microloop","agent_key":"{agent}","timestamp":"2026-01-01T00:00:00Z"}},"status":"{status}","summary":{{"what_i_did":"{what}","what_i_found":"Old loans stay.","key_decisions":[],"evidence":{{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{{}}}}}},"concerns":[{concerns}],"assumptions":[],"routing":{{{routing},"reason":"see above"}}}}"#
    )
}

const CONTINUE: &str = r#""recommendation":"CONTINUE""#;

fn author(scene: &mut Scene<'_>, what: &str) -> String {
    given(&scene.answer("author", &envelope(("build", "author"), "UNVERIFIED", what, "", CONTINUE)))
}

/// The critic is not content.
fn critic(scene: &mut Scene<'_>, concern: &str, recommends: &str, helps: bool) -> String {
    let concern = format!(
        r#"{{"severity":"HIGH","description":"{concern}","location":"src/loans.py:42","recommendation":"Check it."}}"#
    );
    let routing = format!(r#""recommendation":"{recommends}","can_further_iteration_help":{helps}"#);
    given(
        &scene.answer("critic", &envelope(("build", "critic"), "UNVERIFIED", "Looked.", &concern, &routing)),
    )
}

fn content(scene: &mut Scene<'_>, recommends: &str) -> String {
    let routing = format!(r#""recommendation":"{recommends}","can_further_iteration_help":false"#);
    given(&scene.answer("critic", &envelope(("build", "critic"), "VERIFIED", "Looked.", "", &routing)))
}

/// The author publishes, and the run is over.
fn publish(scene: &mut Scene<'_>) -> String {
    let published = envelope(("publish", "author"), "VERIFIED", "Published.", "", CONTINUE);
    let asked = given(&scene.answer("author", &published));
    assert_eq!(scene.ending(), Some(Ending::Finished(Outcome::Done)), "{:?}", scene.reasons());
    asked
}

fn research(scene: &mut Scene<'_>, found: &str) -> String {
    given(&scene.answer("researcher", &envelope(("look-up", "researcher"), "VERIFIED", found, "", CONTINUE)))
}

/// The decisions in which what was recommended contradicts what was decided.
fn contradictions(scene: &Scene<'_>) -> Vec<Reason> {
    let contradicts = |event| {
        if let Event::Routed { reason, contradiction: true, .. } = event { Some(reason) } else { None }
    };
    scene.events().into_iter().filter_map(contradicts).collect()
}

// proves E-03, E-08: VERIFIED exits the loop and advances; UNVERIFIED of the author lets the critic decide.
#[test]
fn a_critic_that_is_content_ends_the_loop() {
    play("microloop", GOAL, |scene| {
        let asked = author(scene, "Limited loans.");
        assert_eq!(asked, "Limit loans to five.", "nobody has done anything yet: no envelope is made up");
        let asked = content(scene, "CONTINUE");
        assert!(asked.contains("\"agent_key\": \"author\"") && asked.contains("Limited loans."), "{asked}");
        let asked = publish(scene);
        assert!(
            asked.contains("\"status\": \"VERIFIED\"") && asked.contains("\"agent_key\": \"critic\""),
            "{asked}"
        );
        assert_eq!(scene.reasons(), [Reason::Started, Reason::Review, Reason::Verified, Reason::Done]);
    });
}

// proves E-08: UNVERIFIED with further help loops; without it the loop is left, and its concerns go along.
#[test]
fn concerns_loop_while_another_round_helps() {
    play("microloop", GOAL, |scene| {
        author(scene, "Limited loans.");
        critic(scene, "No test", "LOOP", true);
        let asked = author(scene, "Added a test.");
        assert!(asked.contains("\"description\": \"No test\"") && asked.contains("Check it."), "{asked}");
        critic(scene, "No index", "CONTINUE", false);
        let asked = publish(scene);
        assert!(asked.contains("\"description\": \"No index\""), "the concern goes along: {asked}");
        let reasons = scene.reasons();
        assert_eq!(reasons[2..5], [Reason::FurtherHelp, Reason::Review, Reason::NoFurtherHelp]);
    });
}

// proves E-03, E-08: BLOCKED, of the author or of the critic, goes to a human.
#[test]
fn what_is_blocked_goes_to_a_person() {
    let blocked = |agent: &str| {
        envelope(("build", agent), "BLOCKED", "No database.", "", r#""recommendation":"ESCALATE""#)
    };
    play("microloop", GOAL, |scene| {
        scene.answer("author", &blocked("author"));
        assert_eq!((scene.asked(), scene.at_work()), (Some(Reason::Blocked), 0));
        scene.person(Choice::Again, Some("The database is up again."));
        let asked = author(scene, "Limited loans.");
        assert!(asked.contains("The database is up again."), "{asked}");
        scene.answer("critic", &blocked("critic"));
        assert_eq!((scene.asked(), scene.at_work()), (Some(Reason::Blocked), 0));
        scene.person(Choice::Halt, None);
        assert_eq!(scene.ending(), Some(Ending::Halted(Reason::PersonSaid)));
    });
}

// proves E-08: the cap of three rounds ends the loop, and says that this is why.
#[test]
fn the_cap_ends_the_loop_with_its_reason() {
    play("microloop", GOAL, |scene| {
        for concern in ["No test", "No index", "No log"] {
            author(scene, &format!("Worked against: {concern}."));
            critic(scene, concern, "LOOP", true);
        }
        assert_eq!(scene.reasons().last(), Some(&Reason::RoundsExhausted));
        let asked = publish(scene);
        assert!(asked.contains("\"description\": \"No log\""), "{asked}");
    });
}

// proves E-08: the same failure twice in a row, whatever its line numbers and letters, is a stall before the cap.
#[test]
fn the_same_concern_twice_is_a_stall_and_takes_the_detour() {
    play("microloop", GOAL, |scene| {
        author(scene, "Limited loans.");
        critic(scene, "Fails at line 12 of src/loans.py:12", "LOOP", true);
        author(scene, "Limited loans again.");
        critic(scene, "fails at line 90 of src/loans.py:90", "LOOP", true);
        assert_eq!(scene.reasons().last(), Some(&Reason::Stalled));
        let asked = scene.answer(
            "researcher",
            &envelope(("look-up", "researcher"), "VERIFIED", "The index is missing.", "", CONTINUE),
        );
        assert!(given(&asked).contains("fails at line 90"), "{}", given(&asked));
        let prompt = asked.prompt.as_deref().unwrap_or_default();
        assert!(prompt.contains("what keeps the author and the critic from agreeing"), "{prompt}");
        let asked = author(scene, "Added the index.");
        assert!(asked.contains("The index is missing."), "back where it left, with what was found: {asked}");
        content(scene, "CONTINUE");
        publish(scene);
    });
}

// proves E-08, E-09: what a person says to a stall goes to the author, with its work and what the critic found in it.
#[test]
fn a_person_who_answers_a_stall_is_heard_by_the_author() {
    let flow = "flow: pair\ninputs:\n  goal: null\nagents:\n  author: { dialect: envelope }\n  critic: { dialect: envelope }\nsteps:\n  - build:\n      loop: { author: author, critic: critic, rounds: 4 }\n  - publish: author\n";
    play_text(flow, GOAL, |scene| {
        for what in ["Limited loans.", "Limited loans again."] {
            author(scene, what);
            critic(scene, "Nothing says what a loan is", "LOOP", true);
        }
        assert_eq!(scene.asked(), Some(Reason::Stalled));
        scene.person(Choice::Again, Some("A loan is a book that is out."));
        let asked = author(scene, "Limited books that are out.");
        for part in
            ["Limited loans again.", "Nothing says what a loan is", "Answer: A loan is a book that is out."]
        {
            assert!(asked.contains(part), "{part} is not in {asked}");
        }
        let asked = critic(scene, "Nothing says what a loan is", "LOOP", true);
        assert!(asked.contains("Limited books that are out."), "{asked}");
        assert!(!asked.contains("a book that is out."), "it looks at the work alone: {asked}");
        let asked = author(scene, "Said what a loan is.");
        assert!(asked.contains("Nothing says what a loan is") && !asked.contains("again."), "{asked}");
        content(scene, "CONTINUE");
        publish(scene);
    });
}

// proves E-08: status and further help win over the recommendation, and the contradiction is recorded.
#[test]
fn a_recommendation_that_contradicts_is_recorded_and_loses() {
    play("microloop", GOAL, |scene| {
        author(scene, "Limited loans.");
        critic(scene, "No test", "CONTINUE", true);
        assert_eq!(contradictions(scene), [Reason::FurtherHelp]);
        author(scene, "Added a test.");
        content(scene, "LOOP");
        assert_eq!(contradictions(scene), [Reason::FurtherHelp, Reason::Verified]);
        publish(scene);
    });
    play("microloop", GOAL, |scene| {
        author(scene, "Limited loans.");
        critic(scene, "No test", "LOOP", false);
        assert_eq!(contradictions(scene), [Reason::NoFurtherHelp]);
        publish(scene);
    });
}

// proves E-09: a detour by its kind or its step, back to where it left, two of a kind; then a human.
#[test]
fn detours_come_back_and_are_counted() {
    play("microloop", GOAL, |scene| {
        for (number, name) in ["research", "look-up"].into_iter().enumerate() {
            let routing = format!(r#""recommendation":"DETOUR","next_step_suggestion":"{name}""#);
            let what = format!("What is a loan? ({number})");
            scene.answer("author", &envelope(("build", "author"), "UNVERIFIED", &what, "", &routing));
            assert_eq!(scene.reasons().last(), Some(&Reason::DetourAsked), "{name}");
            let asked = research(scene, &format!("A loan is a row of loans. ({number})"));
            assert!(asked.contains("What is a loan?"), "{asked}");
        }
        let routing = r#""recommendation":"DETOUR","next_step_suggestion":"research""#;
        let asked =
            scene.answer("author", &envelope(("build", "author"), "UNVERIFIED", "And a book?", "", routing));
        assert!(given(&asked).contains("A loan is a row of loans. (1)"), "{}", given(&asked));
        assert_eq!(scene.asked(), Some(Reason::DetoursExhausted));
        let routed = scene.events().into_iter().rev().find_map(|event| {
            if let Event::Routed { candidates, winner, .. } = event {
                Some((candidates, winner))
            } else {
                None
            }
        });
        let (candidates, winner) = routed.expect("every decision is recorded");
        assert_eq!(winner, Target::Person);
        assert!(candidates.contains(&Target::Detour(0)), "with its candidates: {candidates:?}");
    });
}

// proves E-09: ESCALATE goes to a human with everything needed to decide, and what they say goes on.
#[test]
fn an_escalation_shows_a_person_what_it_is_about() {
    play("microloop", GOAL, |scene| {
        let routing = r#""recommendation":"ESCALATE""#;
        let asks = envelope(("build", "author"), "UNVERIFIED", "Five per year or at once?", "", routing);
        scene.answer("author", &asks);
        let view = scene.view();
        let question = view.pending.questions.first().expect("a person is asked");
        assert_eq!(question.reason, Reason::EscalationAsked);
        let step = view.state.plan().step(question.step).map(|step| step.name.as_str());
        assert_eq!(step, Some("build"));
        let from = question.from.and_then(|from| view.state.plan().agents.get(usize::from(from.0)));
        assert_eq!(from.map(|agent| agent.name.as_str()), Some("author"));
        let texts = scene.payloads();
        assert!(
            question.content.is_some() && texts.contains(&asks),
            "what it handed over is there: {texts:?}"
        );
        scene.person(Choice::Again, Some("At once."));
        let asked = author(scene, "Limited loans.");
        assert!(asked.contains("Five per year or at once?") && asked.contains("At once."), "{asked}");
    });
}

// proves E-05: an envelope per step, the draft while it is worked on, and earlier rounds.
#[test]
fn files_of_rounds_and_drafts_are_kept() {
    play("microloop", GOAL, |scene| {
        let folder = format!(".runs/{RUN}/microloop/handoffs");
        let (file, draft) =
            (format!("{folder}/build-author.json"), format!("{folder}/build-author.draft.json"));
        scene.notes(Says::Draft(br#"{"status":"UNVERIFIED"}"#.to_vec()));
        scene.go_on(0);
        assert_eq!(scene.file(&draft), r#"{"status":"UNVERIFIED"}"#);
        assert!(!scene.has_file(&file));
        author(scene, "Limited loans.");
        scene.go_on(0);
        assert!(!scene.has_file(&draft), "the envelope stands in its place");
        assert!(scene.file(&file).contains("Limited loans."));
        critic(scene, "No test", "LOOP", true);
        author(scene, "Added a test.");
        scene.go_on(0);
        assert!(scene.file(&file).contains("Added a test."), "{}", scene.file(&file));
        let first = scene.file(&format!("{folder}/build-author.r1.json"));
        assert!(first.contains("Limited loans."), "{first}");
        content(scene, "CONTINUE");
        publish(scene);
        assert!(scene.file(&format!("{folder}/publish-author.json")).contains("Published."));
        assert!(scene.file(&format!("{folder}/build-critic.r1.json")).contains("No test"));
    });
}

// proves S-02: what was taken from a file is recorded as taken from that file.
#[test]
fn an_answer_through_a_file_is_recorded_as_such() {
    play("microloop", GOAL, |scene| {
        let file = format!(".runs/{RUN}/microloop/handoffs/build-author.json");
        scene.write(&file, &envelope(("build", "author"), "UNVERIFIED", "Limited loans.", "", CONTINUE));
        scene.go_on(0);
        scene.go_on(0);
        assert_eq!(scene.reasons().last(), Some(&Reason::Review), "it is the answer of the author");
        let history = scene.history();
        let at = history.iter().position(|entry| Filed::read(&entry.record).is_some());
        let at = at.expect("it is recorded");
        let filed = Filed::read(&history[at].record).expect("it can be read");
        assert_eq!((filed.agent.as_str(), filed.path), ("author", file));
        let next = history[at + 1].event.as_ref();
        assert!(matches!(next, Some(Event::Answered { key, .. }) if *key == filed.key), "{next:?}");
    });
}

/// Plays three branches that end with these statuses, in order; gives why it went on, how, and who was stopped.
fn joined(join: &str, statuses: &[&str]) -> (Reason, Option<Verdict>, usize) {
    let flow = format!(
        "flow: three\ninputs:\n  goal: null\nagents:\n  ada: {{ dialect: envelope }}\n  ben: {{ dialect: envelope }}\n  cyd: {{ dialect: envelope }}\nsteps:\n  - all:\n      parallel: [one, two, three]\n      join: {join}\n      on-fail: ask\n  - one: ada\n  - two: ben\n  - three: cyd\n  - after: ada\n"
    );
    let mut result = None;
    play_text(&flow, GOAL, |scene| {
        for (agent, status) in ["ada", "ben", "cyd"].into_iter().zip(statuses) {
            scene.answer(
                agent,
                &envelope(("build", agent), status, &format!("Did it, said {agent}."), "", CONTINUE),
            );
        }
        let verdict = scene
            .events()
            .into_iter()
            .find_map(|event| if let Event::Joined { verdict, .. } = event { Some(verdict) } else { None });
        let stopped =
            scene.events().into_iter().filter(|event| matches!(event, Event::DeliveryStopped { .. }));
        result = Some((*scene.reasons().last().expect("it went somewhere"), verdict, stopped.count()));
    });
    result.expect("it was played")
}

// proves E-10: every rule of a join, with the worst status of the branches, as soon as it is decided.
#[test]
fn branches_join_by_every_rule() {
    const V: &str = "VERIFIED";
    const U: &str = "UNVERIFIED";
    const B: &str = "BLOCKED";
    let (pass, fail, blocked) = (Reason::JoinPassed, Reason::JoinFailed, Reason::JoinBlocked);
    let (verified, unverified) = (Some(Verdict::Verified), Some(Verdict::Unverified));
    let worst = Some(Verdict::Blocked);
    let cases: [(&str, &[&str], _); 16] = [
        ("all-complete", &[V, U, V], (pass, unverified, 0)),
        ("all-complete", &[V, B, V], (blocked, worst, 0)),
        ("all-verified", &[V, V, V], (pass, verified, 0)),
        ("all-verified", &[V, U], (fail, unverified, 1)),
        ("any-verified", &[U, V], (pass, unverified, 1)),
        ("any-verified", &[U, U, B], (fail, worst, 0)),
        ("first", &[U], (pass, unverified, 2)),
        ("first", &[B, B, B], (fail, worst, 0)),
        ("{ quorum: 2 }", &[V, B, V], (pass, worst, 0)),
        ("{ quorum: 2 }", &[U, U], (fail, unverified, 1)),
        ("all-must-pass", &[V, V, V], (pass, verified, 0)),
        ("all-must-pass", &[B], (fail, worst, 2)),
        ("any-pass", &[V], (pass, verified, 2)),
        ("majority-pass", &[V, B, V], (pass, worst, 0)),
        ("{ if: \"branches.exists(b, b.status == 'VERIFIED')\" }", &[U, V, U], (pass, unverified, 0)),
        ("{ if: \"branches.all(b, b.status == 'VERIFIED')\" }", &[U, V, U], (fail, unverified, 0)),
    ];
    for (join, statuses, expected) in cases {
        assert_eq!(joined(join, statuses), expected, "{join} {statuses:?}");
    }
}
