//! One value of a row, whole, as JSON and CSV have it.

use serde_json::Value;
use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use uuid::Uuid;

/// A value with what it is: that decides how it is written.
#[derive(Debug, Clone, PartialEq)]
pub enum Field {
    /// A text that somebody else chose.
    Text(String),
    /// A number of rows, credits, milliseconds.
    Number(i64),
    /// A fence. As everywhere in JSON a text: it may be beyond 2^53, from which on JSON readers round.
    Fence(i64),
    /// A part of a whole, 1.0 for all of it.
    Ratio(f64),
    /// Yes or no.
    Flag(bool),
    /// A moment, as RFC 3339 in UTC.
    Time(OffsetDateTime),
    /// What a program has written as JSON.
    Json(Value),
    /// Nothing.
    Absent,
}

impl Field {
    /// A fence, if there is one.
    pub fn fence(fence: impl Into<Option<i64>>) -> Field {
        fence.into().map_or(Field::Absent, Field::Fence)
    }

    /// As JSON.
    pub fn into_json(self) -> Value {
        match self {
            Field::Text(text) => text.into(),
            Field::Number(number) => number.into(),
            Field::Fence(fence) => fence.to_string().into(),
            Field::Ratio(ratio) => ratio.into(),
            Field::Flag(flag) => flag.into(),
            Field::Time(at) => rfc3339(at).into(),
            Field::Json(value) => value,
            Field::Absent => Value::Null,
        }
    }

    /// As a field of a CSV, before it is quoted.
    pub fn into_csv(self) -> String {
        match self {
            Field::Text(text) => harmless(text),
            Field::Number(number) | Field::Fence(number) => number.to_string(),
            Field::Ratio(ratio) => ratio.to_string(),
            Field::Flag(flag) => flag.to_string(),
            Field::Time(at) => rfc3339(at),
            Field::Json(value) => harmless(value.to_string()),
            Field::Absent => String::new(),
        }
    }
}

/// A spreadsheet takes a text with one of these in front for a formula, and runs it. An apostrophe makes it text again;
/// one that was there gets one more, so that nothing is lost.
fn harmless(text: String) -> String {
    match text.chars().next() {
        Some('=' | '+' | '-' | '@' | '\t' | '\r' | '\n' | '\'') => format!("'{text}"),
        _ => text,
    }
}

fn rfc3339(at: OffsetDateTime) -> String {
    // It fails for years beyond 9999 alone, which no clock of a server shows.
    at.to_offset(time::UtcOffset::UTC)
        .format(&Rfc3339)
        .unwrap_or_else(|_| at.to_string())
}

impl From<&str> for Field {
    fn from(text: &str) -> Field {
        Field::Text(text.to_owned())
    }
}

impl From<String> for Field {
    fn from(text: String) -> Field {
        Field::Text(text)
    }
}

impl From<i64> for Field {
    fn from(number: i64) -> Field {
        Field::Number(number)
    }
}

impl From<f64> for Field {
    fn from(ratio: f64) -> Field {
        Field::Ratio(ratio)
    }
}

impl From<bool> for Field {
    fn from(flag: bool) -> Field {
        Field::Flag(flag)
    }
}

impl From<OffsetDateTime> for Field {
    fn from(at: OffsetDateTime) -> Field {
        Field::Time(at)
    }
}

impl From<Uuid> for Field {
    fn from(id: Uuid) -> Field {
        Field::Text(id.to_string())
    }
}

impl<T: Into<Field>> From<Option<T>> for Field {
    fn from(value: Option<T>) -> Field {
        value.map_or(Field::Absent, Into::into)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_a_spreadsheet_would_run_is_made_text_and_a_number_stays_one() {
        for formula in ["=1+1", "+1", "-1", "@x", "\t=1", "\r=1", "'x"] {
            assert_eq!(Field::from(formula).into_csv(), format!("'{formula}"));
        }
        assert_eq!(Field::from("user:7").into_csv(), "user:7");
        assert_eq!(Field::from(-1).into_csv(), "-1");
    }

    #[test]
    fn a_fence_beyond_what_json_readers_keep_stays_whole() {
        let fence = Field::Fence(9_007_199_254_740_993);
        assert_eq!(fence.into_json(), "9007199254740993");
    }
}
