//! Flows that are long, and runs that go on for long.

use std::fmt::Write as _;

use baton_kernel::{Ending, Outcome};

use super::play_text;
use crate::stories::envelope;

#[test]
fn a_flow_of_hundreds_of_steps_runs_to_its_end() {
    const STEPS: usize = 300;
    let mut text = "flow: long\ncaps: { handoffs: 1000, pair: 1000 }\nagents:\n".to_owned();
    text.push_str("  ada: { dialect: envelope }\n  ben: { dialect: envelope }\nsteps:\n");
    for step in 0..STEPS {
        let agent = if step % 2 == 0 { "ada" } else { "ben" };
        writeln!(text, "  - step-{step}: {agent}").expect("text takes text");
    }
    play_text(&text, ("goal", "a long way"), |scene| {
        for step in 0..STEPS {
            let agent = if step % 2 == 0 { "ada" } else { "ben" };
            scene.answer(agent, &envelope(&format!("Did part {step} in src/loans.py.")));
        }
        assert_eq!(scene.ending(), Some(Ending::Finished(Outcome::Done)));
        assert_eq!(scene.view().state.handoffs() as usize, STEPS);
    });
}

#[test]
fn a_run_of_thousands_of_handoffs_keeps_nothing_of_those_that_are_over() {
    const HANDOFFS: usize = 1_998;
    let text = "flow: relay\ncaps: { handoffs: 5000, pair: 5000 }\nagents:\n  ada: { dialect: envelope }\n  \
                ben: { dialect: envelope }\nsteps:\n  - there: { agent: ada, visits: 1000 }\n  - back: { agent: ben, \
                then: there }\n";
    play_text(text, ("goal", "to and fro"), |scene| {
        for at in 0..HANDOFFS {
            let agent = if at % 2 == 0 { "ada" } else { "ben" };
            scene.answer(agent, &envelope(&format!("Did part {at} in src/loans.py.")));
        }
        let view = scene.view();
        assert_eq!(view.state.handoffs() as usize, HANDOFFS + 1);
        assert_eq!(view.state.lanes().len(), 1, "the state has not grown with the run");
        assert_eq!(scene.at_work(), 1);
    });
}
