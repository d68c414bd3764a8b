//! Repositories that an agent has turned into weapons. Whatever git is asked about one, nothing that it names is started and
//! nothing is written where its links lead. What an attack would run writes the file `ran` beside the project.

use std::fs;
use std::os::unix::fs::symlink;

use crate::office::Office;
use crate::sandbox::{MANIFEST, Sandbox};

/// A repository with a commit, a handoff of each kind that git is asked about, and a flow that verifies evidence.
fn victim() -> Office {
    let office = Office::with("  - write: {agent: ada, verify: artifacts}\n  - print: ben\n");
    let sandbox = &office.sandbox;
    fs::remove_dir(sandbox.path(".git")).unwrap();
    sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
    sandbox.write("src/loans.py", "before\n");
    // What the agents of the tests keep for themselves, and what the attacks need.
    sandbox.write(".gitignore", "calls\ngiven-to-*\nevil.sh*\nhooks/\ncopy/\nelsewhere/\nbin/\nturned/\n");
    sandbox.write(".gitattributes", "* filter=x diff=x merge=x\n");
    sandbox.write("meta/handoff.yaml", MANIFEST);
    sandbox.write("discussion/001-codex-response.md", "---\nfrom: codex\nto: claude\n---\n# Done\n");
    sandbox.write("play.sh", format!("echo after >> src/loans.py\n{}", sandbox.read("agent.sh")));
    let flow = sandbox.read("flows/article.yaml").replace("sh, agent.sh", "sh, play.sh");
    sandbox.write("flows/apart.yaml", flow.replace("restart: safe", "restart: safe, worktree: true"));
    sandbox.write("flows/article.yaml", flow);
    sandbox.commit();
    sandbox.write("src/loans.py", "changed\n");
    office
}

/// What a program writes that git has started.
fn mark(sandbox: &Sandbox) -> std::path::PathBuf {
    let root = sandbox.path("").canonicalize().unwrap();
    root.with_file_name(format!("ran-{}", root.file_name().unwrap().to_string_lossy()))
}

/// A program that says that it ran, in front of whatever git would have it do.
fn program(sandbox: &Sandbox) -> String {
    let ran = mark(sandbox).display().to_string();
    let path = sandbox.path("evil.sh");
    fs::write(&path, format!("#!/bin/sh\necho \"$0 $*\" >> '{ran}'\ncat\n")).unwrap();
    fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    path.display().to_string()
}

/// All that a configuration can have git start.
fn weapons(program: &str) -> String {
    format!(
        "[core]\n\trepositoryformatversion = 1\n\tfsmonitor = {program}\n\thooksPath = {hooks}\n\tpager = {program}\n\
         \teditor = {program}\n\tsshCommand = {program}\n\taskPass = {program}\n\talternateRefsCommand = {program}\n\
         [extensions]\n\tworktreeConfig = true\n\
         [filter \"x\"]\n\tclean = {program}\n\tsmudge = {program}\n\tprocess = {program}\n\trequired = true\n\
         [diff]\n\texternal = {program}\n[diff \"x\"]\n\tcommand = {program}\n\ttextconv = {program}\n\
         [merge \"x\"]\n\tdriver = {program}\n[credential]\n\thelper = {program}\n[gpg]\n\tprogram = {program}\n\
         [log]\n\tshowSignature = true\n[uploadpack]\n\tpackObjectsHook = {program}\n[submodule]\n\trecurse = true\n[alias]\n\trev-parse = !{program}\n\tls-files = !{program}\n[trace2]\n\teventTarget = {program}.trace\n",
        hooks = program.replace("evil.sh", "hooks"),
    )
}

/// Everything by which Baton asks git, and that nothing was started meanwhile.
fn asked_in_every_way(office: &Office) {
    let sandbox = &office.sandbox;
    let run = |args: &[&str]| {
        let ran = office.run(args);
        assert!([0, 1, 2, 3, 4].contains(&ran.code), "{args:?}: {}", ran.stderr);
        ran
    };
    for args in [
        &["check", "--since", "HEAD"][..],
        &["check"],
        &["handoff", "--branch"],
        &["run", "article"],
        &["verify", "article-1/1"],
        &["verify", "article-1/1", "--rerun"],
        &["run", "apart"],
        &["show", "article-1"],
    ] {
        run(args);
    }
    let mark = mark(sandbox);
    assert!(!mark.exists(), "git started: {}", fs::read_to_string(mark).unwrap());
}

/// Hooks of every name that git knows.
fn hooks(sandbox: &Sandbox, folder: &str, program: &str) {
    sandbox.folder(folder);
    for name in [
        "post-checkout",
        "reference-transaction",
        "post-index-change",
        "pre-commit",
        "post-commit",
        "fsmonitor-watchman",
        "update",
        "pre-auto-gc",
        "post-rewrite",
    ] {
        let path = sandbox.path(folder).join(name);
        let _ = fs::remove_file(&path);
        fs::copy(program, path).unwrap();
    }
}

#[test]
fn a_configuration_full_of_programs_starts_none() {
    let office = victim();
    let program = program(&office.sandbox);
    office.sandbox.write(".git/config", weapons(&program));
    office.sandbox.write(".git/info/attributes", "* filter=x diff=x\n");
    hooks(&office.sandbox, ".git/hooks", &program);
    hooks(&office.sandbox, "hooks", &program);
    asked_in_every_way(&office);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("finds the evidence as it says"), "evidence is looked at all the same: {log}");
}

#[test]
fn a_commondir_that_leads_to_a_copy_starts_nothing() {
    let office = victim();
    let program = program(&office.sandbox);
    let status = std::process::Command::new("cp")
        .args(["-r", ".git", "copy"])
        .current_dir(office.sandbox.path(""))
        .status();
    assert!(status.unwrap().success());
    office.sandbox.write("copy/config", weapons(&program));
    hooks(&office.sandbox, "copy/hooks", &program);
    office.sandbox.write(".git/commondir", "../copy\n");
    asked_in_every_way(&office);
}

#[test]
fn a_configuration_of_one_worktree_starts_nothing() {
    let office = victim();
    let program = program(&office.sandbox);
    office.sandbox.git(&["config", "extensions.worktreeConfig", "true"]);
    office.sandbox.write(".git/config.worktree", weapons(&program));
    asked_in_every_way(&office);
}

#[test]
fn a_git_file_that_was_turned_elsewhere_starts_nothing() {
    let office = victim();
    let program = program(&office.sandbox);
    fs::rename(office.sandbox.path(".git"), office.sandbox.path("elsewhere")).unwrap();
    office.sandbox.write("elsewhere/config", weapons(&program));
    hooks(&office.sandbox, "elsewhere/hooks", &program);
    office.sandbox.write(".git", "gitdir: elsewhere\n");
    asked_in_every_way(&office);
}

#[test]
fn a_repository_that_an_agent_made_in_a_folder_without_one_starts_nothing() {
    let office = victim();
    let program = program(&office.sandbox);
    fs::remove_dir_all(office.sandbox.path(".git")).unwrap();
    let plant = format!("[ -e .git/HEAD ] || {{ git init -q; cp {program}.config .git/config; }}\n");
    fs::write(format!("{program}.config"), weapons(&program)).unwrap();
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("play.sh")));
    asked_in_every_way(&office);
}

#[test]
fn a_repository_nested_in_the_project_starts_nothing_and_hides_nothing() {
    let office = victim();
    let program = program(&office.sandbox);
    let config = format!("{program}.config");
    fs::write(&config, weapons(&program)).unwrap();
    // It has no commit, so that `git add` would refuse it, and all else with it.
    let plant = format!(
        "mkdir -p deep && git init -q deep && cp {config} deep/.git/config && echo x > deep/hidden.py\n"
    );
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    asked_in_every_way(&office);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("deep/hidden.py was changed, and the handoff does not name it"), "{log}");
}

#[test]
fn a_submodule_starts_nothing_wherever_its_git_file_leads() {
    for turned in [false, true] {
        let office = victim();
        let program = program(&office.sandbox);
        let inner = Sandbox::repository();
        inner.write("in.py", "x\n");
        inner.write(".gitattributes", "* filter=x diff=x\n");
        inner.commit();
        office.sandbox.git(&["submodule", "--quiet", "add", &inner.path("").display().to_string(), "sub"]);
        office.sandbox.git(&["config", "-f", ".gitmodules", "submodule.sub.ignore", "none"]);
        office.sandbox.commit();
        if turned {
            fs::rename(office.sandbox.path(".git/modules/sub"), office.sandbox.path("turned")).unwrap();
            office.sandbox.write("turned/config", weapons(&program));
            office.sandbox.write("sub/.git", "gitdir: ../turned\n");
        } else {
            office.sandbox.write(".git/modules/sub/config", weapons(&program));
            hooks(&office.sandbox, ".git/modules/sub/hooks", &program);
        }
        office.sandbox.write("sub/in.py", "y\n");
        asked_in_every_way(&office);
    }
}

#[test]
fn links_among_objects_and_references_have_nothing_written_where_they_lead() {
    let office = victim();
    let outside = tempfile::tempdir().unwrap();
    let place = outside.path().canonicalize().unwrap();
    let git = office.sandbox.path(".git");
    for name in ["objects", "heads", "worktrees", "logs"] {
        fs::create_dir(place.join(name)).unwrap();
    }
    // What is there goes along, so that the repository still works.
    let copied = |from: &str, to: &str| {
        let status = std::process::Command::new("cp").args(["-r", &format!("{from}/."), to]).status();
        assert!(status.unwrap().success());
    };
    copied(&git.join("objects").display().to_string(), &place.join("objects").display().to_string());
    copied(&git.join("refs/heads").display().to_string(), &place.join("heads").display().to_string());
    fs::remove_dir_all(git.join("objects")).unwrap();
    fs::remove_dir_all(git.join("refs/heads")).unwrap();
    symlink(place.join("objects"), git.join("objects")).unwrap();
    symlink(place.join("heads"), git.join("refs/heads")).unwrap();
    symlink(place.join("worktrees"), git.join("worktrees")).unwrap();
    let listed = || {
        let output = std::process::Command::new("find").arg(&place).output().unwrap();
        let mut lines: Vec<_> =
            String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    let before = listed();
    asked_in_every_way(&office);
    assert_eq!(listed(), before);
}

#[test]
fn what_is_excluded_in_the_repository_alone_is_still_evidence() {
    let office = victim();
    let plant = "echo hidden.py >> .git/info/exclude; echo x > hidden.py\n";
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    asked_in_every_way(&office);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("hidden.py was changed, and the handoff does not name it"), "{log}");
}

#[test]
fn a_list_of_ignored_files_that_ignores_itself_is_evidence() {
    let office = victim();
    let plant = "printf '.gitignore\\nhidden.py\\n' > src/.gitignore; echo x > src/hidden.py\n";
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    office.run(&["run", "article"]);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("src/.gitignore was changed, and the handoff does not name it"), "{log}");
}

#[test]
fn names_that_other_systems_take_for_the_repository_are_evidence() {
    let office = victim();
    let plant =
        "mkdir 'git~1' 'src/.git..'; echo x > 'git~1/x.sh'; echo y > 'src/.git../y.sh'; echo z > '.git:z'\n";
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    office.run(&["run", "article"]);
    let log = office.run(&["log", "article-1"]).stdout;
    for name in ["git~1/x.sh", "src/.git../y.sh", ".git:z"] {
        assert!(
            log.contains(&format!("{name} was changed, and the handoff does not name it")),
            "{name}: {log}"
        );
    }
}

#[test]
fn the_files_of_a_submodule_are_evidence() {
    let office = victim();
    let inner = Sandbox::new();
    inner.git(&["init", "--quiet", "--initial-branch=main"]);
    inner.write("b", "before\n");
    inner.commit();
    let from = inner.path("").display().to_string();
    office.sandbox.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", &from, "sm"]);
    let plant = "echo after > sm/b; echo x > sm/new.sh\n";
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    office.run(&["run", "article"]);
    let log = office.run(&["log", "article-1"]).stdout;
    for name in ["sm/b", "sm/new.sh"] {
        assert!(
            log.contains(&format!("{name} was changed, and the handoff does not name it")),
            "{name}: {log}"
        );
    }
}

#[test]
fn objects_that_an_agent_has_forged_hide_no_change() {
    let office = victim();
    office.sandbox.write("sub/deep/t", "before\n");
    // The tree that the folder had takes the content of the tree that it has now, under its old name.
    let plant = r#"old=$(git rev-parse HEAD:sub); echo after > sub/deep/t; git add sub
new=$(git write-tree --prefix=sub/); git reset -q
file() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }
chmod u+w $(file $old); cp -f $(file $new) $(file $old)
"#;
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    office.run(&["run", "article"]);
    let log = office.run(&["log", "article-1"]).stdout;
    assert!(log.contains("sub/deep/t was changed, and the handoff does not name it"), "{log}");
}

#[test]
fn a_forged_file_is_not_checked_out_to_be_verified() {
    let office = victim();
    let flow = office.sandbox.read("flows/article.yaml").replace("verify: artifacts", "verify: rerun");
    office.sandbox.write("flows/article.yaml", flow);
    office.sandbox.write("check.sh", "exit 3\n");
    let plant = r#"echo after >> src/loans.py; old=$(git rev-parse HEAD:check.sh); new=$(echo 'exit 0' | git hash-object -w --stdin)
file() { echo .git/objects/$(echo $1 | cut -c1-2)/$(echo $1 | cut -c3-); }
chmod u+w $(file $old); cp -f $(file $new) $(file $old)
"#;
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    let said = office.run(&["run", "article"]).stdout;
    let is_refused = said.contains("check.sh is not what its name in the repository says");
    assert!(is_refused || said.contains("bubblewrap does not work"), "{said}");
}

#[test]
fn the_root_of_a_project_is_no_artifact() {
    for name in ["./", "/", ".", "src/.."] {
        let office = victim();
        let agent = office.sandbox.read("agent.sh");
        let agent = agent.replace(
            "\"artifacts_produced\": [\"src/loans.py\"]",
            &format!("\"artifacts_produced\": [\"{name}\"]"),
        );
        office.sandbox.write("play.sh", format!("echo x > hidden.py\n{agent}"));
        office.sandbox.commit();
        office.run(&["run", "article"]);
        let log = office.run(&["log", "article-1"]).stdout;
        assert!(log.contains("hidden.py was changed, and the handoff does not name it"), "{name}: {log}");
    }
}

#[test]
fn git_gets_no_folder_of_its_own_where_agents_write() {
    let office = victim();
    office.sandbox.write("tmp/keep", "");
    let inside = office.sandbox.path("tmp").display().to_string();
    let plant = "ls tmp > seen-tmp\n";
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    office.run_with(&["run", "article"], &[("TMPDIR", &inside)]);
    assert_eq!(office.sandbox.read("seen-tmp"), "keep\n");
}

#[test]
fn what_git_cannot_read_is_not_taken_for_unchanged() {
    // Root reads everything, but no path that is too long for the system.
    let office = victim();
    let name = "n".repeat(250);
    let plant = format!(
        "(for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18; do mkdir {name}; cd {name}; done; echo x > x)\n"
    );
    office.sandbox.write("play.sh", format!("{plant}{}", office.sandbox.read("agent.sh")));
    office.sandbox.commit();
    let ran = office.run(&["run", "article"]);
    assert!(!ran.stdout.contains("finds the evidence as it says"), "{}", ran.stdout);
}

#[test]
fn marks_in_the_index_hide_no_change() {
    let office = victim();
    office.sandbox.write("meta/handoff.yaml", MANIFEST.replace("pending", "lost"));
    office.sandbox.git(&["update-index", "--assume-unchanged", "meta/handoff.yaml"]);
    let ran = office.run(&["check", "--json", "--since", "HEAD"]);
    assert!(ran.paths().contains(&"meta/handoff.yaml".to_owned()), "{}", ran.stdout);
    office.sandbox.git(&["update-index", "--no-assume-unchanged", "--skip-worktree", "meta/handoff.yaml"]);
    let ran = office.run(&["check", "--json", "--since", "HEAD"]);
    assert!(ran.paths().contains(&"meta/handoff.yaml".to_owned()), "{}", ran.stdout);
}

#[test]
fn a_program_called_git_in_the_project_is_not_started() {
    let office = victim();
    let program = program(&office.sandbox);
    for name in ["git", "bwrap", "git-remote-x", "sh"] {
        let path = office.sandbox.path("bin").join(name);
        office.sandbox.folder("bin");
        fs::copy(&program, &path).unwrap();
    }
    let path = format!("{}:{}", office.sandbox.path("bin").display(), std::env::var("PATH").unwrap());
    for args in
        [&["check", "--since", "HEAD"][..], &["run", "article"], &["verify", "article-1/1", "--rerun"]]
    {
        office.run_with(args, &[("PATH", &path)]);
    }
    // A relative folder of the path is one of the project too.
    office.run_with(&["check", "--since", "HEAD"], &[("PATH", &format!("bin:{path}"))]);
    assert!(!mark(&office.sandbox).exists());
}

#[test]
fn variables_of_the_environment_lead_git_nowhere_else() {
    let office = victim();
    let program = program(&office.sandbox);
    let config = format!("{program}.config");
    fs::write(&config, weapons(&program)).unwrap();
    let variables = [
        ("GIT_CONFIG_GLOBAL", config.as_str()),
        ("GIT_CONFIG_SYSTEM", &config),
        ("GIT_EXTERNAL_DIFF", &program),
        ("GIT_CONFIG_COUNT", "1"),
        ("GIT_CONFIG_KEY_0", "core.fsmonitor"),
        ("GIT_CONFIG_VALUE_0", &program),
        ("GIT_EXEC_PATH", "bin"),
        ("GIT_TRACE", "trace"),
    ];
    let ran = office.run_with(&["check", "--since", "HEAD"], &variables);
    assert!(ran.code <= 1, "{}", ran.stderr);
    assert!(!mark(&office.sandbox).exists() && !office.sandbox.path("trace").exists());
}

#[test]
fn a_repository_that_no_longer_answers_makes_no_claim_true() {
    for plant in [
        "rm .git/HEAD",
        "rm .git/HEAD; mkfifo .git/HEAD",
        "rm -rf .git/objects; mkfifo .git/objects",
        "rm -rf .git",
    ] {
        let office = victim();
        let script = format!(
            "{plant}; echo x > evil.py; echo after >> src/loans.py\n{}",
            office.sandbox.read("agent.sh")
        );
        office.sandbox.write("play.sh", script);
        let flow = office.sandbox.read("flows/article.yaml").replace("steps:", "caps: {retries: 0}\nsteps:");
        office.sandbox.write("flows/article.yaml", flow);
        office.run(&["run", "article"]);
        let log = office.run(&["log", "article-1"]).stdout;
        assert!(!log.contains("finds the evidence as it says"), "{plant}: {log}");
    }
}
