//! Rows of a subscription fire no trigger. From Postgres 16 on it takes no superuser to make one: whoever could, and
//! could write to a protected table by it, is named.

use crate::protect_memberships::is_16;
use crate::protected::{told_after, world};

/// Lets a role make objects in the database that the test is in.
const CREATE: &str = "do $$ begin
         execute format('grant create on database %I to feeder', current_database());
     end $$;";

#[tokio::test]
async fn who_could_write_to_a_protected_table_by_a_subscription_is_named_from_16_on() {
    let world = world().await;
    let named = |role: &str| {
        format!(
            "subscription: {role} may make one that writes to a protected table, for which no trigger fires"
        )
    };
    let writer =
        format!("create role feeder; {CREATE} grant insert, update, select on note to feeder;");
    if !is_16(&world).await {
        // It takes a superuser, who is named for more.
        assert!(told_after(&world, &writer).await.is_empty());
        return;
    }
    let member = "grant pg_create_subscription to feeder;";
    assert_eq!(
        told_after(&world, &format!("{writer} {member}")).await,
        [named("feeder")]
    );
    let told = format!("{writer} {member} create role deputy in role feeder");
    assert_eq!(
        told_after(&world, &told).await,
        [named("deputy"), named("feeder")]
    );
    // Not without each of the three rights.
    let unnamed = format!("create role feeder; {CREATE} grant select on note to feeder; {member}");
    for unnamed in [
        writer.clone(),
        unnamed,
        format!("create role feeder; grant insert on note to feeder; {member}"),
    ] {
        assert!(told_after(&world, &unnamed).await.is_empty(), "{unnamed}");
    }
    // Who owns the table is named for that.
    let owner = format!("{writer} {member} alter table note owner to feeder");
    let told = told_after(&world, &owner).await;
    assert!(!told.contains(&named("feeder")), "{told:?}");
}
