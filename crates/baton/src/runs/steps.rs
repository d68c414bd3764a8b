//! The steps of a run as lines: done, at work, to come; with who works, how it came out and how long it took.

use baton_engine::service::{Mark, StepEntry, moment};
use clap::builder::styling::{AnsiColor, Style};

use super::table;

fn sign(mark: Mark) -> char {
    match mark {
        Mark::Done => '✔',
        Mark::GivenUp => '✘',
        Mark::Current => '●',
        Mark::Ahead => '○',
        Mark::Aside => '·',
    }
}

fn style(mark: Mark) -> Style {
    match mark {
        Mark::Done => AnsiColor::Green.on_default(),
        Mark::GivenUp => AnsiColor::Red.on_default(),
        Mark::Current => AnsiColor::BrightCyan.on_default().bold(),
        Mark::Ahead | Mark::Aside => Style::new().dimmed(),
    }
}

/// A line for each step, in the order of the flow.
pub(crate) fn lines(steps: &[StepEntry], width: Option<usize>) -> Vec<String> {
    let row =
        |step: &StepEntry| vec![step.step.clone(), step.doer.clone(), step.happening.clone(), took(step)];
    let rows: Vec<_> = steps.iter().map(row).collect();
    // Two blanks, the sign and a blank stand before the columns.
    let shown = table::lines(&[], &rows, 2, width.map(|width| width.saturating_sub(4)));
    let signed = steps.iter().zip(shown).map(|(step, line)| {
        let (style, sign) = (style(step.mark), sign(step.mark));
        let line = if step.mark == Mark::Aside || step.mark == Mark::Ahead {
            format!("{style}{sign} {line}{style:#}")
        } else {
            format!("{style}{sign}{style:#} {line}")
        };
        format!("  {}", line.trim_end())
    });
    signed.collect()
}

fn took(step: &StepEntry) -> String {
    match (step.mark, step.took_ms) {
        (_, None) => String::new(),
        (Mark::Current, Some(ms)) => moment::growing(ms),
        (_, Some(ms)) => moment::span(ms),
    }
}
