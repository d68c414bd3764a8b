//! What agents behind a wall try, to be believed by the next agent, by a person's tools, or by Baton. Where no wall works these tests
//! do nothing but one: what happens there is tested beside it.

use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::{Command, Stdio};

use baton_engine::sandbox::works;

use crate::office::Office;
use crate::sandbox::ran;

const KEY: (&str, &str) =
    ("BATON_GATE_KEY", "0b8a6a7d3f7c9c1d5e2f4a6b8c0d1e3f5a7b9c1d3e5f7a9b0c2d4e6f8a1b3c5d");

/// Two agents behind walls, the first of which attacks before it answers; there is a repository and a gate at the end.
fn office(attack: &str, second: &str, keys: &str) -> Office {
    let office = Office::with("  - write: ada\n  - print: ben\n  - look: {gate: blocking}\n");
    let sandbox = &office.sandbox;
    let agent = sandbox.read("agent.sh");
    sandbox.write("agent.sh", format!("if [ $1 = ada ]; then\n{attack}\n:\nelse\n{second}\n:\nfi\n{agent}"));
    let flow = sandbox
        .read("flows/article.yaml")
        .replace("restart: safe", &format!("restart: safe, sandbox: required{keys}"));
    sandbox.write("flows/article.yaml", flow);
    sandbox.write("src/loans.py", "x\n");
    fs::remove_dir(sandbox.path(".git")).unwrap();
    sandbox.git(&["init", "--quiet", "--initial-branch=main"]);
    sandbox.commit();
    office
}

/// Every file and folder of the project, but those of Baton and of the agents of the tests, with what each holds.
fn inventory(office: &Office) -> Vec<String> {
    let output = Command::new("sh")
        .args(["-c", "find . -path ./.baton -prune -o -path './.git/objects' -prune -o -print | sort; cat .git/config .git/info/exclude"])
        .current_dir(office.sandbox.path(""))
        .output()
        .unwrap();
    let own = ["./calls", "./given-to-", "./.runs", "./tried", "./seen"];
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter(|line| !own.iter().any(|own| line.starts_with(own))).map(str::to_owned).collect()
}

#[test]
fn what_says_who_agents_are_cannot_be_made_moved_or_linked() {
    if !works() {
        return;
    }
    let names = "baton.toml flows dialects workflow-agents .claude .codex .mcp.json .git/config .git/config.worktree .git/commondir \
                 .git/hooks .git/info .git/modules .git/worktrees .git/objects/info agent.sh .git";
    let attack = format!(
        "for name in {names}; do\n  mv $name moved && echo \"moved $name\"\n  [ $name = .git ] || rm -rf $name 2>/dev/null; [ -e $name ] || echo \"gone $name\"\n  \
         ln -sfn / $name 2>/dev/null && [ -L $name ] && echo \"linked $name\"\n  (echo x > $name) 2>/dev/null && echo \"written $name\"\n  \
         mkdir -p $name/x 2>/dev/null && [ -d $name/x ] && [ $name != .git ] && echo \"filled $name\"\n  umount $name 2>/dev/null && echo \"unmounted $name\"\n\
         done > tried 2>/dev/null\nrm -rf .git/x moved"
    );
    let office = office(&attack, "", "");
    let before = inventory(&office);
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(office.sandbox.read("tried"), "", "{}", ran.stdout);
    assert_eq!(inventory(&office), before, "and nothing that stood for them is left");
    let answered = office.run_with(&["gate", "approve", "article-1", "--json"], &[KEY]);
    assert_eq!(answered.json()["enforced"], true, "{}", answered.stderr);
}

#[test]
fn a_prompt_deep_in_the_project_cannot_be_moved_away_with_its_folder() {
    if !works() {
        return;
    }
    let attack = "(mv docs other && mkdir -p docs/prompts && echo evil > docs/prompts/ada.md; echo x >> docs/prompts/ada.md; \
                  rm docs/prompts/ada.md; mv docs/prompts docs/x) 2>/dev/null";
    let office = office(attack, "", ", prompt: docs/prompts/ada.md");
    office.sandbox.write("docs/prompts/ada.md", "Be kind.\n");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(office.sandbox.read("docs/prompts/ada.md"), "Be kind.\n");
}

#[test]
fn a_link_that_one_agent_leaves_shows_the_next_one_nothing() {
    if !works() {
        return;
    }
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("id"), "precious").unwrap();
    let place = secret.path().display();
    // As a folder that is kept, as one that is granted, as a tool, and as parts of the repository.
    let attack = format!(
        "for name in dialects workflow-agents .claude cache vendor tool.sh; do ln -sfn {place} $name; done 2>/dev/null\n\
         rm -rf .git/logs; ln -sfn {place} .git/logs; true"
    );
    let second = format!(
        "cat {place}/id dialects/id cache/id vendor/id .git/logs/id > seen 2>/dev/null; echo x > cache/new 2>/dev/null; echo x > {place}/new 2>/dev/null"
    );
    let office = office(&attack, &second, ", writable: [cache], readable: [vendor]");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(office.sandbox.read("seen"), "");
    assert!(!secret.path().join("new").exists());
    assert!(
        ran.stdout.contains("waits for a person") || ran.stdout.contains("look"),
        "the next agent started: {}",
        ran.stdout
    );
    let calls = office.sandbox.read("calls");
    assert!(calls.contains("ben "), "{calls}");
}

#[test]
fn a_link_where_something_is_promised_is_named_and_not_followed() {
    if !works() {
        return;
    }
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("id"), "precious").unwrap();
    let office = office("cat dialects/id > seen 2>&1", "", "");
    symlink(secret.path(), office.sandbox.path("dialects")).unwrap();
    let ran = office.run(&["run", "article"]);
    assert!(ran.stdout.contains("dialects cannot be protected: it is a link"), "{}", ran.stdout);
    assert!(!office.sandbox.path("seen").exists(), "the agent was not started");
    // Where a wall is only wished for the agent starts behind one that shows no more, and nothing is claimed.
    let flow =
        office.sandbox.read("flows/article.yaml").replace("sandbox: required", "sandbox: when-available");
    office.sandbox.write("flows/article.yaml", flow);
    let ran = office.run(&["run", "article"]);
    assert!(!office.sandbox.read("seen").contains("precious"), "{}", ran.stdout);
    let shown = office.run(&["gate", "show", "article-2/look", "--json"]).json();
    assert_eq!(shown["enforced"], false, "{}", ran.stdout);
}

#[test]
fn a_program_that_is_a_link_in_the_project_shows_nothing_of_where_it_leads() {
    if !works() {
        return;
    }
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("id"), "precious").unwrap();
    fs::write(
        secret.path().join("tool"),
        "#!/bin/sh\ncat \"$(dirname \"$(readlink -f \"$0\")\")/id\" > seen\nexec sh agent.sh ada\n",
    )
    .unwrap();
    fs::set_permissions(secret.path().join("tool"), fs::Permissions::from_mode(0o755)).unwrap();
    let office = office("", "", "");
    symlink(secret.path().join("tool"), office.sandbox.path("tool")).unwrap();
    let flow = office
        .sandbox
        .read("flows/article.yaml")
        .replace("run: [sh, agent.sh, ada]", "run: [./tool]")
        .replace("steps:", "caps: {retries: 0}\nsteps:");
    office.sandbox.write("flows/article.yaml", flow);
    let ran = office.run(&["run", "article"]);
    assert!(
        !ran.stdout.contains("precious") && !office.run(&["log", "article-1"]).stdout.contains("precious")
    );
}

/// A stand-in for Claude Code that writes wherever it can what would start programs next time.
const CLAUDE: &str = r#"#!/bin/sh
cat > /dev/null
cd "$HOME"
for name in .claude/settings.json .claude/settings.local.json .claude/agents/a.md .claude/commands/c.md .claude/plugins/p.json \
    .claude/hooks/h.sh .claude/shell-snapshots/s.sh .claude/CLAUDE.md .claude.json .codex/config.toml .bashrc .profile .gitconfig .config/git/config \
    .local/bin/evil .ssh/authorized_keys; do
  mkdir -p "$(dirname $name)"; echo evil > $name
done 2>/dev/null
echo "$@" >> .claude/projects/arguments
cat .ssh/id .claude/ide/lock > .claude/projects/stolen 2>/dev/null
cat <<END
{"type":"system","subtype":"init","session_id":"11111111-1111-4111-8111-111111111111"}
{"type":"result","subtype":"success","is_error":false,"session_id":"11111111-1111-4111-8111-111111111111","usage":{"input_tokens":1,"output_tokens":1},"result":"{\"meta\": {\"step_id\": \"write\", \"flow_key\": \"article\", \"agent_key\": \"ada\", \"timestamp\": \"2026-01-31T09:30:00Z\"}, \"status\": \"VERIFIED\", \"summary\": {\"what_i_did\": \"Did the part of ada in src/loans.py\", \"what_i_found\": \"Nothing odd\", \"evidence\": {\"artifacts_produced\": [\"src/loans.py\"], \"commands_run\": [\"make\"]}}, \"routing\": {\"recommendation\": \"CONTINUE\", \"reason\": \"It is done\"}}"}
END
"#;

#[test]
fn the_home_of_an_agent_program_keeps_its_sessions_and_none_of_its_settings() {
    if !works() {
        return;
    }
    for has_settings in [false, true] {
        let office = office("", "", "");
        let home = tempfile::tempdir().unwrap();
        let home = home.path().canonicalize().unwrap();
        fs::create_dir_all(home.join(".ssh")).unwrap();
        fs::create_dir_all(home.join(".claude/ide")).unwrap();
        fs::write(home.join(".ssh/id"), "precious").unwrap();
        fs::write(home.join(".claude/ide/lock"), "precious").unwrap();
        if has_settings {
            for name in [
                ".claude/settings.json",
                ".claude/agents/a.md",
                ".claude.json",
                ".codex/config.toml",
                ".gitconfig",
            ] {
                fs::create_dir_all(home.join(name).parent().unwrap()).unwrap();
                fs::write(home.join(name), "mine").unwrap();
            }
        }
        office.sandbox.write("claude", CLAUDE);
        fs::set_permissions(office.sandbox.path("claude"), fs::Permissions::from_mode(0o755)).unwrap();
        let flow = office
            .sandbox
            .read("flows/article.yaml")
            .replace("run: [sh, agent.sh, ada]", "courier: claude, run: [./claude]");
        office.sandbox.write("flows/article.yaml", flow);
        let ran = office.run_with(&["run", "article"], &[("HOME", home.to_str().unwrap())]);
        assert!(ran.stdout.contains("article-1"), "{}{}", ran.stdout, ran.stderr);
        let output = Command::new("grep").args(["-rl", "evil", "."]).current_dir(&home).output().unwrap();
        assert_eq!(String::from_utf8(output.stdout).unwrap(), "", "{}", ran.stdout);
        let kept = fs::read_to_string(home.join(".claude/projects/arguments")).unwrap();
        assert!(kept.contains("--output-format"), "{kept}");
        assert_eq!(fs::read_to_string(home.join(".claude/projects/stolen")).unwrap_or_default(), "");
    }
}

#[test]
fn a_flow_loosens_nothing_that_the_settings_say() {
    let office = office("echo x > /tmp/../../$HOME/out 2>/dev/null; ls .baton > seen 2>/dev/null", "", "");
    office.sandbox.write("baton.toml", "[sandbox]\nagents = \"required\"\n");
    let flow = office.sandbox.read("flows/article.yaml");
    office.sandbox.write("flows/article.yaml", flow.replace("sandbox: required", "sandbox: none"));
    let ran = office.run(&["run", "article"]);
    if works() {
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(office.sandbox.read("seen"), "", "it ran behind its wall");
    } else {
        assert!(ran.stdout.contains("it must run in a sandbox, and none works here"), "{}", ran.stdout);
    }
    for (granted, said) in [
        ("writable: [~/.ssh]", "which baton.toml puts into a sandbox without it"),
        ("readable: [/var/lib]", "which baton.toml puts into a sandbox without it"),
        ("writable: [../other]", "which baton.toml puts into a sandbox without it"),
    ] {
        office.sandbox.write("flows/article.yaml", flow.replace("sandbox: required", granted));
        let ran = office.run(&["run", "article"]);
        assert!(ran.code != 0 && ran.stderr.contains(said), "{granted}: {}{}", ran.stdout, ran.stderr);
    }
    // What the settings allow may be granted.
    office.sandbox.write("baton.toml", "[sandbox]\nagents = \"when-available\"\nreadable = [\"/var/lib\"]\n");
    office.sandbox.write("flows/article.yaml", flow.replace("sandbox: required", "readable: [/var/lib]"));
    assert_eq!(office.run(&["run", "article"]).code, 0);
    office.sandbox.write("baton.toml", "");
    for wide in ["~", "/", ".."] {
        office.sandbox.write(
            "flows/article.yaml",
            flow.replace("sandbox: required", &format!("sandbox: when-available, writable: ['{wide}']")),
        );
        let ran = office.run_with(&["run", "article"], &[("HOME", "/var")]);
        assert!(
            ran.code != 0 && ran.stderr.contains("cannot be shown to the agent"),
            "{wide}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_program_of_the_project_that_notifies_people_is_behind_the_wall_too() {
    let office = Office::with("  - write: ada\n  - print: {agent: nora}\n");
    let flow = office
        .sandbox
        .read("flows/article.yaml")
        .replace("restart: safe", "restart: safe, sandbox: when-available");
    let flow =
        flow.replace("steps:", "  nora: {dialect: envelope, courier: human, run: [sh, notify.sh]}\nsteps:");
    office.sandbox.write("flows/article.yaml", flow);
    // The agent writes what it runs, and tries to write the program itself.
    let attack = "echo 'ls -A .baton > seen; echo x > baton.toml; echo told > told' > hook.sh\n\
                  (echo '. ./hook.sh; echo x > rewritten' > notify.sh) 2>/dev/null\n";
    office.sandbox.write("agent.sh", format!("{attack}{}", office.sandbox.read("agent.sh")));
    office.sandbox.write("notify.sh", ". ./hook.sh\n");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(office.sandbox.read("told"), "told\n");
    if works() {
        assert_eq!(office.sandbox.read("seen"), "");
        assert!(!office.sandbox.path("baton.toml").exists());
        assert!(!office.sandbox.path("rewritten").exists());
        assert!(!ran.stdout.contains("unenforced"), "{}", ran.stdout);
    } else {
        assert!(ran.stdout.contains("unenforced"), "{}", ran.stdout);
    }
}

#[test]
fn a_protected_file_that_is_replaced_from_outside_costs_the_claim() {
    if !works() {
        return;
    }
    let office =
        office("touch ready; while [ ! -e go ]; do sleep 0.02; done; echo evil >> baton.toml", "", "");
    office.sandbox.write("baton.toml", "[sandbox]\nagents = \"required\"\n");
    let running = office.start(&["run", "article"]);
    office.awaits("ready");
    // As editors save: what is mounted over the old file goes with it.
    office.sandbox.write("new.toml", "[sandbox]\nagents = \"required\"\n# mine\n");
    fs::rename(office.sandbox.path("new.toml"), office.sandbox.path("baton.toml")).unwrap();
    office.sandbox.write("go", "");
    assert_eq!(running.end(), Some(0));
    let said = office.run(&["log", "article-1"]).stdout;
    assert!(said.contains("protected files changed while ada was at work: unenforced"), "{said}");
    let shown = office.run(&["gate", "show", "article-1/look", "--json"]).json();
    assert_eq!(shown["enforced"], false);
}

#[test]
fn commands_that_were_run_again_without_a_sandbox_cost_the_claim() {
    if !works() {
        return;
    }
    let office = office("", "", "");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    assert_eq!(office.run(&["gate", "show", "article-1/look", "--json"]).json()["enforced"], true);
    let verified = office.run(&["verify", "article-1/1", "--rerun", "--no-sandbox", "--json"]);
    let is_open = verified.json()["verdict"]["sandbox"] == "none";
    assert_eq!(office.run(&["gate", "show", "article-1/look", "--json"]).json()["enforced"], !is_open);
}

#[test]
fn the_wall_holds_for_another_user_as_well() {
    let office = office(
        "ls -A .baton > seen; (echo x > baton.toml) 2>/dev/null; cat ~/secret > stolen 2>/dev/null; git add -A && git commit -qm x",
        "",
        "",
    );
    let root = office.sandbox.path("");
    let home = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
    let home = home.path().canonicalize().unwrap();
    fs::write(home.join("secret"), "precious").unwrap();
    fs::write(home.join(".gitconfig"), "[user]\nname = a\nemail = a@b\n").unwrap();
    let is_root = fs::metadata("/proc/self").unwrap().uid() == 0;
    if !is_root {
        return;
    }
    let owned = Command::new("chown").args(["-R", "65534:65534"]).arg(&root).status().unwrap();
    assert!(owned.success());
    let mut command = Command::new("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    // The program is copied to where every user reaches it.
    let program = tempfile::Builder::new().permissions(fs::Permissions::from_mode(0o755)).tempdir().unwrap();
    fs::copy(env!("CARGO_BIN_EXE_baton"), program.path().join("baton")).unwrap();
    command.arg(program.path().join("baton")).args(["run", "article"]);
    command
        .current_dir(&root)
        .env_clear()
        .env("HOME", &home)
        .env("PATH", "/usr/bin:/bin")
        .stdin(Stdio::null());
    let said = ran(&mut command);
    if !said.stdout.contains("none works here") {
        assert_eq!(said.code, 0, "{}{}", said.stdout, said.stderr);
        assert_eq!(office.sandbox.read("seen"), "");
        assert!(!root.join("baton.toml").exists() && office.sandbox.read("stolen").is_empty());
        let mut log = Command::new("git");
        log.args(["-c", "safe.directory=*", "log", "--oneline"])
            .current_dir(&root)
            .env("HOME", Path::new("/"));
        let log = String::from_utf8(log.output().unwrap().stdout).unwrap();
        assert!(log.lines().count() > 1, "an agent may commit: {log}");
    }
}

#[test]
fn what_was_open_when_baton_started_is_not_handed_through_the_wall() {
    let secret = tempfile::tempdir().unwrap();
    fs::write(secret.path().join("id"), "precious").unwrap();
    let office = office("cat /proc/self/fd/9/id > seen 2>/dev/null; ls /proc/self/fd > tried", "", "");
    let ran = office.run_within(&format!("exec 9<'{}'", secret.path().display()), &["run", "article"]);
    if works() {
        assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
        assert_eq!(office.sandbox.read("seen"), "");
        assert!(!office.sandbox.read("tried").lines().any(|number| number == "9"));
    }
}

#[test]
fn no_setting_of_the_kernel_is_written_from_behind_the_wall() {
    if !works() {
        return;
    }
    // As root without capabilities the files of /proc/sys are still one's own.
    let attack = "for file in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/kernel/modprobe /proc/sysrq-trigger; do\n\
                  (: >> $file) 2>/dev/null && echo \"$file opens\"; done > tried";
    let office = office(attack, "", "");
    assert_eq!(office.run(&["run", "article"]).code, 0);
    assert_eq!(office.sandbox.read("tried"), "");
}

#[test]
fn the_root_of_a_project_does_not_become_a_repository() {
    if !works() {
        return;
    }
    for (has_git, by) in [
        (true, "mkdir objects refs refs/heads"),
        (false, "mkdir objects refs refs/heads"),
        // Its objects, references and configuration lie elsewhere.
        (true, "mkdir -p x/objects x/refs/heads; ln -sf ../config x/config; echo x > commondir"),
        (false, "mkdir -p x/objects x/refs/heads; ln -sf ../config x/config; echo x > commondir"),
    ] {
        let mark = tempfile::tempdir().unwrap();
        let mark = mark.path().join("ran");
        let attack = format!(
            "rm -f .git/HEAD\n({by}) 2>/dev/null\necho 'ref: refs/heads/main' > HEAD\n\
             printf '[core]\\n\\trepositoryformatversion = 1\\n\\tbare = false\\n\\tworktree = .\\n\\tfsmonitor = touch {}\\n[extensions]\\n\\tworktreeConfig = true\\n' > config; cp config config.worktree",
            mark.display()
        );
        let office = office(&attack, "", "");
        if !has_git {
            fs::remove_dir_all(office.sandbox.path(".git")).unwrap();
        }
        office.run(&["run", "article"]);
        // As a person's prompt does. The mark lies where the agent cannot write.
        let _ = Command::new("git").args(["status"]).current_dir(office.sandbox.path("")).output().unwrap();
        assert!(!mark.exists(), "with .git: {has_git}, by: {by}");
    }
}

#[test]
fn programs_of_agents_in_other_flows_cannot_be_changed() {
    if !works() {
        return;
    }
    let office = office(
        "(for file in scripts/g.sh tools/tt.sh; do echo evil > $file; rm -f $file; mv ${file%/*} x; done) 2>/dev/null",
        "",
        "",
    );
    let agent = "{dialect: envelope, run: [sh, scripts/g.sh]}";
    office
        .sandbox
        .write("flows/g.yaml", format!("flow: g\nagents:\n  gus: {agent}\nsteps:\n  - write: gus\n"));
    office
        .sandbox
        .write("baton.toml", "[agents.tt]\ndialect = \"envelope\"\nrun = [\"sh\", \"tools/tt.sh\"]\n");
    office.sandbox.write("scripts/g.sh", "good\n");
    office.sandbox.write("tools/tt.sh", "good\n");
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(
        (office.sandbox.read("scripts/g.sh"), office.sandbox.read("tools/tt.sh")),
        ("good\n".into(), "good\n".into())
    );
}

#[test]
fn a_folder_of_the_path_is_not_written_through_a_grant() {
    if !works() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    fs::create_dir_all(home.path().join(".tools/bin")).unwrap();
    let path = format!("{}:/usr/bin:/bin", home.path().join(".tools/bin").display());
    let office = office(
        "(echo evil > ~/.tools/bin/sh; echo x > ~/.tools/seen) 2>/dev/null",
        "",
        ", writable: [~/.tools]",
    );
    office.sandbox.write("baton.toml", "[agents.ada]\nwritable = [\"~/.tools\"]\n");
    let home_text = home.path().display().to_string();
    let ran = office.run_with(&["run", "article"], &[("PATH", &path), ("HOME", &home_text)]);
    assert!(home.path().join(".tools/seen").exists(), "{}{}", ran.stdout, ran.stderr);
    assert!(!home.path().join(".tools/bin/sh").exists());
}

#[test]
fn what_links_in_protected_folders_lead_to_cannot_be_changed() {
    if !works() {
        return;
    }
    let office = office("(echo evil > scripts/pre-commit; mv scripts x; rm -rf scripts) 2>/dev/null", "", "");
    office.sandbox.write("scripts/pre-commit", "good\n");
    fs::create_dir_all(office.sandbox.path(".git/hooks")).unwrap();
    symlink("../../scripts/pre-commit", office.sandbox.path(".git/hooks/pre-commit")).unwrap();
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    assert_eq!(office.sandbox.read("scripts/pre-commit"), "good\n");
}

#[test]
fn a_commit_does_not_say_what_the_next_agent_starts() {
    if !works() {
        return;
    }
    // Plumbing that touches no file: another agent.sh, and settings that start programs.
    for name in ["agent.sh", ".claude/settings.json"] {
        let attack = format!(
            "hash=$(echo 'touch stolen' | git hash-object -w --stdin); export GIT_INDEX_FILE=/tmp/i; git read-tree HEAD; \
             git update-index --add --cacheinfo 100644,$hash,{name}; \
             git update-ref HEAD $(git -c user.name=a -c user.email=a@b commit-tree $(git write-tree) -p HEAD -m x < /dev/null); unset GIT_INDEX_FILE"
        );
        let office = office(&attack, "", "");
        // The second agent has a worktree of its own, and no wall.
        let flow = office.sandbox.read("flows/article.yaml");
        let apart = "run: [sh, agent.sh, ben], worktree: true, restart: safe";
        let flow = flow.replace("run: [sh, agent.sh, ben], restart: safe, sandbox: required", apart);
        assert!(flow.contains(apart), "{flow}");
        office.sandbox.write("flows/article.yaml", flow);
        office.sandbox.commit();
        let ran = office.run(&["run", "article"]);
        let first = name.split('/').next().unwrap();
        assert!(
            ran.stdout.contains(&format!("{first} in the last commit is not {first} in the project")),
            "{}",
            ran.stdout
        );
        assert!(!office.sandbox.read("calls").contains("ben "), "it was not started");
        assert_eq!(fs::read_dir(office.sandbox.path(".git/worktrees")).map_or(0, Iterator::count), 0);
    }
}

#[test]
fn a_worktree_gets_no_configuration_of_its_own() {
    if !works() {
        return;
    }
    let office = office(
        "git config --worktree core.fsmonitor ./x; echo '[core]' > \"$(git rev-parse --git-dir)/config.worktree\"; \
                         mkdir -p \"$(git rev-parse --git-dir)/modules/x\"; true",
        "",
        ", worktree: true",
    );
    office.sandbox.git(&["config", "extensions.worktreeConfig", "true"]);
    let agent = office.sandbox.path("agent.sh").display().to_string();
    let flow = office.sandbox.read("flows/article.yaml").replace("sh, agent.sh", &format!("sh, '{agent}'"));
    office.sandbox.write("flows/article.yaml", flow);
    let ran = office.run(&["run", "article"]);
    assert_eq!(ran.code, 0, "{}{}", ran.stdout, ran.stderr);
    let found = Command::new("sh")
        .args([
            "-c",
            "find .git/worktrees -name config.worktree -size +0; find .git/worktrees -path '*/modules/x'",
        ])
        .current_dir(office.sandbox.path(""))
        .output();
    assert_eq!(String::from_utf8(found.unwrap().stdout).unwrap(), "");
}
