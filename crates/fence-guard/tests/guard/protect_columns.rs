//! The column that names a row's resource gets another name, gives its name away, or is gone: no row is written by
//! a column that nobody meant without `fence.bypass` saying so, and `fence.protect` guesses nothing.

use promises::{Session, sqlstate};
use sqlx::AssertSqlSafe;

use crate::protected::{begin, changed, gaps, opened, refused, told_after, world};

/// Gives the name of the column that judges a note to another one.
const SWAP: &str =
    "alter table note rename resource to place; alter table note rename body to resource";

#[tokio::test]
async fn a_column_that_is_not_the_one_that_was_protected_is_named() {
    let world = world().await;
    let tied = |column: &str, was: &str, table: &str| {
        format!(
            "trigger: fence_guards_column stands on column {column}, which was protected as {was}, \
             on protected table public.{table}"
        )
    };
    let judges = |reason: &str| {
        format!(
            "trigger: fence_guards_rows judges by a column that names no resource ({reason}) \
             on protected table public.note"
        )
    };
    let gone = judges("public.note has no column resource");
    let number = judges(
        "column resource of public.note is of type integer; a resource is text or varchar, \
         or a domain over one of them: add a stored generated column",
    );
    let untied =
        "trigger: fence_guards_column is missing on protected table public.note".to_owned();
    let drop = "alter table note drop resource cascade";
    for (change, told) in [
        (
            "alter table note rename resource to place".to_owned(),
            vec![tied("place", "resource", "note"), gone.clone()],
        ),
        (SWAP.to_owned(), vec![tied("place", "resource", "note")]),
        (
            "alter table event rename about to place; alter table event rename body to about"
                .to_owned(),
            vec![tied("place", "about", "event")],
        ),
        (
            "alter table thing rename resource to place; alter table thing add resource text"
                .to_owned(),
            vec![tied("place", "resource", "thing")],
        ),
        (
            "alter table account rename resource to place; alter table account add resource text"
                .to_owned(),
            vec![tied("place", "resource", "account")],
        ),
        (drop.to_owned(), vec![untied.clone(), gone]),
        (
            format!("{drop}; alter table note add resource text"),
            vec![untied.clone()],
        ),
        (
            format!("{drop}; alter table note add resource int"),
            vec![untied, number],
        ),
    ] {
        assert_eq!(told_after(&world, &change).await, told, "{change}");
    }
}

#[tokio::test]
async fn postgres_itself_drops_and_retypes_no_column_that_a_table_is_protected_by() {
    let world = world().await;
    let mut session = world.session().await;
    for (table, column) in [
        ("note", "resource"),
        ("event", "about"),
        ("thing", "resource"),
    ] {
        for (change, state) in [
            (format!("drop {column}"), "2BP01"),
            (format!("alter {column} type char(8)"), "0A000"),
            (
                format!("alter {column} type text using lower({column})"),
                "0A000",
            ),
        ] {
            let alter = AssertSqlSafe(format!("alter table {table} {change}"));
            let error = session.attempt(alter).await.unwrap_err();
            assert_eq!(sqlstate(Err::<(), _>(error)), state, "{table}: {change}");
        }
    }
    assert!(gaps(&world).await.is_empty());
}

/// Whoever calls `fence.protect` at each start must not take another column by it.
#[tokio::test]
async fn a_name_that_went_to_another_column_protects_nothing_until_the_caller_says_which_is_meant()
{
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    session.run(SWAP).await;
    let again = session
        .attempt("select fence.protect('note', 'resource')")
        .await
        .unwrap_err();
    assert!(
        again
            .to_string()
            .contains("protected by as column resource is called place now"),
        "{again}"
    );
    assert_eq!(sqlstate(Err::<(), _>(again)), "ZF004");

    // The old one, by its new name.
    session.run("begin").await;
    assert!(changed(&mut session, "fence.protect('note', 'place')").await);
    assert!(!changed(&mut session, "fence.protect('note', 'place')").await);
    assert_eq!(tied(&mut session).await, "place");
    session.run("rollback").await;

    // The new one, by the old name.
    session.run("begin; select fence.unprotect('note')").await;
    assert!(changed(&mut session, "fence.protect('note', 'resource')").await);
    session.run("commit").await;
    assert!(gaps(&world).await.is_empty());
    begin(&mut session, &[&permits[0]]).await;
    session.run("insert into note values (3, 's', 'r')").await;
    let other = session
        .attempt("insert into note values (4, 'r', 's')")
        .await;
    assert_eq!(refused(other).resource(), Some("s"));
}

/// Another one of the same name is in its place, and the caller names it: nothing else can be meant.
#[tokio::test]
async fn a_column_that_was_dropped_and_added_again_is_protected_again() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    session
        .run("alter table note drop resource cascade; alter table note add resource text")
        .await;
    // Meanwhile no row has a resource, and none can be truncated away.
    begin(&mut session, &[&permits[0]]).await;
    let write = session.attempt("update note set resource = 'r'").await;
    assert_eq!(refused(write).resource(), None);
    session.run("rollback").await;
    refused(session.attempt("truncate note").await);

    assert!(changed(&mut session, "fence.protect('note', 'resource')").await);
    assert!(gaps(&world).await.is_empty());
}

/// A dump writes the column's name of that day beside the name that it was protected by.
#[tokio::test]
async fn a_dump_tells_a_swap_too() {
    let world = world().await;
    let mut session = world.session().await;
    session.run(SWAP).await;
    assert_eq!(tied(&mut session).await, "place");
    let dumped: String = sqlx::query_scalar(
        "select pg_get_triggerdef(oid) from pg_trigger
         where tgrelid = 'note'::regclass and tgname = 'fence_guards_column'",
    )
    .fetch_one(&mut session.connection)
    .await
    .unwrap();
    let before = gaps(&world).await;
    assert_eq!(before.len(), 1, "{before:?}");
    session
        .run("drop trigger fence_guards_column on note")
        .await;
    session.run(AssertSqlSafe(dumped)).await;
    assert_eq!(gaps(&world).await, before);
}

/// It is closed rather than open, also in a session that has written by the old name, and where Postgres would take
/// a function for the column: every row of `tally` would be of resource "1".
#[tokio::test]
async fn nothing_is_written_by_a_column_that_is_gone() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r", "1"]).await;
    session
        .run(
            "create table tally (count text, n int); insert into tally values ('1', 1);
             select fence.protect('tally', 'count')",
        )
        .await;
    for (table, column, row) in [
        ("note", "resource", "(3, 'r')"),
        ("event", "about", "(3, 'r')"),
        ("event_1", "about", "(3, 'r')"),
        ("thing_child", "resource", "('r')"),
        ("tally", "count", "('1', 3)"),
    ] {
        let parent = table.split('_').next().unwrap();
        let insert = format!("insert into {table} values {row}");
        begin(&mut session, &[&permits[0], &permits[1]]).await;
        session.run(AssertSqlSafe(insert.clone())).await;
        session.run("rollback").await;
        for (change, write) in [
            (format!("rename {column} to place"), insert),
            (
                format!("drop {column} cascade"),
                format!("delete from {table}"),
            ),
        ] {
            begin(&mut session, &[&permits[0], &permits[1]]).await;
            let change = format!("alter table {parent} {change}");
            session.run(AssertSqlSafe(change.clone())).await;
            let outcome = session.attempt(AssertSqlSafe(write)).await;
            assert_eq!(sqlstate(outcome), "42703", "{table}: {change}");
            session.run("rollback").await;
        }
    }
}

/// Anybody who was given the guard can make one, and must not keep the others from being looked at.
#[tokio::test]
async fn a_row_trigger_by_hand_is_looked_at_and_stands_in_nobodys_way() {
    let world = world().await;
    let beside = "create trigger a after insert on note
        for each row execute function fence.check_row('body')";
    assert!(told_after(&world, beside).await.is_empty());
    let told = told_after(
        &world,
        "create table loose (resource text);
         create trigger by_hand after insert on loose for each row execute function fence.check_row()",
    )
    .await;
    for trigger in ["rows", "column", "truncate"] {
        let missing = format!("fence_guards_{trigger} is missing on protected table public.loose");
        assert!(told.iter().any(|row| row.ends_with(&missing)), "{told:?}");
    }
}

/// The column that note is tied to, as it is called now.
async fn tied(session: &mut Session) -> String {
    sqlx::query_scalar("select column_now from fence.tied('note')")
        .fetch_one(&mut session.connection)
        .await
        .unwrap()
}
