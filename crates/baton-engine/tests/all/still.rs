//! Agents that say that they are still at work, and are asked again later: what becomes of them meanwhile.

use baton_courier::Kind;
use baton_kernel::{Event, Millis, OnTimeout, Plan};

use crate::stories::{NOW, Office, order};

/// What an agent answers that is still at work.
pub(crate) const PENDING: &str = "<handoff>\n  <from>cyd</from>\n  <to>cyd</to>\n  <status>pending</status>\n  <summary>The tests still run.</summary>\n</handoff>\n";

/// One step, whose attempts have so long.
fn timed(attempt_ms: u64) -> Plan {
    let mut plan = Plan::named("row");
    let cyd = plan.agent("cyd");
    let only = plan.pass("only", cyd);
    plan.change(only, |step| {
        step.limits.attempt_ms = Some(attempt_ms);
        step.limits.on_timeout = OnTimeout::Retry;
    });
    plan.caps(|caps| caps.retries = 2);
    plan.build().expect("the plan holds together")
}

// proves S-05: an attempt that is recorded as begun is begun, whatever the one before it said of itself.
#[test]
fn an_attempt_behind_one_that_was_still_at_work_is_begun_when_the_record_says_so() {
    let office = Office::new(Kind::Neither, &[("cyd", "pipeline")]);
    let mut engine = office.engine("one");
    engine.start(order(timed(16_000)), NOW).expect("it starts");
    let mut asked = Vec::new();
    for second in 0..120 {
        let now = Millis(NOW.0 + second * 1_000);
        engine.turn(now).expect("the ledger works");
        while office.desk.count() > 0 {
            asked.push((office.desk.answer(PENDING).attempt, second));
            engine.turn(now).expect("the ledger works");
        }
    }
    let begun = |event: Event| {
        if let Event::DeliveryStarted { attempt, .. } = event { Some(u32::from(attempt)) } else { None }
    };
    let begun: Vec<u32> = office.events().into_iter().filter_map(begun).collect();
    assert_eq!(begun, [1, 2, 3]);
    for attempt in begun {
        let times: Vec<u64> = asked.iter().filter(|(of, _)| *of == attempt).map(|(_, at)| *at).collect();
        let first = times.first().expect("who is said to have begun was asked");
        let pauses: Vec<u64> = times.iter().map(|at| at - first).collect();
        assert_eq!(pauses, [0, 5, 15], "and each is left alone as long as the first was");
    }
}
