//! A run while it is worked on: one line per step, drawn over again in place.
//!
//! Invariant: a frame is written in one piece, and no line of it is wider than the terminal, so that nothing flickers
//! and nothing wraps.

use std::io::{self, Write};

use baton_engine::service::{Mark, NextStep, RunSummary, StepEntry, moment};
use unicode_width::UnicodeWidthStr as _;

use super::{next, steps, table};

/// The rows that are left for what stands around the steps.
const AROUND: usize = 4;

/// What is drawn of a run.
pub(crate) struct Drawn<'d> {
    /// How it stands.
    pub(crate) summary: &'d RunSummary,
    /// Its steps.
    pub(crate) steps: &'d [StepEntry],
    /// What can be typed next.
    pub(crate) next: &'d [NextStep],
}

/// The lines of one frame.
pub(crate) fn frame(drawn: &Drawn<'_>, now: u64, width: usize, height: usize) -> Vec<String> {
    let run = drawn.summary;
    let until = if run.ending.is_some() { run.last_ms.unwrap_or(now) } else { now };
    let age = run.started_ms.map(|started| until.saturating_sub(started)).unwrap_or_default();
    let head = format!("{}  {}  {}", run.run, moment::growing(age), table::one_line(&run.words));
    let mut lines = vec![table::cut(&head, width)];
    let all = steps::lines(drawn.steps, Some(width));
    let mut next = if run.waits_elsewhere { next::lines(drawn.next) } else { Vec::new() };
    if run.waits_elsewhere {
        next.insert(0, String::new());
    }
    let room = height.saturating_sub(AROUND + next.len()).max(3);
    if all.len() <= room {
        lines.extend(all);
        lines.extend(next);
        return lines;
    }
    // Around the first step that is worked at; what lies before and behind is counted.
    let current = drawn.steps.iter().position(|step| step.mark == Mark::Current).unwrap_or(all.len());
    let from = current.saturating_sub(room / 2).min(all.len() - room);
    let to = from + room;
    if from > 0 {
        lines.push(format!("    {from} more above"));
    }
    let behind = all.len() - to;
    lines.extend(all.into_iter().skip(from).take(room));
    if behind > 0 {
        lines.push(format!("    {behind} more below"));
    }
    lines.extend(next);
    lines
}

/// Draws frames over each other.
#[derive(Default)]
pub(crate) struct Screen {
    /// The lines of the frame that stands there.
    drawn: Vec<String>,
}

impl Screen {
    /// Draws a frame in the place of the one before.
    pub(crate) fn draw(&mut self, lines: Vec<String>) -> io::Result<()> {
        if lines == self.drawn {
            return Ok(());
        }
        let mut out = anstream::stdout().lock();
        let before = rows(&self.drawn, Self::size().0);
        out.write_all(over(before, &lines).as_bytes())?;
        self.drawn = lines;
        out.flush()
    }

    /// The columns and rows of the terminal.
    pub(crate) fn size() -> (usize, usize) {
        let size = terminal_size::terminal_size();
        size.map_or((80, 24), |(width, height)| (usize::from(width.0).max(20), usize::from(height.0).max(8)))
    }
}

/// The rows that lines take: those of a terminal that became narrower are wrapped.
fn rows(lines: &[String], width: usize) -> usize {
    let wide = |line: &String| anstream::adapter::strip_str(line).to_string().width();
    lines.iter().map(|line| wide(line).div_ceil(width).max(1)).sum()
}

/// What is written to put lines where `before` lines stand: up, each line anew, the rest cleared.
fn over(before: usize, lines: &[String]) -> String {
    let mut text = String::new();
    if before > 0 {
        text += &format!("\u{1b}[{before}A\r");
    }
    for line in lines {
        text += line;
        text += "\u{1b}[K\n";
    }
    // What is left of a longer frame.
    text + "\u{1b}[J"
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A run of many steps, of which the first is worked at.
    fn run(steps: usize) -> (RunSummary, Vec<StepEntry>) {
        let name = |step: usize| format!("step-{step}");
        let summary = RunSummary {
            run: "日本-1".to_owned(),
            flow: "日本".to_owned(),
            state: "working".to_owned(),
            ending: None,
            current: vec![name(0)],
            completed: Vec::new(),
            remaining: (1..steps).map(name).collect(),
            awaits: Vec::new(),
            handoffs: 0,
            tokens: None,
            started: None,
            last: None,
            started_ms: Some(0),
            last_ms: Some(0),
            waits_elsewhere: false,
            words: "working".to_owned(),
        };
        let entry = |step: usize| StepEntry {
            step: name(step),
            doer: "a-writer-with-a-rather-long-name".to_owned(),
            mark: if step == 0 { Mark::Current } else { Mark::Ahead },
            happening: if step == 0 { "works".to_owned() } else { String::new() },
            took_ms: (step == 0).then_some(7_500),
        };
        (summary, (0..steps).map(entry).collect())
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_frame_higher() {
        for (width, height) in [(40, 10), (80, 24), (200, 60)] {
            for steps in [1, 5, 200] {
                let (summary, steps_of) = run(steps);
                let drawn = Drawn { summary: &summary, steps: &steps_of, next: &[] };
                let lines = frame(&drawn, 7_500, width, height);
                assert!(lines.len() < height, "{width}×{height}, {steps} steps: {lines:#?}");
                for line in &lines {
                    let plain = anstream::adapter::strip_str(line).to_string();
                    assert!(plain.width() <= width, "{width}: {plain:?}");
                }
                assert!(lines[0].starts_with("日本-1  7s  working"), "{}", lines[0]);
                assert!(lines.iter().any(|line| line.contains("step-0")), "{lines:#?}");
            }
        }
    }

    #[test]
    fn a_frame_takes_the_place_of_the_one_before_it() {
        assert_eq!(rows(&["x".repeat(30), String::new(), "日本".to_owned()], 20), 4);
        let lines = ["a".to_owned(), "b".to_owned()];
        assert_eq!(over(0, &lines), "a\u{1b}[K\nb\u{1b}[K\n\u{1b}[J");
        assert_eq!(over(3, &lines), "\u{1b}[3A\ra\u{1b}[K\nb\u{1b}[K\n\u{1b}[J");
    }
}
