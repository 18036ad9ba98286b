//! How long a lease is asked for.

use std::fmt;
use std::num::NonZeroU64;
use std::time::Duration;

/// How long a lease lives unless it is renewed: whole milliseconds, 1 to 2^40 (about 34 years).
///
/// A lease of zero, of a fraction of a millisecond or of 2^63 ms cannot be written down. Elsewhere
/// such a call answers OK and no key exists, or a renewal *deletes* the lease.
///
/// A lease can be trusted for its TTL less 1 % and 2 ms, so one of 1 or 2 ms can never be; ask for
/// several times the round trip to Redis.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Ttl(NonZeroU64);

impl Ttl {
    /// The shortest, 1 ms.
    pub const MIN: Ttl = Ttl(NonZeroU64::MIN);
    /// The longest, 2^40 ms. Added to any clock that Redis may run on, it still fits its integers.
    pub const MAX: Ttl = Ttl(NonZeroU64::new(1 << 40).unwrap());

    /// Makes a TTL of milliseconds.
    ///
    /// # Errors
    /// [`InvalidTtl`] unless 1 ≤ `millis` ≤ 2^40.
    ///
    /// ```
    /// use lease_lock::Ttl;
    /// assert_eq!(Ttl::from_millis(30_000)?.as_duration().as_secs(), 30);
    /// assert!(Ttl::from_millis(0).is_err());
    /// # Ok::<(), lease_lock::InvalidTtl>(())
    /// ```
    pub const fn from_millis(millis: u64) -> Result<Ttl, InvalidTtl> {
        match NonZeroU64::new(millis) {
            None => Err(InvalidTtl::Zero),
            Some(millis) if millis.get() > Ttl::MAX.as_millis() => Err(InvalidTtl::TooLong),
            Some(millis) => Ok(Ttl(millis)),
        }
    }

    /// The milliseconds.
    pub const fn as_millis(self) -> u64 {
        self.0.get()
    }

    /// The TTL as a duration.
    pub const fn as_duration(self) -> Duration {
        Duration::from_millis(self.as_millis())
    }
}

/// Why a time cannot be a [`Ttl`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidTtl {
    /// No time at all.
    #[error("a lease of no time protects nothing; ask for at least 1 ms")]
    Zero,
    /// More than [`Ttl::MAX`].
    #[error("a lease lasts at most 2^40 ms (34 years); ask for less and renew it")]
    TooLong,
}

impl TryFrom<Duration> for Ttl {
    type Error = InvalidTtl;

    /// Rounds up to whole milliseconds: a lease is never shorter than what was asked for.
    fn try_from(duration: Duration) -> Result<Ttl, InvalidTtl> {
        let millis = duration.as_nanos().div_ceil(1_000_000);
        Ttl::from_millis(u64::try_from(millis).map_err(|_| InvalidTtl::TooLong)?)
    }
}

impl fmt::Display for Ttl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ms", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn c1_no_time_and_too_much_time_cannot_be_written() {
        assert_eq!(Ttl::try_from(Duration::ZERO), Err(InvalidTtl::Zero));
        assert_eq!(Ttl::from_millis(0), Err(InvalidTtl::Zero));
        assert_eq!(Ttl::from_millis(1 << 40), Ok(Ttl::MAX));
        for millis in [(1 << 40) + 1, 1 << 63, u64::MAX] {
            assert_eq!(Ttl::from_millis(millis), Err(InvalidTtl::TooLong));
            let duration = Duration::from_millis(millis);
            assert_eq!(Ttl::try_from(duration), Err(InvalidTtl::TooLong));
        }
        assert_eq!(Ttl::try_from(Duration::MAX), Err(InvalidTtl::TooLong));
    }

    #[test]
    fn c1_a_fraction_of_a_millisecond_is_rounded_up() {
        for (nanos, millis) in [(1, 1), (400_000, 1), (1_000_000, 1), (1_000_001, 2)] {
            let ttl = Ttl::try_from(Duration::from_nanos(nanos)).unwrap();
            assert_eq!(ttl.as_millis(), millis, "{nanos} ns");
        }
        let just_too_long = Ttl::MAX.as_duration() + Duration::from_nanos(1);
        assert_eq!(Ttl::try_from(just_too_long), Err(InvalidTtl::TooLong));
    }
}
