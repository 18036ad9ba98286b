//! Room, and the order in which the callers of one account get it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use crate::names::Account;

/// The accounts that have callers or charges here, each with its order and its part of the room.
#[derive(Debug)]
pub(super) struct Seats {
    of_an_account: usize,
    accounts: Mutex<HashMap<Account, Row>>,
}

/// One account's. Whoever is handed room runs only when it is polled, and others would pass it meanwhile; the lock is
/// fair, and its holder keeps it until its charge is through the door.
#[derive(Debug, Clone)]
struct Row {
    turn: Arc<tokio::sync::Mutex<()>>,
    room: Arc<Semaphore>,
}

/// The turn of a caller, before all others of its account.
pub(super) struct Turn {
    row: Row,
    _guard: OwnedMutexGuard<()>,
    cleared: Cleared,
}

/// The room of one charge.
#[derive(Debug)]
pub(super) struct Seat {
    _of_the_account: OwnedSemaphorePermit,
    _of_all: OwnedSemaphorePermit,
    _cleared: Cleared,
}

/// Takes an account out that nobody needs any more. The last field of whatever needs it.
#[derive(Debug, Clone)]
struct Cleared {
    seats: Arc<Seats>,
    account: Account,
}

impl Seats {
    pub(super) fn new(of_an_account: usize) -> Seats {
        Seats {
            of_an_account,
            accounts: Mutex::default(),
        }
    }

    /// Waits for everybody who came before for this account.
    pub(super) async fn turn(self: &Arc<Seats>, account: &Account) -> Turn {
        // Dropped in the opposite order where the caller goes while it waits.
        let cleared = Cleared {
            seats: self.clone(),
            account: account.clone(),
        };
        let row = self.row(account);
        let guard = row.turn.clone().lock_owned().await;
        Turn {
            row,
            _guard: guard,
            cleared,
        }
    }

    /// Nobody gets room any more.
    pub(super) fn close(&self) {
        let accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let rooms: Vec<Arc<Semaphore>> = accounts.values().map(|row| row.room.clone()).collect();
        // Whoever is woken may come back here at once.
        drop(accounts);
        for room in rooms {
            room.close();
        }
    }

    fn row(&self, account: &Account) -> Row {
        let mut accounts = self.accounts.lock().unwrap_or_else(PoisonError::into_inner);
        let new = || Row {
            turn: Arc::default(),
            room: Arc::new(Semaphore::new(self.of_an_account)),
        };
        accounts.entry(account.clone()).or_insert_with(new).clone()
    }
}

impl Turn {
    /// Waits for room; `None` once there is none any more.
    pub(super) async fn seat(&self, of_all: &Arc<Semaphore>) -> Option<Seat> {
        // Of the account first: who waits for that takes nobody else's room.
        let of_the_account = self.row.room.clone().acquire_owned().await.ok()?;
        Some(Seat {
            _of_the_account: of_the_account,
            _of_all: of_all.clone().acquire_owned().await.ok()?,
            _cleared: self.cleared.clone(),
        })
    }
}

impl Drop for Cleared {
    fn drop(&mut self) {
        let mut accounts = (self.seats.accounts.lock()).unwrap_or_else(PoisonError::into_inner);
        // A caller holds the row while it waits, a charge a part of its room while it is here.
        let is_left =
            |row: &Row| Arc::strong_count(&row.turn) == 1 && Arc::strong_count(&row.room) == 1;
        if accounts.get(&self.account).is_some_and(is_left) {
            accounts.remove(&self.account);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_account_without_callers_and_charges_takes_no_memory() {
        let (seats, all) = (Arc::new(Seats::new(1)), Arc::new(Semaphore::new(2)));
        let account = Account::new("alice").unwrap();
        let count = || seats.accounts.lock().unwrap().len();
        let turn = seats.turn(&account).await;
        let seat = turn.seat(&all).await.unwrap();
        drop(turn);
        assert_eq!(count(), 1);
        // Another waits for the account's only room, and is given up.
        let turn = seats.turn(&account).await;
        let no_time = std::time::Duration::ZERO;
        assert!(
            tokio::time::timeout(no_time, turn.seat(&all))
                .await
                .is_err()
        );
        drop(turn);
        assert_eq!(count(), 1);
        drop(seat);
        assert_eq!(count(), 0);
    }
}
