//! The two numbers: the fence of an acquisition, and the floor that the next one must exceed.

use std::fmt;
use std::num::NonZeroU64;
use std::str::FromStr;

/// One more than the greatest fence: 2^62.
///
/// It leaves room below `i64::MAX` (Postgres' `bigint`, Redis' `INCR`), so that neither side can
/// overflow while it raises a number that is still in range.
const END: u64 = 1 << 62;

/// The number of one acquisition: 1 ≤ fence < 2^62, strictly growing per resource.
///
/// The idea of numbering lock holders, so that the resource itself can refuse a late one, is the
/// *sequencer* of Chubby (Burrows, 2006), called *fencing token* since Kleppmann (2016).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(NonZeroU64);

impl Fence {
    /// The least fence, 1.
    pub const MIN: Fence = Fence(NonZeroU64::MIN);
    /// The greatest fence, 2^62 − 1.
    pub const MAX: Fence = Fence(NonZeroU64::new(END - 1).unwrap());

    /// Makes a fence of a number.
    ///
    /// # Errors
    /// [`FenceOutOfRange`] unless 1 ≤ `number` < 2^62.
    pub const fn new(number: u64) -> Result<Fence, FenceOutOfRange> {
        match NonZeroU64::new(number) {
            Some(some) if number < END => Ok(Fence(some)),
            _ => Err(FenceOutOfRange),
        }
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0.get()
    }

    /// The number as Postgres' `bigint`; never negative.
    pub const fn as_i64(self) -> i64 {
        self.get() as i64
    }

    /// This fence as the floor of the next one.
    pub const fn as_floor(self) -> Floor {
        Floor(self.get())
    }
}

/// The number that the next fence must exceed: 0 ≤ floor < 2^62.
///
/// It comes from the guard (`fence.mark`) when Redis has lost its memory. A floor of 0 says that the
/// guard has never seen the resource.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Floor(u64);

impl Floor {
    /// The floor of a resource that no guard has seen.
    pub const ZERO: Floor = Floor(0);

    /// Makes a floor of a number.
    ///
    /// # Errors
    /// [`FenceOutOfRange`] unless `number` < 2^62.
    pub const fn new(number: u64) -> Result<Floor, FenceOutOfRange> {
        if number < END {
            Ok(Floor(number))
        } else {
            Err(FenceOutOfRange)
        }
    }

    /// The number.
    pub const fn get(self) -> u64 {
        self.0
    }
}

/// A number that no fence can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a fence is a whole number from 1 to 2^62 - 1 (a floor may also be 0)")]
pub struct FenceOutOfRange;

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl fmt::Display for Floor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl FromStr for Fence {
    type Err = FenceOutOfRange;

    /// Reads plain decimal digits; no sign, no leading zero, no space.
    fn from_str(text: &str) -> Result<Fence, FenceOutOfRange> {
        Fence::new(digits(text)?)
    }
}

impl FromStr for Floor {
    type Err = FenceOutOfRange;

    /// Reads plain decimal digits, as a fence is read.
    fn from_str(text: &str) -> Result<Floor, FenceOutOfRange> {
        Floor::new(digits(text)?)
    }
}

fn digits(text: &str) -> Result<u64, FenceOutOfRange> {
    let canonical = text == "0" || !text.starts_with('0');
    if !canonical || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(FenceOutOfRange);
    }
    text.parse().map_err(|_| FenceOutOfRange)
}

impl TryFrom<u64> for Fence {
    type Error = FenceOutOfRange;

    fn try_from(number: u64) -> Result<Fence, FenceOutOfRange> {
        Fence::new(number)
    }
}

impl TryFrom<i64> for Fence {
    type Error = FenceOutOfRange;

    fn try_from(number: i64) -> Result<Fence, FenceOutOfRange> {
        Fence::new(u64::try_from(number).map_err(|_| FenceOutOfRange)?)
    }
}

impl TryFrom<i64> for Floor {
    type Error = FenceOutOfRange;

    fn try_from(number: i64) -> Result<Floor, FenceOutOfRange> {
        Floor::new(u64::try_from(number).map_err(|_| FenceOutOfRange)?)
    }
}

impl From<Fence> for u64 {
    fn from(fence: Fence) -> u64 {
        fence.get()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fence_lies_between_one_and_two_to_the_sixty_second() {
        assert_eq!(Fence::new(0), Err(FenceOutOfRange));
        assert_eq!(Fence::new(1), Ok(Fence::MIN));
        assert_eq!(Fence::new(4_611_686_018_427_387_903), Ok(Fence::MAX));
        assert_eq!(Fence::new(4_611_686_018_427_387_904), Err(FenceOutOfRange));
        assert_eq!(Fence::try_from(-1_i64), Err(FenceOutOfRange));
    }

    #[test]
    fn a_floor_may_be_zero() {
        assert_eq!(Floor::new(0), Ok(Floor::ZERO));
        assert_eq!(Floor::new(END), Err(FenceOutOfRange));
        assert_eq!(Fence::MAX.as_floor().get(), END - 1);
    }

    #[test]
    fn a_number_above_two_to_the_fifty_third_survives_as_text() {
        let odd = "9007199254740993";
        assert_eq!(odd.parse::<Fence>().unwrap().to_string(), odd);
    }

    #[test]
    fn only_plain_decimal_digits_are_read() {
        for text in [
            "",
            "0",
            "-5",
            "+5",
            "007",
            " 7",
            "7 ",
            "7.0",
            "1e3",
            "abc",
            "٧",
            "4611686018427387904",
        ] {
            assert_eq!(text.parse::<Fence>(), Err(FenceOutOfRange), "{text:?}");
            let zero = (text == "0").then_some(Floor::ZERO);
            assert_eq!(text.parse::<Floor>().ok(), zero, "{text:?}");
        }
    }
}
