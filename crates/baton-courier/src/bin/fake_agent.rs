//! Plays `claude`, `codex` or an agent that speaks ACP for tests, in the shapes and with the traps that the real ones were
//! seen to have. The receiver of the delivery names the behaviour; sessions are files in the root.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "agents speak by printing")]

use std::env;
use std::fs::{self, OpenOptions};
use std::io::{self, BufRead as _, Read as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{Command, ExitCode, id};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let mut fake = Fake {
        behaviour: variable("BATON_RECEIVER"),
        root: PathBuf::from(variable("BATON_ROOT")),
        key: variable("BATON_KEY"),
        session: String::new(),
    };
    let code = match arguments.first().map(String::as_str) {
        Some("claude") => fake.claude(&arguments),
        Some("codex") => fake.codex(&arguments),
        Some("acp") => fake.acp(),
        Some(_) | None => {
            eprintln!("fake-agent: say claude, codex or acp");
            2
        }
    };
    ExitCode::from(code)
}

fn variable(name: &str) -> String {
    env::var(name).unwrap_or_default()
}

/// Value of a flag, in the same argument or in the next.
fn behind<'a>(arguments: &'a [String], flag: &str) -> Option<&'a str> {
    let joined = arguments.iter().find_map(|argument| argument.strip_prefix(flag)?.strip_prefix('='));
    let apart = || {
        let at = arguments.iter().position(|argument| argument == flag)?;
        arguments.get(at + 1).map(String::as_str)
    };
    joined.or_else(apart)
}

/// The handoff in the first prompt: the text in its fence.
fn handoff(text: &str) -> Option<&str> {
    let start = text.find("\n\n```")? + 2;
    let fence = &text[start..start + text[start..].bytes().take_while(|&byte| byte == b'`').count()];
    let from = start + text[start..].find('\n')? + 1;
    let to = text.rfind(&format!("\n{fence}\n"))?;
    text.get(from..to)
}

struct Fake {
    behaviour: String,
    root: PathBuf,
    key: String,
    session: String,
}

/// Result of a turn.
enum Said {
    Text(String),
    Structured(Value),
    Failed(&'static str),
    Cut(String),
    Nothing,
}

impl Fake {
    fn history(&self) -> PathBuf {
        self.root.join(format!("session-{}", self.session.replace('/', "_")))
    }

    /// Resumes a session, or begins one; `false` if it is unknown.
    fn enter(&mut self, session: Option<&str>) -> bool {
        // `Session=ID` plays an agent that chooses what its session is called.
        let own = self.behaviour.strip_prefix("Session=").map(|id| id.replace("\\n", "\n"));
        self.session = session.map(str::to_owned).or(own).unwrap_or_else(|| format!("s-{}", id()));
        session.is_none() || self.history().exists()
    }

    /// One turn: what was said is remembered, and two turns at the same time leave a mark.
    fn turn(&self, text: &str, structured: bool) -> Said {
        let busy = self.root.join(format!("busy-{}", self.session.replace('/', "_")));
        if OpenOptions::new().write(true).create_new(true).open(&busy).is_err() {
            note(&self.root.join("clash"), "two turns at once");
        }
        note(&self.history(), &json!(text).to_string());
        let said = self.act(structured);
        let _ = fs::remove_file(&busy);
        said
    }

    fn act(&self, structured: bool) -> Said {
        let turns = fs::read_to_string(self.history()).unwrap_or_default();
        let first = turns.lines().next().and_then(|line| serde_json::from_str::<String>(line).ok());
        let given = first.as_deref().and_then(handoff).unwrap_or_default().to_owned();
        let is_first = turns.lines().count() == 1;
        // The test that creates `busy-wait` ends the wait with `busy-go`.
        while is_first && self.root.join("busy-wait").exists() && !self.root.join("busy-go").exists() {
            thread::sleep(Duration::from_millis(5));
        }
        match self.behaviour.as_str() {
            "Fail" => Said::Failed("API Error: 529 overloaded"),
            "Silence" => Said::Nothing,
            "Flood" => loop {
                println!("{}", "flood ".repeat(100));
            },
            "Wait" if is_first => {
                eprintln!("waiting");
                while !self.root.join(format!("go-{}", self.key)).exists() {
                    thread::sleep(Duration::from_millis(5));
                }
                Said::Text("worked".to_owned())
            }
            "Hang" | "HangOnce" if is_first => self.hang(),
            "CutOff" => {
                println!("{{\"type\": \"assi");
                let _ = io::stdout().flush();
                let _ = Command::new("kill").args(["-KILL", &id().to_string()]).status();
                Said::Nothing
            }
            "Term" => {
                let _ = Command::new("kill").args(["-TERM", &id().to_string()]).status();
                Said::Nothing
            }
            "CutStream" if is_first => Said::Cut("I have beg".to_owned()),
            "Typed" if structured => Said::Structured(json!({ "turns": turns.lines().count() })),
            "Schema" if structured => Said::Failed("Invalid schema for response_format"),
            "Wordy" if !is_first => {
                Said::Text(format!("Warning: {{old}} model.\n{{\"turns\": {}}} Bye.", turns.lines().count()))
            }

            _ if is_first => Said::Text("I worked on it.".to_owned()),
            _ => Said::Text(given),
        }
    }

    /// Never ends, together with a child process; both hold the lock.
    fn hang(&self) -> Said {
        let lock = self.root.join(format!("lock-{}", self.key));
        let hangs = "echo hanging >&2; sleep 1000 & cat; wait";
        let error = Command::new("flock").arg(lock).args(["sh", "-c", hangs]).exec();
        eprintln!("{error}");
        Said::Nothing
    }

    fn claude(&mut self, arguments: &[String]) -> u8 {
        let mut text = String::new();
        let _ = io::stdin().read_to_string(&mut text);
        let resumed = behind(arguments, "--resume");
        let unknown = !self.enter(resumed);
        let session = self.session.clone();
        note(&self.root.join("calls"), &arguments.join(" "));
        if unknown {
            let error = format!("No conversation found with session ID: {session}");
            eprintln!("{error}");
            println!(
                "{}",
                json!({ "type": "result", "subtype": "error_during_execution", "is_error": true,
                "session_id": session, "errors": [error] })
            );
            return 1;
        }
        println!("{}", json!({ "type": "system", "subtype": "init", "session_id": session }));
        let mut result = json!({ "type": "result", "subtype": "success", "is_error": false, "session_id": session,
            "result": "", "usage": { "input_tokens": 100, "output_tokens": 7 }, "permission_denials": [] });
        let said = self.turn(&text, behind(arguments, "--json-schema").is_some());
        let code = match said {
            Said::Text(text) => {
                println!(
                    "{}",
                    json!({ "type": "assistant", "message": { "content": [{ "type": "text", "text": text }] } })
                );
                result["result"] = json!(text);
                0
            }
            Said::Structured(value) => {
                result["result"] = json!(value.to_string());
                result["structured_output"] = value;
                0
            }
            // A failed call of the model is a success of the program.
            Said::Failed(why) => {
                result["is_error"] = json!(true);
                result["result"] = json!(why);
                1
            }
            Said::Cut(text) => {
                result["result"] = json!(text);
                result["usage"] = json!({ "input_tokens": 0, "output_tokens": 0 });
                0
            }
            Said::Nothing => 0,
        };
        println!("{result}");
        code
    }

    fn codex(&mut self, arguments: &[String]) -> u8 {
        let mut text = String::new();
        let _ = io::stdin().read_to_string(&mut text);
        note(&self.root.join("calls"), &arguments.join(" "));
        let resumed = arguments.iter().any(|argument| argument == "resume");
        let thread = resumed.then(|| arguments.get(arguments.len().wrapping_sub(2)).cloned()).flatten();
        if !self.enter(thread.as_deref()) {
            eprintln!("Error: thread/resume failed: no rollout found for thread id {}", self.session);
            return 1;
        }
        println!("{}", json!({ "type": "thread.started", "thread_id": self.session }));
        println!(
            "{}",
            json!({ "type": "item.completed", "item": { "type": "error", "message": "fallback metadata" } })
        );
        println!("{}", json!({ "type": "turn.started" }));
        let failed = |why: &str| {
            println!("{}", json!({ "type": "error", "message": why }));
            println!("{}", json!({ "type": "turn.failed", "error": { "message": why } }));
            1
        };
        match self.turn(&text, behind(arguments, "--output-schema").is_some()) {
            Said::Text(text) => {
                println!(
                    "{}",
                    json!({ "type": "item.completed", "item": { "type": "agent_message", "text": text } })
                );
            }
            Said::Structured(value) => {
                let text = value.to_string();
                println!(
                    "{}",
                    json!({ "type": "item.completed", "item": { "type": "agent_message", "text": text } })
                );
            }
            Said::Failed(why) => return failed(why),
            Said::Cut(_) => return failed("stream disconnected before completion"),
            Said::Nothing => {}
        }
        println!("{}", json!({ "type": "turn.completed", "usage": {} }));
        0
    }

    fn acp(&mut self) -> u8 {
        println!("a banner that is no message");
        let mut lines = io::stdin().lock().lines().map_while(Result::ok);
        while let Some(line) = lines.next() {
            let Ok(message) = serde_json::from_str::<Value>(&line) else { continue };
            let (id, params) = (&message["id"], &message["params"]);
            let reply =
                |result: &Value| println!("{}", json!({ "jsonrpc": "2.0", "id": id, "result": result }));
            match message["method"].as_str() {
                Some("initialize") => {
                    let loads = self.behaviour != "NoLoad";
                    reply(&json!({ "protocolVersion": 1, "agentCapabilities": { "loadSession": loads } }));
                }
                Some("session/new") => {
                    self.enter(None);
                    let mut made = json!({ "sessionId": self.session });
                    match self.behaviour.as_str() {
                        "Models" => {
                            made["models"] =
                                json!({ "availableModels": [{ "modelId": "opus", "name": "Opus" }] });
                        }
                        "Options" => made["configOptions"] = json!([{ "id": "m", "category": "model" }]),
                        _ => {}
                    }
                    reply(&made);
                }
                Some(method @ ("session/set_model" | "session/set_config_option")) => {
                    let chosen = params["modelId"].as_str().or(params["value"].as_str()).unwrap_or_default();
                    note(&self.root.join("chosen"), &format!("{method} {chosen}"));
                    reply(&Value::Null);
                }
                Some("session/load") => {
                    if self.enter(params["sessionId"].as_str()) {
                        self.chunk("{\"old\": \"history\"}");
                        reply(&Value::Null);
                    } else {
                        println!(
                            "{}",
                            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32002, "message": "not found" } })
                        );
                    }
                }
                Some("session/prompt") => {
                    let text = params["prompt"][0]["text"].as_str().unwrap_or_default();
                    if self.behaviour == "Permission" {
                        let options = json!([{ "optionId": "yes", "kind": "allow_once" }, { "optionId": "no", "kind": "reject_once" }]);
                        let asks = json!({ "sessionId": self.session, "toolCall": { "title": "rm -rf build" }, "options": options });
                        println!(
                            "{}",
                            json!({ "jsonrpc": "2.0", "id": "p1", "method": "session/request_permission", "params": asks })
                        );
                        note(&self.root.join("permission"), &lines.next().unwrap_or_default());
                    }
                    let said = self.turn(text, false);
                    let error = match said {
                        Said::Text(text) => {
                            self.chunk(&text);
                            None
                        }
                        Said::Structured(value) => {
                            self.chunk(&value.to_string());
                            None
                        }
                        Said::Cut(text) => {
                            self.chunk(&text);
                            None
                        }
                        Said::Failed(why) => Some(why),
                        Said::Nothing => None,
                    };
                    match error {
                        Some(why) => println!(
                            "{}",
                            json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32603, "message": why } })
                        ),
                        None => reply(&json!({ "stopReason": "end_turn" })),
                    }
                }
                Some(method) => note(&self.root.join("notices"), method),
                None => {}
            }
        }
        0
    }

    fn chunk(&self, text: &str) {
        let update =
            json!({ "sessionUpdate": "agent_message_chunk", "content": { "type": "text", "text": text } });
        println!(
            "{}",
            json!({ "jsonrpc": "2.0", "method": "session/update", "params": { "sessionId": self.session, "update": update } })
        );
    }
}

/// Adds a line to a file.
fn note(path: &PathBuf, line: &str) {
    let file = OpenOptions::new().create(true).append(true).open(path);
    if let Err(error) = file.and_then(|mut file| writeln!(file, "{line}")) {
        eprintln!("fake-agent: {error}");
    }
}
