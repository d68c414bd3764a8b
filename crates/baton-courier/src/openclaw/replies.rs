//! Replies of the gateway, as text.

use serde_json::Value;

use crate::{Cause, Failure};

/// Result of a call.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Reply {
    Answer(String),
    /// The gateway is at work on it, for this call or an earlier one.
    InFlight,
}

/// Reads what a call that ended well printed.
pub(super) fn read(output: &[u8]) -> Result<Reply, Failure> {
    let failed = |message: String| {
        let words = &output[output.len().saturating_sub(4 * 1024)..];
        Failure { last_words: words.to_vec(), ..Failure::new(Cause::Failed, message) }
    };
    let said = object(output).ok_or_else(|| failed("what OpenClaw printed is no whole JSON".to_owned()))?;
    match said["status"].as_str() {
        Some("in_flight" | "accepted" | "started") => Ok(Reply::InFlight),
        Some("ok") => {
            let payloads = said["result"]["payloads"].as_array();
            let payloads = payloads.ok_or_else(|| failed("OpenClaw says ok without a result".to_owned()))?;
            let texts = payloads.iter().filter_map(|payload| payload["text"].as_str());
            Ok(Reply::Answer(texts.collect::<Vec<_>>().join("\n\n")))
        }
        status => {
            let summary =
                said["summary"].as_str().or(said["error"]["message"].as_str()).unwrap_or("no reason");
            Err(failed(format!("OpenClaw ended with status {}: {summary}", status.unwrap_or("unknown"))))
        }
    }
}

/// The failure of a call, with what its output says of it.
pub(super) fn failure_of(name: &str, failure: Failure) -> Failure {
    if failure.cause == Cause::Missing {
        return failure.with_hint(format!(
            "`npm install -g openclaw` installs it, with Node 24.16 or newer, and `openclaw gateway run` starts its \
             gateway; `run: [{name}]` names another place"
        ));
    }
    let Some(said) = object(&failure.last_words) else { return failure };
    let error = &said["error"];
    let Some(message) = error["message"].as_str() else { return failure };
    let message = format!("OpenClaw: {message}");
    match (error["kind"].as_str(), error["retryable"].as_bool()) {
        (Some("timeout"), _) => Failure { cause: Cause::TimeUp, message, ..failure },
        (Some("closed"), _) => Failure { cause: Cause::Unreachable, message, ..failure }.with_hint(
            "`openclaw gateway run` starts the gateway, `openclaw gateway status` says where it is",
        ),
        // It calls a model that failed not retryable too: the same call would only say the same again.
        (_, Some(false)) if error["code"] == "INVALID_REQUEST" => {
            Failure { cause: Cause::Impossible, message, ..failure }
                .with_hint("`openclaw agents list` shows its agents; `session-key: agent:NAME` chooses one")
        }
        _ => Failure { cause: Cause::Failed, message, ..failure },
    }
}

/// The JSON object that an output ends with; a program may print lines before it.
fn object(output: &[u8]) -> Option<Value> {
    let text = str::from_utf8(output).ok()?;
    let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1));
    let mut starts = starts.filter(|start| text[*start..].starts_with('{'));
    // The first that opens a line is it; trying all would take long for an output that is made of them.
    let start = starts.next()?;
    serde_json::from_str(&text[start..]).ok().filter(Value::is_object)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_result_that_says_ok_is_an_answer() {
        let ok = br#"{"runId":"k","status":"ok","result":{"payloads":[{"text":"a"},{"mediaUrl":null},{"text":"b"}]}}"#;
        assert_eq!(read(ok).ok(), Some(Reply::Answer("a\n\nb".to_owned())));
        assert_eq!(read(b"a notice\n{\"status\":\"in_flight\"}\n").ok(), Some(Reply::InFlight));
        let failed = |output: &[u8]| read(output).err().map(|failure| (failure.cause, failure.message));
        for (output, message) in [
            (&ok[..ok.len() - 1], "what OpenClaw printed is no whole JSON"),
            (b"\xff", "what OpenClaw printed is no whole JSON"),
            (b"{}", "OpenClaw ended with status unknown: no reason"),
            (br#"{"status":"ok"}"#, "OpenClaw says ok without a result"),
            (br#"{"status":"error","summary":"no model"}"#, "OpenClaw ended with status error: no model"),
        ] {
            assert_eq!(failed(output), Some((Cause::Failed, message.to_owned())));
        }
    }

    #[test]
    fn an_output_of_many_braces_is_read_once() {
        let many = "{\n".repeat(1_000_000);
        assert!(read(many.as_bytes()).is_err());
    }
}
