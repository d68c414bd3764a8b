//! Moments and spans of time, as people read them. Times of day are in UTC, as in handoffs.

use std::time::{SystemTime, UNIX_EPOCH};

use baton_kernel::Millis;
use jiff::Timestamp;

/// The moment that it is.
pub fn now() -> Millis {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Millis(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// A moment as a timestamp, such as `2026-01-31T09:30:00.250Z`.
pub fn stamp(at: Millis) -> String {
    timestamp(at).to_string()
}

/// The day of a moment.
pub fn day(at: Millis) -> String {
    timestamp(at).strftime("%Y-%m-%d").to_string()
}

/// The time of day of a moment.
pub fn clock(at: Millis) -> String {
    timestamp(at).strftime("%H:%M:%S").to_string()
}

/// The day of a moment in milliseconds.
pub fn day_ms(at: u64) -> String {
    day(Millis(at))
}

/// The time of day of a moment in milliseconds.
pub fn clock_ms(at: u64) -> String {
    clock(Millis(at))
}

fn timestamp(at: Millis) -> Timestamp {
    i64::try_from(at.0).ok().and_then(|at| Timestamp::from_millisecond(at).ok()).unwrap_or(Timestamp::MAX)
}

/// How long it is from one moment to another; nothing if clocks say that it is before.
pub fn between(from: Millis, to: Millis) -> String {
    span(to.0.saturating_sub(from.0))
}

/// A span of milliseconds: `250ms`, `3.2s`, `42s`, `3m 05s`, `2h 10m`, `3d 4h`.
pub fn span(ms: u64) -> String {
    let seconds = ms / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    if ms < 1000 {
        format!("{ms}ms")
    } else if seconds < 10 {
        format!("{seconds}.{}s", ms % 1000 / 100)
    } else if minutes == 0 {
        format!("{seconds}s")
    } else if hours == 0 {
        format!("{minutes}m {:02}s", seconds % 60)
    } else if days == 0 {
        format!("{hours}h {:02}m", minutes % 60)
    } else {
        format!("{days}d {}h", hours % 24)
    }
}

/// A span that is watched while it grows: whole seconds, so that its last digits stand still.
pub fn growing(ms: u64) -> String {
    span(ms / 1000 * 1000).replace(".0s", "s").replace("0ms", "0s")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_two_units_at_most() {
        let cases = [
            (0, "0ms"),
            (999, "999ms"),
            (3_250, "3.2s"),
            (42_900, "42s"),
            (185_000, "3m 05s"),
            (7_800_000, "2h 10m"),
            (273_600_000, "3d 4h"),
        ];
        for (ms, text) in cases {
            assert_eq!(span(ms), text);
        }
        assert_eq!([growing(10), growing(1_900), growing(61_000)], ["0s", "1s", "1m 01s"]);
        assert_eq!(between(Millis(5), Millis(3)), "0ms");
    }

    #[test]
    fn moments_are_shown_in_utc() {
        let at = Millis(1_769_851_800_250);
        assert_eq!(stamp(at), "2026-01-31T09:30:00.25Z");
        assert_eq!((day(at).as_str(), clock(at).as_str()), ("2026-01-31", "09:30:00"));
        assert!(stamp(Millis(u64::MAX)).starts_with("9999"));
    }
}
