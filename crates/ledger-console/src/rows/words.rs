//! Short words of a table: times, ids, spans.

use time::macros::format_description;
use time::{Duration, OffsetDateTime, UtcOffset};
use uuid::Uuid;

/// A moment in UTC, without its year: `12-01 09:30:00`.
pub(crate) fn moment(at: OffsetDateTime) -> String {
    let short = format_description!("[month]-[day] [hour]:[minute]:[second]");
    at.to_offset(UtcOffset::UTC)
        .format(short)
        .unwrap_or_else(|_| at.to_string())
}

/// A moment in UTC, whole seconds of it: `2026-12-01 09:30:00 UTC`.
pub(crate) fn whole_moment(at: OffsetDateTime) -> String {
    let whole = format_description!("[year]-[month]-[day] [hour]:[minute]:[second] UTC");
    at.to_offset(UtcOffset::UTC)
        .format(whole)
        .unwrap_or_else(|_| at.to_string())
}

/// The first part of an id: enough to tell a few apart.
fn short(id: Uuid) -> String {
    id.simple().to_string()[..8].to_owned()
}

/// A fence and its holder: `7 of 4f2a91c0`; the number alone where nobody is known.
pub(crate) fn under(fence: i64, holder: Option<Uuid>) -> String {
    holder.map_or(fence.to_string(), |holder| {
        format!("{fence} of {}", short(holder))
    })
}

/// A span with three digits or so: `812 ms`, `4.21 s`, `12.5 min`, `3.1 h`, `2.4 d`.
pub(crate) fn span(span: Duration) -> String {
    let seconds = span.as_seconds_f64();
    match seconds.abs() {
        0.0..1.0 => format!("{:.0} ms", seconds * 1e3),
        1.0..100.0 => format!("{seconds:.2} s"),
        100.0..6_000.0 => format!("{:.1} min", seconds / 60.0),
        6_000.0..172_800.0 => format!("{:.1} h", seconds / 3_600.0),
        _ => format!("{:.1} d", seconds / 86_400.0),
    }
}

/// A part of a whole, in per cent; nothing where it is not known.
pub(crate) fn percent(part: Option<f64>) -> String {
    part.map_or(String::new(), |part| match part * 100.0 {
        // A part that is not nothing does not look like nothing.
        percent if percent > 0.0 && percent < 0.5 => "<1%".to_owned(),
        percent => format!("{percent:.0}%"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_have_the_unit_that_one_would_say() {
        for (millis, text) in [
            (0, "0 ms"),
            (812, "812 ms"),
            (-40, "-40 ms"),
            (4_210, "4.21 s"),
            (750_000, "12.5 min"),
            (11_160_000, "3.1 h"),
            (207_360_000, "2.4 d"),
        ] {
            assert_eq!(span(Duration::milliseconds(millis)), text);
        }
    }

    #[test]
    fn a_part_that_is_not_nothing_does_not_look_like_nothing() {
        for (part, text) in [
            (None, ""),
            (Some(0.0), "0%"),
            (Some(0.001), "<1%"),
            (Some(1.2), "120%"),
        ] {
            assert_eq!(percent(part), text);
        }
    }
}
