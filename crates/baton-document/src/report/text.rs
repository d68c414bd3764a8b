//! `text`: findings as compilers show them, with the source line, and what would be right.
//!
//! Invariant: nothing in a document reaches the terminal as a control character.
//! Invariant: no secret is in a source line that is shown.
//! Invariant: what is rendered of a file is a window around the finding, so that long files and long lines
//! cost no more than short ones.

use std::borrow::Cow;
use std::io::{self, Write};

use annotate_snippets::{
    Annotation, AnnotationKind, Group, Level as Shown, Origin, Patch, Renderer, Snippet,
};

use super::{
    Colour, FileReport, Report, ReportOptions, Summary,
    wording::{self, safe},
};
use crate::finding::{Finding, Fix, Level};
use crate::secrets::masked;
use crate::span::{LineIndex, Span};

/// The bytes of a file that are shown around one finding.
const WINDOW_BYTES_MAX: usize = 8 * 1024;
/// The bytes of a line that are kept on either side of a place in it, when it is too long.
const MARGIN_BYTES: usize = 512;
/// The lines of one span that are underlined; of a longer one only its first line is.
const LINES_MAX: u32 = 12;

/// Makes the report.
pub(super) fn make(options: &ReportOptions) -> Box<dyn Report> {
    let renderer = match options.colour {
        Colour::Coloured => Renderer::styled(),
        Colour::Plain => Renderer::plain(),
    };
    Box::new(Text { renderer: renderer.term_width(options.width) })
}

struct Text {
    renderer: Renderer,
}

impl Report for Text {
    fn start(&mut self, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, file: &FileReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        if file.checked.findings.is_empty() {
            return Ok(());
        }
        let path = safe(file.path);
        let text = file.checked.text.map(|text| masked(text, &file.checked.hidden));
        let source = text.as_deref().map(|text| Source { text, index: LineIndex::new(text) });
        for finding in &file.checked.findings {
            let shown = self.shown(&path, finding, source.as_ref());
            writeln!(out, "{shown}\n")?;
        }
        Ok(())
    }

    /// I/O errors go to the error stream and not into a report.
    fn failure(&mut self, _path: &str, _message: &str, _out: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn finish(&mut self, summary: &Summary, out: &mut dyn Write) -> io::Result<()> {
        if summary.files == 0 {
            return Ok(());
        }
        let counts = [(summary.errors, "error"), (summary.warnings, "warning"), (summary.infos, "info")];
        let counts: Vec<String> = counts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, noun)| wording::counted(count, noun))
            .collect();
        let findings = if counts.is_empty() { "nothing found".to_owned() } else { counts.join(", ") };
        let files = wording::counted(summary.files, "file");
        let handoffs = wording::counted(summary.handoffs, "handoff");
        writeln!(out, "{findings} in {files} ({handoffs} checked)")
    }
}

impl Text {
    fn shown(&self, path: &str, finding: &Finding, source: Option<&Source<'_>>) -> String {
        let shown = self.renderer.render(&groups(path, finding, source));
        let cut = source.zip(finding.span).and_then(|(source, span)| source.cut_place(span));
        match cut {
            // The renderer counts columns in what it is given, which starts within the line here.
            Some((line, counted, column)) => {
                shown.replacen(&format!("{path}:{line}:{counted}"), &format!("{path}:{line}:{column}"), 1)
            }
            None => shown,
        }
    }
}

struct Source<'t> {
    text: &'t str,
    index: LineIndex<'t>,
}

fn groups<'g>(path: &'g str, finding: &'g Finding, source: Option<&Source<'g>>) -> Vec<Group<'g>> {
    let level = match finding.level {
        Level::Error => Shown::ERROR,
        Level::Warning => Shown::WARNING,
        Level::Info => Shown::INFO,
    };
    let mut group = Group::with_title(level.primary_title(safe(&finding.message)).id(safe(&finding.rule)));
    let shown = source.zip(finding.span);
    match shown {
        Some((source, span)) => {
            let causes = causes(finding, span, source);
            group = group.elements(causes.into_iter().map(|snippet| snippet.path(path)));
        }
        None => group = group.element(Origin::path(path)),
    }
    let fixed = source.zip(finding.fix.as_ref()).and_then(|(source, fix)| suggestion(finding, fix, source));
    for (name, text) in notes(finding, shown, fixed.is_some()) {
        group = group.element(Shown::NOTE.with_name(name).message(safe(text)));
    }
    if let Some(help) = finding.help.as_deref().filter(|_| fixed.is_none()) {
        group = group.element(Shown::HELP.message(safe(help)));
    }
    std::iter::once(group).chain(fixed).collect()
}

/// Found and expected values, where neither the message, the source line nor the suggestion shows them.
fn notes<'f>(
    finding: &'f Finding,
    shown: Option<(&Source<'_>, Span)>,
    has_suggestion: bool,
) -> impl Iterator<Item = (&'static str, &'f str)> {
    let line = shown.and_then(|(source, span)| source.text.get(source.window(span).range()));
    let found =
        wording::unsaid_found(finding).filter(|found| !line.is_some_and(|line| line.contains(*found)));
    let edits = finding.fix.iter().flat_map(|fix| &fix.edits);
    let suggested: Vec<&str> = edits.map(|edit| edit.text.as_str()).filter(|_| has_suggestion).collect();
    let expected = wording::unsaid_expected(finding).filter(|expected| !suggested.contains(expected));
    found.map(|text| ("found", text)).into_iter().chain(expected.map(|text| ("expected", text)))
}

/// The source lines: one window where all places are near each other, else one for each.
fn causes<'g>(finding: &'g Finding, span: Span, source: &Source<'g>) -> Vec<Snippet<'g, Annotation<'g>>> {
    let primary = Marked { span, label: finding.label.as_deref(), kind: AnnotationKind::Primary };
    let related = finding.related.iter().map(|one| Marked {
        span: one.span,
        label: Some(one.message.as_str()),
        kind: AnnotationKind::Context,
    });
    let all: Vec<Marked<'g>> = std::iter::once(primary).chain(related).collect();
    let spans = all.iter().map(|marked| source.shortened(marked.span));
    let whole = spans.reduce(|a, b| Span::new(a.start.min(b.start), a.end.max(b.end))).unwrap_or(span);
    let lines = source.lines(whole);
    if lines.range().len() <= WINDOW_BYTES_MAX {
        return vec![source.cause(lines, &all)];
    }
    all.iter().map(|one| source.cause(source.window(one.span), std::slice::from_ref(one))).collect()
}

struct Marked<'g> {
    span: Span,
    label: Option<&'g str>,
    kind: AnnotationKind,
}

fn suggestion<'g>(finding: &'g Finding, fix: &'g Fix, source: &Source<'g>) -> Option<Group<'g>> {
    let start = fix.edits.first()?.span;
    let end = fix.edits.last()?.span;
    let lines = source.lines(Span::new(start.start, end.end));
    if lines.range().len() > WINDOW_BYTES_MAX {
        return None;
    }
    let window = source.text.get(lines.range())?;
    let within = |span: Span| {
        let is_inside = lines.start <= span.start && span.start <= span.end && span.end <= lines.end;
        is_inside.then(|| (span.start - lines.start) as usize..(span.end - lines.start) as usize)
    };
    let patches: Option<Vec<Patch<'g>>> =
        fix.edits.iter().map(|edit| Some(Patch::new(within(edit.span)?, shown(&edit.text)))).collect();
    let title = finding.help.as_deref().unwrap_or("write it so");
    let snippet = Snippet::source(printable(window)).line_start(source.line(lines.start)).patches(patches?);
    Some(Shown::HELP.secondary_title(safe(title)).element(snippet))
}

/// Text of an edit, without the `\r` of its line ends, which are invisible in the source too.
fn shown(text: &str) -> Cow<'_, str> {
    if text.contains("\r\n") {
        Cow::Owned(wording::safe_owned(&text.replace("\r\n", "\n")))
    } else {
        safe(text)
    }
}

impl<'t> Source<'t> {
    fn line(&self, offset: u32) -> usize {
        self.index.place(offset).line as usize
    }

    fn cause<'g>(&self, window: Span, marks: &[Marked<'g>]) -> Snippet<'g, Annotation<'g>>
    where
        't: 'g,
    {
        let text: &'g str = self.text.get(window.range()).unwrap_or_default();
        let annotations = marks.iter().map(|marked| {
            let span = self.shortened(marked.span);
            let start = span.start.clamp(window.start, window.end) - window.start;
            let end = span.end.clamp(window.start, window.end) - window.start;
            marked.kind.span(start as usize..end as usize).label(marked.label.map(safe))
        });
        Snippet::source(printable(text)).line_start(self.line(window.start)).annotations(annotations)
    }

    /// A span of many lines is shown by its first line.
    fn shortened(&self, span: Span) -> Span {
        let placed = self.index.placed(span);
        if placed.end.line - placed.start.line < LINES_MAX {
            return span;
        }
        Span::new(span.start, self.lines(Span::at(span.start)).end)
    }

    /// The whole lines that a span touches, without the last line end.
    fn lines(&self, span: Span) -> Span {
        let start = self.index.offset_of(self.line(span.start), 1);
        // A span may start before the first line does, in the byte order mark.
        let end = span.end.max(start);
        Span::new(start, self.index.end_of(self.line(end)).max(end))
    }

    /// The line and column of a span as the renderer counts it, and the true column, where the two differ.
    fn cut_place(&self, span: Span) -> Option<(u32, u32, u32)> {
        let window = self.window(span);
        let place = self.index.place(span.start);
        let start = self.index.place(window.start);
        let is_cut = start.line == place.line && start.column > 1;
        is_cut.then(|| (place.line, place.column - start.column + 1, place.column))
    }

    /// The lines of a span, cut around it where they are too long.
    fn window(&self, span: Span) -> Span {
        let span = self.shortened(span);
        let lines = self.lines(span);
        if lines.range().len() <= WINDOW_BYTES_MAX {
            return lines;
        }
        let start = (span.start as usize).saturating_sub(MARGIN_BYTES).max(lines.start as usize);
        let end = (span.end as usize).min(span.start as usize + MARGIN_BYTES) + MARGIN_BYTES;
        let start = self.text.floor_char_boundary(start);
        let end = self.text.ceil_char_boundary(end.min(lines.end as usize));
        Span::new(crate::span::offset(start), crate::span::offset(end))
    }
}

/// Source lines as they are shown; the renderer replaces all control characters but the upper ones, which are
/// replaced here by a sign of the same length, so that no place moves.
fn printable(text: &str) -> Cow<'_, str> {
    let is_upper = |c: char| matches!(c, '\u{80}'..='\u{9f}');
    if text.contains(is_upper) { Cow::Owned(text.replace(is_upper, "·")) } else { Cow::Borrowed(text) }
}
