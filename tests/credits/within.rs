//! In a transaction that the guard has admitted, the limits are the admission's: no verb cuts them short.

use sqlx::{AssertSqlSafe, PgConnection};
use uuid::Uuid;

use crate::setup::Holding;

/// What ends a transaction that stands still, is cut off, or waits.
async fn limits(tx: &mut PgConnection) -> Vec<String> {
    sqlx::query_scalar(
        "select current_setting(name) from unnest(array['idle_in_transaction_session_timeout',
         'tcp_user_timeout', 'lock_timeout']) name",
    )
    .fetch_all(tx)
    .await
    .unwrap()
}

#[tokio::test]
async fn no_verb_without_a_permit_cuts_short_the_limits_of_an_admitted_transaction() {
    let here = Holding::new().await;
    let charged = promises::charge(&here.alice, 2);
    here.client.charge(&here.open, &charged).await;
    let id = Uuid::new_v4;
    for call in [
        format!("credit.grant('{}', 'alice', 1, 'query')", id()),
        format!("credit.refund('{}', '{}', 1)", id(), charged.request),
        "credit.open_account('new')".to_owned(),
        "credit.set_floor('alice', -1)".to_owned(),
        "credit.freeze_account('alice')".to_owned(),
        "credit.unfreeze_account('alice')".to_owned(),
        "credit.close_account('alice')".to_owned(),
        "credit.sweep_holds()".to_owned(),
    ] {
        // As the guard sets them: two minutes, above what a verb takes for itself.
        let mut tx = here.client.begin(&here.open).await;
        let admitted = limits(&mut tx).await;
        assert_eq!(admitted[0], "2min");
        sqlx::query(AssertSqlSafe(format!("select {call}")))
            .execute(&mut *tx)
            .await
            .unwrap();
        assert_eq!(limits(&mut tx).await, admitted, "{call}");
        tx.rollback().await.unwrap();

        // Alone, each has its own.
        let mut session = here.world.session().await;
        session.run("begin").await;
        session.run(AssertSqlSafe(format!("select {call}"))).await;
        assert_eq!(limits(&mut session.connection).await[0], "30s", "{call}");
    }
}
