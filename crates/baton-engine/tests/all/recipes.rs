//! The lines of configuration in `docs/agents.md`, as somebody would copy them.

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::flow::{AgentSpec, Flow, Word as _};
use baton_document::{Checker, Input, Levels, Limits, NoWorld, Scratch};
use baton_engine::project::plan::compile;
use baton_engine::project::roster::roster;

const PAGE: &str = include_str!("../../../../docs/agents.md");

/// The blocks of YAML on the page.
fn recipes() -> Vec<&'static str> {
    PAGE.split("```yaml\n").skip(1).filter_map(|rest| rest.split("\n```").next()).collect()
}

// proves S-06: what the page says works: it is a flow without a finding, and every courier takes its settings.
#[test]
fn every_recipe_on_the_page_of_agents_can_be_used() {
    let checker = Checker::new(&Settings::default(), Levels::default(), Limits::default());
    let folder = tempfile::tempdir().expect("a folder");
    let mut couriers = Vec::new();
    for recipe in recipes() {
        let (flow, _) =
            Flow::read(&format!("flow: recipe\n{recipe}\nsteps:\n  - nothing: {{ end: done }}\n"));
        let agents = flow.unwrap_or_else(|| panic!("no flow: {recipe}")).agents;
        assert!(!agents.is_empty(), "{recipe}");
        let step = |agent: &AgentSpec| {
            let name = &agent.name.value;
            let is_asked = agent.dialect.as_ref().is_some_and(|dialect| dialect.value == "exchange");
            let give = if is_asked { ", give: { phase: write }" } else { "" };
            format!("  - at-{name}: {{ agent: {name}{give} }}\n")
        };
        let steps: String = agents.iter().map(step).collect();
        let text = format!("flow: recipe\n{recipe}\nsteps:\n{steps}");
        let path = Some("flows/recipe.yaml");
        let input = Input { path, bytes: text.as_bytes(), dialect: None, look: Look::Prose, is_named: true };
        let checked = checker.check(input, &NoWorld, &mut Scratch::default());
        assert!(checked.findings.is_empty(), "{text}{:?}", checked.findings);
        let (flow, _) = Flow::read(&text);
        let flow = flow.unwrap_or_else(|| panic!("no flow: {text}"));
        compile(&flow).unwrap_or_else(|fault| panic!("{text}{fault:?}"));
        roster(&flow, folder.path()).unwrap_or_else(|fault| panic!("{text}{fault:?}"));
        couriers
            .extend(agents.iter().filter_map(|agent| agent.courier.as_ref()).map(|word| word.value.word()));
    }
    for courier in ["claude", "codex", "acp", "http", "openclaw", "human"] {
        assert!(couriers.contains(&courier), "the page has no recipe for {courier}: {couriers:?}");
    }
}
