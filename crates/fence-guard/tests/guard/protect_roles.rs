//! Whose right is needed for what: a table's owner protects it, from its own migration and without any right
//! on the guard's tables; whoever writes needs none but to be admitted; and an operator tidies up.

use fence_guard::{Guard, GuardOptions, Retention, StoreError, TriggerReason, TriggerRefusal};
use promises::{HOLD, World, permit, sqlstate};
use sqlx::migrate::Migrator;
use sqlx::{Executor, PgPool};
use testbed::{Options, PostgresServer};
use uuid::Uuid;

use crate::protected::{carried, forge, refused};
use crate::support::pool;

/// The service's own migrations.
static SERVICE: Migrator = sqlx::migrate!("tests/guard/service");

/// Permission denied.
const DENIED: &str = "42501";

/// Roles belong to a whole server, so this one is private.
struct Roles {
    world: World,
    url: String,
    _server: PostgresServer,
}

impl Roles {
    async fn start() -> Roles {
        let server = PostgresServer::start(&Options::throw_away()).unwrap();
        let world = World::at(server.url()).await;
        let roles = sqlx::raw_sql(include_str!("sql/service_roles.sql"));
        roles.execute(world.pool()).await.unwrap();
        Roles {
            world,
            url: server.url().to_owned(),
            _server: server,
        }
    }

    /// A pool of one connection that is this role's.
    async fn pool(&self, role: &str) -> PgPool {
        pool(&self.url.replace("postgres@", &format!("{role}@")), 1).await
    }
}

#[tokio::test]
async fn a_services_own_migration_protects_its_tables_by_its_own_role() {
    let roles = Roles::start().await;
    let service = roles.pool("service").await;
    SERVICE.run(&service).await.unwrap();
    SERVICE.run(&service).await.unwrap();

    let refusal = refused(service.execute("insert into note values ('r', 'x')").await);
    assert_eq!(
        (refusal.table(), refusal.reason()),
        ("service.note", TriggerReason::NotAdmitted)
    );
    let guard = Guard::new(service.clone());
    let open = guard.open(&permit("r", 1), HOLD).await.unwrap();
    let mut tx = guard.begin(&open, "note", Uuid::nil(), HOLD).await.unwrap();
    tx.execute("insert into note values ('r', 'x')")
        .await
        .unwrap();
    tx.execute("insert into event values ('r', 1)")
        .await
        .unwrap();
    tx.commit().await.unwrap();
    refused(service.execute("truncate event").await);
}

#[tokio::test]
async fn who_does_not_own_a_table_neither_protects_nor_unprotects_it_and_is_told_who_does() {
    let roles = Roles::start().await;
    let service = roles.pool("service").await;
    SERVICE.run(&service).await.unwrap();
    roles.world.pool().execute("create table ours (resource text); grant all on ours to service;
        create table service.parent (resource text); create table child () inherits (service.parent);
        alter table service.parent owner to service").await.unwrap();
    for (table, owned) in [("public.ours", "ours"), ("service.parent", "child")] {
        let protect = format!("select fence.protect('{table}', 'resource')");
        let error = service
            .execute(sqlx::AssertSqlSafe(protect))
            .await
            .unwrap_err();
        let message = error.to_string();
        assert!(
            message.contains(owned) && message.contains("belongs to postgres, you are service"),
            "{message}"
        );
        assert_eq!(sqlstate(Err::<(), _>(error)), DENIED);
    }
    // Nor is a role that can use the table by more rights than to write.
    roles
        .world
        .pool()
        .execute(
            "select fence.grant_to('writer');
        grant usage on schema service to writer; grant all on service.note to writer",
        )
        .await
        .unwrap();
    let writer = roles.pool("writer").await;
    for call in [
        "fence.unprotect('service.note')",
        "fence.protect('service.note', 'body')",
    ] {
        let call = sqlx::AssertSqlSafe(format!("select {call}"));
        assert_eq!(sqlstate(writer.execute(call).await), DENIED);
    }
    refused(writer.execute("truncate service.note").await);
    let off = writer
        .execute("alter table service.note disable trigger all")
        .await;
    assert_eq!(sqlstate(off), DENIED);
}

/// It was given the table, and nothing of the guard: it is refused by the guard's own words, and its forged
/// setting by Postgres.
#[tokio::test]
async fn a_writer_that_may_not_ask_the_guard_writes_nothing() {
    let roles = Roles::start().await;
    SERVICE.run(&roles.pool("service").await).await.unwrap();
    roles
        .world
        .pool()
        .execute("grant usage on schema service to writer; grant all on service.note to writer")
        .await
        .unwrap();
    let mut session = roles.world.session().await;
    let mine = permit("r", 1);
    session.open(&mine).await.unwrap();
    session.run("set role writer").await;
    let write = "insert into service.note values ('r', 'x')";
    assert_eq!(
        refused(session.attempt(write).await).reason(),
        TriggerReason::NotAdmitted
    );
    session.run("begin").await;
    forge(&mut session, &carried(&mine)).await;
    assert_eq!(sqlstate(session.attempt(write).await), DENIED);
}

/// What a table's owner lets run when a row is read must not run with the guard's rights.
#[tokio::test]
async fn a_trigger_made_by_hand_runs_nothing_with_the_rights_of_the_guard() {
    let roles = Roles::start().await;
    let service = roles.pool("service").await;
    service
        .execute(include_str!("sql/a_cast_that_tells_who.sql"))
        .await
        .unwrap();
    for column in ["resource", "other"] {
        let write = sqlx::AssertSqlSafe(format!("insert into by_hand_{column} values ('r')"));
        let error = service.execute(write).await.unwrap_err();
        let refusal = TriggerRefusal::of(&error).unwrap_or_else(|| panic!("{error}"));
        assert_eq!(refusal.resource(), Some("service"), "{column}");
    }
}

#[tokio::test]
async fn an_operator_folds_and_prunes_and_does_nothing_else_and_an_application_does_neither() {
    let roles = Roles::start().await;
    let (service, operator) = (roles.pool("service").await, roles.pool("operator").await);
    let guard = Guard::with_options(service.clone(), GuardOptions::default());
    let open = guard.open(&permit("r", 1), HOLD).await.unwrap();
    guard
        .begin(&open, "note", Uuid::nil(), HOLD)
        .await
        .unwrap()
        .commit()
        .await
        .unwrap();
    guard.close(&open, 1).await.unwrap();
    guard
        .begin(&open, "note", Uuid::nil(), HOLD)
        .await
        .unwrap_err();

    let none = std::time::Duration::ZERO;
    let by_service = Retention::on(&guard);
    for outcome in [
        by_service.fold(none).await,
        by_service.prune_openings(none).await,
        by_service.prune_refusals(none).await,
    ] {
        match outcome {
            Err(StoreError::Failed(error)) => assert_eq!(sqlstate(Err::<(), _>(error)), DENIED),
            other => panic!("{other:?}"),
        }
    }
    let tidy = Retention::new(operator.clone());
    assert_eq!(tidy.prune_refusals(none).await.unwrap(), 1);
    assert_eq!(tidy.fold(none).await.unwrap(), 1);
    assert_eq!(tidy.prune_openings(none).await.unwrap(), 1);
    for denied in [
        "select fence.open('r', 9, gen_random_uuid(), '1 s')",
        "select fence.mark('r')",
        "delete from fence.refusal",
        "update fence.retention set audit_from = 0",
        "insert into fence.keeper values ('x.y')",
        "select fence.keep_openings_by('x.y')",
        "select fence.unkept('{}')",
    ] {
        assert_eq!(sqlstate(operator.execute(denied).await), DENIED, "{denied}");
    }
    // And whoever has that right is named.
    let named: Vec<String> = sqlx::query_scalar(
        "select finding from fence.bypass()
         where kind = 'operator' and subject = 'operator' order by 1",
    )
    .fetch_all(roles.world.pool())
    .await
    .unwrap();
    assert_eq!(
        named,
        [
            "EXECUTE on fence.fold",
            "EXECUTE on fence.prune_openings",
            "EXECUTE on fence.prune_refusals"
        ]
    );
}
