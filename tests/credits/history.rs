//! The history: every filter finds what it says and nothing else, alone and with others, and pages one after the other
//! come to the whole.

use credit_ledger::{Account, EntryRow, Filter, HoldState, RequestId};
use fence_guard::{Permit, Reason};
use promises::{
    MustRefuse, capture, charge, charge_of, grant_of, hold, permit, refund, release, resource,
    sqlstate,
};
use time::Duration;

use crate::setup::Holding;

/// What happened to two accounts under two resources: on each account a grant, a charge and a hold under `r`, a charge
/// under `s`, and a refused charge under each.
struct Told {
    here: Holding,
    bob: Account,
    first: Permit,
    other: Permit,
}

impl Told {
    async fn new() -> Told {
        let here = Holding::new().await;
        let bob = here.world.account("bob", 10).await;
        let other = here.client.open(&permit("s", 1)).await;
        for account in [&here.alice, &bob] {
            here.client.charge(&here.open, &charge(account, 1)).await;
            here.client.hold(&here.open, &hold(account, 2)).await;
            here.client.charge(&other, &charge(account, 3)).await;
        }
        here.client.open(&permit("r", 2)).await;
        here.client.close(&other).await;
        for account in [&here.alice, &bob] {
            for open in [&here.open, &other] {
                let late = here.client.ledger.charge(open, &charge(account, 4)).await;
                late.must_refuse();
            }
        }
        Told {
            first: here.open.permit().clone(),
            other: other.permit().clone(),
            here,
            bob,
        }
    }

    async fn entries(&self, filter: Filter) -> Vec<EntryRow> {
        let ledger = &self.here.client.ledger;
        ledger.entries(filter, 0, 100).await.unwrap()
    }

    /// Account and change.
    async fn changes(&self, filter: Filter) -> Vec<(String, i64)> {
        let rows = self.entries(filter).await;
        rows.into_iter().map(|e| (e.account, e.change)).collect()
    }
}

fn changes(expected: &[(&str, i64)]) -> Vec<(String, i64)> {
    expected
        .iter()
        .map(|(account, change)| ((*account).to_owned(), *change))
        .collect()
}

#[tokio::test]
async fn entries_are_found_by_account_resource_holder_and_all_of_them_together() {
    let told = Told::new().await;
    let alice = told.here.alice.clone();
    let everything = told.changes(Filter::all()).await;
    assert_eq!(
        everything,
        changes(&[
            ("alice", 10),
            ("bob", 10),
            ("alice", -1),
            ("alice", -3),
            ("bob", -1),
            ("bob", -3)
        ])
    );
    for (filter, expected) in [
        (
            Filter::from(&told.bob),
            &[("bob", 10), ("bob", -1), ("bob", -3)][..],
        ),
        (
            Filter::all().under(resource("r")),
            &[("alice", -1), ("bob", -1)],
        ),
        (
            Filter::all().by(told.other.holder()),
            &[("alice", -3), ("bob", -3)],
        ),
        (Filter::from(&alice).under(resource("s")), &[("alice", -3)]),
        (
            Filter::from(&alice)
                .under(resource("r"))
                .by(told.first.holder()),
            &[("alice", -1)],
        ),
        (
            Filter::all().under(resource("r")).by(told.other.holder()),
            &[],
        ),
        (Filter::all().of(promises::account("nobody")), &[]),
    ] {
        assert_eq!(
            told.changes(filter.clone()).await,
            changes(expected),
            "{filter:?}"
        );
    }
}

#[tokio::test]
async fn a_time_is_from_its_first_moment_on_and_before_its_last() {
    let told = Told::new().await;
    let all = told.entries(Filter::all()).await;
    let (second, fourth) = (all[1].at, all[3].at);
    let seqs = |rows: &[EntryRow]| rows.iter().map(|row| row.seq).collect::<Vec<_>>();
    let tick = Duration::MICROSECOND;
    for (filter, expected) in [
        (Filter::all().since(second), &all[1..]),
        (Filter::all().since(second + tick), &all[2..]),
        (Filter::all().until(fourth), &all[..3]),
        (Filter::all().until(fourth + tick), &all[..4]),
        (Filter::all().since(second).until(fourth), &all[1..3]),
        (Filter::all().since(fourth).until(second), &[]),
        (Filter::all().since(all[5].at + tick), &[]),
        (Filter::all().until(all[0].at), &[]),
    ] {
        assert_eq!(
            seqs(&told.entries(filter.clone()).await),
            seqs(expected),
            "{filter:?}"
        );
    }
    let of_bob = told.entries(Filter::from(&told.bob).since(fourth)).await;
    assert_eq!(seqs(&of_bob), seqs(&all[4..]));
}

/// Rows that were written side by side may bear their times the other way around; each is told by its own.
#[tokio::test]
async fn a_time_is_the_rows_own_also_where_a_later_number_has_an_earlier_one() {
    let told = Told::new().await;
    let mut hand = told.here.world.session().await;
    hand.run(
        "begin; set local session_replication_role = replica;
         update credit.entry e set at = x.at from credit.entry x
         where (e.request, x.request) in (
             select a.request, b.request from credit.entry a, credit.entry b
             where a.seq in (select seq from credit.entry order by seq offset 2 limit 2)
               and b.seq in (select seq from credit.entry order by seq offset 2 limit 2) and a.seq <> b.seq);
         commit",
    )
    .await;
    let all = told.entries(Filter::all()).await;
    let (earlier, later) = (&all[3], &all[2]);
    assert!(earlier.at < later.at && earlier.seq > later.seq);
    let since: Vec<i64> = told
        .entries(Filter::all().since(later.at))
        .await
        .iter()
        .map(|row| row.seq)
        .collect();
    assert_eq!(since, [later.seq, all[4].seq, all[5].seq]);
    let until = told.entries(Filter::all().until(later.at)).await;
    assert_eq!(
        until.iter().map(|row| row.seq).collect::<Vec<_>>(),
        [all[0].seq, all[1].seq, earlier.seq]
    );
}

#[tokio::test]
async fn pages_one_after_the_other_come_to_the_whole() {
    let told = Told::new().await;
    let ledger = &told.here.client.ledger;
    for size in 1..=7 {
        let (mut after, mut seqs) = (0, Vec::new());
        loop {
            let page = ledger.entries(Filter::all(), after, size).await.unwrap();
            let Some(last) = page.last() else { break };
            assert!(page.len() <= usize::from(size));
            after = last.seq;
            seqs.extend(page.iter().map(|row| row.seq));
        }
        let whole = told.entries(Filter::all()).await;
        assert_eq!(seqs, whole.iter().map(|row| row.seq).collect::<Vec<_>>());
    }
}

#[tokio::test]
async fn holds_are_found_by_how_they_stand_and_by_everything_else() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    let bob = here.world.account("bob", 10).await;
    let dead = hold(&bob, 1);
    here.client.hold(&here.open, &dead).await;
    let next = here.client.open(&permit("r", 2)).await;
    let (kept, freed, open) = (
        hold(&here.alice, 1),
        hold(&here.alice, 2),
        hold(&here.alice, 3),
    );
    for one in [&kept, &freed, &open] {
        here.client.hold(&next, one).await;
    }
    here.client.capture(&next, &capture(&kept, 1)).await;
    ledger.release(&next, &release(&freed)).await.unwrap();
    let found = async |filter: Filter, state| -> Vec<RequestId> {
        let rows = ledger.holds(filter, state, 0, 100).await.unwrap();
        for row in &rows {
            assert!(state.is_none_or(|state| state == row.state));
        }
        rows.into_iter()
            .map(|row| RequestId::from_uuid(row.request).unwrap())
            .collect()
    };
    for (state, expected) in [
        (HoldState::Open, &[open.request][..]),
        (HoldState::Captured, &[kept.request]),
        (HoldState::Released, &[freed.request]),
        (HoldState::Void, &[dead.request]),
        (HoldState::Expired, &[]),
    ] {
        assert_eq!(found(Filter::all(), Some(state)).await, expected, "{state}");
    }
    assert_eq!(found(Filter::from(&bob), None).await, [dead.request]);
    let by_holder = Filter::all().by(here.open.permit().holder());
    assert_eq!(found(by_holder, None).await, [dead.request]);
    assert_eq!(
        found(Filter::all().under(resource("r")), None).await.len(),
        4
    );
    assert_eq!(
        found(Filter::all().under(resource("s")), None).await.len(),
        0
    );
    // Given back, it is the same.
    here.client.charge(&next, &charge(&bob, 1)).await;
    assert_eq!(
        found(Filter::all(), Some(HoldState::Void)).await,
        [dead.request]
    );
    let row = &ledger.holds(&here.alice, None, 0, 1).await.unwrap()[0];
    assert_eq!((row.amount, row.captured), (1, Some(1)));
    assert!(row.resolved_seq.unwrap() > row.seq && row.resolved_by.is_some());
    let since = Filter::all()
        .since(row.at)
        .until(row.at + Duration::MICROSECOND);
    assert_eq!(found(since, None).await, [kept.request]);
}

#[tokio::test]
async fn refusals_are_found_by_their_reason_and_by_everything_else() {
    let told = Told::new().await;
    let ledger = &told.here.client.ledger;
    let found = async |filter: Filter, reason| -> Vec<(String, String)> {
        let rows = ledger.refusals(filter, reason, 0, 100).await.unwrap();
        rows.into_iter().map(|r| (r.account, r.resource)).collect()
    };
    let pair = |account: &str, resource: &str| (account.to_owned(), resource.to_owned());
    let all = [
        pair("alice", "r"),
        pair("alice", "s"),
        pair("bob", "r"),
        pair("bob", "s"),
    ];
    assert_eq!(found(Filter::all(), None).await, all);
    assert_eq!(
        found(Filter::all(), Some(Reason::Stale)).await,
        [all[0].clone(), all[2].clone()]
    );
    assert_eq!(
        found(Filter::all(), Some(Reason::Closed)).await,
        [all[1].clone(), all[3].clone()]
    );
    assert!(
        found(Filter::all(), Some(Reason::Conflict))
            .await
            .is_empty()
    );
    assert_eq!(found(Filter::from(&told.bob), None).await, all[2..]);
    assert_eq!(
        found(
            Filter::from(&told.bob).under(resource("r")),
            Some(Reason::Stale)
        )
        .await,
        all[2..3]
    );
    let by = Filter::all().by(told.first.holder());
    assert_eq!(found(by, None).await.len(), 2);
    let rows = ledger.refusals(Filter::all(), None, 0, 100).await.unwrap();
    let from_the_third = Filter::all().since(rows[2].first_at);
    assert_eq!(found(from_the_third, None).await, all[2..]);
    let before_the_third = Filter::all().until(rows[2].first_at);
    assert_eq!(found(before_the_third, None).await, all[..2]);
    let after = ledger.refusals(Filter::all(), None, rows[2].seq, 100).await;
    assert_eq!(after.unwrap().len(), 1);
}

/// A word that is misspelt would find nothing, and be taken for "there is none".
#[tokio::test]
async fn a_state_and_a_reason_that_there_are_none_of_are_errors() {
    let here = Holding::new().await;
    let mut session = here.world.session().await;
    for call in [
        "select * from credit.holds(null, 0, 10, 'voided')",
        "select * from credit.holds(null, 0, 10, '')",
        "select * from credit.refusals(null, 0, 10, 'not-open')",
    ] {
        assert_eq!(sqlstate(session.attempt(call).await), "ZF004", "{call}");
    }
}

/// C48: what is looked for is data, too.
#[tokio::test]
async fn hostile_names_are_found_as_they_are() {
    let here = Holding::new().await;
    let ledger = &here.client.ledger;
    for name in ["'; drop table credit.entry; --", "$4", "%s %I", "é漢🦀"] {
        let account = here.world.account(name, 5).await;
        let open = here.client.open(&permit(name, 1)).await;
        let charged = charge_of(RequestId::random(), &account, 1);
        here.client.charge(&open, &charged).await;
        ledger.refund(&refund(charged.request, 1)).await.unwrap();
        let granted = grant_of(RequestId::random(), &account, 1);
        ledger.grant(&granted).await.unwrap();
        assert_eq!(ledger.entries(&account, 0, 9).await.unwrap().len(), 4);
        let under = Filter::from(&account).under(resource(name));
        assert_eq!(ledger.entries(under, 0, 9).await.unwrap().len(), 1);
    }
}

/// What the pages promise, and what they do not: the numbers of one account come in the order of commits, and those of
/// two accounts do not.
#[tokio::test]
async fn pages_of_one_account_miss_nothing_and_pages_of_all_can_miss_what_commits_later() {
    let here = Holding::new().await;
    let bob = here.world.account("bob", 5).await;
    let (ledger, other) = (here.world.ledger(), here.world.client().await);
    let end = async |filter: Filter| -> i64 {
        let rows = ledger.entries(filter, 0, 100).await.unwrap();
        rows.last().unwrap().seq
    };
    let mut tx = here.client.begin(&here.open).await;
    let slow = charge_of(RequestId::random(), &here.alice, 1);
    let applied = here.client.ledger.charge_within(&mut tx, &here.open, &slow);
    let applied = applied.await.unwrap();
    let open = other.open(&permit("s", 1)).await;
    let quick = charge_of(RequestId::random(), &bob, 1);
    let later = other.charge(&open, &quick).await;
    assert!(later.seq > applied.seq);
    let all = end(Filter::all()).await;
    let of_alice = end(Filter::from(&here.alice)).await;
    assert_eq!(all, later.seq);
    // Nobody writes on alice behind it, before it is over.
    let behind = other.start_charge(&open, &charge_of(RequestId::random(), &here.alice, 1));
    here.world.until_blocked(other.pid, here.client.pid).await;
    tx.commit().await.unwrap();
    let behind = behind.done().await.unwrap();

    let seen = ledger.entries(&here.alice, of_alice, 100).await.unwrap();
    let seen: Vec<i64> = seen.iter().map(|row| row.seq).collect();
    assert_eq!(seen, [applied.seq, behind.seq]);
    let seen = ledger.entries(Filter::all(), all, 100).await.unwrap();
    let seen: Vec<i64> = seen.iter().map(|row| row.seq).collect();
    assert_eq!(seen, [behind.seq]);
    // Read again from before the transaction began, it is there.
    let seen = ledger.entries(Filter::all(), applied.seq - 1, 100).await;
    assert_eq!(seen.unwrap().len(), 3);
}
