//! A foreign table as a part of a protected one: no trigger here sees what is written to it where it is.

use promises::sqlstate;

use crate::protected::{changed, gaps, told_after, world};

const SERVER: &str =
    "create foreign data wrapper nowhere; create server far foreign data wrapper nowhere;";

#[tokio::test]
async fn a_foreign_table_that_becomes_a_part_later_is_named() {
    let world = world().await;
    for (table, way) in [
        (
            "event",
            "create foreign table far (day int not null, about varchar(40), body text not null) server far;
             alter table event attach partition far for values from (10) to (20)",
        ),
        (
            "event",
            "create foreign table far partition of event for values from (10) to (20) server far",
        ),
        (
            "thing",
            "create foreign table far () inherits (thing_child) server far",
        ),
    ] {
        let told = told_after(&world, &format!("{SERVER} {way}")).await;
        let foreign = format!(
            "foreign table: public.far is a foreign table, written to where it is, \
             and a part of protected table public.{table}"
        );
        let owner = "owner: postgres owns protected table public.far".to_owned();
        assert_eq!(told, [foreign, owner], "{way}");
    }
}

#[tokio::test]
async fn a_table_with_a_foreign_part_is_protected_again_once_the_part_is_gone() {
    let world = world().await;
    let mut session = world.session().await;
    session.run(SERVER).await;
    session
        .run(
            "create foreign table far partition of event for values from (10) to (20) server far;
              alter table event disable trigger all",
        )
        .await;
    let again = "select fence.protect('event', 'about')";
    assert_eq!(sqlstate(session.attempt(again).await), "ZF004");
    session.run("alter table event detach partition far").await;
    assert!(changed(&mut session, "fence.protect('event', 'about')").await);
    assert!(gaps(&world).await.is_empty());
}
