//! C1, C19 and C48, on the side of SQL, which other languages call directly: every argument of every
//! outer function, missing, empty, too long, too low and too high. Each is an error that says which
//! it is, or an answer that the function's head tells, and no row of any table changes.

use credit_ledger::{Account, Purpose};
use fence_guard::Resource;
use promises::{Session, World, sqlstate};
use sqlx::AssertSqlSafe;

use crate::arguments::{Outer, outer_calls};
use crate::support::{OUTER, every_row};

/// A world with a resource open under fence 5, and twelve credits of alice's, of which two are charged, for something
/// else, and two held.
pub(crate) async fn world() -> (World, Session) {
    let world = World::new().await;
    let mut session = world.session().await;
    world.account("alice", 12).await;
    session.run(include_str!("sql/held.sql")).await;
    (world, session)
}

/// The call with its good arguments, save that the one at `position` is another.
pub(crate) fn call(outer: &Outer, position: usize, other: &str) -> String {
    let arguments: Vec<&str> = outer
        .arguments
        .iter()
        .enumerate()
        .map(|(at, argument)| if at == position { other } else { argument.good })
        .collect();
    format!("select * from {}({})", outer.name, arguments.join(", "))
}

#[tokio::test]
async fn every_outer_function_refuses_each_bad_argument_and_changes_nothing() {
    let (world, mut session) = world().await;
    let before = every_row(world.pool()).await;
    for outer in outer_calls() {
        for (position, argument) in outer.arguments.iter().enumerate() {
            for (bad, expected) in argument.bad {
                let statement = call(outer, position, bad);
                let outcome = session.attempt(AssertSqlSafe(statement.clone())).await;
                match expected {
                    [] => outcome.unwrap_or_else(|error| panic!("{statement}: {error}")),
                    codes => assert!(codes.contains(&sqlstate(outcome).as_str()), "{statement}"),
                }
                assert_eq!(every_row(world.pool()).await, before, "{statement}");
            }
        }
    }
}

/// Else the errors above could have another cause than the argument that they are about.
#[tokio::test]
async fn every_outer_function_takes_its_good_arguments() {
    let (_world, mut session) = world().await;
    assert_eq!(
        outer_calls().map(|outer| outer.name).collect::<Vec<_>>(),
        OUTER
    );
    for outer in outer_calls() {
        session.run("begin").await;
        session
            .run(AssertSqlSafe(call(outer, usize::MAX, "")))
            .await;
        session.run("rollback").await;
    }
}

/// Else a name that one language can write could not be named by another. Every character below U+0300,
/// which has all of the control characters; and what could be taken for one above it.
#[tokio::test]
async fn the_functions_and_the_typed_names_refuse_the_same_characters() {
    let (world, _session) = world().await;
    let asked: Vec<i32> = (1..0x300).chain([0x200b, 0x2028, 0x2029, 0xfeff]).collect();
    let refused: Vec<i32> = sqlx::query_scalar(
        "select n from unnest($1) n where not fence.is_name('a' || chr(n) || 'b', 1, 512) order by n",
    )
    .bind(&asked)
    .fetch_all(world.pool())
    .await
    .unwrap();
    assert_eq!(refused.len(), 31 + 33);
    for n in asked {
        let name = format!("a{}b", char::from_u32(n.try_into().unwrap()).unwrap());
        let typed = [
            Resource::new(name.as_str()).is_ok(),
            Account::new(name.as_str()).is_ok(),
            Purpose::new(name.as_str()).is_ok(),
        ];
        assert_eq!(typed, [!refused.contains(&n); 3], "U+{n:04X}");
    }
}

/// Text that is no UTF-8 does not get as far as a function: the server refuses the statement.
#[tokio::test]
async fn text_that_is_no_utf_8_never_arrives() {
    let (world, mut session) = world().await;
    let encoding: String = sqlx::query_scalar("show server_encoding")
        .fetch_one(world.pool())
        .await
        .unwrap();
    assert_eq!(encoding, "UTF8");
    let before = every_row(world.pool()).await;
    for bytes in [r"E'\xff'", r"E'\xed\xa0\x80'", r"E'\xc0\x80'", r"E'a\0b'"] {
        let open = format!("select fence.open({bytes}, 1, gen_random_uuid(), '1 s')");
        assert_eq!(
            sqlstate(session.attempt(AssertSqlSafe(open)).await),
            "22021",
            "{bytes}"
        );
    }
    assert_eq!(every_row(world.pool()).await, before);
}
