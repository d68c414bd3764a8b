//! `cargo xtask agents [NAME…]`: one flow across real coding agents, with a scripted model on loopback and no real key.
//!
//! Agents are installed from npm into `target/agents`, which needs the network; nothing that `ready` runs does.

mod model;
mod play;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::{Task, cargo};

pub(crate) const TASK: Task = Task {
    name: "agents",
    arguments: "[NAME…]",
    does: "runs one flow across real agents, with a scripted model",
    run,
};

/// A real agent: where it comes from, and how it is pointed at the model.
struct Agent {
    name: &'static str,
    packages: &'static [&'static str],
    /// The program below `node_modules`.
    program: &'static str,
    courier: &'static str,
    /// What stands behind the program.
    arguments: &'static [&'static str],
    /// Variables; `{url}` is the address of the model, `{bin}` the folder of programs.
    variables: &'static [(&'static str, &'static str)],
    /// Files in its home.
    files: &'static [(&'static str, &'static str)],
}

const CLAUDE_VARIABLES: &[(&str, &str)] = &[
    ("ANTHROPIC_BASE_URL", "{url}"),
    ("ANTHROPIC_API_KEY", "dummy"),
    ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
    ("DISABLE_AUTOUPDATER", "1"),
    ("IS_SANDBOX", "1"),
];

const CODEX_CONFIG: &str = r#"model = "scripted"
model_provider = "scripted"
[model_providers.scripted]
name = "scripted"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "OPENAI_API_KEY"
request_max_retries = 0
stream_max_retries = 0
[features]
plugins = false
"#;

const OPENCODE_CONFIG: &str = r#"{"model": "scripted/scripted", "small_model": "scripted/scripted", "provider": {"scripted": {
"npm": "@ai-sdk/openai-compatible", "name": "scripted", "options": {"baseURL": "{url}/v1", "apiKey": "dummy"},
"models": {"scripted": {"name": "scripted"}}}}}
"#;

const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        packages: &["@anthropic-ai/claude-code"],
        program: ".bin/claude",
        courier: "claude",
        arguments: &[],
        variables: CLAUDE_VARIABLES,
        files: &[],
    },
    Agent {
        name: "codex",
        packages: &["@openai/codex"],
        program: ".bin/codex",
        courier: "codex",
        arguments: &[],
        variables: &[("OPENAI_API_KEY", "dummy"), ("CODEX_HOME", "{home}/.codex")],
        files: &[(".codex/config.toml", CODEX_CONFIG)],
    },
    Agent {
        name: "claude-acp",
        packages: &["@agentclientprotocol/claude-agent-acp"],
        program: ".bin/claude-agent-acp",
        courier: "acp",
        arguments: &[],
        variables: CLAUDE_VARIABLES,
        files: &[],
    },
    Agent {
        name: "codex-acp",
        packages: &["@agentclientprotocol/codex-acp"],
        program: ".bin/codex-acp",
        courier: "acp",
        arguments: &[],
        variables: &[("OPENAI_API_KEY", "dummy"), ("CODEX_HOME", "{home}/.codex")],
        files: &[(".codex/config.toml", CODEX_CONFIG)],
    },
    Agent {
        name: "gemini",
        packages: &["@google/gemini-cli"],
        program: ".bin/gemini",
        courier: "acp",
        arguments: &["--acp"],
        variables: &[("GEMINI_API_KEY", "dummy"), ("GOOGLE_GEMINI_BASE_URL", "{url}")],
        files: &[(".gemini/settings.json", r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}}"#)],
    },
    Agent {
        name: "opencode",
        packages: &["opencode-ai"],
        program: ".bin/opencode",
        courier: "acp",
        arguments: &["acp"],
        variables: &[("OPENCODE_DISABLE_AUTOUPDATE", "1")],
        files: &[(".config/opencode/opencode.json", OPENCODE_CONFIG)],
    },
    Agent {
        name: "goose",
        packages: &["@aaif/goose-binary-linux-x64"],
        program: ".bin/goose-binary-linux-x64",
        courier: "acp",
        arguments: &["acp"],
        variables: &[
            ("GOOSE_PROVIDER", "openai"),
            ("GOOSE_MODEL", "scripted"),
            ("OPENAI_HOST", "{url}"),
            ("OPENAI_API_KEY", "dummy"),
            ("GOOSE_DISABLE_KEYRING", "1"),
        ],
        files: &[],
    },
];

fn run(arguments: &[String]) -> Result<()> {
    let unknown = arguments.iter().find(|name| AGENTS.iter().all(|agent| agent.name != name.as_str()));
    if let Some(unknown) = unknown {
        let names: Vec<&str> = AGENTS.iter().map(|agent| agent.name).collect();
        bail!("there is no agent {unknown:?}; there are {}", names.join(", "));
    }
    cargo::run("build", &["build", "-p", "baton"])?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| PathBuf::from("target"), PathBuf::from);
    let target = target.canonicalize().context("failed to find the target folder")?;
    let baton = target.join("debug/baton");
    let mut failed = Vec::new();
    for agent in
        AGENTS.iter().filter(|agent| arguments.is_empty() || arguments.iter().any(|name| name == agent.name))
    {
        let played = install(agent, &target.join("agents").join(agent.name))
            .and_then(|program| play::play(agent, &program, &baton));
        match played {
            Ok(told) => println!("{}: {told}", agent.name),
            Err(error) => {
                println!("{}: FAILED: {error:#}", agent.name);
                failed.push(agent.name);
            }
        }
    }
    if failed.is_empty() { Ok(()) } else { bail!("these did not come through: {}", failed.join(", ")) }
}

/// Installs an agent unless it is there, and gives its program.
fn install(agent: &Agent, folder: &Path) -> Result<PathBuf> {
    let program = folder.join("node_modules").join(agent.program);
    if !program.exists() {
        std::fs::create_dir_all(folder).context("failed to make the folder of the agent")?;
        println!("installing {}", agent.packages.join(" "));
        let status = Command::new("npm")
            .args(["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefix"])
            .arg(folder)
            .args(agent.packages)
            .status()
            .context("failed to start npm")?;
        if !status.success() {
            bail!("npm could not install it");
        }
        // Newer versions of npm leave out the scripts that fetch or unpack the program itself.
        for script in
            ["node_modules/@anthropic-ai/claude-code/install.cjs", "node_modules/opencode-ai/postinstall.mjs"]
        {
            let script = folder.join(script);
            if script.exists() {
                Command::new("node").arg(&script).current_dir(script.parent().unwrap_or(folder)).status()?;
            }
        }
    }
    Ok(program)
}
