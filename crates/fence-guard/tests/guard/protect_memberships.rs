//! What a membership is good for: `fence.bypass` names whoever can become a role, have its rights, or be given it
//! anew; and nobody else. From Postgres 16 on these are options of each membership.

use promises::World;

use crate::protected::{told_after, world};

/// Whether memberships have options.
pub(crate) async fn is_16(world: &World) -> bool {
    sqlx::query_scalar("select current_setting('server_version_num')::int >= 160000")
        .fetch_one(world.pool())
        .await
        .unwrap()
}

/// Rows of `fence.bypass` that are about one role, once these statements have made its memberships.
async fn told_of(world: &World, role: &str, statements: &str) -> Vec<String> {
    let owner = "create role chief; create role team; create role deputy;
         alter table note owner to chief;";
    let mut told = told_after(world, &format!("{owner} {statements}")).await;
    told.retain(|row| row.contains(&format!(": {role} ")));
    told
}

const NAMED: &str = "member of owner: deputy may act as chief, the owner of public.note";

#[tokio::test]
async fn a_member_is_named_where_its_membership_lets_it_act() {
    let world = world().await;
    // Whatever the server: as a membership comes without a word, and through another role.
    for way in [
        "grant chief to deputy",
        "alter role deputy noinherit; grant chief to deputy",
        "grant chief to team; grant team to deputy",
        "grant chief to deputy with admin option",
    ] {
        assert_eq!(told_of(&world, "deputy", way).await, [NAMED], "{way}");
    }
    if !is_16(&world).await {
        return;
    }
    for (way, is_named) in [
        (
            "grant chief to deputy with inherit false, set false, admin false",
            false,
        ),
        ("grant chief to deputy with inherit true, set false", true),
        ("grant chief to deputy with inherit false, set true", true),
        (
            "grant chief to deputy with inherit false, set false, admin true",
            true,
        ),
        // Becomes the team, which has the owner's rights.
        (
            "grant chief to team with inherit true, set false;
             grant team to deputy with inherit false, set true",
            true,
        ),
        // Has the team's rights, to which becoming the owner does not belong.
        (
            "grant chief to team with inherit false, set true;
             grant team to deputy with inherit true, set false",
            false,
        ),
        // Has the team's right to grant the owner.
        (
            "grant chief to team with inherit false, set false, admin true;
             grant team to deputy with inherit true, set false",
            true,
        ),
        (
            "grant chief to team; grant team to deputy with inherit false, set false",
            false,
        ),
    ] {
        let told = told_of(&world, "deputy", way).await;
        assert_eq!(told, [NAMED][..usize::from(is_named)], "{way}");
    }
}

/// Through every privilege that a role is named for, and once, however many there are.
#[tokio::test]
async fn who_may_act_as_a_role_that_is_named_for_a_privilege_is_named_once() {
    let world = world().await;
    const MEMBER: &str =
        "member of grantee: deputy may act as team, and use what was granted to it";
    for privilege in [
        "grant truncate on note to team",
        "grant trigger on event_1 to team",
        "grant set on parameter session_replication_role to team",
        "grant insert on fence.resource to team",
        "grant create on schema fence to team",
        "grant execute on function fence.lock_key to team",
        "select fence.grant_operator('team')",
        "grant truncate, trigger on note, event, thing to team;
         grant set on parameter session_replication_role to team",
    ] {
        let grants = format!("{privilege}; grant team to deputy");
        assert_eq!(
            told_of(&world, "deputy", &grants).await,
            [MEMBER],
            "{privilege}"
        );
    }
    // What is meant for an application is no way around.
    let application = "select fence.grant_to('team'); grant team to deputy";
    assert!(told_of(&world, "deputy", application).await.is_empty());
}
