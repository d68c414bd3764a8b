//! Figures as programs print them, and what is computed from them.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result, ensure};

/// The times that one run of a program printed, by name.
#[derive(Debug, PartialEq)]
pub(super) struct Figures(BTreeMap<String, f64>);

impl Figures {
    /// Reads lines of `name<TAB>nanoseconds`; other lines are not ours.
    pub(super) fn read(text: &str) -> Result<Self> {
        let mut figures = BTreeMap::new();
        for (name, nanos) in text.lines().filter_map(|line| line.split_once('\t')) {
            let value: f64 =
                nanos.trim().parse().with_context(|| format!("{name}: {nanos:?} is no number"))?;
            ensure!(value.is_finite() && value > 0.0, "{name}: {nanos} is no time");
            figures.insert(name.to_owned(), value);
        }
        ensure!(!figures.is_empty(), "no figure was printed");
        Ok(Self(figures))
    }

    /// The nanoseconds under a name.
    pub(super) fn nanos(&self, name: &str) -> Result<f64> {
        self.0.get(name).copied().with_context(|| format!("no figure is called {name:?}"))
    }

    /// Ratio of two figures.
    pub(super) fn ratio(&self, name: &str, other: &str) -> Result<f64> {
        Ok(self.nanos(name)? / self.nanos(other)?)
    }
}

/// The value in the middle; of an even number the mean of the two.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let middle = sorted.len() / 2;
    match sorted.len() {
        0 => f64::NAN,
        len if len % 2 == 0 => f64::midpoint(sorted[middle - 1], sorted[middle]),
        _ => sorted[middle],
    }
}

/// The lowest and the highest value.
pub(super) fn range(values: &[f64]) -> (f64, f64) {
    values
        .iter()
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| (low.min(*value), high.max(*value)))
}

/// Limit of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Limit {
    AtLeast(f64),
    AtMost(f64),
}

impl Limit {
    /// Tells whether a figure keeps to it.
    pub(super) fn holds(self, figure: f64) -> bool {
        match self {
            Self::AtLeast(limit) => figure >= limit,
            Self::AtMost(limit) => figure <= limit,
        }
    }
}

impl std::fmt::Display for Limit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::AtLeast(limit) => write!(f, "at least {limit}"),
            Self::AtMost(limit) => write!(f, "at most {limit}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_among_other_lines() -> Result<()> {
        let figures = Figures::read("running\nours\t200\ntheirs\t 500 \n")?;
        assert!((figures.ratio("theirs", "ours")? - 2.5).abs() < 1e-9);
        assert!((figures.nanos("ours")? - 200.0).abs() < 1e-9);
        assert!(figures.nanos("nobody").is_err());
        Ok(())
    }

    #[test]
    fn what_is_no_time_is_refused() {
        for text in ["", "only words", "a\tsoon", "a\t0", "a\t-3", "a\tinf", "a\tNaN"] {
            assert!(Figures::read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn the_median_does_not_follow_one_wild_value() {
        assert!((median(&[3.0, 1.0, 900.0]) - 3.0).abs() < 1e-9);
        assert!((median(&[4.0, 1.0, 2.0, 900.0]) - 3.0).abs() < 1e-9);
        assert!(median(&[]).is_nan());
        assert_eq!(range(&[3.0, 1.0, 900.0]), (1.0, 900.0));
    }

    #[test]
    fn a_limit_is_kept_at_its_edge_and_by_no_missing_figure() {
        assert!(Limit::AtLeast(2.0).holds(2.0) && !Limit::AtLeast(2.0).holds(1.99));
        assert!(Limit::AtMost(1.3).holds(1.3) && !Limit::AtMost(1.3).holds(1.31));
        assert!(!Limit::AtLeast(2.0).holds(f64::NAN) && !Limit::AtMost(1.3).holds(f64::NAN));
    }
}
