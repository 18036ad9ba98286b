//! Hold, run the slow query, capture: two workers run it, and it is charged once.
//!
//! The fences are written down here; a service gets them from a lease (`fenced-section`).

use std::time::Duration;

use credit_ledger::{
    Account, Capture, Credits, Error, Filter, Grant, Hold, HoldState, Ledger, Purpose, RequestId,
};
use fence_guard::{Fence, Guard, Holder, OpenPermit, Permit};
use testbed::{Options, PostgresServer};

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let server = PostgresServer::start(&Options::throw_away())?;
    let guard = Guard::connect(server.url()).await?;
    let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
    fence_guard::install(guard.pool(), &schemas).await?;
    let ledger = Ledger::on(&guard);
    let account = Account::new("user:7")?;
    ledger.open_account(&account).await?;
    let top_up = Grant {
        request: RequestId::random(),
        account: account.clone(),
        amount: Credits::new(10)?,
        purpose: Purpose::new("top-up")?,
    };
    ledger.grant(&top_up).await?;

    let a = open(&guard, 1).await?;
    let held_by_a = hold(&ledger, &a, &account).await?;
    tell(&ledger, &account, "A holds 8, and runs the slow query").await?;

    let b = open(&guard, 2).await?;
    tell(&ledger, &account, "A sleeps past its lease, B opens").await?;
    let held_by_b = hold(&ledger, &b, &account).await?;
    tell(&ledger, &account, "B holds 8, and runs it as well").await?;

    println!("A wakes: {}", capture(&ledger, &a, &held_by_a, 8).await);
    println!("B is done: {}", capture(&ledger, &b, &held_by_b, 5).await);
    tell(&ledger, &account, "It cost 5, the rest is free").await?;
    for hold in ledger.holds(&account, None, 0, 10).await? {
        println!(
            "hold of {} under fence {}: {}",
            hold.amount, hold.fence, hold.state
        );
    }
    let void = ledger.holds(Filter::all(), Some(HoldState::Void), 0, 10);
    assert_eq!(void.await?.len(), 1);
    assert!(ledger.audit().await?.is_empty());
    Ok(())
}

async fn open(guard: &Guard, fence: u64) -> anyhow::Result<OpenPermit> {
    let resource = "user:7:dataset:42".parse()?;
    let permit = Permit::new(resource, Fence::new(fence)?, Holder::random());
    Ok(guard.open(&permit, Duration::from_secs(30)).await?)
}

/// At most 8 credits, for at most ten minutes.
async fn hold(ledger: &Ledger, open: &OpenPermit, account: &Account) -> anyhow::Result<Hold> {
    let hold = Hold {
        request: RequestId::random(),
        account: account.clone(),
        amount: Credits::new(8)?,
        purpose: Purpose::new("query of dataset 42")?,
        expires_in: Duration::from_secs(600),
    };
    ledger.hold(open, &hold).await?;
    Ok(hold)
}

async fn capture(ledger: &Ledger, open: &OpenPermit, hold: &Hold, cost: i64) -> String {
    let capture = Capture {
        request: RequestId::random(),
        hold: hold.request,
        amount: Credits::new(cost).expect("a cost is above 0"),
    };
    match ledger.capture(open, &capture).await {
        Ok(applied) => format!("captured {cost}, the balance is {}", applied.balance_after),
        Err(Error::Refused(refusal)) => format!("refused, {}", refusal.reason()),
        Err(error) => error.to_string(),
    }
}

async fn tell(ledger: &Ledger, account: &Account, what: &str) -> anyhow::Result<()> {
    let Some(standing) = ledger.standing(account).await? else {
        anyhow::bail!("the account is gone");
    };
    println!(
        "{what}: {} held, {} available",
        standing.held,
        standing.available()
    );
    Ok(())
}
