//! What an account that has not enough is searched for: its void holds, all of them, and of the others those alone that
//! may still become void. A hold is looked at until its opening was closed or replaced, and then no more.

use std::sync::Arc;

use credit_ledger::{Error, Hold};
use fence_guard::OpenPermit;
use promises::{charge, hold, permit, release};
use sqlx::PgConnection;

use crate::holds_many::{PARKED, assert_few, parked};
use crate::pages::counted;
use crate::setup::Holding;

/// More than alice ever has.
const TOO_MUCH: i64 = 1_000_000;

fn assert_uncovered<T: std::fmt::Debug>(outcome: Result<T, Error>) {
    assert!(
        matches!(outcome, Err(Error::InsufficientCredit { .. })),
        "{outcome:?}"
    );
}

impl Holding {
    /// Has alice's account searched for all that it could still have.
    async fn search(&self) {
        let one = charge(&self.alice, TOO_MUCH);
        assert_uncovered(self.client.ledger.charge(&self.open, &one).await);
    }

    /// Her holds that are void, and those of them that are not given back.
    async fn void(&self) -> (i64, i64) {
        let void =
            "select count(*), count(*) filter (where h.resolution is null) from credit.hold h
                    where credit.hold_state(h, clock_timestamp()) = 'void'";
        sqlx::query_as(void)
            .fetch_one(self.world.pool())
            .await
            .unwrap()
    }

    /// Her open holds, and those of them that are settled.
    async fn open_and_settled(&self) -> (i64, i64) {
        let settled = "select count(*), count(*) filter (where h.seq <= a.settled_seq)
                       from credit.hold h join credit.account a on a.id = h.account where h.resolution is null";
        sqlx::query_as(settled)
            .fetch_one(self.world.pool())
            .await
            .unwrap()
    }
}

/// Rows of the marks that were read in this transaction.
async fn marks(tx: &mut PgConnection) -> i64 {
    let marks = "select seq_tup_read + coalesce(idx_tup_fetch, 0) from pg_stat_xact_all_tables
                 where relid = 'fence.resource'::regclass";
    sqlx::query_scalar(marks).fetch_one(tx).await.unwrap()
}

#[tokio::test]
async fn what_is_parked_is_looked_at_once_by_all_charges_that_are_not_covered() {
    let here = parked().await;
    let mut hand = here.world.session().await;
    hand.run(include_str!("sql/parked_marks.sql")).await;
    let (ledger, open) = (&here.client.ledger, &here.open);
    let mut tx = here.client.begin(open).await;
    for look in 1..4 {
        let (before, marks_before) = (counted(&mut tx).await.1, marks(&mut tx).await);
        let one = charge(&here.alice, TOO_MUCH);
        assert_uncovered(ledger.charge_within(&mut tx, open, &one).await);
        let read = marks(&mut tx).await - marks_before;
        if look == 1 {
            // It is seen at all: else nothing below could fail.
            assert!(counted(&mut tx).await.1 - before >= PARKED && read >= PARKED);
        } else {
            assert_few(&mut tx, "a charge that is not covered", before).await;
            assert!(read <= 10, "{read} marks were read");
        }
        // What was made meanwhile is looked at, and nothing before it.
        let next = hold(&here.alice, 1);
        ledger.hold_within(&mut tx, open, &next).await.unwrap();
    }
    tx.commit().await.unwrap();
    assert_eq!(here.open_and_settled().await, (PARKED + 3, PARKED));
}

/// The oldest is looked at while its holder works; a younger one is parked by then.
#[tokio::test]
async fn a_hold_that_was_looked_at_while_its_opening_stood_is_given_back_when_that_is_taken_over() {
    let here = Holding::new().await;
    let other = here.client.open(&permit("s", 1)).await;
    here.hold(3).await;
    here.client.hold(&other, &hold(&here.alice, 4)).await;
    here.client.close(&other).await;
    here.search().await;
    assert_eq!(here.open_and_settled().await, (2, 0));

    let next = here.client.open(&permit("r", 2)).await;
    here.client.charge(&next, &charge(&here.alice, 6)).await;
    assert_eq!(here.standing().await, (4, 4));
    assert_eq!(here.void().await, (1, 0));
    assert_eq!(here.open_and_settled().await, (1, 1));
    here.assert_sound().await;
}

/// A resource of the walk: its fence, who has it open, and what was held under it.
#[derive(Default)]
struct Place {
    fence: u64,
    open: Option<Arc<OpenPermit>>,
    held: Vec<Hold>,
}

impl Place {
    async fn turn(&mut self, here: &Holding, name: &str, turn: u32) {
        match (turn, self.open.clone()) {
            (0, Some(open)) => {
                here.client.close(&open).await;
                self.open = None;
            }
            (1, Some(open)) => {
                if let Some(one) = self.held.pop() {
                    match here.client.ledger.release(&open, &release(&one)).await {
                        Ok(_) | Err(Error::HoldEnded { .. }) => {}
                        other => panic!("{other:?}"),
                    }
                }
            }
            (2, _) | (_, None) => {
                self.fence += 1;
                let next = permit(name, self.fence);
                self.open = Some(here.client.open(&next).await);
            }
            (_, Some(open)) => {
                let one = hold(&here.alice, 1);
                here.client.hold(&open, &one).await;
                self.held.push(one);
            }
        }
    }
}

/// A walk, always the same, over resources that are opened, taken over and closed, and under which holds are made and
/// released.
#[tokio::test]
async fn every_void_hold_is_found_whatever_came_of_those_beside_it() {
    let here = Holding::new().await;
    here.world.account("alice", 1_000).await;
    let mut places: [Place; 5] = Default::default();
    for step in 0u32..300 {
        let turn = step.wrapping_mul(2_654_435_761) >> 16;
        let place = turn as usize % places.len();
        places[place]
            .turn(&here, &format!("place:{place}"), turn / 5 % 8)
            .await;
        if step % 7 == 0 {
            here.search().await;
            assert_eq!(here.void().await.1, 0, "after step {step}");
        }
    }
    // Else it would have been a walk past all of it.
    let (void, (open, settled)) = (here.void().await.0, here.open_and_settled().await);
    assert!(
        void >= 20 && settled >= 20 && open > settled,
        "{void} void; {settled} settled of {open} open"
    );
    here.assert_sound().await;
}
