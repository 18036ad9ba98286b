//! What most of these tests begin with, and how they ask for what has to have come out.

use std::fmt::Debug;
use std::sync::Arc;

use credit_ledger::{Account, Error, Hold, HoldState};
use fence_guard::OpenPermit;
use promises::{Client, World, hold, permit};

/// Ten credits of alice's; `r` was never opened.
pub(crate) struct Riding {
    pub(crate) world: World,
    pub(crate) client: Client,
    pub(crate) alice: Account,
}

impl Riding {
    pub(crate) async fn new() -> Riding {
        let world = World::new().await;
        Riding {
            client: world.client().await,
            alice: world.account("alice", 10).await,
            world,
        }
    }

    pub(crate) async fn assert_sound(&self) {
        assert_sound(&self.world).await;
    }
}

/// The same, and `r` open.
pub(crate) struct Holding {
    pub(crate) world: World,
    pub(crate) client: Client,
    pub(crate) open: Arc<OpenPermit>,
    pub(crate) alice: Account,
}

impl Holding {
    pub(crate) async fn new() -> Holding {
        let world = World::new().await;
        let client = world.client().await;
        Holding {
            // Before alice's grant: what the audit's plants move to a time between two openings of `r` has room there.
            open: client.open(&permit("r", 1)).await,
            alice: world.account("alice", 10).await,
            client,
            world,
        }
    }

    /// Makes a hold that has to be made.
    pub(crate) async fn hold(&self, amount: i64) -> Hold {
        let hold = hold(&self.alice, amount);
        self.client.hold(&self.open, &hold).await;
        hold
    }

    /// Balance, and what of it is held.
    pub(crate) async fn standing(&self) -> (i64, i64) {
        (
            self.world.balance(&self.alice).await,
            self.world.held(&self.alice).await,
        )
    }

    /// How the holds stand, in the order in which they were made.
    pub(crate) async fn states(&self) -> Vec<HoldState> {
        self.world.hold_states(&self.alice).await
    }

    pub(crate) async fn assert_sound(&self) {
        assert_sound(&self.world).await;
    }
}

/// The end of its hold that an outcome names.
pub(crate) fn ended<T: Debug>(outcome: Result<T, Error>) -> HoldState {
    match outcome {
        Err(Error::HoldEnded { state, .. }) => state,
        other => panic!("the hold had to have ended, this is {other:?}"),
    }
}

async fn assert_sound(world: &World) {
    let findings = world.findings().await;
    assert!(findings.is_empty(), "{findings:?}");
}
