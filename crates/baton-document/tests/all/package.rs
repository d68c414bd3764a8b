//! Packages: every kind, direction and drift, and what their rules find, each at its exact place.

use std::cell::RefCell;
use std::sync::LazyLock;

use baton_document::carrier::Look;
use baton_document::dialect::Settings;
use baton_document::{
    Checker, Finding, Input, Level, LevelSet, Levels, Limits, LineIndex, NoWorld, Scratch, Seen, World,
};

static CHECKER: LazyLock<Checker> =
    LazyLock::new(|| Checker::new(&Settings::default(), Levels::default(), Limits::default()));

fn input(document: &str) -> Input<'_> {
    Input {
        path: Some("handoff.yaml"),
        bytes: document.as_bytes(),
        dialect: None,
        look: Look::Whole,
        is_named: true,
    }
}

fn findings(document: &str) -> Vec<Finding> {
    CHECKER.check(input(document), &NoWorld, &mut Scratch::default()).findings
}

/// Everything that is found, as `level rule line:column`.
fn found(document: &str) -> Vec<String> {
    let index = LineIndex::new(document);
    let shown = |finding: &Finding| {
        let place = index.place(finding.span.unwrap().start);
        format!("{} {} {}:{}", finding.level.word(), finding.rule, place.line, place.column)
    };
    findings(document).iter().map(shown).collect()
}

/// The kinds of the handoffs in a document, all of them packages.
fn kinds(document: &str) -> Vec<String> {
    let checked = CHECKER.check(input(document), &NoWorld, &mut Scratch::default());
    assert!(checked.handoffs.iter().all(|handoff| &*CHECKER.dialect_of(handoff).name == "package"));
    checked.handoffs.iter().map(|handoff| CHECKER.kind_of(handoff).name.to_string()).collect()
}

/// The smallest complete package, with more lines after its summary.
fn package(summary: &str, more: &str) -> String {
    format!(
        "handoff:\n  from: {{agent: backend}}\n  to: {{agent: testing}}\n  context:\n    summary: {summary}\n{more}"
    )
}

/// The smallest package with one criterion, which stands at 8:9.
fn with_criterion(criterion: &str) -> String {
    package("Login form done", &format!("  expectations:\n    success_criteria:\n      - {criterion}\n"))
}

fn acknowledgment(lines: &str) -> String {
    format!("acknowledgment:\n  received: true\n{lines}")
}

const WHOLE: &str = r#"handoff:
  # Métadonnées
  id: "HO-2024-001"
  timestamp: "2024-01-15T14:30:00Z"

  # Qui
  from:
    agent: "specification"
    step: "2"
  to:
    agent: "architecture"
    reason: "Specs validées"

  # Contexte transféré
  context:
    summary: |
      Specs du panier écrites, 12 user stories.
      Le client les a validées.

    decisions:
      - id: "D-001"
        decision: "Panier côté serveur"
        rationale: "Partagé entre appareils"

    artifacts:
      - path: "docs/panier.md"
        type: "spec"
        description: "Les user stories"

    open_questions:
      - question: "Combien de temps un panier est-il gardé ?"
        priority: "high"
        context: "Le client hésite"

  # Attentes
  expectations:
    deliverable: "Architecture du panier"
    constraints:
      - "PostgreSQL"
      - "Pas de nouveau service"
    success_criteria:
      - "12 user stories couvertes"

  # État workflow
  workflow_state:
    name: "web-project"
    current_step: 2
    completed_steps: ["intake"]
    remaining_steps: ["development", "deployment"]
"#;

#[test]
fn the_whole_package_is_known_and_each_of_its_fields_has_a_type() {
    // proves P-01, A-16
    assert_eq!(found(WHOLE), [""; 0]);
    assert_eq!(kinds(WHOLE), ["sequential"]);
    let broken = [
        ("id: \"HO-2024-001\"", "id: \"\"", "id-pattern 3:7"),
        ("\"2024-01-15T14:30:00Z\"", "\"2024-13-15T14:30:00Z\"", "timestamp-pattern 4:14"),
        ("agent: \"specification\"", "agent: 7", "from.agent-type 8:12"),
        ("    agent: \"specification\"\n", "", "from.agent-missing 7:3"),
        ("step: \"2\"", "step: [2]", "from.step-type 9:11"),
        ("agent: \"architecture\"", "agent: \" \"", "to.agent-pattern 11:12"),
        ("    agent: \"architecture\"\n", "", "to.agent-missing 10:3"),
        ("reason: \"Specs validées\"", "reason: [a]", "to.reason-type 12:13"),
        ("decision: \"Panier côté serveur\"", "decision: {a: b}", "context.decisions.decision-type 22:19"),
        ("path: \"docs/panier.md\"", "path: \"\"", "context.artifacts.path-pattern 26:15"),
        ("type: \"spec\"", "type: \"essay\"", "context.artifacts.type-enum 27:15"),
        ("priority: \"high\"", "priority: \"soon\"", "context.open_questions.priority-enum 32:19"),
        (
            "constraints:\n      - \"PostgreSQL\"\n      - \"Pas de nouveau service\"",
            "constraints: none",
            "expectations.constraints-type 38:18",
        ),
        ("current_step: 2", "current_step: 2.5", "workflow_state.current_step-type 47:19"),
        (
            "completed_steps: [\"intake\"]",
            "completed_steps: intake",
            "workflow_state.completed_steps-type 48:22",
        ),
        (
            "completed_steps: [\"intake\"]",
            "completed_steps: [{a: b}]",
            "workflow_state.completed_steps-type 48:23",
        ),
    ];
    for (right, wrong, expected) in broken {
        assert!(WHOLE.contains(right), "{right}");
        let document = WHOLE.replacen(right, wrong, 1);
        assert_eq!(found(&document), [format!("error package/sequential/{expected}")], "{wrong}");
    }
    let start = WHOLE.find("    summary: |").unwrap();
    let end = WHOLE.find("    decisions:").unwrap();
    let document = format!("{}{}", &WHOLE[..start], &WHOLE[end..]);
    assert_eq!(found(&document), ["error package/sequential/context.summary-missing 15:3"]);
    assert_eq!(
        found("handoff:\n  from: {agent: backend}\n  to: {agent: testing}\n"),
        ["error package/sequential/context.summary-missing 1:1"]
    );
}

#[test]
fn the_kinds_are_told_apart_in_their_order() {
    // proves P-02
    let mut document = String::from(
        "handoff:
  gate: {type: bloquante, name: specs}
  validation_request: {items: [Specs], options: {approve: Go}}
  to: {agent: human}
  from: {agent: specification, step: null}
  expectations: {deliverable: Un accord}
  context: {summary: Specs du panier, open_questions: [{question: Quel prix ?}]}
",
    );
    let steps = [
        ("gate", ""),
        ("escalation", "  gate: {type: bloquante, name: specs}\n"),
        ("return", "human"),
        ("delegation", "null"),
        ("sequential", "  expectations: {deliverable: Un accord}\n"),
    ];
    for (kind, taken) in steps {
        document = match taken {
            "human" => document.replace("human", "architecture"),
            "null" => document.replace("null", "2"),
            taken => document.replace(taken, ""),
        };
        assert_eq!(kinds(&document), [kind], "{document}");
        assert_eq!(found(&document), [""; 0], "{document}");
    }
    let state = "  workflow_state: {name: web}\n  expectations: {deliverable: Un accord}\n";
    assert_eq!(kinds(&package("Specs du panier", state)), ["sequential"]);
    assert_eq!(kinds("handoff:\n  to: Human\n  from: a\n  context: {summary: Panier}\n"), ["escalation"]);
    assert_eq!(kinds(&acknowledgment("")), ["acknowledgment"]);
    assert_eq!(kinds("acknowledgement: {received: true}\n"), ["acknowledgment"]);
}

#[test]
fn packages_go_between_agents_the_orchestrator_and_humans_in_every_direction() {
    // proves P-03
    let directions = [
        ("specification", "architecture", "sequential"),
        ("architecture", "specification", "sequential"),
        ("specification", "orchestrator", "sequential"),
        ("orchestrator", "specification", "sequential"),
        ("specification", "human", "escalation"),
        ("human", "specification", "sequential"),
    ];
    for (from, to, kind) in directions {
        let document = format!(
            "handoff:\n  from: {{agent: {from}}}\n  to: {{agent: {to}}}\n  context:\n    summary: Specs du panier\n    open_questions: [{{question: Quel prix ?}}]\n"
        );
        assert_eq!(kinds(&document), [kind], "{from} to {to}");
        assert_eq!(found(&document), [""; 0], "{from} to {to}");
    }
}

#[test]
fn a_summary_that_is_an_empty_phrase_is_an_error() {
    // proves P-04
    let empty = [
        "\"C'est fait\"",
        "C'EST FAIT !",
        "C’est fait.",
        "Done.",
        "done",
        "\"✅ Done!\"",
        "Terminé",
        "TERMINE",
        "Fait",
        "OK",
        "Finished",
        "All good",
        "Voilà",
        "J'ai terminé mon travail",
        "La tâche est terminée avec succès",
        "Completed",
        "Tout est bon",
        "\"Voilà, c'est fait.\"",
        "Tâches terminées",
        "n/a",
        "\"\"",
        "\"   \"",
        "\"...\"",
    ];
    for summary in empty {
        assert_eq!(found(&package(summary, "")), ["error package/empty-summary 5:14"], "{summary}");
    }
    let block = package("|\n      C'est\n      fait", "");
    assert_eq!(
        found(&block),
        ["error package/empty-summary 6:7"],
        "the text of a block starts on the next line"
    );
    let nothing = findings(&package("", ""));
    assert_eq!(nothing.len(), 1, "nothing at all is a fault of shape alone");
    assert_eq!(nothing[0].rule, "package/sequential/context.summary-type");
}

#[test]
fn a_summary_that_names_nothing_specific_is_a_warning() {
    // proves P-04
    let vague = [
        "J'ai terminé mon travail comme d'habitude",
        "The work is done and ready for the next step",
        "Everything went well this week",
        "Les modifications demandées ont été faites",
        "Implemented as requested",
        "Updated the files",
        "Les tâches de la semaine sont terminées avec succès",
        "Reviewed and validated",
        "Le code est prêt",
        "Bugs fixed",
        "Étape suivante",
    ];
    for summary in vague {
        assert_eq!(found(&package(summary, "")), ["warning package/vague-summary 5:14"], "{summary}");
    }
    let specific = [
        "User stories définies et validées par le client",
        "\"Architecture API définie, besoin review sécurité\"",
        "Deux approches possibles avec trade-offs significatifs",
        "\"2 risques identifiés, recommandations fournies\"",
        "\"Spécifications complétées : 3 epics, 12 user stories, personas définis\"",
        "Login done",
        "Fixed 3 bugs",
        "Changes are in src/",
        "Changes are in code/files",
        "Alice a terminé",
        "Tests terminés",
        "Composant Panier implémenté",
        "作業が完了しました",
        "Two possible approaches with significant trade-offs",
        "Demande parsée et normalisée",
    ];
    for summary in specific {
        assert_eq!(found(&package(summary, "")), [""; 0], "{summary}");
    }
}

#[test]
fn open_questions_are_explicit() {
    // proves P-06
    let escalation = |more: &str| {
        format!(
            "handoff:\n  from: {{agent: backend}}\n  to: {{agent: human}}\n  context:\n    summary: Deux devis\n{more}"
        )
    };
    assert_eq!(found(&escalation("")), ["warning package/hidden-questions 4:3"]);
    assert_eq!(found(&escalation("    open_questions: []\n")), ["warning package/hidden-questions 6:21"]);
    assert_eq!(found(&escalation("    open_questions: [{question: Lequel ?}]\n")), [""; 0]);

    let open = [
        "Formulaire fait, le texte reste à définir",
        "Base de données non tranchée",
        "Le prix n'est pas encore décidé",
        "Panier fait, question ouverte sur les taxes",
        "Cart built. Which currency?",
        "The currency is undecided",
        "Currency TBD",
        "Not sure whether the cart expires",
        "Cart built, needs clarification on taxes",
        "\"Panier fait. Quelle devise ?\"",
    ];
    for summary in open {
        assert_eq!(found(&package(summary, "")), ["warning package/hidden-questions 5:14"], "{summary}");
        let asked = "    open_questions: [{question: Et alors ?}]\n";
        assert_eq!(found(&package(summary, asked)), [""; 0], "{summary}");
    }
    let settled = [
        "Panier fait, aucune question ouverte",
        "Cart built, no open questions",
        "Panier fait, rien en suspens",
        "All open questions on taxes answered",
        "Questions ouvertes sur les taxes résolues",
        "Fixed 3 unclear messages",
        "Search works at /search?q=cart",
        "\"Page \\\"Besoin d'aide ?\\\" ajoutée\"",
        "The undo button asks first",
    ];
    for summary in settled {
        assert_eq!(found(&package(summary, "")), [""; 0], "{summary}");
    }

    let partial = "  understood: partial\n  action: request_clarification\n";
    let rule = "warning package/hidden-questions 3:15";
    assert!(found(&acknowledgment(partial)).contains(&rule.to_owned()));
    for more in ["  blockers: [Le contrat manque]\n", "  questions: [\"Où est le contrat ?\"]\n"] {
        assert_eq!(found(&acknowledgment(&format!("{partial}{more}"))), [""; 0], "{more}");
    }
}

#[test]
fn criteria_are_measurable_or_the_words_that_are_not_are_named() {
    // proves P-07
    let opinions = [
        ("\"Faire du bon code\"", "`bon`"),
        ("Code propre", "`propre`"),
        ("Bonne performance", "`Bonne`"),
        ("Site rapide et intuitif", "`rapide`, `intuitif`"),
        ("Clean code", "`Clean`"),
        ("User-friendly UI", "`friendly`"),
        ("All pages are nice", "`nice`"),
        ("Code bien écrit", "`bien écrit`"),
        ("Tests de qualité", "`de qualité`"),
        ("Respecter les bonnes pratiques", "`bonnes pratiques`"),
        ("SEO optimisé", "`optimisé`"),
    ];
    for (criterion, words) in opinions {
        let document = with_criterion(criterion);
        assert_eq!(found(&document), ["warning package/unmeasurable-criterion 8:9"], "{criterion}");
        assert!(findings(&document)[0].message.ends_with(words), "{:?}", findings(&document)[0].message);
    }
    for criterion in ["Performance", "Une interface", "UX", "Make it work", "\"\""] {
        assert_eq!(
            found(&with_criterion(criterion)),
            ["warning package/unmeasurable-criterion 8:9"],
            "{criterion}"
        );
    }
    let measurable = [
        "\"Tests unitaires > 80% coverage\"",
        "\"Aucune vulnérabilité OWASP Top 10\"",
        "\"Build passe en CI\"",
        "\"Aucun risque critique non adressé\"",
        "Temps de réponse < 200 ms",
        "Zéro erreur",
        "Two reviewers agree",
        "Good Lighthouse score",
        "Maquette validée par le client",
        "Accord du client",
        "All endpoints documented",
        "Le fichier existe",
        "README up to date",
        "Conforme au cahier des charges",
        "openapi.yaml covers it",
        "The user can log in",
        "Toutes les routes sont documentées",
        "Lint passes",
        "Page traduite en anglais et publiée",
        "Signed by Alice",
    ];
    for criterion in measurable {
        assert_eq!(found(&with_criterion(criterion)), [""; 0], "{criterion}");
    }
    let two =
        package("Login form done", "  expectations:\n    success_criteria: [Lint passes, Code propre, UX]\n");
    assert_eq!(
        found(&two),
        ["warning package/unmeasurable-criterion 7:37", "warning package/unmeasurable-criterion 7:50"],
        "one for each criterion"
    );
}

#[test]
fn acknowledgments_have_a_shape() {
    // proves P-09, P-10
    let full = "  from: specification\n  understood:\n    task: \"Revoir le panier\"\n    constraints: \"PostgreSQL\"\n  questions: []\n  starting: true\n";
    assert_eq!(found(&acknowledgment(full)), [""; 0]);
    let partial = "  understood: partial\n  blockers:\n    - \"Artifact .project/specs/feature.md non trouvé\"\n    - \"Contrainte 'rapidement' non mesurable\"\n  action: request_clarification\n";
    assert_eq!(found(&acknowledgment(partial)), [""; 0]);
    let broken = [
        ("acknowledgment:\n  starting: true\n", "received-missing 1:1"),
        ("acknowledgment:\n  received: perhaps\n", "received-type 2:13"),
        ("acknowledgment:\n  received: true\n  from: [a]\n", "from-type 3:9"),
        ("acknowledgment:\n  received: true\n  understood: [a]\n", "understood-type 3:15"),
        ("acknowledgment:\n  received: true\n  understood: {task: [a]}\n", "understood.task-type 3:22"),
        ("acknowledgment:\n  received: true\n  questions: none\n", "questions-type 3:14"),
        ("acknowledgment:\n  received: true\n  blockers: [[a]]\n", "blockers-type 3:14"),
        ("acknowledgment:\n  received: true\n  action: wait\n", "action-enum 3:11"),
        ("acknowledgment:\n  received: true\n  starting: 1\n", "starting-type 3:13"),
    ];
    for (document, expected) in broken {
        assert_eq!(found(document), [format!("error package/acknowledgment/{expected}")], "{document}");
    }
}

#[test]
fn an_acknowledgment_that_contradicts_itself_is_a_warning() {
    // proves P-09, P-10
    let rule = "warning package/acknowledgment-contradiction";
    let contradictions = [
        (
            "  understood: partial\n  questions: [a]\n  action: request_clarification\n  starting: true\n",
            "6:13",
        ),
        (
            "  understood: Partial\n  questions: [a]\n  action: request_clarification\n  starting: \"yes\"\n",
            "6:13",
        ),
        ("  blockers: [Le contrat manque]\n  starting: true\n", "4:13"),
        ("  understood: {task: a}\n  action: request_clarification\n", "4:11"),
        ("  understood: partial\n  blockers: [Le contrat manque]\n", "3:15"),
    ];
    for (lines, place) in contradictions {
        let own: Vec<String> =
            found(&acknowledgment(lines)).into_iter().filter(|finding| finding.starts_with(rule)).collect();
        assert_eq!(own, [format!("{rule} {place}")], "{lines}");
    }
    let both = acknowledgment("  understood: partial\n  blockers: [a]\n  starting: true\n");
    assert_eq!(found(&both), [format!("{rule} 3:15"), format!("{rule} 5:13")]);
    assert_eq!(findings(&both)[1].related.len(), 2, "both reasons are shown");
    for lines in [
        "  blockers: []\n  starting: true\n",
        "  blockers: [Le contrat manque]\n  starting: false\n",
        "  questions: [Pourquoi]\n  starting: true\n",
        "  understood: {task: Revoir les 12 endpoints}\n  starting: true\n",
    ] {
        assert_eq!(found(&acknowledgment(lines)), [""; 0], "{lines}");
    }
}

const GATE: &str = r#"handoff:
  from:
    agent: "architecture"
  to:
    agent: human
    reason: "Gate BLOQUANTE atteinte"

  gate:
    type: bloquante
    name: "validation-architecture"
    step: "3"

  context:
    summary: "Architecture du panier définie"
    artifacts:
      - path: "docs/panier.md"

  validation_request:
    items:
      - "Découpage en services"
      - "Choix de PostgreSQL"
    options:
      approve: "Continuer avec l'étape suivante"
      reject: "Ajustements requis"
      question: "Clarification nécessaire"
"#;

#[test]
fn gates_have_a_shape_and_go_to_a_human() {
    // proves P-12, A-16
    assert_eq!(found(GATE), [""; 0]);
    assert_eq!(kinds(GATE), ["gate"]);
    let broken = [
        ("    type: bloquante\n", "", "error package/gate/gate.type-missing 8:3"),
        ("    name: \"validation-architecture\"\n", "", "error package/gate/gate.name-missing 8:3"),
        ("type: bloquante", "type: perhaps", "error package/gate/gate.type-enum 9:11"),
        ("step: \"3\"", "step: [3]", "error package/gate/gate.step-type 11:11"),
        (
            "    items:\n      - \"Découpage en services\"\n      - \"Choix de PostgreSQL\"\n",
            "",
            "error package/gate/validation_request.items-missing 18:3",
        ),
        (
            "approve: \"Continuer avec l'étape suivante\"",
            "approve: [a]",
            "error package/gate/validation_request.options.approve-type 23:16",
        ),
        ("agent: human", "agent: orchestrator", "warning package/gate-receiver 5:12"),
    ];
    for (right, wrong, expected) in broken {
        assert!(GATE.contains(right), "{right}");
        assert_eq!(found(&GATE.replacen(right, wrong, 1)), [expected], "{wrong}");
    }
    let without_options = &GATE[..GATE.find("    options:").unwrap()];
    assert_eq!(found(without_options), ["error package/gate/validation_request.options-missing 18:3"]);
}

#[test]
fn a_workflow_state_does_not_contradict_itself() {
    // proves P-13
    let state =
        |lines: &str| package("Login form done", &format!("  workflow_state:\n    name: web\n{lines}"));
    let rule = "warning package/workflow-state";
    let contradictions = [
        ("    completed_steps: [a, b]\n    remaining_steps: [c, b]\n", vec!["9:26"]),
        ("    remaining_steps: [c, b]\n    completed_steps: [a, B]\n", vec!["8:26"]),
        ("    completed_steps: [a, b, a]\n", vec!["8:29"]),
        ("    remaining_steps: [1, 2, 1, 1]\n", vec!["8:29", "8:32"]),
        ("    current_step: b\n    completed_steps: [a, b]\n", vec!["8:19"]),
        ("    current_step: 2\n    completed_steps: [1, 2]\n", vec!["8:19"]),
        ("    current_step: a\n    completed_steps: [a]\n    remaining_steps: [a]\n", vec!["8:19", "10:23"]),
    ];
    for (lines, places) in contradictions {
        let expected: Vec<String> = places.iter().map(|place| format!("{rule} {place}")).collect();
        assert_eq!(found(&state(lines)), expected, "{lines}");
    }
    for lines in [
        "    current_step: 2\n    completed_steps: [a]\n    remaining_steps: [c]\n",
        "    current_step: b\n    completed_steps: [a]\n    remaining_steps: [b, c]\n",
        "    completed_steps: []\n    remaining_steps: []\n",
        "",
    ] {
        assert_eq!(found(&state(lines)), [""; 0], "{lines}");
    }
}

#[test]
fn drift_of_real_files_is_understood_with_an_info() {
    // proves A-07
    let gate = |word: &str| GATE.replacen("bloquante", word, 1);
    let drifts = [
        (package("Login form done", "").replace("{agent: testing}", "testing"), "document/shorthand 3:7"),
        (package("Login form done", "").replace("{agent: backend}", "backend"), "document/shorthand 2:9"),
        (package("Login form done", "    artifacts: [src/a.rs]\n"), "document/shorthand 6:17"),
        ("acknowledgment:\n  received: \"yes\"\n".to_owned(), "document/boolean-word 2:13"),
        ("acknowledgment:\n  received: \"no\"\n".to_owned(), "document/boolean-word 2:13"),
        ("acknowledgment:\n  received: no\n".to_owned(), "document/boolean-word 2:13"),
        (
            package("Login form done", "  timestamp: 2026-01-02T03:04:05+00:00Z\n"),
            "document/timestamp-form 6:14",
        ),
        (package("Login form done", "  timestamp: \"2026-01-02 03:04\"\n"), "document/timestamp-form 6:14"),
        (
            package("Login form done", "    artifacts:\n      - {path: a.rs, type: Code}\n"),
            "document/enum-case 7:28",
        ),
        (
            package("Login form done", "    open_questions:\n      - {question: a, priority: HIGH}\n"),
            "document/enum-case 7:33",
        ),
        (gate("BLOQUANTE"), "document/enum-case 9:11"),
        (gate("Informative"), "document/enum-case 9:11"),
        (gate("blocking"), "document/enum-synonym 9:11"),
        (gate("BLOCKING"), "document/enum-synonym 9:11"),
        (gate("advisory"), "document/enum-synonym 9:11"),
    ];
    for (document, expected) in drifts {
        assert_eq!(found(&document), [format!("info {expected}")], "{document}");
    }
    for word in ["bloquante", "informative", "auto"] {
        assert_eq!(found(&gate(word)), [""; 0], "{word}");
    }
    let short = "handoff:\n  from: a\n  to: human\n  gate: blocking\n  context: {summary: Panier}\n  validation_request: {items: [Panier], options: {approve: Go}}\n";
    assert_eq!(
        found(short),
        [
            "info document/shorthand 2:9",
            "info document/shorthand 3:7",
            "error package/gate/gate.name-missing 4:3",
            "info document/shorthand 4:9",
            "info document/enum-synonym 4:9",
        ]
    );
    let wrong = package("Login form done", "    artifacts:\n      - {path: a.rs, type: script}\n");
    assert_eq!(
        found(&wrong),
        ["error package/sequential/context.artifacts.type-enum 7:28"],
        "another word is an error"
    );
}

#[test]
fn the_complete_examples_of_the_protocol_have_no_fault() {
    // proves A-16
    let sequential = r#"handoff:
  from:
    agent: specification
    step: 2
  to:
    agent: architecture
    reason: "Specs validées, passage à la conception"
  context:
    summary: "User stories définies et validées par le client"
    artifacts:
      - path: ".project/02-requirements/user-stories/US-001.md"
"#;
    let delegation = r#"handoff:
  from:
    agent: architecture
    step: 3
  to:
    agent: security-check
    reason: "Besoin validation sécurité avant finalisation"
  expectations:
    deliverable: "Rapport de risques sur l'architecture proposée"
    constraints:
      - "Focus sur authentification et données sensibles"
    success_criteria:
      - "Aucun risque critique non adressé"
  context:
    summary: "Architecture API définie, besoin review sécurité"
"#;
    let escalation = r#"handoff:
  from:
    agent: estimation
    step: 2
  to:
    agent: human
    reason: "Décision business requise"
  context:
    summary: "Deux approches possibles avec trade-offs significatifs"
    decisions:
      - id: "pending"
        decision: "Choix entre approche A (rapide, dette) ou B (robuste, long)"
        rationale: "Dépend de la priorité business"
    open_questions:
      - question: "Quelle est la priorité : time-to-market ou maintenabilité ?"
        priority: high
  expectations:
    deliverable: "Choix validé avec justification"
"#;
    let back = r#"handoff:
  from:
    agent: security-check
    step: null  # Pas dans le workflow principal
  to:
    agent: architecture
    reason: "Review sécurité terminée"
  context:
    summary: "2 risques identifiés, recommandations fournies"
    artifacts:
      - path: ".project/05-quality/security/review-2024-01.md"
    decisions:
      - id: "SEC-001"
        decision: "JWT avec refresh token rotation"
        rationale: "Balance sécurité/UX"
"#;
    let examples = [
        ("sequential", sequential),
        ("delegation", delegation),
        ("escalation", escalation),
        ("return", back),
    ];
    for (kind, example) in examples {
        assert_eq!(kinds(example), [kind]);
        assert_eq!(found(example), [""; 0], "{kind}");
    }
}

#[test]
fn the_excerpts_of_the_protocol_are_judged_as_it_says() {
    // proves A-16, P-04, P-07
    let forbidden = package("\"C'est fait\"", "");
    assert_eq!(found(&forbidden), ["error package/empty-summary 5:14"], "INTERDIT");
    let wanted = package(
        "\"Spécifications complétées : 3 epics, 12 user stories, personas définis\"",
        "    artifacts:\n      - path: \".project/02-requirements/epics/EP-001.md\"\n      - path: \".project/02-requirements/user-stories/\"\n",
    );
    assert_eq!(found(&wanted), [""; 0], "OBLIGATOIRE");
    let bad = with_criterion("\"Faire du bon code\"");
    assert_eq!(found(&bad), ["warning package/unmeasurable-criterion 8:9"], "MAUVAIS");
    let good = with_criterion(
        "\"Tests unitaires > 80% coverage\"\n      - \"Aucune vulnérabilité OWASP Top 10\"\n      - \"Build passe en CI\"",
    );
    assert_eq!(found(&good), [""; 0], "BON");
    assert!(findings(&bad).iter().all(|finding| finding.level == Level::Warning));
}

/// A world that notes what it is asked about created files.
#[derive(Default)]
struct Asked(RefCell<Vec<String>>);

impl World for Asked {
    fn look(&self, _path: &str) -> Seen {
        Seen::Unknown
    }

    fn read(&self, _path: &str) -> Option<String> {
        None
    }

    fn neighbours(&self, _path: &str) -> Vec<String> {
        Vec::new()
    }

    fn created(&self, path: &str) -> Option<Vec<String>> {
        self.0.borrow_mut().push(format!("asked {path}"));
        None
    }

    fn expect_created(&self, path: &str) {
        self.0.borrow_mut().push(format!("told {path}"));
    }
}

#[test]
fn what_was_created_is_asked_once_and_told_ahead_and_only_where_somebody_wants_to_know() {
    // proves P-05
    let asked = |checker: &Checker, document: &str| {
        let world = Asked::default();
        checker.check(input(document), &world, &mut Scratch::default());
        world.0.into_inner()
    };
    let document = package("Login form done in src/login.rs", "");
    assert_eq!(asked(&CHECKER, &document), ["told handoff.yaml", "asked handoff.yaml"]);
    assert_eq!(asked(&CHECKER, &acknowledgment("")), [""; 0]);
    assert_eq!(asked(&CHECKER, &format!("{document}---\n{document}")), [""; 0], "two share one file");
    let off = LevelSet { paths: Vec::new(), rules: vec![("package/artifacts-created".to_owned(), None)] };
    let off = Checker::new(&Settings::default(), Levels::new(vec![off]), Limits::default());
    assert_eq!(asked(&off, &document), [""; 0]);
}
