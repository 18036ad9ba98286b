//! An opening that travels: in a job's payload, or in a header.

use std::fmt;
use std::str::FromStr;

use fence::Permit;
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};
use time::OffsetDateTime;

use crate::open_permit::OpenPermit;

/// The serde form of an opening. Numbers are text, for the same reason as a fence's.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Carried {
    permit: Permit,
    opening: Whole,
    valid_until_us: Whole,
    takeover: bool,
}

/// A whole number as decimal digits, without a leading zero or a plus.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Whole(pub(crate) i64);

/// Numbers that no opening has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NoOpening {
    #[error("an opening has a number of at least 1")]
    Seq,
    #[error("valid_until_us is a time between the years -9999 and 9999")]
    ValidUntil,
}

impl OpenPermit {
    /// Microseconds since 1970, which is as finely as Postgres measures.
    pub(crate) fn valid_until_us(&self) -> Whole {
        let micros = self.valid_until.unix_timestamp_nanos() / 1_000;
        // Ten thousand years are 3.2 × 10^17 microseconds.
        Whole(i64::try_from(micros).expect("a date's microseconds fit into 64 bits"))
    }

    /// Puts an opening together that somebody else had opened and sent.
    pub(crate) fn arrived(
        permit: Permit,
        opening: Whole,
        valid_until_us: Whole,
        takeover: bool,
    ) -> Result<OpenPermit, NoOpening> {
        if opening.0 < 1 {
            return Err(NoOpening::Seq);
        }
        let nanos = i128::from(valid_until_us.0) * 1_000;
        Ok(OpenPermit {
            permit,
            seq: opening.0,
            valid_until: OffsetDateTime::from_unix_timestamp_nanos(nanos)
                .map_err(|_| NoOpening::ValidUntil)?,
            takeover,
        })
    }
}

/// For whoever opened, to hand the opening on: to a worker, a queue, a later step of the job.
///
/// Needs the feature `serde`. The form is an object with `permit`, `opening` and `valid_until_us` (microseconds since
/// 1970, both as text) and `takeover`.
impl Serialize for OpenPermit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let carried = Carried {
            permit: self.permit.clone(),
            opening: Whole(self.seq),
            valid_until_us: self.valid_until_us(),
            takeover: self.takeover,
        };
        carried.serialize(serializer)
    }
}

/// Believes the sender that it had opened. Nothing rests on that: a permit that was never opened is refused as
/// *not open*, like every other that the guard's row does not bear out.
impl<'de> Deserialize<'de> for OpenPermit {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<OpenPermit, D::Error> {
        let carried = Carried::deserialize(deserializer)?;
        let (opening, valid_until_us) = (carried.opening, carried.valid_until_us);
        OpenPermit::arrived(carried.permit, opening, valid_until_us, carried.takeover)
            .map_err(de::Error::custom)
    }
}

impl fmt::Display for Whole {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Whole {
    type Err = ();

    /// Reads what is written, and no other spelling of it.
    fn from_str(text: &str) -> Result<Whole, ()> {
        let number: i64 = text.parse().map_err(|_| ())?;
        if number.to_string() == text {
            Ok(Whole(number))
        } else {
            Err(())
        }
    }
}

impl Serialize for Whole {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Whole {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Whole, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|()| de::Error::custom("a whole number is a string of decimal digits"))
    }
}
