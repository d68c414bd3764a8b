//! Questions to people: every way out of one, and what they are told.

use baton_kernel::{AskId, Choice, Ending, Facts, Outcome, Plan, Reason, Recommendation, Refusal, What};

use crate::story::{Story, ada, done, outcome};

fn asking() -> Story {
    let mut plan = Plan::named("asking");
    let (one, two) = (plan.agent("one"), plan.agent("two"));
    let first = plan.pass("first", one);
    let ask = plan.escalate("choose an approach");
    let second = plan.pass("second", two);
    plan.then(first, ask).then(ask, second);
    Story::of(plan.build().unwrap())
}

#[test]
fn a_step_may_ask_a_person_and_shows_what_was_handed_over() {
    let mut story = asking();
    story.answer("one", done(41));
    let question = story.question();
    assert_eq!(question.reason, Reason::PlanEscalates); // proves E-09
    assert_eq!(question.content, Some(crate::story::digest(41)));
    assert_eq!(question.dead, None);
    let mut again = story.clone();
    again.choose(Choice::Again).unwrap();
    assert_eq!(again.question().reason, Reason::PlanEscalates);
    assert_ne!(again.question().ask, question.ask);
    story.choose(Choice::GoOn).unwrap();
    assert_eq!(story.at_work(), ["two"]);
    assert_eq!(story.with("two").from, None, "a person handed it over, not an agent");
    story.done("two");
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done));
}

#[test]
fn a_question_is_answered_once_and_only_if_it_was_asked() {
    let mut story = asking();
    let answer = |ask| What::AnswerPerson { ask, choice: Choice::GoOn, by: ada(), content: None, more: None };
    let unknown = AskId(77);
    assert_eq!(story.say(answer(unknown)), Err(Refusal::UnknownQuestion { ask: unknown }));
    story.done("one");
    let ask = story.question().ask;
    story.must(answer(ask));
    assert_eq!(story.say(answer(ask)), Err(Refusal::QuestionOver { ask }));
}

#[test]
fn going_to_a_step_gives_up_open_delegations() {
    let mut story = asking();
    story.answer("one", Facts { delegate: Some("two".to_owned()), ..done(1) });
    story.answer("two", outcome(Outcome::Blocked, 2));
    story.choose(Choice::Go(baton_kernel::StepId(2))).unwrap();
    assert_eq!(story.current(), ["second"]);
    story.done("two");
    assert_eq!(story.ending(), &Ending::Finished(Outcome::Done));
}

#[test]
fn every_reason_and_refusal_is_a_sentence() {
    let mut story = asking();
    story.answer("one", Facts { recommendation: Some(Recommendation::Escalate), ..done(1) });
    assert_eq!(story.question().reason.to_string(), "the agent asks for a person");
    let refusal = story.say(What::Retry { key: key(), by: ada() }).unwrap_err();
    assert_eq!(refusal.to_string(), "delivery 9-0-0 is no dead letter");
    assert_eq!(refusal.hint(), None);
    assert_eq!(Refusal::OnlyAPerson.to_string(), "only a person may do this, not an agent");
    assert_eq!(Refusal::OnlyAPerson.hint(), Some("let a person answer with their own key"));
}

fn key() -> baton_kernel::Key {
    baton_kernel::Key { number: 9, lane: crate::story::main_lane(), step: baton_kernel::StepId(0) }
}
