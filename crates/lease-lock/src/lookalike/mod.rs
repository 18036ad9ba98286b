//! Two things that use the same commands as a lock, and are none.
//!
//! | | taken with | who gives it back | what the value is for |
//! | --- | --- | --- | --- |
//! | a lease | a script | its holder, and nobody else | proves who the holder is |
//! | [`DedupWindow`] | `SET NX PX` | nobody: it ends with its time | nothing, so a fixed one is fine |
//! | [`OneTimeToken`] | `SET NX PX`, then `GETDEL` | whoever comes first burns it | what the bearer may do |
//!
//! The usual accident is to read the first and write the second: `SET key 1 NX PX` *and* a `DEL` at
//! the end. With a fixed value that `DEL` frees whatever is there, also the lock of somebody else. In
//! a dedup window there is no `DEL` at all, so there is nothing that a late caller could free. Neither
//! of the two has a fence, and neither keeps anybody from writing.

mod dedup_window;
mod one_time_token;

pub use dedup_window::{DedupWindow, Seen};
pub use one_time_token::{Burned, OneTimeToken};

use redis::RedisError;

/// The longest name and the longest payload, in bytes.
const MAX_BYTES: usize = 512;

/// Why there is no answer of a look-alike.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LookalikeError {
    /// A name or payload is empty or too long. Nothing was sent.
    #[error(
        "a name or payload has 1 to 512 bytes, this one has {bytes}: shorten it, or send its hash"
    )]
    Length {
        /// How many it has.
        bytes: usize,
    },
    /// The reply was lost, or Redis failed. It may have happened.
    #[error("Redis failed or its reply was lost, it may have happened: see what each method says")]
    Unknown(#[source] RedisError),
}

fn bounded(text: &str) -> Result<&str, LookalikeError> {
    match text.len() {
        1..=MAX_BYTES => Ok(text),
        bytes => Err(LookalikeError::Length { bytes }),
    }
}
