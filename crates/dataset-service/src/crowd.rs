//! How many connections there are at once, and who gives up a place when all are taken.

use std::mem;
use std::sync::Arc;

use hyper_util::server::graceful::{GracefulConnection, GracefulShutdown};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::task::JoinSet;

/// The connections of a listener.
///
/// An idle one costs nothing until places are short. Then all are told to go: those that are idle are closed there and
/// then, the others with the answer that they wait for. So whoever has something to ask does not wait for those who
/// have not; who is told to go connects again with his next request.
pub(crate) struct Crowd {
    places: Arc<Semaphore>,
    staying: GracefulShutdown,
    /// Those that were told to go, as often as that was said.
    going: JoinSet<()>,
}

impl Crowd {
    pub(crate) fn of(connections: usize) -> Crowd {
        Crowd {
            places: Arc::new(Semaphore::new(connections)),
            staying: GracefulShutdown::new(),
            going: JoinSet::new(),
        }
    }

    /// A place for one more connection, as long as it is kept.
    pub(crate) async fn place(&mut self) -> OwnedSemaphorePermit {
        if let Ok(place) = self.places.clone().try_acquire_owned() {
            return place;
        }
        self.tell_all_to_go();
        let place = self.places.clone().acquire_owned().await;
        place.expect("nobody closes this semaphore")
    }

    /// A connection of the crowd: it ends by itself, or when it is told to go.
    pub(crate) fn watch<C: GracefulConnection>(
        &self,
        connection: C,
    ) -> impl Future<Output = C::Output> + use<C> {
        self.staying.watch(connection)
    }

    /// Returns when each has had the answer that it waits for. Idle ones are closed.
    pub(crate) async fn end(mut self) {
        self.tell_all_to_go();
        self.going.join_all().await;
    }

    fn tell_all_to_go(&mut self) {
        let all = mem::take(&mut self.staying);
        self.going.spawn(all.shutdown());
        while self.going.try_join_next().is_some() {}
    }
}
