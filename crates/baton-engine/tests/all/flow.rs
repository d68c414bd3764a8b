//! Flow files become plans, with everything where the file says it.

use baton_document::flow::{Flow, bounds as of_flows};
use baton_engine::project::plan::compile;
use baton_kernel::{Does, GateKind, Join, OnFail, OnTimeout, Plan, Restart, StepId, When, bounds};

const ARTICLE: &str = r#"
flow: article
about: one line for people
inputs:
  feature: null
  tone: calm
agents:
  writer: { dialect: exchange, run: ["./writer", "--fast"] }
  critic: { dialect: envelope, run: "./critic", restart: safe, capabilities: [review], time: 10m }
  clerk:  { dialect: package, inbox: true }
steps:
  - write: writer
  - review:
      agent: critic
      task: Look at {{input.feature}}.
      give: { phase: validate }
      passes: summary
      accumulates: true
      routes:
        - { decision: changes_requested, to: fix }
        - { outcome: skipped, to: publish }
        - { if: "handoff.critical_count > 0", to: fix }
      then: publish
      visits: 3
      detours: { security: check-security }
      rework: { to: write, max: 2 }
      time: 10m
      on-time: ask
      expires: 2h
      budget: 1500
  - fix: { agent: writer, then: review }
  - publish: clerk
  - polish:
      loop: { author: writer, critic: critic, rounds: 3, on-cap: go-on, on-stall: security }
      detours: { security: check-security }
  - approve:
      gate: bloquante
      items: [the text is right]
      options: { approve: Go on, reject: Changes, question: Explain }
      due: 24h
      on-reject: write
  - proof: { gate: auto, checks: ["handoff.tests.passed"] }
  - checks:
      parallel: [types, lint]
      join: { quorum: 2 }
      status: worst
      on-fail: stop
  - types: critic
  - lint: stranger
  - pause: { wait: 10m, signal: ci-green, on-due: write }
  - help: { escalate: why a person is asked }
  - stop: { end: done }
  - check-security: critic
caps: { handoffs: 100, pair: 20, time: 24h, tokens: 50000, retries: 3, detours: 2 }
keeps: [envelope, package, pipeline, manifest]
"#;

fn flow(text: &str) -> Flow {
    let (flow, findings) = Flow::read(text);
    assert!(findings.is_empty(), "{findings:?}");
    flow.expect("the text is a flow")
}

fn step<'p>(plan: &'p Plan, name: &str) -> &'p baton_kernel::Step {
    plan.step(plan.step_named(name).expect("the step is there")).expect("its id is right")
}

#[test]
fn a_flow_becomes_a_plan_whose_steps_are_in_its_order() {
    let flow = flow(ARTICLE);
    let plan = compile(&flow).expect("the flow holds together");
    let names = |plan: &Plan| plan.steps.iter().map(|step| step.name.clone()).collect::<Vec<_>>();
    assert_eq!(names(&plan), flow.steps.iter().map(|step| step.name.value.clone()).collect::<Vec<_>>());
    assert_eq!(plan.start, StepId(0));
    let agents: Vec<_> = plan.agents.iter().map(|agent| (agent.name.as_str(), agent.restart)).collect();
    let (safe, ask) = (Restart::Safe, Restart::Ask);
    assert_eq!(agents, [("writer", ask), ("critic", safe), ("clerk", ask), ("stranger", ask)]);
    let next =
        |name: &str| step(&plan, name).next.and_then(|id| plan.step(id)).map(|step| step.name.as_str());
    assert_eq!(next("write"), Some("review"));
    assert_eq!(next("review"), Some("publish"));
    assert_eq!(next("checks"), Some("pause"), "branches are not in the order");
    assert_eq!((next("types"), next("lint")), (None, None));
    assert_eq!((next("stop"), next("check-security")), (None, None));
}

#[test]
fn every_key_of_a_step_arrives_in_the_plan() {
    let plan = compile(&flow(ARTICLE)).expect("the flow holds together");
    let review = step(&plan, "review");
    let Does::Pass(pass) = &review.does else { panic!("{review:?}") };
    let whens: Vec<&When> = pass.routes.iter().map(|route| &route.when).collect();
    let [When::Decision(word), When::Outcome(_), When::Holds(expression)] = whens[..] else {
        panic!("{whens:?}")
    };
    assert_eq!((word.as_str(), expression.as_str()), ("changes_requested", "handoff.critical_count > 0"));
    assert_eq!(pass.rework.map(|rework| rework.max), Some(2));
    assert_eq!((review.visits_max, review.limits.attempt_ms), (Some(3), Some(600_000)));
    assert_eq!((review.limits.on_timeout, review.limits.expires_ms), (OnTimeout::Ask, Some(7_200_000)));
    let Does::Gate(gate) = &step(&plan, "approve").does else { panic!("a gate") };
    assert_eq!(
        (&gate.kind, gate.due_ms, gate.on_reject),
        (&GateKind::Blocking, Some(86_400_000), Some(StepId(0)))
    );
    let Does::Parallel(parallel) = &step(&plan, "checks").does else { panic!("branches") };
    assert_eq!(parallel.join, Join::Quorum(2));
    assert_eq!(parallel.on_fail, OnFail::Step(plan.step_named("stop").expect("it is there")));
    assert_eq!((plan.caps.handoffs, plan.caps.tokens), (100, Some(50_000)));
}

#[test]
fn what_is_not_in_the_plan_stays_on_the_steps_of_the_flow() {
    let flow = flow(ARTICLE);
    let work = &flow.steps[1].work;
    assert_eq!(work.task.as_ref().map(|task| task.value.as_str()), Some("Look at {{input.feature}}."));
    assert_eq!(work.give.len(), 1);
    assert!(work.accumulates);
    assert_eq!(work.budget.as_ref().map(|budget| budget.value), Some(1_500));
}

#[test]
fn a_flow_has_the_bounds_of_a_plan() {
    assert_eq!(of_flows::STEPS_MAX, bounds::STEPS_MAX);
    assert_eq!(of_flows::AGENTS_MAX, bounds::AGENTS_MAX);
    assert_eq!(of_flows::BRANCHES_MAX, bounds::LANES_MAX - 1);
    assert_eq!(of_flows::ROUTES_MAX, bounds::ROUTES_MAX);
    assert_eq!(of_flows::HANDOFFS_MAX, u64::from(bounds::HANDOFFS_MAX));
    assert_eq!(of_flows::ROUNDS_MAX, u64::from(bounds::ROUNDS_MAX));
    assert_eq!(of_flows::RETRIES_MAX, u64::from(bounds::ATTEMPTS_MAX) - 1);
    assert_eq!(of_flows::SPAN_MS_MAX, bounds::SPAN_MS_MAX);
    assert_eq!(of_flows::NAME_BYTES_MAX, bounds::NAME_BYTES_MAX);
    assert_eq!(of_flows::EXPRESSION_BYTES_MAX, bounds::EXPRESSION_BYTES_MAX);
    assert_eq!(baton_document::flow::expression::BYTES_MAX, bounds::JOIN_EXPRESSION_BYTES_MAX);
}
