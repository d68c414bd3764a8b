//! A model that plays the steps of the flow, on loopback, in the words of three makers.
//!
//! It answers the last input: work is reported as done, a handoff is written from the step in the question, and each step
//! fails in the way that the last word of its name says.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use serde_json::{Value, json};

/// Time for which a call hangs whose agent is killed.
const HANG: Duration = Duration::from_secs(240);

/// Text at the end of the work.
const DONE: &str = "All of it is done.";

/// Text that OpenClaw adds to each message by itself.
const ASIDE: &str = "<<<BEGIN_OPENCLAW_INTERNAL_CONTEXT>>>";

/// A running server.
pub(super) struct Model {
    port: u16,
    seen: Arc<Mutex<Seen>>,
}

/// Calls that the model saw.
#[derive(Clone, Default)]
pub(super) struct Seen {
    pub(super) calls: usize,
    /// The steps whose handoff was asked for where the work was.
    pub(super) same_session: BTreeSet<String>,
    /// The steps whose handoff was asked for again.
    pub(super) asked_again: BTreeSet<String>,
    /// Work of other steps that each step was told of.
    pub(super) handed_over: BTreeMap<String, BTreeSet<String>>,
    times: BTreeMap<String, usize>,
    hanging: Option<String>,
    is_released: bool,
}

/// Answer of the model.
enum Answer {
    Say(String),
    Tool(&'static str, Value),
    /// The stream ends before the message does.
    Cut(String),
    /// A status that is no success.
    Fault(u16),
    Hang,
}

/// Input of the model.
#[derive(Default)]
struct Told {
    /// All that users said, in order.
    texts: Vec<String>,
    /// Tells whether it ends with the result of a tool.
    has_result: bool,
    /// Tells whether a structured answer is handed in with a tool.
    hands_in: bool,
    /// Tells whether the call is for the work: only then it has tools. Some agents also ask for a title, or for the next speaker.
    is_agent: bool,
}

impl Model {
    pub(super) fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").context("failed to listen")?;
        let port = listener.local_addr()?.port();
        let seen = Arc::new(Mutex::new(Seen::default()));
        let shared = Arc::clone(&seen);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let seen = Arc::clone(&shared);
                // An agent that hangs up in the middle is no fault of the model.
                thread::spawn(move || drop(serve(stream, &seen)));
            }
        });
        Ok(Self { port, seen })
    }

    pub(super) fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    pub(super) fn seen(&self) -> Seen {
        lock(&self.seen).clone()
    }

    /// The step at which a call hangs, once.
    pub(super) fn hanging(&self) -> Option<String> {
        lock(&self.seen).hanging.take()
    }

    /// Lets calls that hang go on.
    pub(super) fn release(&self) {
        lock(&self.seen).is_released = true;
    }
}

impl Seen {
    /// Count of this event, this one included.
    fn time_of(&mut self, what: &str) -> usize {
        let count = self.times.entry(what.to_owned()).or_default();
        *count += 1;
        *count
    }
}

fn lock(seen: &Mutex<Seen>) -> MutexGuard<'_, Seen> {
    seen.lock().unwrap_or_else(PoisonError::into_inner)
}

fn serve(stream: TcpStream, seen: &Mutex<Seen>) -> Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut out = stream;
    loop {
        let mut head = String::new();
        if reader.read_line(&mut head)? == 0 {
            return Ok(());
        }
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let mut line = String::new();
            reader.read_line(&mut line)?;
            let line = line.trim().to_ascii_lowercase();
            if line.is_empty() {
                break;
            }
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
            is_chunked |= line.starts_with("transfer-encoding:") && line.contains("chunked");
        }
        let body = if is_chunked { chunks(&mut reader)? } else { exactly(&mut reader, length)? };
        let body: Value = serde_json::from_slice(&body).unwrap_or_default();
        let path =
            head.split_ascii_whitespace().nth(1).unwrap_or("/").split('?').next().unwrap_or("/").to_owned();
        if !answer(&path, &body, seen, &mut out)? {
            return Ok(());
        }
    }
}

fn exactly(reader: &mut impl std::io::Read, length: usize) -> Result<Vec<u8>> {
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(body)
}

fn chunks(reader: &mut BufReader<TcpStream>) -> Result<Vec<u8>> {
    let mut body = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        let length = usize::from_str_radix(line.trim(), 16).unwrap_or(0);
        body.extend(exactly(reader, length)?);
        reader.read_line(&mut String::new())?;
        if length == 0 {
            return Ok(body);
        }
    }
}

/// Answers one request; false when the connection is over.
fn answer(path: &str, body: &Value, seen: &Mutex<Seen>, out: &mut TcpStream) -> Result<bool> {
    let speak: Option<fn(&Value) -> Told> = if path.ends_with("/messages") {
        Some(of_messages)
    } else if path.ends_with("/responses") {
        Some(of_responses)
    } else if path.ends_with("/chat/completions") {
        Some(of_messages)
    } else if path.contains("enerateContent") {
        Some(of_contents)
    } else {
        None
    };
    let Some(speak) = speak else {
        let model = json!({ "id": "scripted", "object": "model", "type": "model" });
        let page = json!({ "object": "list", "data": [model], "input_tokens": 1, "totalTokens": 1 });
        whole(out, 200, &page)?;
        return Ok(true);
    };
    let mut told = speak(body);
    told.is_agent = body["tools"].as_array().is_some_and(|tools| !tools.is_empty());
    let decided = decide(&told, &mut lock(seen));
    let streams = body["stream"] == true || path.contains("stream");
    match decided {
        Answer::Fault(status) => {
            let kind = if status == 400 { "invalid_request_error" } else { "overloaded_error" };
            let error = json!({ "type": kind, "message": "scripted fault", "code": status });
            whole(out, status, &json!({ "type": "error", "error": error }))?;
            Ok(true)
        }
        Answer::Hang => {
            let begun = Instant::now();
            while begun.elapsed() < HANG && !lock(seen).is_released {
                thread::sleep(Duration::from_millis(50));
            }
            speak_out(path, streams, DONE, None, false, out)
        }
        Answer::Say(text) => speak_out(path, streams, &text, None, false, out),
        Answer::Cut(text) => speak_out(path, streams, &text, None, true, out),
        Answer::Tool(name, input) => speak_out(path, streams, "", Some((name, input)), false, out),
    }
}

fn whole(out: &mut TcpStream, status: u16, page: &Value) -> Result<()> {
    let page = page.to_string();
    write!(
        out,
        "HTTP/1.1 {status} scripted\r\ncontent-type: application/json\r\nretry-after: 1\r\ncontent-length: {}\r\n\r\n{page}",
        page.len()
    )?;
    Ok(())
}

/// Answer to the last input.
fn decide(told: &Told, seen: &mut Seen) -> Answer {
    seen.calls += 1;
    if told.has_result {
        return Answer::Say("Handed in.".to_owned());
    }
    if !told.is_agent {
        return Answer::Say(json!({ "reasoning": "All is said.", "next_speaker": "user" }).to_string());
    }
    let last = told.texts.last().map_or("", String::as_str);
    if last.contains("Now write the handoff") {
        return hand_in(told, last, seen);
    }
    let Some(step) = between(last, "Play the step ", ".") else {
        return Answer::Say("There is nothing to play.".to_owned());
    };
    seen.handed_over.entry(step.to_owned()).or_default().extend(played(last));
    match (step.rsplit('-').next(), seen.time_of(step)) {
        (Some("fault"), 1) => Answer::Fault(400),
        // An agent may retry after these two by itself.
        (Some("busy"), 1) => Answer::Fault(429),
        (Some("busy"), 2) => Answer::Fault(503),
        (Some("cut"), 1) => Answer::Cut("I have beg".to_owned()),
        (Some("killed" | "crashed"), 1) => {
            seen.hanging = Some(step.to_owned());
            seen.is_released = false;
            Answer::Hang
        }
        _ => Answer::Say(DONE.to_owned()),
    }
}

/// The handoff that is asked for, but for one that is to be bad.
fn hand_in(told: &Told, last: &str, seen: &mut Seen) -> Answer {
    let word = |before: &str| between(last, before, "`").unwrap_or_default();
    let step = word("at the step `");
    let mut before = told.texts.iter().rev().skip(1);
    if before.any(|text| text.contains(&format!("Play the step {step}."))) {
        seen.same_session.insert(step.to_owned());
    }
    if last.contains("was not taken") {
        seen.asked_again.insert(step.to_owned());
    }
    if step.ends_with("-bad") && seen.time_of(&format!("the handoff of {step}")) == 1 {
        return Answer::Say("I would rather tell a story.".to_owned());
    }
    let now = last.split("The time is ").nth(1).and_then(|rest| rest.split_ascii_whitespace().next());
    let handoff = json!({
        "meta": { "step_id": step, "flow_key": word("of the flow `"), "agent_key": word("You are `"),
            "timestamp": now.unwrap_or_default().trim_end_matches('.') },
        "status": "VERIFIED",
        "summary": { "what_i_did": format!("Played the step {step} of the tour"), "what_i_found": "The tour goes on" },
        "routing": { "recommendation": "CONTINUE", "can_further_iteration_help": false, "reason": format!("The step {step} was played") }
    });
    if told.hands_in { Answer::Tool("StructuredOutput", handoff) } else { Answer::Say(handoff.to_string()) }
}

/// First text between two others.
fn between<'t>(text: &'t str, before: &str, behind: &str) -> Option<&'t str> {
    text.split(before).nth(1)?.split(behind).next()
}

/// The steps that a text says were played.
fn played(text: &str) -> impl Iterator<Item = String> {
    let told = text.split("Played the step ").skip(1);
    told.filter_map(|rest| rest.split(" of the tour").next().map(str::to_owned))
}

/// The texts in a content: a text, or a list of parts.
fn text_of(content: &Value) -> String {
    if let Some(text) = content.as_str() {
        return text.to_owned();
    }
    let parts = content.as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

fn of_messages(body: &Value) -> Told {
    let mut told = Told::default();
    for message in body["messages"].as_array().into_iter().flatten() {
        let content = &message["content"];
        let parts = content.as_array().into_iter().flatten();
        told.has_result =
            message["role"] == "tool" || parts.into_iter().any(|part| part["type"] == "tool_result");
        let text = text_of(content);
        if message["role"] == "user" && !text.trim().is_empty() && !text.starts_with(ASIDE) {
            told.texts.push(text);
        }
    }
    told.hands_in =
        body["tools"].as_array().into_iter().flatten().any(|tool| tool["name"] == "StructuredOutput");
    told
}

fn of_responses(body: &Value) -> Told {
    let mut told = Told::default();
    for item in body["input"].as_array().into_iter().flatten() {
        let kind = item["type"].as_str().unwrap_or("message");
        told.has_result = kind.ends_with("_output");
        if kind == "message" && item["role"] == "user" {
            told.texts.push(text_of(&item["content"]));
        }
    }
    told
}

fn of_contents(body: &Value) -> Told {
    let mut told = Told::default();
    for content in body["contents"].as_array().into_iter().flatten() {
        told.has_result =
            content["parts"].as_array().into_iter().flatten().any(|part| !part["functionResponse"].is_null());
        if content["role"] != "model" {
            told.texts.push(text_of(&content["parts"]));
        }
    }
    told
}

/// Writes an answer in the protocol of the request; `false` when the connection is closed.
fn speak_out(
    path: &str,
    streams: bool,
    text: &str,
    tool: Option<(&str, Value)>,
    is_cut: bool,
    out: &mut TcpStream,
) -> Result<bool> {
    let (full, events) = if path.ends_with("/messages") {
        messages(text, tool)
    } else if path.ends_with("/responses") {
        responses(text)
    } else if path.ends_with("/chat/completions") {
        completions(text)
    } else {
        let part = json!({ "role": "model", "parts": [{ "text": text }] });
        let usage = json!({ "promptTokenCount": 100, "candidatesTokenCount": 7, "totalTokenCount": 107 });
        let full = json!({ "candidates": [{ "content": part, "finishReason": "STOP", "index": 0 }], "usageMetadata": usage });
        (full.clone(), vec![full])
    };
    if !streams {
        whole(out, 200, &full)?;
        return Ok(true);
    }
    write!(out, "HTTP/1.1 200 scripted\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n")?;
    let is_named = !path.ends_with("/chat/completions") && !path.contains("enerateContent");
    let count = if is_cut { events.len() / 2 } else { events.len() };
    for event in events.iter().take(count) {
        if is_named {
            writeln!(out, "event: {}", event["type"].as_str().unwrap_or_default())?;
        }
        write!(out, "data: {event}\n\n")?;
    }
    if !is_cut && path.ends_with("/chat/completions") {
        write!(out, "data: [DONE]\n\n")?;
    }
    out.flush()?;
    Ok(false)
}

type Spoken = (Value, Vec<Value>);

fn messages(text: &str, tool: Option<(&str, Value)>) -> Spoken {
    let usage = json!({ "input_tokens": 100, "output_tokens": 7 });
    let (block, begin, delta, reason) = match tool {
        Some((name, input)) => {
            let id = "toolu_scripted";
            (
                json!({ "type": "tool_use", "id": id, "name": name, "input": input }),
                json!({ "type": "tool_use", "id": id, "name": name, "input": {} }),
                json!({ "type": "input_json_delta", "partial_json": input.to_string() }),
                "tool_use",
            )
        }
        None => (
            json!({ "type": "text", "text": text }),
            json!({ "type": "text", "text": "" }),
            json!({ "type": "text_delta", "text": text }),
            "end_turn",
        ),
    };
    let message = |content: Value, reason: Value| {
        json!({ "id": "msg_scripted", "type": "message", "role": "assistant", "model": "scripted", "content": content,
            "stop_reason": reason, "stop_sequence": null, "usage": usage })
    };
    let events = vec![
        json!({ "type": "message_start", "message": message(json!([]), Value::Null) }),
        json!({ "type": "content_block_start", "index": 0, "content_block": begin }),
        json!({ "type": "content_block_delta", "index": 0, "delta": delta }),
        json!({ "type": "content_block_stop", "index": 0 }),
        json!({ "type": "message_delta", "delta": { "stop_reason": reason, "stop_sequence": null }, "usage": usage }),
        json!({ "type": "message_stop" }),
    ];
    (message(json!([block]), json!(reason)), events)
}

fn responses(text: &str) -> Spoken {
    let part = json!({ "type": "output_text", "text": text, "annotations": [] });
    let item = |status: &str, content: Value| json!({ "type": "message", "id": "msg_scripted", "role": "assistant", "status": status, "content": content });
    let done = item("completed", json!([part]));
    let usage = json!({ "input_tokens": 100, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 7,
        "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 107 });
    let full = |status: &str, output: Value| {
        json!({ "id": "resp_scripted", "object": "response", "created_at": 1, "status": status, "model": "scripted",
            "output": output, "usage": usage })
    };
    let at = |kind: &str, more: Value| {
        let mut event =
            json!({ "type": kind, "output_index": 0, "item_id": "msg_scripted", "content_index": 0 });
        for (key, value) in more.as_object().into_iter().flatten() {
            event[key] = value.clone();
        }
        event
    };
    let empty = json!({ "type": "output_text", "text": "", "annotations": [] });
    let mut events = vec![
        json!({ "type": "response.created", "response": full("in_progress", json!([])) }),
        at("response.output_item.added", json!({ "item": item("in_progress", json!([])) })),
        at("response.content_part.added", json!({ "part": empty })),
        at("response.output_text.delta", json!({ "delta": text })),
        at("response.output_text.done", json!({ "text": text })),
        at("response.content_part.done", json!({ "part": part })),
        at("response.output_item.done", json!({ "item": done })),
        json!({ "type": "response.completed", "response": full("completed", json!([done])) }),
    ];
    for (number, event) in events.iter_mut().enumerate() {
        event["sequence_number"] = json!(number);
    }
    (full("completed", json!([done])), events)
}

fn completions(text: &str) -> Spoken {
    let usage = json!({ "prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107 });
    let chunk = |choices: Value| {
        json!({ "id": "chatcmpl-scripted", "object": "chat.completion.chunk", "created": 1, "model": "scripted",
            "choices": choices, "usage": usage })
    };
    let message = json!({ "role": "assistant", "content": text });
    let events = vec![
        chunk(json!([{ "index": 0, "delta": message, "finish_reason": null }])),
        chunk(json!([{ "index": 0, "delta": {}, "finish_reason": "stop" }])),
    ];
    let full = json!({ "id": "chatcmpl-scripted", "object": "chat.completion", "created": 1, "model": "scripted",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }], "usage": usage });
    (full, events)
}
