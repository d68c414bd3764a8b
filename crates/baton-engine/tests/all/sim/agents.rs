//! The simulated agents: they answer, fail, die, lie, ask and report twice; each speaks its dialect.

use baton_courier::{Cause, Failure, Report, What};

use super::bugs::Bug;
use super::dice::Dice;
use super::world::{Inner, Post, World};

/// Lets one agent do something.
pub(crate) fn act(world: &World) {
    let inner = &mut *world.inner();
    if inner.posts.is_empty() {
        return;
    }
    let count = inner.posts.len();
    let at = inner.dice.below(count);
    let faults = inner.faults;
    let Post { life, delivery, reports } = inner.posts.swap_remove(at);
    let (key, attempt) = (delivery.key.clone(), delivery.attempt);
    let send = |inner: &mut Inner, what: What| {
        let report = Report { key: key.clone(), attempt, what };
        if inner.bug == Some(Bug::AnswerForgotten) {
            inner.untold.push((life, reports.clone(), report));
        } else {
            inner.report(life, &reports, report);
        }
    };
    let name = format!("{} ({} attempt {attempt})", delivery.receiver, delivery.key);
    let deed = if faults { inner.dice.below(24) } else { 9 };
    match deed {
        0 => {
            inner.story.push(format!("{name} dies"));
            send(inner, What::Failure(Failure::new(Cause::Killed(9), "killed by signal 9")));
        }
        1 => {
            inner.story.push(format!("{name} writes something that is no handoff"));
            send(inner, What::Answer(b"all fine, trust me".to_vec()));
        }
        2 => {
            inner.story.push(format!("{name} works on"));
            send(inner, What::Session(format!("session-{}", delivery.key)));
            let draft = answer(&mut inner.dice, &delivery.dialect, false).text;
            send(inner, What::Draft(draft));
            inner.posts.push(Post { life, delivery, reports });
        }
        3 => {
            let Answer { text, words } = answer(&mut inner.dice, &delivery.dialect, faults);
            inner.story.push(format!("{name} answers {words}, and reports it twice"));
            send(inner, What::Answer(text.clone()));
            send(inner, What::Answer(text));
        }
        4 => {
            inner.story.push(format!("{name} asks what was meant"));
            send(inner, What::Question("what is meant by done?".to_owned()));
            send(inner, What::Failure(Failure::new(Cause::Asked, "it asked and ended")));
        }
        5 => {
            inner.story.push(format!("{name} does nothing for now"));
            inner.posts.push(Post { life, delivery, reports });
        }
        _ => {
            let Answer { text, words } = answer(&mut inner.dice, &delivery.dialect, faults);
            inner.story.push(format!("{name} answers {words}"));
            send(inner, What::Answer(text));
        }
    }
}

/// An answer, and what it says in short.
struct Answer {
    text: Vec<u8>,
    words: String,
}

/// An answer in a dialect; a calm one is simply done.
fn answer(dice: &mut Dice, dialect: &str, is_wild: bool) -> Answer {
    let round = dice.below(3);
    let (text, words) = match dialect {
        "exchange" => {
            let (status, decision) = if is_wild {
                (
                    *dice.pick(&["complete", "complete", "partial", "blocked"]),
                    *dice.pick(&["PROCEED", "PROCEED", "STOP", "CLARIFY"]),
                )
            } else {
                ("complete", "PROCEED")
            };
            let text = format!(
                r#"{{"task_id":"t-1","phase":"write","status":"{status}","decision":"{decision}","findings":{{}},"context_summary":"Wrote page {round} of the manual."}}"#
            );
            (text, format!("{status}, {decision}"))
        }
        _ => {
            let (status, recommendation) = if is_wild {
                (
                    *dice.pick(&["VERIFIED", "VERIFIED", "UNVERIFIED", "BLOCKED"]),
                    *dice.pick(&["CONTINUE", "CONTINUE", "CONTINUE", "LOOP", "DETOUR", "ESCALATE"]),
                )
            } else {
                ("VERIFIED", "CONTINUE")
            };
            let further =
                if is_wild && dice.one_in(2) { r#""can_further_iteration_help":true,"# } else { "" };
            let text = format!(
                r#"{{"meta":{{"step_id":"s","flow_key":"f","agent_key":"a","timestamp":"2026-01-01T00:00:00Z"}},"status":"{status}","summary":{{"what_i_did":"Changed line {round} of src/loans.py.","what_i_found":"Nothing else.","key_decisions":[],"evidence":{{"artifacts_produced":["src/loans.py"],"commands_run":["pytest"],"measurements":{{}}}}}},"concerns":[],"assumptions":[],"routing":{{"recommendation":"{recommendation}","next_step_suggestion":"side",{further}"reason":"as it is"}}}}"#
            );
            (text, format!("{status}, {recommendation}"))
        }
    };
    Answer { text: text.into_bytes(), words }
}
