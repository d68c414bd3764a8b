//! Flow files nobody thought of: random text from a seed, right and wrong ones.

use std::fmt::Write;

use baton_document::carrier::Look;
use baton_document::flow::Flow;
use baton_document::{Checker, Finding, Input, Level, NoWorld, Scratch};
use baton_engine::project::plan::compile;
use baton_kernel::Plan;

use super::dice::Dice;
use super::flows::AGENTS;

/// A plan of a file that the checks accept.
pub(crate) fn plan(checker: &Checker, dice: &mut Dice) -> Plan {
    loop {
        let text = text(dice);
        if errors(checker, &text).is_empty() {
            return made(&text).expect("what the checks accept becomes a plan");
        }
    }
}

/// The plan of a text.
pub(crate) fn made(text: &str) -> Result<Plan, String> {
    let (flow, findings) = Flow::read(text);
    let flow = flow.ok_or_else(|| format!("{findings:?}"))?;
    compile(&flow).map_err(|fault| fault.to_string())
}

/// The errors that the checks find.
pub(crate) fn errors(checker: &Checker, text: &str) -> Vec<Finding> {
    let bytes = text.as_bytes();
    let input =
        Input { path: Some("flows/any.yaml"), bytes, dialect: None, look: Look::Whole, is_named: true };
    let mut findings = checker.check(input, &NoWorld, &mut Scratch::default()).findings;
    findings.retain(|finding| finding.level == Level::Error);
    findings
}

/// A flow file: mostly right, now and then with a slip.
pub(crate) fn text(dice: &mut Dice) -> String {
    let count = 1 + dice.below(6);
    let names: Vec<String> = (0..count).map(|at| format!("s{at}")).collect();
    let mut branches = String::new();
    let mut out = String::from("flow: any\nsteps:\n");
    for (at, name) in names.iter().enumerate() {
        // Behind, or with luck anywhere, where a cap must keep it from going round for ever.
        let target = |dice: &mut Dice| {
            let (from, slip) = (if dice.one_in(3) { 0 } else { at + 1 }, dice.one_in(60));
            let to = from + dice.below(count.saturating_sub(from));
            if slip { "nowhere".to_owned() } else { format!("s{}", to.min(count - 1)) }
        };
        let (one, other) = (*dice.pick(&AGENTS), *dice.pick(&AGENTS));
        let _ = writeln!(out, "  - {name}:");
        let mut say = |key: &str, value: String| {
            let _ = writeln!(out, "      {key}: {value}");
        };
        match dice.below(11) {
            0..=4 => {
                say("agent", one.to_owned());
                if dice.one_in(3) {
                    let (word, to) = (
                        *dice.pick(&["outcome: skipped", "outcome: blocked", "decision: approved"]),
                        target(dice),
                    );
                    let unknown =
                        *dice.pick(&["", ", unknown: true", ", unknown: false", ", unknown: maybe"]);
                    say(
                        "routes",
                        format!(
                            "[{{ {word}, to: {to} }}, {{ if: \"handoff.status == 'VERIFIED'\", to: {to}{unknown} }}]"
                        ),
                    );
                }
                if dice.one_in(5) {
                    say("rework", format!("{{ to: {}, max: {} }}", target(dice), dice.below(3)));
                }
                if dice.one_in(5) {
                    say("time", format!("{}s", dice.below(40)));
                    say("on-time", (*dice.pick(&["retry", "stop", "ask"])).to_owned());
                }
            }
            5 if one != other => {
                say("loop", format!("{{ author: {one}, critic: {other}, rounds: {} }}", dice.below(4)));
            }
            6 => {
                say("gate", (*dice.pick(&["blocking", "informative", "auto"])).to_owned());
                if dice.one_in(2) {
                    say("due", "30s".to_owned());
                }
                if dice.one_in(3) {
                    say("checks", "[\"handoff.status == 'VERIFIED'\"]".to_owned());
                }
                if dice.one_in(3) {
                    say("on-reject", target(dice));
                }
            }
            7 => {
                say("parallel", format!("[{name}a, {name}b]"));
                let joins = [
                    "all-complete",
                    "any-pass",
                    "first",
                    "{ quorum: 2 }",
                    "{ quorum: 3 }",
                    "{ if: \"branches.exists(b, b.status == 'VERIFIED')\" }",
                    "{ if: \"branches.all(b, b.routing.can_further_iteration_help)\", unknown: false }",
                ];
                say("join", (*dice.pick(&joins)).to_owned());
                let _ = writeln!(branches, "  - {name}a: {one}\n  - {name}b: {other}");
                if dice.one_in(3) {
                    say("on-fail", if dice.one_in(2) { "halt".to_owned() } else { target(dice) });
                }
            }
            8 => {
                say("wait", format!("{}s", 1 + dice.below(60)));
                if dice.one_in(2) {
                    say("on-due", target(dice));
                }
            }
            9 => say("escalate", "somebody must look".to_owned()),
            _ => say("agent", other.to_owned()),
        }
        if dice.one_in(4) {
            say("then", if dice.one_in(3) { "end".to_owned() } else { target(dice) });
        }
        if dice.one_in(3) {
            say("visits", dice.below(4).to_string());
        }
    }
    let caps = format!("{{ handoffs: {}, pair: {} }}", 4 + dice.below(20), 3 + dice.below(10));
    format!("{out}{branches}caps: {caps}\n")
}
