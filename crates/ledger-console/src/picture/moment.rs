//! Points in time, and how a picture names them.

use time::OffsetDateTime;

/// A point in time in microseconds, since an origin that the whole story shares: its begin, or the Unix
/// epoch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(i64);

/// How the moments of a story are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Times {
    /// As time since the story's begin: `1.53 s`.
    SinceBegin,
    /// As the time of day in UTC, where the origin is the Unix epoch: `12:03:04.123`.
    Utc,
}

impl Moment {
    /// The moment that many microseconds after the origin.
    pub const fn from_micros(micros: i64) -> Moment {
        Moment(micros)
    }

    /// Microseconds after the origin.
    pub const fn micros(self) -> i64 {
        self.0
    }

    /// Microseconds from `earlier` to here; zero if that is later.
    pub(crate) fn since(self, earlier: Moment) -> u64 {
        u64::try_from(self.0.saturating_sub(earlier.0)).unwrap_or(0)
    }
}

/// The origin is the Unix epoch; what is out of range (292,000 years) is the nearest that is not.
impl From<OffsetDateTime> for Moment {
    fn from(at: OffsetDateTime) -> Moment {
        let micros = at.unix_timestamp_nanos() / 1000;
        Moment(micros.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
    }
}

impl Times {
    /// The name of a moment in a story that began at `begin`.
    pub(crate) fn name(self, moment: Moment, begin: Moment) -> String {
        match self {
            Times::SinceBegin => length(moment.since(begin)),
            Times::Utc => utc(moment).unwrap_or_else(|| length(moment.since(begin))),
        }
    }
}

fn utc(moment: Moment) -> Option<String> {
    let nanos = i128::from(moment.0) * 1000;
    let at = OffsetDateTime::from_unix_timestamp_nanos(nanos).ok()?;
    let (hour, minute, second, milli) = at.time().as_hms_milli();
    Some(format!("{hour:02}:{minute:02}:{second:02}.{milli:03}"))
}

/// A length of time in words that fit below a picture.
pub(crate) fn length(micros: u64) -> String {
    let seconds = micros as f64 / 1e6;
    match micros {
        0..1_000_000 => format!("{} ms", micros / 1000),
        1_000_000..60_000_000 => format!("{seconds:.2} s"),
        60_000_000..3_600_000_000 => format!(
            "{} min {:.0} s",
            micros / 60_000_000,
            (seconds % 60.0).floor()
        ),
        3_600_000_000..86_400_000_000 => format!("{:.1} h", seconds / 3600.0),
        _ => format!("{:.1} d", seconds / 86400.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_length_is_named_in_the_unit_that_fits() {
        let named = [
            0,
            999_999,
            1_000_000,
            90_500_000,
            7_200_000_000,
            129_600_000_000,
        ]
        .map(length);
        assert_eq!(
            named,
            ["0 ms", "999 ms", "1.00 s", "1 min 30 s", "2.0 h", "1.5 d"]
        );
    }

    #[test]
    fn a_moment_is_named_since_the_begin_or_by_the_time_of_day() {
        let (begin, moment) = (
            Moment::from_micros(1_000_000),
            Moment::from_micros(43_384_123_000),
        );
        assert_eq!(Times::Utc.name(moment, begin), "12:03:04.123");
        assert_eq!(Times::SinceBegin.name(moment, begin), "12.1 h");
        assert_eq!(Times::SinceBegin.name(begin, moment), "0 ms");
    }

    #[test]
    fn the_ends_of_time_have_names() {
        for micros in [i64::MIN, i64::MAX] {
            let moment = Moment::from_micros(micros);
            assert!(!Times::Utc.name(moment, Moment::from_micros(0)).is_empty());
        }
    }
}
