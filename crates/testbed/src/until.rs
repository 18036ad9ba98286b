//! Waiting for what no event tells: servers are asked until they say so.

use std::thread;
use std::time::{Duration, Instant};

use crate::Error;

/// How often they are asked. Each question costs a busy machine about as many microseconds as this
/// has milliseconds.
const ASK_EVERY: Duration = Duration::from_millis(20);

/// What was there instead of what is waited for, for the message when the wait is over.
#[derive(Debug)]
pub(crate) struct NotYet(pub(crate) String);

impl NotYet {
    pub(crate) fn because(seen: impl ToString) -> NotYet {
        NotYet(seen.to_string())
    }
}

/// A server that does not answer may do so a moment later.
impl From<Error> for NotYet {
    fn from(error: Error) -> NotYet {
        NotYet::because(error)
    }
}

/// Asks until there is an answer, at most as long as `bound`.
///
/// # Errors
/// [`Error::NotReached`] with what was seen last.
pub(crate) fn until<T>(
    what: &str,
    bound: Duration,
    mut ask: impl FnMut() -> Result<T, NotYet>,
) -> Result<T, Error> {
    let deadline = Instant::now() + bound;
    loop {
        match ask() {
            Ok(answer) => return Ok(answer),
            Err(NotYet(seen)) if Instant::now() > deadline => {
                return Err(Error::NotReached {
                    what: what.to_owned(),
                    seconds: bound.as_secs(),
                    seen,
                });
            }
            Err(_) => thread::sleep(ASK_EVERY),
        }
    }
}

/// Goes on when `is_so`, or tells what is there instead.
pub(crate) fn must(is_so: bool, seen: impl FnOnce() -> String) -> Result<(), NotYet> {
    if is_so { Ok(()) } else { Err(NotYet(seen())) }
}
