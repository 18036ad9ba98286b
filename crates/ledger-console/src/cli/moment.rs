//! `--since`: a moment, or a span before now.

use std::time::Duration;

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// A moment on the command line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moment {
    /// This one.
    At(OffsetDateTime),
    /// So long before now, by the database's clock.
    Ago(Duration),
}

/// A text that is no moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a moment is RFC 3339 (2026-12-01T09:30:00Z) or a span before now: 90s, 15m, 2h, 7d, 3w, at most 100 years"
)]
pub struct NoMoment;

/// A text that is no span.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a span is a whole number above 0 with its unit: 90s, 15m, 2h, 7d, 3w; at most 100 years")]
pub struct NoSpan;

/// The longest span.
const LONGEST: u64 = 100 * 366 * 86_400;

impl Moment {
    /// Reads a moment.
    ///
    /// # Errors
    /// [`NoMoment`].
    pub fn read(text: &str) -> Result<Moment, NoMoment> {
        if let Ok(span) = span(text) {
            return Ok(Moment::Ago(span));
        }
        let at = OffsetDateTime::parse(text, &Rfc3339).map_err(|_| NoMoment)?;
        // What Postgres, too, takes for a time.
        if (1..=9999).contains(&at.year()) {
            Ok(Moment::At(at))
        } else {
            Err(NoMoment)
        }
    }

    /// The moment, where it is now `now`.
    pub fn before(self, now: OffsetDateTime) -> OffsetDateTime {
        match self {
            Moment::At(at) => at,
            Moment::Ago(span) => now - span,
        }
    }
}

/// Reads a span.
///
/// # Errors
/// [`NoSpan`].
pub fn span(text: &str) -> Result<Duration, NoSpan> {
    let unit = text.chars().next_back().ok_or(NoSpan)?;
    let seconds_each = match unit {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => 86_400,
        'w' => 7 * 86_400,
        _ => return Err(NoSpan),
    };
    let digits = &text[..text.len() - 1];
    if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(NoSpan);
    }
    let number: u64 = digits.parse().map_err(|_| NoSpan)?;
    match number.checked_mul(seconds_each) {
        Some(seconds @ 1..=LONGEST) => Ok(Duration::from_secs(seconds)),
        _ => Err(NoSpan),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use time::macros::datetime;

    use super::*;

    #[test]
    fn a_span_has_a_whole_number_and_a_unit() {
        assert_eq!(span("15m"), Ok(Duration::from_secs(900)));
        assert_eq!(span("7d"), Ok(Duration::from_secs(7 * 86_400)));
        for none in [
            "",
            "m",
            "0h",
            "-1h",
            "+1h",
            "1.5h",
            "1 h",
            "1H",
            "15",
            "5229w",
            "99999999999999999999s",
        ] {
            assert_eq!(span(none), Err(NoSpan), "{none:?}");
        }
    }

    #[test]
    fn a_moment_is_a_time_or_so_long_before_now() {
        let now = datetime!(2026-12-01 12:00 UTC);
        let at = |text| Moment::read(text).map(|moment| moment.before(now));
        assert_eq!(at("2h"), Ok(datetime!(2026-12-01 10:00 UTC)));
        assert_eq!(
            at("2026-12-01T12:30:00+01:00"),
            Ok(datetime!(2026-12-01 11:30 UTC))
        );
        for none in [
            "yesterday",
            "2026-12-01",
            "2026-12-01T12:30:00",
            "0000-01-01T00:00:00Z",
            "é",
        ] {
            assert_eq!(at(none), Err(NoMoment), "{none:?}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_a_moment_or_none(text in any::<String>()) {
            let _ = Moment::read(&text);
        }
    }
}
