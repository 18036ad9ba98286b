//! S4: whatever is answered is on the disk, also in a session that asks for less. The level is raised
//! inside each call, stands until the commit that it is for, and is the session's own again after it.

use promises::{Session, World, account, charge, permit};

/// A session's level, and what it has to be at the commit of a guarded transaction.
const LEVELS: [(&str, &str); 5] = [
    ("off", "on"),
    ("local", "on"),
    ("remote_write", "on"),
    ("on", "on"),
    ("remote_apply", "remote_apply"),
];

/// Every call that writes.
const CALLS: [&str; 7] = [
    "open",
    "admit",
    "admit, refused",
    "charge",
    "grant",
    "open_account",
    "close",
];

async fn level(session: &mut Session) -> String {
    let level = sqlx::query_scalar("show synchronous_commit");
    level.fetch_one(&mut session.connection).await.unwrap()
}

/// Makes a call; each level has its own resource and account.
async fn call(session: &mut Session, call: &str, name: &str) {
    let mine = permit(name, 1);
    let outcome = match call {
        "open" => session.open(&mine).await.unwrap().outcome,
        "admit, refused" => {
            session
                .admit(&[&permit(&format!("not {name}"), 1)])
                .await
                .unwrap()
                .outcome
        }
        "open_account" => {
            session
                .run(sqlx::AssertSqlSafe(format!(
                    "select credit.open_account('{name}')"
                )))
                .await;
            return;
        }
        "grant" => {
            session
                .run("select credit.grant(gen_random_uuid(), 'alice', 1, '')")
                .await;
            return;
        }
        // These act under the opening that `open` made: its permit has another holder.
        _ => under_opening(session, call, name).await,
    };
    assert!(
        ["opened", "not open", "admitted", "applied", "closed"].contains(&outcome.as_str()),
        "{call}: {outcome}"
    );
}

async fn under_opening(session: &mut Session, call: &str, name: &str) -> String {
    let holder = "select holder from fence.resource where resource = $1";
    let holder = sqlx::query_scalar(holder)
        .bind(name)
        .fetch_one(&mut session.connection)
        .await
        .unwrap();
    let mine = permit(name, 1);
    let mine = fence_guard::Permit::new(
        mine.resource().clone(),
        mine.fence(),
        fence_guard::Holder::from_uuid(holder),
    );
    let answer = match call {
        "admit" => session.admit(&[&mine]).await,
        "charge" => session.charge(&mine, &charge(&account("alice"), 1)).await,
        _ => session.close(&mine).await,
    };
    answer.unwrap().outcome
}

#[tokio::test]
async fn each_call_that_writes_raises_a_lower_level_until_its_commit_and_never_lowers_one() {
    let world = World::new().await;
    world.account("alice", 100).await;
    let mut session = world.session().await;
    for (set, expected) in LEVELS {
        session
            .run(sqlx::AssertSqlSafe(format!(
                "set synchronous_commit = {set}"
            )))
            .await;
        for name in CALLS {
            session.run("begin").await;
            call(&mut session, name, &format!("level {set}")).await;
            assert_eq!(level(&mut session).await, expected, "{name} under {set}");
            session.run("commit").await;
            assert_eq!(level(&mut session).await, set, "after {name}");
        }
    }
}
