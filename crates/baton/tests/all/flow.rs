//! `baton flow`: flows are found by path and by name, checked with the reports of `baton check`, and drawn.

use crate::sandbox::Sandbox;

const ARTICLE: &str = "flow: article
agents:
  writer: { dialect: envelope, run: ./writer }
  critic: { dialect: envelope, run: ./critic }
steps:
  - write: writer
  - review:
      agent: critic
      routes: [{ if: \"handoff.status == 'UNVERIFIED'\", to: write }]
      visits: 3
  - approve: { gate: blocking, on-reject: write }
";

fn with_article() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.write("flows/article.yaml", ARTICLE);
    sandbox
}

#[test]
fn a_flow_is_named_by_its_path_or_its_name_and_all_are_meant_without_one() {
    let sandbox = with_article();
    sandbox.write("flows/broken.yaml", "flow: broken\nsteps:\n  - write: { agent: nobody, then: nowhere }\n");
    sandbox.write("elsewhere/draft.yaml", ARTICLE);
    for flow in ["article", "flows/article.yaml", "elsewhere/draft.yaml"] {
        assert_eq!(sandbox.run(&["flow", "check", flow]).code, 0, "{flow}");
    }
    let all = sandbox.run(&["flow", "check", "--json"]);
    assert_eq!(
        (all.code, all.paths()),
        (1, vec!["flows/article.yaml".to_owned(), "flows/broken.yaml".to_owned()])
    );
    assert_eq!(all.rules(), ["flow/unknown-agent", "flow/unknown-step"]);
    let unknown = sandbox.run(&["flow", "check", "artikel"]);
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("flows/ has article, broken"), "{}", unknown.stderr);
}

#[test]
fn the_flows_that_come_with_baton_have_no_errors_and_can_be_drawn() {
    let sandbox = Sandbox::new();
    assert_eq!(sandbox.run(&["flow", "check"]).code, 2, "there are none here");
    let shipped = ["agency", "babel", "issue-to-pr", "microloop", "orchestrate", "relay"];
    let ran = sandbox.run(&[&["flow", "check", "--json"], &shipped[..]].concat());
    assert_eq!((ran.code, ran.paths().len()), (0, shipped.len()));
    for flow in shipped {
        assert_eq!(sandbox.run(&["flow", "graph", flow, "--svg", "-"]).code, 0, "{flow}");
    }
}

#[test]
fn baton_check_finds_the_same_and_leaves_the_flows_of_others_alone() {
    let sandbox = with_article();
    sandbox.write("flows/article.yaml", ARTICLE.replace("      visits: 3\n", ""));
    sandbox.write("flows/other.yaml", "nodes: [a, b]\nedges: []\n");
    let ran = sandbox.run(&["check", "--json"]);
    assert_eq!((ran.code, ran.rules()), (1, vec!["flow/endless-loop".to_owned()]));
}

#[test]
fn a_slip_in_a_key_blocks_because_a_run_would_not_do_what_is_written() {
    let sandbox = with_article();
    sandbox.write("flows/article.yaml", ARTICLE.replace("on-reject", "on-rejekt"));
    let ran = sandbox.run(&["flow", "check"]);
    assert_eq!(ran.code, 1);
    assert!(ran.stdout.contains("error[document/unknown-key]"), "{}", ran.stdout);
    assert!(ran.stdout.contains("on-reject"), "{}", ran.stdout);
    sandbox.write("baton.toml", "[rules]\n\"document/unknown-key\" = \"info\"\n");
    assert_eq!(sandbox.run(&["flow", "check"]).code, 0);
}

#[test]
fn agents_are_known_from_the_settings_and_from_their_files() {
    // proves L-10
    let sandbox = Sandbox::new();
    let flow = "flow: article\nsteps:\n  - write: writer\n  - review:\n      agent: critic\n";
    sandbox.write("flows/article.yaml", flow);
    let rules = || sandbox.run(&["flow", "check", "--json"]).rules();
    assert_eq!(rules(), ["flow/unknown-agent", "flow/unknown-agent"]);
    sandbox.write("baton.toml", "[agents.writer]\ndialect = \"exchange\"\nrun = \"./writer\"\n");
    assert_eq!(rules(), ["flow/unknown-agent"]);
    let critic = "---\nname: critic\ndialect: pipeline\nrun: ./critic\naccepts: [pipeline]\n---\nLooks.\n";
    sandbox.write("workflow-agents/critic.md", critic);
    let ran = sandbox.run(&["flow", "check", "--json"]);
    assert_eq!((ran.code, ran.rules()), (0, vec!["flow/definition".to_owned()]));
    let produces = "produces: { success: [approved, changes_requested], failure: [error], blocked: [error] }";
    sandbox.write("workflow-agents/critic.md", critic.replace("accepts", &format!("{produces}\naccepts")));
    assert_eq!(rules(), ["flow/unrouted"], "both answers would go the same way");
    sandbox.write("flows/article.yaml", format!("{flow}      then: end\n"));
    assert_eq!(rules(), [""; 0], "now it is said that they do");
    let not_its_own =
        critic.replace("[pipeline]", "[package]").replace("accepts", &format!("{produces}\naccepts"));
    sandbox.write("workflow-agents/critic.md", not_its_own);
    assert_eq!(rules(), ["flow/not-accepted"]);
}

#[test]
fn a_flow_is_drawn_as_mermaid_and_as_a_picture() {
    let sandbox = with_article();
    let ran = sandbox.run(&["flow", "graph", "article"]);
    assert_eq!(ran.code, 0);
    insta::assert_snapshot!(ran.stdout, @r#"
    flowchart TD
      s0["write<br/>writer"]
      s1["review<br/>critic · at most 3×"]
      s2{"approve<br/>blocking gate"}
      s3(("end"))
      s0 --> s1
      s1 -->|"if handoff.status #61;#61; #39;UNVERIFIED#39;"| s0
      s1 --> s2
      s2 -->|"rejected"| s0
      s2 --> s3
    "#);
    assert_eq!(sandbox.run(&["flow", "graph", "article", "--svg", "a.svg"]).code, 0);
    let picture = std::fs::read_to_string(sandbox.path("a.svg")).unwrap();
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"), "{picture}");
    assert!(picture.contains("&#39;UNVERIFIED&#39;") && !picture.contains("<script"), "{picture}");
    assert_eq!(sandbox.run(&["flow", "graph", "article", "--svg", "-"]).stdout, picture);
    assert_eq!(sandbox.run(&["flow", "graph", "missing"]).code, 2);
}

#[test]
fn a_hostile_flow_is_checked_and_drawn_in_bounded_time() {
    let sandbox = Sandbox::new();
    let steps: String = (0..1_000)
        .map(|at| {
            format!(
                "  - s{at}: {{ agent: a, routes: [{{ if: \"{}\", to: s0 }}], visits: 2 }}\n",
                "(".repeat(90)
            )
        })
        .collect();
    sandbox.write("flows/large.yaml", format!("flow: large\nagents: {{ a: {{ run: x }} }}\nsteps:\n{steps}"));
    assert_eq!(sandbox.run(&["flow", "check"]).code, 1);
    assert_eq!(sandbox.run(&["flow", "graph", "large", "--svg", "-"]).code, 0);
    sandbox.write("flows/large.yaml", "flow: <script>\nsteps:\n  - '<b>\"': '&'\n  - x: { loop: 3 }\n");
    let drawn = sandbox.run(&["flow", "graph", "large", "--svg", "-"]);
    assert_eq!(drawn.code, 1, "not all of it can be drawn");
    assert!(!drawn.stdout.contains("<script>") && !drawn.stdout.contains("<b>"), "{}", drawn.stdout);
}

#[test]
fn a_file_without_a_step_is_refused_by_the_check_and_by_the_run_alike() {
    let sandbox = Sandbox::new();
    let agents = "agents: { writer: { dialect: envelope, run: ./w } }";
    for text in [
        format!("flow: n\n{agents}\nsteps: []\n"),
        format!("flow: n\n{agents}\nsteps:\n"),
        format!("flow: n\n{agents}\n"),
        String::new(),
        "# later\n".to_owned(),
        "---\n".to_owned(),
        "[]\n".to_owned(),
    ] {
        sandbox.write("flows/n.yaml", &text);
        let checked = sandbox.run(&["flow", "check", "n", "--json"]);
        assert_eq!(checked.code, 1, "{text}: {}{}", checked.stdout, checked.stderr);
        assert!(!checked.rules().is_empty(), "{text}: {}", checked.stdout);
        let ran = sandbox.run(&["run", "n"]);
        assert_eq!(ran.code, 1, "{text}: {}", ran.stderr);
        assert!(ran.stderr.contains("flows/n.yaml:"), "{text}: {}", ran.stderr);
    }
}
