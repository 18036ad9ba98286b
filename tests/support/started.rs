//! Work that goes on beside the test, and the bound on waiting for it.

use std::time::Duration;

use tokio::task::JoinHandle;

/// Whatever nothing holds up any more is done after this time, also on a busy machine. It also bounds
/// every statement that a test sends.
pub const DONE_WITHIN: Duration = Duration::from_secs(20);

/// Work that was started, and may be waiting for a lock by now. Dropping it cancels it.
#[derive(Debug)]
pub struct Started<T>(JoinHandle<T>);

/// Starts work beside the test.
pub fn start<T: Send + 'static>(work: impl Future<Output = T> + Send + 'static) -> Started<T> {
    Started(tokio::spawn(work))
}

/// Awaits what nothing holds up.
///
/// # Panics
/// When it takes longer than [`DONE_WITHIN`].
pub async fn within<T>(what: &str, work: impl Future<Output = T>) -> T {
    match tokio::time::timeout(DONE_WITHIN, work).await {
        Ok(value) => value,
        Err(_) => panic!("{what} took longer than {DONE_WITHIN:?}"),
    }
}

impl<T> Started<T> {
    /// Whether it has not come to an end yet.
    pub fn is_running(&self) -> bool {
        !self.0.is_finished()
    }

    /// What it came to.
    ///
    /// # Panics
    /// When it takes longer than [`DONE_WITHIN`], or panicked itself.
    pub async fn done(mut self) -> T {
        match within("work that nothing holds up", &mut self.0).await {
            Ok(value) => value,
            Err(error) => panic!("the work beside the test failed: {error}"),
        }
    }

    /// Drops the work in the middle of what it does, and returns when it is dropped.
    ///
    /// # Panics
    /// When it had come to an end before.
    pub async fn cancel(mut self) {
        self.0.abort();
        let ended = within("the end of cancelled work", &mut self.0).await;
        assert!(
            ended.is_err_and(|error| error.is_cancelled()),
            "too late to cancel"
        );
    }
}

impl<T> Drop for Started<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}
