//! Why a request was not applied, as a service answers it: provoked on a real ledger, each with its status.

use credit_ledger::{Capture, Credits, Error, Hold, RequestId};
use fence_guard::http::Problem;
use promises::{
    HOLD, MustRefuse, World, account, capture, charge, charge_of, grant_of, hold, permit, refund,
    release,
};

/// The end of the `type`, and the status.
fn told(error: Error) -> (String, u16) {
    let problem = Problem::from(error);
    let uri = problem.kind().uri();
    let name = uri.rsplit(':').next().unwrap_or_default().to_owned();
    (name, problem.status().as_u16())
}

#[tokio::test]
async fn each_error_of_the_ledger_is_a_problem_with_its_status() {
    let world = World::new().await;
    let client = world.client().await;
    let ledger = &client.ledger;
    let alice = world.account("alice", 10).await;
    let stale = client.open(&permit("r", 1)).await;
    let open = client.open(&permit("r", 2)).await;
    let elsewhere = client.open(&permit("s", 1)).await;
    let (held, freed) = (hold(&alice, 2), hold(&alice, 1));
    for one in [&held, &freed] {
        client.hold(&open, one).await;
    }
    ledger.release(&open, &release(&freed)).await.unwrap();
    let charged = charge(&alice, 1);
    client.charge(&open, &charged).await;
    let frozen = world.account("frozen", 1).await;
    ledger.freeze_account(&frozen).await.unwrap();
    let closed = world.account("closed", 0).await;
    ledger.close_account(&closed).await.unwrap();

    let too_late = Hold {
        expires_in: std::time::Duration::ZERO,
        ..hold(&alice, 1)
    };
    let other = charge_of(charged.request, &alice, 2);
    let most = grant_of(RequestId::random(), &alice, i64::MAX);
    let unknown = Capture {
        request: RequestId::random(),
        hold: RequestId::random(),
        amount: Credits::new(1).unwrap(),
    };
    for (error, name, status) in [
        (
            ledger.charge(&open, &charge(&alice, 99)).await.err(),
            "insufficient-credit",
            402,
        ),
        (
            ledger.charge(&open, &other).await.err(),
            "request-mismatch",
            422,
        ),
        (
            ledger.charge(&stale, &charge(&alice, 1)).await.err(),
            "stale",
            409,
        ),
        (
            ledger
                .charge(&open, &charge(&account("nobody"), 1))
                .await
                .err(),
            "unknown-account",
            404,
        ),
        (
            ledger.charge(&open, &charge(&frozen, 1)).await.err(),
            "frozen-account",
            403,
        ),
        (
            ledger.charge(&open, &charge(&closed, 1)).await.err(),
            "closed-account",
            410,
        ),
        (ledger.close_account(&alice).await.err(), "not-empty", 409),
        (
            // Held down to the floor, which is then to rise.
            below_floor(&world).await.err(),
            "below-floor",
            409,
        ),
        (
            ledger.capture(&open, &unknown).await.err(),
            "unknown-hold",
            404,
        ),
        (
            ledger.capture(&elsewhere, &capture(&held, 1)).await.err(),
            "other-resource",
            409,
        ),
        (
            ledger.capture(&open, &capture(&freed, 1)).await.err(),
            "hold-ended",
            409,
        ),
        (
            ledger.capture(&open, &capture(&held, 3)).await.err(),
            "exceeds-hold",
            422,
        ),
        (
            ledger.refund(&refund(held.request, 1)).await.err(),
            "unknown-charge",
            404,
        ),
        (
            ledger.refund(&refund(charged.request, 2)).await.err(),
            "exceeds-charge",
            422,
        ),
        (ledger.grant(&most).await.err(), "balance-overflow", 422),
        (ledger.hold(&open, &too_late).await.err(), "internal", 500),
    ] {
        let error = error.unwrap_or_else(|| panic!("{name}: it was applied"));
        assert_eq!(told(error), (name.to_owned(), status));
    }
}

async fn below_floor(world: &World) -> Result<bool, Error> {
    let client = world.client().await;
    let open = client.open(&permit("line", 1)).await;
    let line = account("line");
    client
        .ledger
        .open_account_with_floor(&line, -5)
        .await
        .unwrap();
    client.hold(&open, &hold(&line, 5)).await;
    client.ledger.set_floor(&line, -4).await
}

#[tokio::test]
async fn a_resource_that_is_busy_says_when_to_come_again() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 10).await;
    let name = promises::resource("r");
    let holder = fence_guard::Holder::random();
    let minted = client.guard.open_next(&name, holder, HOLD);
    minted.await.unwrap();
    let rider = permit("r", 9);
    let busy = client
        .ledger
        .charge_once(&rider, &charge(&alice, 1), None)
        .await;
    let problem = Problem::from(busy.unwrap_err());
    assert_eq!(problem.kind().uri(), "tag:fence-guard,2026:busy");
    assert!(problem.retry_after().is_some());
}

/// Whoever calls a service need not be the account's owner.
#[tokio::test]
async fn no_problem_names_a_balance_or_a_holder() {
    let world = World::new().await;
    let client = world.client().await;
    let alice = world.account("alice", 4711).await;
    let stale = client.open(&permit("r", 1)).await;
    let open = client.open(&permit("r", 2)).await;
    let poor = client.ledger.charge(&open, &charge(&alice, 9999)).await;
    let full = client.ledger.close_account(&alice).await;
    let over = grant_of(RequestId::random(), &alice, i64::MAX);
    let over = client.ledger.grant(&over).await;
    for error in [poor.unwrap_err(), full.unwrap_err(), over.unwrap_err()] {
        let body = Problem::from(error).into_http().into_body();
        assert!(!body.contains("4711"), "{body}");
    }
    let refused = client.ledger.charge(&stale, &charge(&alice, 1)).await;
    let refusal = refused.must_refuse();
    let body = Problem::from(Error::from(refusal)).into_http().into_body();
    for permit in [stale.permit(), open.permit()] {
        assert!(!body.contains(&permit.holder().to_string()), "{body}");
    }
}
