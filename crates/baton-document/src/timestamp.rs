//! Dates and timestamps: what is right, what is understood all the same, what is neither.
//!
//! Invariant: what is right here is exactly what the pattern in a generated JSON Schema accepts.

/// A text as a date or a timestamp.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Reading {
    /// In the usual form.
    Right,
    /// Understood, with why it is not usual and how it usually looks.
    Drift {
        /// Completes "the timestamp … ".
        why: &'static str,
        /// The usual form.
        usual: String,
        /// True if it can be read in no other way.
        is_certain: bool,
    },
    /// Not understood, with why.
    Wrong(&'static str),
}

/// A date, as a regular expression of JSON Schema; calendars included.
pub(crate) const DATE_PATTERN: &str = "(?:[0-9]{4}-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|(?:[0-9]{2}(?:0[48]|[2468][048]|[13579][26])|(?:[02468][048]|[13579][26])00)-02-29)";

/// Text after the date in a timestamp in the usual form.
pub(crate) const TIME_PATTERN: &str = "T(?:[01][0-9]|2[0-3]):[0-5][0-9]:(?:[0-5][0-9]|60)(?:\\.[0-9]+)?(?:Z|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9])";

/// Pattern of the time in a timestamp that is understood.
pub(crate) const LENIENT_TIME_PATTERN: &str = "(?:[Tt ](?:[01][0-9]|2[0-3]):[0-5][0-9](?::(?:[0-5][0-9]|60)(?:[.,][0-9]+)?)?(?: ?(?:[Zz]|[+-](?:[01][0-9]|2[0-3])(?::?[0-5][0-9])?[Zz]?))?)?";

/// Reads a calendar date such as `2026-02-09`.
pub(crate) fn date(text: &str) -> Reading {
    let bytes = text.as_bytes();
    if bytes.len() != 10 {
        return Reading::Wrong("is not of the form YYYY-MM-DD");
    }
    match calendar_date(bytes) {
        Ok(()) => Reading::Right,
        Err(why) => Reading::Wrong(why),
    }
}

/// Reads a timestamp such as `2026-02-09T10:30:00Z`.
pub(crate) fn timestamp(text: &str) -> Reading {
    let bytes = text.as_bytes();
    let Some(day) = bytes.get(..10) else {
        return Reading::Wrong("is not of the form YYYY-MM-DDTHH:MM:SSZ");
    };
    if let Err(why) = calendar_date(day) {
        return Reading::Wrong(why);
    }
    let time = &bytes[10..];
    if time.is_empty() {
        return Reading::Drift {
            why: "has no time of day; midnight UTC is assumed",
            usual: format!("{text}T00:00:00Z"),
            is_certain: false,
        };
    }
    let Some(time) = Time::read(time) else {
        return Reading::Wrong("has no time of day of the form HH:MM:SS");
    };
    let usual = || time.usual(&text[..10]);
    match time.zone {
        Zone::Missing => {
            Reading::Drift { why: "has no time zone; UTC is assumed", usual: usual(), is_certain: false }
        }
        Zone::Twice(offset) => Reading::Drift {
            why: "has two time zones; the offset is taken",
            usual: usual(),
            // Both say the same only where the offset is none.
            is_certain: offset[1..].iter().all(|byte| matches!(byte, b'0' | b':')),
        },
        Zone::Usual(zone) if time.is_usual && zone != b"z" => Reading::Right,
        Zone::Usual(_) | Zone::Short(_) => Reading::Drift {
            why: "is understood but not in the usual form",
            usual: usual(),
            is_certain: true,
        },
        Zone::Wrong => Reading::Wrong("has no time zone of the form Z or +HH:MM"),
    }
}

struct Time<'t> {
    clock: &'t [u8],
    has_seconds: bool,
    fraction: &'t [u8],
    zone: Zone<'t>,
    is_usual: bool,
}

#[derive(Clone, Copy)]
enum Zone<'t> {
    Missing,
    Usual(&'t [u8]),
    Short(&'t [u8]),
    Twice(&'t [u8]),
    Wrong,
}

impl<'t> Time<'t> {
    fn read(bytes: &'t [u8]) -> Option<Self> {
        let mut is_usual = bytes[0] == b'T';
        if !matches!(bytes[0], b'T' | b't' | b' ') {
            return None;
        }
        let clock = &bytes[1..];
        let pair = |at: usize, max: u8| {
            let two = clock.get(at..at + 2)?;
            let both = two.iter().all(u8::is_ascii_digit);
            (both && (two[0] - b'0') * 10 + two[1] - b'0' <= max).then_some(())
        };
        pair(0, 23)?;
        (clock.get(2) == Some(&b':')).then_some(())?;
        pair(3, 59)?;
        let mut at = 5;
        let has_seconds = clock.get(5) == Some(&b':');
        let mut fraction: &[u8] = &[];
        if has_seconds {
            pair(6, 60)?;
            at = 8;
            if matches!(clock.get(8), Some(b'.' | b',')) {
                is_usual &= clock[8] == b'.';
                let digits = clock[9..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                (digits > 0).then_some(())?;
                fraction = &clock[9..9 + digits];
                at = 9 + digits;
            }
        }
        is_usual &= has_seconds;
        let mut zone = &clock[at..];
        if zone.len() > 1 && zone[0] == b' ' {
            is_usual = false;
            zone = &zone[1..];
        }
        Some(Self { clock, has_seconds, fraction, zone: read_zone(zone), is_usual })
    }

    fn usual(&self, day: &str) -> String {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let seconds = if self.has_seconds { text(&self.clock[5..8]) } else { ":00".to_owned() };
        let fraction =
            if self.fraction.is_empty() { String::new() } else { format!(".{}", text(self.fraction)) };
        let zone = match self.zone {
            Zone::Usual(zone) if zone.len() == 1 => "Z".to_owned(),
            Zone::Usual(zone) | Zone::Twice(zone) | Zone::Short(zone) => {
                let minutes = zone[3..].strip_prefix(b":").unwrap_or(&zone[3..]);
                let minutes = if minutes.is_empty() { "00".to_owned() } else { text(minutes) };
                format!("{}:{minutes}", text(&zone[..3]))
            }
            Zone::Missing | Zone::Wrong => "Z".to_owned(),
        };
        format!("{day}T{}{seconds}{fraction}{zone}", text(&self.clock[..5]))
    }
}

fn read_zone(bytes: &[u8]) -> Zone<'_> {
    match bytes {
        [] => Zone::Missing,
        [b'Z'] => Zone::Usual(bytes),
        [b'z'] => Zone::Usual(bytes),
        [b'+' | b'-', offset @ ..] => {
            let (offset, is_twice) = match offset {
                [offset @ .., b'Z' | b'z'] => (offset, true),
                _ => (offset, false),
            };
            let digits: Vec<u8> = match offset {
                [a, b] => vec![*a, *b, b'0', b'0'],
                [a, b, b':', c, d] | [a, b, c, d] => vec![*a, *b, *c, *d],
                _ => return Zone::Wrong,
            };
            let is_right = digits.iter().all(u8::is_ascii_digit)
                && (digits[0], digits[1]) <= (b'2', b'3')
                && (digits[0] < b'2' || digits[1] <= b'3')
                && digits[2] <= b'5';
            let has_colon = offset.len() == 5;
            let zone = &bytes[..=offset.len()];
            match (is_right, is_twice, has_colon) {
                (false, ..) => Zone::Wrong,
                (true, true, _) => Zone::Twice(zone),
                (true, false, true) => Zone::Usual(zone),
                (true, false, false) => Zone::Short(zone),
            }
        }
        _ => Zone::Wrong,
    }
}

fn calendar_date(bytes: &[u8]) -> Result<(), &'static str> {
    const FORM: &str = "is not of the form YYYY-MM-DD";
    let digits = |range: std::ops::Range<usize>| {
        bytes[range].iter().try_fold(0u32, |sum, byte| {
            byte.is_ascii_digit().then(|| sum * 10 + u32::from(byte - b'0')).ok_or(FORM)
        })
    };
    if bytes[4] != b'-' || bytes[7] != b'-' {
        return Err(FORM);
    }
    let (year, month, day) = (digits(0..4)?, digits(5..7)?, digits(8..10)?);
    let is_leap = year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400));
    let days = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if is_leap => 29,
        2 => 28,
        _ => return Err("has no such month"),
    };
    if (1..=days).contains(&day) { Ok(()) } else { Err("has no such day") }
}

#[cfg(test)]
mod tests {
    use regex::Regex;

    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // proves M-04
        assert_eq!(date("2026-02-09"), Reading::Right);
        assert_eq!(date("2024-02-29"), Reading::Right);
        for wrong in
            ["2026-99-99", "2026-02-29", "2026-2-9", "09.02.2026", "", "2026-02-09T10:00:00Z", "2026-00-10"]
        {
            assert!(matches!(date(wrong), Reading::Wrong(_)), "{wrong}");
        }
    }

    #[test]
    fn timestamps_are_iso_8601_and_drift_is_understood() {
        // proves E-02, A-07
        for right in ["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678+02:00"] {
            assert_eq!(timestamp(right), Reading::Right, "{right}");
        }
        let usual = |text: &str| match timestamp(text) {
            Reading::Drift { usual, .. } => usual,
            Reading::Right | Reading::Wrong(_) => format!("not drift: {text}"),
        };
        assert_eq!(usual("2026-01-02T03:04:05+00:00Z"), "2026-01-02T03:04:05+00:00");
        assert_eq!(usual("2026-01-02 03:04"), "2026-01-02T03:04:00Z");
        assert_eq!(usual("2026-01-02T03:04:05+0200"), "2026-01-02T03:04:05+02:00");
        assert_eq!(usual("2026-01-02"), "2026-01-02T00:00:00Z");
        let certain = |text: &str| matches!(timestamp(text), Reading::Drift { is_certain: true, .. });
        for text in ["2026-01-02T03:04:05+00:00Z", "2026-01-02T03:04:05-0000Z", "2026-01-02 03:04 +02"] {
            assert!(certain(text), "{text} can be read in one way only");
        }
        for text in
            ["2026-01-02", "2026-01-02T03:04:05", "2026-01-02T03:04:05+02:00Z", "2026-01-02T03:04+02Z"]
        {
            assert!(!certain(text), "{text} can be read in two ways");
        }
        assert_eq!(usual("2026-01-02T03:04+02Z"), "2026-01-02T03:04:00+02:00");
        for wrong in [
            "yesterday",
            "2026-13-01T00:00:00Z",
            "2026-01-02T25:00:00Z",
            "2026-01-02T03:04:05 CET",
            "2026-01-02T",
        ] {
            assert!(matches!(timestamp(wrong), Reading::Wrong(_)), "{wrong}");
        }
    }

    #[test]
    fn the_patterns_of_the_schema_agree_with_the_reader() {
        let strict = Regex::new(&format!("^{DATE_PATTERN}{TIME_PATTERN}$")).expect("the pattern compiles");
        let lenient =
            Regex::new(&format!("^{DATE_PATTERN}{LENIENT_TIME_PATTERN}$")).expect("the pattern compiles");
        let parts = ["2026-01-02", "2026-02-30", "2024-02-29", "1900-02-29", "2000-02-29"];
        let clocks = ["", "T03:04:05", "t03:04", " 23:59:60.5", "T24:00:00", "T03:04:05,123", "T3:4:5"];
        let zones = ["", "Z", "z", "+00:00", "+00:00Z", "-2359", "+24:00", "+05", " Z", "+19:30"];
        for day in parts {
            for clock in clocks {
                for zone in zones {
                    let text = format!("{day}{clock}{zone}");
                    let reading = timestamp(&text);
                    assert_eq!(strict.is_match(&text), reading == Reading::Right, "{text}: {reading:?}");
                    assert_eq!(
                        lenient.is_match(&text),
                        !matches!(reading, Reading::Wrong(_)),
                        "{text}: {reading:?}"
                    );
                }
            }
        }
    }
}
