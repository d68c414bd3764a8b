//! The examples of a page: fenced blocks, each with what it is there for.

/// One fenced block of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Its role on the page.
    pub role: Role,
    /// The path it stands at.
    pub file: Option<String>,
    /// Expected place of the finding: line and column.
    pub finds: Option<(u32, u32)>,
    /// True if it is read under limits that are easy to meet.
    pub has_small_limits: bool,
    /// True if the file beside it was created since the handoff before.
    pub is_created: bool,
    /// Its text, with escapes such as `\xff` decoded where the block says so.
    pub bytes: Vec<u8>,
}

/// Role of an example on its page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// The rule finds something in it.
    Wrong,
    /// The rule finds nothing in it.
    Right,
    /// It is a file beside the others.
    Beside,
}

/// The examples of a page.
pub fn examples_of(page: &str) -> Vec<Example> {
    let mut examples = Vec::new();
    let mut role = Role::Beside;
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        match line {
            "## Wrong" => role = Role::Wrong,
            "## Right" => role = Role::Right,
            _ => {}
        }
        let Some(info) = line.strip_prefix("````").or_else(|| line.strip_prefix("```")) else { continue };
        let fence = if line.starts_with("````") { "````" } else { "```" };
        let body: Vec<&str> = lines.by_ref().take_while(|line| *line != fence).collect();
        examples.push(example(role, info, &body));
    }
    examples
}

fn example(role: Role, info: &str, body: &[&str]) -> Example {
    let text: String = body.iter().flat_map(|line| [*line, "\n"]).collect();
    let mut made = Example {
        role,
        file: None,
        finds: None,
        has_small_limits: false,
        is_created: false,
        bytes: text.clone().into_bytes(),
    };
    for word in info.split_whitespace() {
        match word.split_once('=') {
            Some(("file", path)) => made.file = Some(path.to_owned()),
            Some(("beside", path)) => {
                made.role = Role::Beside;
                made.file = Some(path.to_owned());
            }
            Some(("finds", place)) => {
                made.finds = place
                    .split_once(':')
                    .and_then(|(line, column)| Some((line.parse().ok()?, column.parse().ok()?)));
            }
            Some(("limits", "small")) => made.has_small_limits = true,
            // The last line, so many times.
            Some(("repeat", times)) => {
                let last = body.last().map(|line| format!("{line}\n")).unwrap_or_default();
                made.bytes.extend(last.repeat(times.parse().unwrap_or(0)).bytes());
            }
            Some(_) => {}
            None if word == "created" => made.is_created = true,
            None if word == "escaped" => made.bytes = unescape(text.trim_end()),
            None => {}
        }
    }
    made
}

/// Decodes `\xff` and `\n` in an example that cannot stand in a text file.
fn unescape(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        bytes.extend_from_slice(&rest.as_bytes()[..at]);
        let hex = rest.get(at + 2..at + 4).filter(|_| rest[at..].starts_with("\\x"));
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &rest[at + 4..];
            }
            None if rest[at..].starts_with("\\n") => {
                bytes.push(b'\n');
                rest = &rest[at + 2..];
            }
            None => {
                bytes.push(b'\\');
                rest = &rest[at + 1..];
            }
        }
    }
    bytes.extend_from_slice(rest.as_bytes());
    bytes
}
