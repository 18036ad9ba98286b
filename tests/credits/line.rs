//! Calls that wait for one account, one behind the other, and are let go at once.

use credit_ledger::Account;
use promises::{Client, Session, World};

/// Somebody keeps the account, and these wait for it.
pub(crate) struct Line<'a> {
    world: &'a World,
    keeper: Session,
    ahead: Vec<i32>,
}

impl Line<'_> {
    /// Keeps the account from everybody.
    pub(crate) async fn before<'a>(world: &'a World, account: &Account) -> Line<'a> {
        let mut keeper = world.session().await;
        keeper.hold_account(account).await;
        Line {
            world,
            ahead: vec![keeper.pid],
            keeper,
        }
    }

    /// Returns when this client's call waits in the line, too.
    pub(crate) async fn joined_by(&mut self, client: &Client) {
        let waits = self.world.blocked_or(client.pid, &self.ahead, || false);
        assert!(waits.await);
        self.ahead.push(client.pid);
    }

    /// Lets them go, in the order in which they came.
    pub(crate) async fn let_go(mut self) {
        self.keeper.run("rollback").await;
    }
}

/// So many clients, each with a connection of its own.
pub(crate) async fn clients(world: &World, count: usize) -> Vec<Client> {
    let mut clients = Vec::new();
    for _ in 0..count {
        clients.push(world.client().await);
    }
    clients
}
