//! C47: a worker is killed, and its job is run again after the lease. Whatever it had done by then, and whatever its
//! connection still does, the job bills once.

use credit_ledger::{Error, HoldState, Once};
use fence_guard::Reason;
use promises::{MustRefuse, World, capture, charge, hold, permit};

use crate::setup::Holding;

/// Ends a worker's connection, as the kernel does with those of a killed process.
async fn kill(world: &World, pid: i32) {
    let ended: bool = sqlx::query_scalar("select pg_terminate_backend($1, 10000)")
        .bind(pid)
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert!(ended, "backend {pid} did not end");
}

/// It had held, and written its capture without committing it.
#[tokio::test]
async fn c47_a_worker_killed_with_its_hold_is_run_again_and_bills_once() {
    let here = Holding::new().await;
    let again = here.world.client().await;
    let attempt = here.hold(7).await;
    let job = capture(&attempt, 7);
    let mut tx = here.client.begin(&here.open).await;
    let captured = here.client.ledger.capture_within(&mut tx, &here.open, &job);
    captured.await.unwrap();
    kill(&here.world, here.client.pid).await;

    let open = again.open(&permit("r", 2)).await;
    // The same job, sent as it was: its hold is known, and void.
    let replayed = again.ledger.hold(&open, &attempt).await.unwrap();
    assert_eq!((replayed.replayed, replayed.state), (true, HoldState::Void));
    // So it holds anew, and captures under the job's own id.
    let anew = hold(&here.alice, 7);
    again.hold(&open, &anew).await;
    let job = credit_ledger::Capture {
        hold: anew.request,
        ..job
    };
    assert!(!again.capture(&open, &job).await.replayed);
    assert!(again.capture(&open, &job).await.replayed);

    // And if it was not killed, but only late?
    let late = again
        .ledger
        .capture(&here.open, &capture(&attempt, 7))
        .await;
    assert_eq!(late.must_refuse().reason(), Reason::Stale);
    assert_eq!(here.standing().await, (3, 0));
    assert_eq!(here.world.charges(&here.alice).await.len(), 1);
    here.assert_sound().await;
}

/// It had captured, and was killed before it could say so.
#[tokio::test]
async fn c47_a_worker_killed_after_its_capture_is_run_again_and_bills_once() {
    let here = Holding::new().await;
    let again = here.world.client().await;
    let attempt = here.hold(7).await;
    let job = capture(&attempt, 7);
    here.client.capture(&here.open, &job).await;
    kill(&here.world, here.client.pid).await;

    let open = again.open(&permit("r", 2)).await;
    // Sent as it was, everything is told again.
    let replayed = again.ledger.hold(&open, &attempt).await.unwrap();
    assert_eq!(replayed.state, HoldState::Captured);
    assert!(again.capture(&open, &job).await.replayed);
    // With a hold of its own, the job's id is known to have captured another one, and nothing is charged.
    let anew = hold(&here.alice, 3);
    again.hold(&open, &anew).await;
    let other = credit_ledger::Capture {
        hold: anew.request,
        ..job
    };
    let told = again.ledger.capture(&open, &other).await;
    assert!(
        matches!(&told, Err(Error::Mismatch { field }) if field == "hold"),
        "{told:?}"
    );
    assert_eq!(here.standing().await, (3, 3));
    here.assert_sound().await;
}

/// In one call it has either charged or not, and whoever runs the job again need not know which.
#[tokio::test]
async fn c47_a_worker_killed_in_its_riding_charge_is_run_again_and_bills_once() {
    for is_lost in [true, false] {
        let here = Holding::new().await;
        let again = here.world.client().await;
        let mut blocker = here.world.session().await;
        let job = charge(&here.alice, 7);
        blocker.hold_account(&here.alice).await;
        let riding = here.client.start_charge_once(&permit("s", 1), &job);
        here.world.until_blocked(here.client.pid, blocker.pid).await;
        if is_lost {
            kill(&here.world, here.client.pid).await;
            blocker.run("rollback").await;
            riding.done().await.unwrap_err();
        } else {
            blocker.run("rollback").await;
            riding.done().await.unwrap();
        }
        match again.ledger.charge_once(&permit("s", 2), &job, None).await {
            Ok(Once::Charged(applied)) => assert_eq!(applied.replayed, !is_lost),
            other => panic!("{other:?}"),
        }
        assert_eq!(here.standing().await, (3, 0));
        here.assert_sound().await;
    }
}
