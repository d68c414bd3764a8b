//! A run while it is worked on: one line per step, drawn over again in place.
//!
//! Invariant: a frame is written in one piece, and no line of it is wider than the terminal, so that nothing flickers
//! and nothing wraps.

use std::io::{self, Write};

use baton_engine::kernel::Millis;
use unicode_width::UnicodeWidthStr as _;

use super::follow::{Run, View};
use super::{moment, standing, steps, table};

/// The rows that are left for what stands around the steps.
const AROUND: usize = 4;

/// What is drawn of a run.
pub(crate) fn frame(run: &Run, view: &View, now: Millis, width: usize, height: usize) -> Vec<String> {
    let until = if view.state.ending().is_some() { run.progress().last.unwrap_or(now) } else { now };
    let age = run.progress().started.map(|started| until.0.saturating_sub(started.0)).unwrap_or_default();
    let head = format!(
        "{}  {}  {}",
        view.state.run(),
        moment::growing(age),
        table::one_line(&standing::words(&view.summary))
    );
    let mut lines = vec![table::cut(&head, width)];
    let all = steps::lines(run, view, now, Some(width));
    let is_elsewhere = standing::awaited(&view.summary).iter().any(|one| one.kind.is_elsewhere());
    let mut next = if is_elsewhere { standing::next_lines(&view.summary) } else { Vec::new() };
    if is_elsewhere {
        next.insert(0, String::new());
    }
    let room = height.saturating_sub(AROUND + next.len()).max(3);
    if all.len() <= room {
        lines.extend(all);
        lines.extend(next);
        return lines;
    }
    // Around the first step that is worked at; what lies before and behind is counted.
    let current = view.position.current.first().map_or(all.len(), |step| usize::from(step.0));
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
    use baton_engine::kernel::{Command, Digest, Fence, Plan, What, decide, evolve};

    use super::*;

    /// A run of many steps, of which the first is worked at.
    fn run(steps: usize) -> Run {
        let mut plan = Plan::named("日本");
        let agent = plan.agent("a-writer-with-a-rather-long-name");
        let ids: Vec<_> = (0..steps).map(|step| plan.pass(&format!("step-{step}"), agent)).collect();
        ids.windows(2).for_each(|pair| {
            plan.then(pair[0], pair[1]);
        });
        let plan = Box::new(plan.build().expect("it holds together"));
        let mut run = Run::default();
        let start =
            What::Start { run: "日本-1".to_owned(), plan, pins: Digest([1; 32]), input: Digest([2; 32]) };
        let command = Command { fence: Fence(1), what: start };
        let events = decide(run.state(), &command, Millis(0)).expect("it starts");
        events.iter().for_each(|event| evolve(&mut run.history.state, event));
        run.history.progress.started = Some(Millis(0));
        run
    }

    #[test]
    fn no_line_is_wider_than_the_terminal_and_no_frame_higher() {
        for (width, height) in [(40, 10), (80, 24), (200, 60)] {
            for steps in [1, 5, 200] {
                let run = run(steps);
                let lines = frame(&run, &run.view(), Millis(7_500), width, height);
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
