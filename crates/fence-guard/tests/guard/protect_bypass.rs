//! `fence.bypass` names what is left open around a protected table, and a table that is protected again has
//! nothing left of what protection can mend.

use promises::World;
use sqlx::{AssertSqlSafe, Connection};

use crate::protected::world;

/// kind, subject, finding; only what is about a protected table.
async fn named(world: &World, way: &'static str, mend: Option<&str>) -> Vec<String> {
    let mut connection = world.pool().acquire().await.unwrap();
    let mut tx = connection.begin().await.unwrap();
    sqlx::raw_sql(way).execute(&mut *tx).await.unwrap();
    if let Some(table) = mend {
        let column = if table == "event" {
            "about"
        } else {
            "resource"
        };
        let mend = AssertSqlSafe(format!("select fence.protect('{table}', '{column}')"));
        sqlx::raw_sql(mend).execute(&mut *tx).await.unwrap();
    }
    let rows = sqlx::query_scalar(
        "select format('%s: %s %s', kind, subject, finding) from fence.bypass()
         where finding ~ 'public\\.(note|event|thing)' or kind = 'setting' order by 1",
    );
    let rows = rows.fetch_all(&mut *tx).await.unwrap();
    tx.rollback().await.unwrap();
    rows
}

#[tokio::test]
async fn the_owner_of_a_protected_table_is_named_with_each_of_its_parts() {
    let world = world().await;
    let clean = named(&world, "select", None).await;
    let tables = ["event", "event_1", "note", "thing", "thing_child"];
    let owned = tables.map(|table| format!("owner: postgres owns protected table public.{table}"));
    let settings = clean.iter().filter(|row| row.starts_with("setting"));
    assert_eq!(clean.len() - settings.count(), owned.len(), "{clean:?}");
    assert!(owned.iter().all(|row| clean.contains(row)), "{clean:?}");
}

#[tokio::test]
async fn every_way_around_a_protected_table_is_named_and_mended_where_it_can_be() {
    let world = world().await;
    let clean = named(&world, "select", None).await;
    for (way, kind, subject, finding, mended) in WAYS {
        let rows = named(&world, way, None).await;
        let is_named = rows
            .iter()
            .any(|row| row.starts_with(&format!("{kind}: {subject} ")) && row.ends_with(finding));
        assert!(is_named, "{way}: {rows:?}");
        if mended.is_some() {
            assert_eq!(named(&world, way, *mended).await, clean, "{way}");
        }
    }
}

const ROWS: &str = "fence_guards_rows";
const TRUNCATE: &str = "fence_guards_truncate";
const OFF: &str = "is switched off on protected table public.note";
const OTHER: &str = "is not as fence.protect makes it on protected table public.note";

/// A way around, the kind, subject and finding that name it, and the table whose protection mends it.
type Way = (
    &'static str,
    &'static str,
    &'static str,
    &'static str,
    Option<&'static str>,
);

const WAYS: &[Way] = &[
    (
        "alter table note disable trigger fence_guards_rows",
        "trigger",
        ROWS,
        OFF,
        Some("note"),
    ),
    (
        "alter table note disable trigger all",
        "trigger",
        TRUNCATE,
        OFF,
        Some("note"),
    ),
    (
        "alter table note enable replica trigger fence_guards_rows",
        "trigger",
        ROWS,
        OFF,
        Some("note"),
    ),
    (
        "alter table event_1 disable trigger fence_guards_rows",
        "trigger",
        ROWS,
        "is switched off on protected table public.event_1",
        Some("event"),
    ),
    (
        "alter table thing_child disable trigger user",
        "trigger",
        ROWS,
        "is switched off on protected table public.thing_child",
        Some("thing"),
    ),
    (
        "create or replace trigger fence_guards_rows after insert or update or delete on note
             for each row when (false) execute function fence.check_row('resource')",
        "trigger",
        ROWS,
        OTHER,
        Some("note"),
    ),
    (
        "create or replace trigger fence_guards_rows after insert on note
             for each row execute function fence.check_row('resource')",
        "trigger",
        ROWS,
        OTHER,
        Some("note"),
    ),
    (
        "create or replace trigger fence_guards_rows before insert or update or delete on note
             for each row execute function fence.check_row('resource')",
        "trigger",
        ROWS,
        OTHER,
        Some("note"),
    ),
    (
        "create or replace trigger fence_guards_rows
             after insert or update of body or delete on note
             for each row execute function fence.check_row('resource')",
        "trigger",
        ROWS,
        OTHER,
        Some("note"),
    ),
    (
        "drop trigger fence_guards_rows on note",
        "trigger",
        ROWS,
        "is missing on protected table public.note",
        Some("note"),
    ),
    (
        "drop trigger fence_guards_column on event",
        "trigger",
        "fence_guards_column",
        "is missing on protected table public.event",
        Some("event"),
    ),
    (
        "drop trigger fence_guards_truncate on event_1",
        "trigger",
        TRUNCATE,
        "is missing on protected table public.event_1",
        Some("event"),
    ),
    (
        "create function swallow() returns trigger language plpgsql as 'begin return null; end';
         create or replace trigger fence_guards_truncate before truncate on note
             for each statement execute function swallow()",
        "trigger",
        TRUNCATE,
        OTHER,
        Some("note"),
    ),
    (
        "create rule elsewhere as on insert to note do instead nothing",
        "trigger",
        "elsewhere",
        "is a rule on protected table public.note",
        None,
    ),
    (
        "grant truncate on note to pg_monitor",
        "table privilege",
        "pg_monitor",
        "TRUNCATE on public.note",
        None,
    ),
    (
        "grant trigger on event_1 to public",
        "table privilege",
        "PUBLIC",
        "TRIGGER on public.event_1",
        None,
    ),
    (
        "alter table note owner to pg_monitor",
        "owner",
        "pg_monitor",
        "owns protected table public.note",
        None,
    ),
    (
        "alter table note owner to pg_read_all_stats",
        "member of owner",
        "pg_monitor",
        "may act as pg_read_all_stats, the owner of public.note",
        None,
    ),
    (
        "create subscription far connection 'host=nowhere' publication p with (connect = false);
         insert into pg_subscription_rel (srsubid, srrelid, srsubstate)
             select oid, 'note'::regclass, 'r' from pg_subscription where subname = 'far'",
        "subscription",
        "far",
        "writes to protected table public.note, for which no trigger fires",
        None,
    ),
    (
        "set local session_replication_role = replica",
        "setting",
        "server",
        "session_replication_role is replica",
        None,
    ),
    (
        "create function public.quietly() returns void language sql
             set session_replication_role = replica as 'delete from public.note'",
        "setting",
        "public.quietly()",
        "runs with session_replication_role=replica",
        None,
    ),
];
