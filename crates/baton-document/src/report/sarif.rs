//! `sarif`: SARIF 2.1.0, the form that code scanning services read.
//!
//! Results come first and the rules they name last, so that results are written as they come and only the
//! rules in use are kept. Columns count Unicode scalar values, which SARIF calls code points.

use std::io::{self, Write};

use rustc_hash::FxHashMap;
use serde::Serialize;

use super::json::FailureValue;
use super::{FileReport, Report, ReportOptions, Summary, wording};
use crate::check::Checker;
use crate::finding::{Finding, Fix, Level};
use crate::page;
use crate::span::{LineIndex, Span};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Makes the report.
pub(super) fn make(_options: &ReportOptions) -> Box<dyn Report> {
    Box::new(Sarif::default())
}

#[derive(Default)]
struct Sarif {
    has_results: bool,
    positions: FxHashMap<String, usize>,
    rules: Vec<RuleValue>,
    failures: Vec<FailureValue>,
}

impl Report for Sarif {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        write!(
            out,
            "{{\"$schema\":\"{SCHEMA}\",\"version\":\"2.1.0\",\"runs\":[\
             {{\"columnKind\":\"unicodeCodePoints\",\"results\":["
        )
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        if file.checked.findings.is_empty() {
            return Ok(());
        }
        let places = Places { uri: uri(file.path), index: file.checked.text.map(LineIndex::new) };
        for finding in &file.checked.findings {
            out.write_all(if self.has_results { b",\n" } else { b"\n" })?;
            self.has_results = true;
            let position = self.position(finding, file.checker);
            serde_json::to_writer(&mut *out, &places.result(finding, position))?;
        }
        Ok(())
    }

    fn failure(&mut self, path: &str, message: &str, _out: &mut dyn Write) -> io::Result<()> {
        self.failures.push(FailureValue { path: path.to_owned(), message: message.to_owned() });
        Ok(())
    }

    fn finish(&mut self, _summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"],\n\"tool\":")?;
        let version = env!("CARGO_PKG_VERSION");
        let driver = DriverValue { name: "Baton", semantic_version: version, rules: &self.rules };
        serde_json::to_writer(&mut *out, &ToolValue { driver })?;
        out.write_all(b",\n\"invocations\":")?;
        serde_json::to_writer(&mut *out, &[InvocationValue::new(&self.failures)])?;
        out.write_all(b"}]}\n")
    }
}

impl Sarif {
    /// The position of a finding's rule among those in use.
    fn position(&mut self, finding: &Finding, checker: &Checker) -> usize {
        if let Some(position) = self.positions.get(&*finding.rule) {
            return *position;
        }
        let position = self.rules.len();
        self.rules.push(RuleValue::new(finding, checker));
        self.positions.insert(finding.rule.to_string(), position);
        position
    }
}

#[derive(Serialize)]
struct ToolValue<'r> {
    driver: DriverValue<'r>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DriverValue<'r> {
    name: &'static str,
    semantic_version: &'static str,
    rules: &'r [RuleValue],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RuleValue {
    id: String,
    short_description: TextValue,
    help: HelpValue,
    default_configuration: ConfigurationValue,
}

#[derive(Serialize)]
struct TextValue {
    text: String,
}

#[derive(Serialize)]
struct HelpValue {
    text: String,
    markdown: String,
}

#[derive(Serialize)]
struct ConfigurationValue {
    enabled: bool,
    level: &'static str,
}

impl RuleValue {
    fn new(finding: &Finding, checker: &Checker) -> Self {
        let page = page::find(checker, &finding.rule);
        let (text, own) = match page {
            Some(page) => (page::for_reading(&page.text), page.level),
            None => (finding.message.clone(), Some(finding.level)),
        };
        let short = page::first_sentence(&text);
        Self {
            id: finding.rule.to_string(),
            short_description: TextValue { text: short },
            help: HelpValue { text: text.clone(), markdown: text },
            default_configuration: ConfigurationValue {
                enabled: own.is_some(),
                level: level(own.unwrap_or(finding.level)),
            },
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct InvocationValue<'r> {
    execution_successful: bool,
    tool_execution_notifications: Vec<NotificationValue<'r>>,
}

#[derive(Serialize)]
struct NotificationValue<'r> {
    level: &'static str,
    message: MessageValue<'r>,
    locations: [LocationValue<'r>; 1],
}

impl<'r> InvocationValue<'r> {
    fn new(failures: &'r [FailureValue]) -> Self {
        let notification = |failure: &'r FailureValue| NotificationValue {
            level: "error",
            message: MessageValue { text: &failure.message },
            locations: [LocationValue::whole(uri(&failure.path))],
        };
        Self {
            execution_successful: failures.is_empty(),
            tool_execution_notifications: failures.iter().map(notification).collect(),
        }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ResultValue<'f> {
    rule_id: &'f str,
    rule_index: usize,
    level: &'static str,
    message: TextValue,
    locations: [LocationValue<'f>; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<LocationValue<'f>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    fixes: Vec<FixValue<'f>>,
}

#[derive(Serialize)]
struct MessageValue<'f> {
    text: &'f str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LocationValue<'f> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<usize>,
    physical_location: PhysicalValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<MessageValue<'f>>,
}

impl LocationValue<'_> {
    fn whole(uri: String) -> Self {
        let physical_location = PhysicalValue { artifact_location: ArtifactValue { uri }, region: None };
        Self { id: None, physical_location, message: None }
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalValue {
    artifact_location: ArtifactValue,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<RegionValue>,
}

#[derive(Serialize)]
struct ArtifactValue {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RegionValue {
    start_line: u32,
    start_column: u32,
    end_line: u32,
    end_column: u32,
    byte_offset: u32,
    byte_length: u32,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct FixValue<'f> {
    description: TextValue,
    artifact_changes: [ChangeValue<'f>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ChangeValue<'f> {
    artifact_location: ArtifactValue,
    replacements: Vec<ReplacementValue<'f>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplacementValue<'f> {
    deleted_region: RegionValue,
    inserted_content: MessageValue<'f>,
}

struct Places<'t> {
    uri: String,
    index: Option<LineIndex<'t>>,
}

impl Places<'_> {
    fn result<'f>(&self, finding: &'f Finding, rule_index: usize) -> ResultValue<'f> {
        let related = finding.related.iter().enumerate();
        let fix = |fix: &'f Fix| self.fix(fix, finding.help.as_deref());
        ResultValue {
            rule_id: &finding.rule,
            rule_index,
            level: level(finding.level),
            message: TextValue { text: wording::lines(finding) },
            locations: [self.location(finding.span, finding.label.as_deref())],
            related_locations: related
                .map(|(at, one)| LocationValue {
                    id: Some(at + 1),
                    ..self.location(Some(one.span), Some(&one.message))
                })
                .collect(),
            fixes: finding.fix.as_ref().and_then(fix).into_iter().collect(),
        }
    }

    fn location<'f>(&self, span: Option<Span>, message: Option<&'f str>) -> LocationValue<'f> {
        let region = span.and_then(|span| self.region(span));
        LocationValue {
            id: None,
            physical_location: PhysicalValue { artifact_location: self.artifact(), region },
            message: message.map(|text| MessageValue { text }),
        }
    }

    fn artifact(&self) -> ArtifactValue {
        ArtifactValue { uri: self.uri.clone() }
    }

    fn region(&self, span: Span) -> Option<RegionValue> {
        let place = self.index.as_ref()?.placed(span);
        Some(RegionValue {
            start_line: place.start.line,
            start_column: place.start.column,
            end_line: place.end.line,
            end_column: place.end.column,
            byte_offset: place.start.offset,
            byte_length: place.end.offset - place.start.offset,
        })
    }

    fn fix<'f>(&self, fix: &'f Fix, help: Option<&str>) -> Option<FixValue<'f>> {
        let replacement = |edit: &'f crate::finding::Edit| {
            Some(ReplacementValue {
                deleted_region: self.region(edit.span)?,
                inserted_content: MessageValue { text: &edit.text },
            })
        };
        let replacements: Vec<_> = fix.edits.iter().filter_map(replacement).collect();
        let mut text = help.unwrap_or("write it as the dialect does").to_owned();
        if !fix.safe {
            text.push_str(" (look at it before applying it)");
        }
        // A fix without replacements is no valid one.
        (!replacements.is_empty()).then(|| FixValue {
            description: TextValue { text },
            artifact_changes: [ChangeValue { artifact_location: self.artifact(), replacements }],
        })
    }
}

fn level(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "note",
    }
}

/// A path as a relative reference: everything but letters, digits, `-._~` and `/` is percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::with_capacity(path.len());
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
