//! `fence.protect`, table by table: what can be protected and by what column, and protection that is put on twice,
//! at once, and taken off again.

use promises::{World, sqlstate};
use sqlx::AssertSqlSafe;

use crate::protected::{begin, changed, gaps, opened, refused, world};

#[tokio::test]
async fn a_table_that_is_protected_twice_stays_as_it_is() {
    let world = world().await;
    let mut session = world.session().await;
    let triggers = "select string_agg(oid || ' ' || xmin, ' ' order by oid)
        from pg_trigger where tgname like 'fence%'";
    let before: String = sqlx::query_scalar(triggers)
        .fetch_one(world.pool())
        .await
        .unwrap();
    for call in [
        "('note', 'resource')",
        "('event', 'about')",
        "('event_1', 'about')",
        "('thing', 'resource')",
        "('thing_child', 'resource')",
    ] {
        assert!(
            !changed(&mut session, &format!("fence.protect{call}")).await,
            "{call}"
        );
    }
    let after: String = sqlx::query_scalar(triggers)
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(before, after);
}

#[tokio::test]
async fn a_table_that_is_protected_by_another_column_is_judged_by_that_one() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    assert!(changed(&mut session, "fence.protect('note', 'body')").await);
    assert!(gaps(&world).await.is_empty());
    begin(&mut session, &[&permits[0]]).await;
    session.run("insert into note values (3, 's', 'r')").await;
    let refusal = refused(
        session
            .attempt("insert into note values (4, 'r', 's')")
            .await,
    );
    assert_eq!(refusal.resource(), Some("s"));
}

#[tokio::test]
async fn an_unprotected_table_is_anybodys_again() {
    let world = world().await;
    let mut session = world.session().await;
    for (table, write) in [
        ("note", "delete from note"),
        (
            "event",
            "truncate event; insert into event_1 values (1, null)",
        ),
        (
            "thing",
            "truncate thing; insert into thing_child values ('r')",
        ),
    ] {
        assert!(
            changed(&mut session, &format!("fence.unprotect('{table}')")).await,
            "{table}"
        );
        assert!(
            !changed(&mut session, &format!("fence.unprotect('{table}')")).await,
            "{table}"
        );
        session.run(write).await;
    }
    let left: i64 = sqlx::query_scalar(
        "select count(*) from pg_trigger
         where tgname like 'fence%' and tgrelid::regclass::text ~ '^(note|event|thing)'",
    )
    .fetch_one(world.pool())
    .await
    .unwrap();
    assert_eq!(left, 0);
    // One of a whole is not taken out of it.
    session.run("select fence.protect('event', 'about')").await;
    assert_eq!(
        sqlstate(session.attempt("select fence.unprotect('event_1')").await),
        "ZF004"
    );
    assert_eq!(
        sqlstate(session.attempt("select fence.unprotect(null)").await),
        "ZF004"
    );
}

#[tokio::test]
async fn only_a_table_with_a_column_of_text_can_be_protected() {
    let world = world().await;
    let mut session = world.session().await;
    session.run(include_str!("sql/unprotectable.sql")).await;
    for (call, says) in [
        ("(null, 'resource')", "takes a table"),
        ("('note', null)", "takes a table"),
        ("('note', 'nothing')", "no column nothing"),
        ("('note', 'gone')", "no column gone"),
        ("('note', 'ctid')", "no column ctid"),
        ("('note_view', 'resource')", "not a table"),
        ("('note_matview', 'resource')", "not a table"),
        ("('note_id_seq', 'last_value')", "not a table"),
        ("('note_far', 'resource')", "not a table"),
        ("('note_here_and_far', 'resource')", "foreign"),
        ("('note_temporary', 'resource')", "temporary"),
        ("('note', 'id')", "type integer"),
        ("('odd', 'padded')", "type character"),
        ("('odd', 'short')", "type name"),
        ("('odd', 'word')", "type public.word"),
        ("('odd', 'several')", "type text[]"),
        ("('odd', 'document')", "type jsonb"),
        (
            "('fence.resource', 'resource')",
            "schema fence keeps itself",
        ),
        ("('credit.entry', 'resource')", "schema credit keeps itself"),
        ("('pg_class', 'relname')", "schema pg_catalog"),
        (
            "('information_schema.sql_features', 'feature_id')",
            "schema information_schema",
        ),
    ] {
        let protect = AssertSqlSafe(format!("select fence.protect{call}"));
        let error = session.attempt(protect).await.unwrap_err();
        assert!(error.to_string().contains(says), "{call}: {error}");
        assert_eq!(sqlstate(Err::<(), _>(error)), "ZF004", "{call}");
    }
    // A domain over text is a text, at any depth.
    assert!(changed(&mut session, "fence.protect('odd', 'named')").await);
    let refusal = refused(
        session
            .attempt("insert into odd (named) values ('r')")
            .await,
    );
    assert_eq!(refusal.resource(), Some("r"));
}

/// Names that need quotes, in every place where one is written.
#[tokio::test]
async fn a_table_and_a_column_of_any_name_are_protected() {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    session
        .run(r#"create schema "A b"; create table "A b"."t'""x" ("c'""é%" text)"#)
        .await;
    let call = r#"fence.protect('"A b"."t''""x"', 'c''"é%')"#;
    assert!(changed(&mut session, call).await && !changed(&mut session, call).await);
    let refusal = refused(
        session
            .attempt(r#"insert into "A b"."t'""x" values ('r')"#)
            .await,
    );
    assert_eq!(refusal.table(), r#""A b"."t'""x""#);
    begin(&mut session, &[&permits[0]]).await;
    session
        .run(r#"insert into "A b"."t'""x" values ('r'); commit"#)
        .await;
    assert!(gaps(&world).await.is_empty());
    assert!(changed(&mut session, r#"fence.unprotect('"A b"."t''""x"')"#).await);
}

/// Several instances of a service start at once, and each runs its migration.
#[tokio::test]
async fn a_table_is_protected_by_many_at_once() {
    let world = World::new().await;
    world
        .session()
        .await
        .run("create table note (resource text)")
        .await;
    let mut started = Vec::new();
    for _ in 0..6 {
        let mut session = world.session().await;
        started.push(promises::start(async move {
            changed(&mut session, "fence.protect('note', 'resource')").await
        }));
    }
    let mut first = 0;
    for one in started {
        first += usize::from(one.done().await);
    }
    assert_eq!(first, 1);
    assert!(gaps(&world).await.is_empty());
}
