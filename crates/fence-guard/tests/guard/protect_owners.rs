//! Who owns what a protected table lies in can drop it, and who may act as such an owner can, too. Each role is told
//! once for what it can do, and not for less than that.

use crate::protected::{told_after, world};

/// A protected table of postgres' in a schema that belongs to somebody else.
const ELSEWHERE: &str =
    "create table app.entry (resource text); select fence.protect('app.entry', 'resource');";

const TABLE: &str = "owner: postgres owns protected table app.entry";

/// Gives the database that the test is in to this role.
fn give_database_to(role: &str) -> String {
    format!(
        "do $$ begin
             execute format('alter database %I owner to {role}', current_database());
         end $$;"
    )
}

#[tokio::test]
async fn the_owner_of_the_schema_of_a_protected_table_is_named_and_who_may_act_as_it() {
    let world = world().await;
    let schema = "create schema app authorization pg_monitor;".to_owned() + ELSEWHERE;
    assert_eq!(
        told_after(&world, &schema).await,
        [
            "owner: pg_monitor owns schema app, and may drop protected tables in it",
            TABLE,
        ]
    );
    // Of which pg_monitor is a member.
    let schema = "create schema app authorization pg_read_all_stats;".to_owned() + ELSEWHERE;
    assert_eq!(
        told_after(&world, &schema).await,
        [
            "member of owner: pg_monitor may act as pg_read_all_stats, the owner of schema app, \
             and drop protected tables in it",
            "owner: pg_read_all_stats owns schema app, and may drop protected tables in it",
            TABLE,
        ]
    );
}

#[tokio::test]
async fn who_is_named_for_a_table_is_not_named_for_its_schema() {
    let world = world().await;
    let both = "create schema app authorization pg_read_all_stats;".to_owned()
        + ELSEWHERE
        + "alter table app.entry owner to pg_read_all_stats;";
    let told = told_after(&world, &both).await;
    assert_eq!(
        told,
        [
            "member of owner: pg_monitor may act as pg_read_all_stats, the owner of app.entry",
            "owner: pg_read_all_stats owns protected table app.entry",
        ]
    );
    // But for one that lies there beside its own.
    let one_more = both
        + "create table app.other (resource text); select fence.protect('app.other', 'resource')";
    let told = told_after(&world, &one_more).await;
    let schema = told.iter().filter(|row| row.contains("schema app"));
    assert_eq!(schema.count(), 2, "{told:?}");
}

/// The schema of a part counts, too.
#[tokio::test]
async fn the_owner_of_the_schema_of_a_partition_is_named() {
    let world = world().await;
    let partition = "create schema app authorization pg_monitor;
         create table app.event_2 partition of event for values from (10) to (20);
         select fence.protect('event', 'about')";
    assert_eq!(
        told_after(&world, partition).await,
        [
            "owner: pg_monitor owns schema app, and may drop protected tables in it",
            "owner: postgres owns protected table app.event_2",
        ]
    );
}

/// To whom schema public belongs, by way of pg_database_owner.
#[tokio::test]
async fn the_owner_of_the_database_is_named_and_who_may_act_as_it() {
    let world = world().await;
    assert_eq!(
        told_after(&world, &give_database_to("pg_read_all_stats")).await,
        [
            "member of owner: pg_monitor may act as pg_read_all_stats, the owner of schema public, \
             and drop protected tables in it",
            "member of owner: pg_monitor may act as pg_read_all_stats, the owner of the database, \
             and drop it",
            "owner: pg_read_all_stats owns schema public, and may drop protected tables in it",
            "owner: pg_read_all_stats owns the database, and may drop it",
        ]
    );
}

#[tokio::test]
async fn the_owner_of_the_guard_is_not_named_for_the_database() {
    let world = world().await;
    let told = told_after(
        &world,
        &(give_database_to("pg_monitor") + "alter schema fence owner to pg_monitor"),
    )
    .await;
    assert!(told.contains(&"owner: pg_monitor owns schema fence".to_owned()));
    assert!(
        !told.iter().any(|row| row.contains("the database")),
        "{told:?}"
    );
}

#[tokio::test]
async fn a_superuser_is_named_once_and_who_may_act_as_it_once() {
    let world = world().await;
    let chief = "create role chief superuser; create role deputy in role chief;
         create schema app authorization chief;"
        .to_owned()
        + ELSEWHERE
        + &give_database_to("chief");
    let told = told_after(&world, &chief).await;
    assert_eq!(
        told,
        [
            TABLE,
            "superuser: chief may write to every table",
            "superuser: deputy may become one, as a member of chief",
        ]
    );
    // Those of a superuser that owns the guard are named for that.
    let told = told_after(&world, "create role deputy in role postgres").await;
    assert_eq!(
        told,
        [
            "member of owner: deputy may act as postgres, the owner of credit",
            "member of owner: deputy may act as postgres, the owner of fence",
        ]
    );
}
