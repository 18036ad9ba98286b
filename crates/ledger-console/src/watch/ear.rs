//! Hears that there is something to look at.

use std::sync::Arc;
use std::time::Duration;

use fence_guard::CHANNEL;
use sqlx::postgres::{PgListener, PgPool};
use tokio::sync::Notify;
use tokio::task::JoinHandle;

/// How long after a connection was lost the next is tried.
const AGAIN_AFTER: Duration = Duration::from_secs(1);

/// Listens beside the one who looks. What it hears is a reason to look, and no more: anybody may send on the channel, and
/// what is sent while the connection is lost is not heard. So nothing rests on it but how soon a row is shown.
pub(crate) struct Ear {
    told: Arc<Notify>,
    task: JoinHandle<()>,
}

impl Ear {
    /// Begins to listen.
    pub(crate) fn open(pool: PgPool) -> Ear {
        let told = Arc::new(Notify::new());
        let task = tokio::spawn(listen(pool, told.clone()));
        Ear { told, task }
    }

    /// Returns when something was told since the last time.
    pub(crate) async fn hears(&self) {
        self.told.notified().await;
    }
}

impl Drop for Ear {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn listen(pool: PgPool, told: Arc<Notify>) {
    loop {
        if let Ok(mut listener) = listener(&pool).await {
            // For what was told before it listened.
            told.notify_one();
            while let Ok(Some(_)) = listener.try_recv().await {
                told.notify_one();
            }
        }
        tokio::time::sleep(AGAIN_AFTER).await;
    }
}

/// It reconnects by itself, but not while the server comes up: so it is made anew.
async fn listener(pool: &PgPool) -> Result<PgListener, sqlx::Error> {
    let mut listener = PgListener::connect_with(pool).await?;
    listener.eager_reconnect(false);
    listener.listen(CHANNEL).await?;
    Ok(listener)
}
