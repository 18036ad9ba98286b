//! An upgrade replaces the guard's functions under protected tables: their triggers stay, and so does what they
//! refuse.

use fence_guard::{SCHEMA, Schema, install};
use promises::Session;

use crate::protected::{NOT_ADMITTED, begin, opened, refused, world};

/// The same functions as a later version, whose row check says so.
const LATER: Schema = Schema {
    functions_version: SCHEMA.functions_version + 1,
    ..SCHEMA
};

const TRIGGERS: &str =
    "select string_agg(t.oid || ' ' || t.xmin || ' ' || p.oid, ',' order by t.oid)
    from pg_trigger t join pg_proc p on p.oid = t.tgfoid where t.tgname like 'fence%'";

#[tokio::test]
async fn protected_tables_stay_protected_over_an_upgrade_also_for_a_session_in_the_middle_of_its_work()
 {
    let world = world().await;
    let (mut session, permits) = opened(&world, &["r"]).await;
    let before: String = sqlx::query_scalar(TRIGGERS)
        .fetch_one(world.pool())
        .await
        .unwrap();
    begin(&mut session, &[&permits[0]]).await;
    write(&mut session, 3).await;
    session.run("commit").await;

    install(world.pool(), &[LATER]).await.unwrap();
    let after: String = sqlx::query_scalar(TRIGGERS)
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(before, after);
    let version: i32 = sqlx::query_scalar(
        "select functions_version from fence.installed where schema_name = 'fence'",
    )
    .fetch_one(world.pool())
    .await
    .unwrap();
    assert_eq!(version, LATER.functions_version);
    assert_eq!(
        refused(session.attempt("delete from note").await).reason(),
        NOT_ADMITTED
    );
    begin(&mut session, &[&permits[0]]).await;
    write(&mut session, 4).await;
    session.run("commit").await;
}

async fn write(session: &mut Session, id: i32) {
    let insert = sqlx::query("insert into note values ($1, 'r')").bind(id);
    insert.execute(&mut session.connection).await.unwrap();
}
