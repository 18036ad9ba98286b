//! The batching front in a storm: accounts and resources that are locked, taken over and used up, callers that give up
//! or send again, connections that are cut, a front that is full, and its end, in an order that nobody would think of.
//! Whatever comes: everybody who stays is answered, and what is applied is applied in the order of the calls.
//!
//! The plans are the same in every run. `STORMS=1000` makes more of them, `STORMS_FROM=17` begins with that one.

use std::collections::HashMap;
use std::sync::Arc;
use std::task::Poll;

use credit_ledger::{Account, Applied, Charge, CoalesceOptions, Coalescer, Error, Ledger};
use fence_guard::OpenPermit;
use promises::{Client, Session, Started, World, charge, permit, start};
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use sqlx::postgres::PgPoolOptions;
use uuid::Uuid;

const STORMS: u64 = 8;
const STEPS: usize = 240;
const RESOURCES: usize = 3;
/// Each has so many credits, which some storms use up.
const CREDITS: i64 = 150;
const ACCOUNTS: usize = 4;
/// Of these a request id is sent once, so that each has one place in the order of the calls; of the others, again.
const SENT_ONCE: usize = 2;
/// What a session of its own locks now and then: a row of each of the first accounts, and of the first resource.
const LOCKS: [&str; 3] = [
    "begin; select from credit.account where name = 'a0' for update skip locked",
    "begin; select from credit.account where name = 'a1' for update skip locked",
    "begin; select from fence.resource where resource = 'r0' for update skip locked",
];

#[derive(Debug, Clone)]
enum Step {
    Charge {
        account: usize,
        resource: usize,
        amount: i64,
    },
    Again(Index),
    GiveUp(Index),
    Lock(usize),
    Unlock(usize),
    TakeOver(usize),
    CutOff,
    /// A round trip's time.
    Breathe,
}

#[derive(Debug)]
struct Plan {
    options: CoalesceOptions,
    connections: u32,
    /// The front is told to finish while locks are held.
    finishes_early: bool,
    /// Connections are cut, and what was on its way may be unknown.
    is_cut: bool,
    steps: Vec<Step>,
}

/// A call of the front.
struct Sent {
    charge: Charge,
    account: usize,
    resource: usize,
    /// None once its caller has gone.
    task: Option<Started<Outcome>>,
}

type Outcome = Result<Applied, Error>;

fn any_step() -> impl Strategy<Value = Step> {
    let amount = prop_oneof![9 => 1..9_i64, 1 => 100..200_i64];
    let charge =
        (0..ACCOUNTS, 0..RESOURCES, amount).prop_map(|(account, resource, amount)| Step::Charge {
            account,
            resource,
            amount,
        });
    prop_oneof![
        60 => charge,
        6 => any::<Index>().prop_map(Step::Again),
        12 => any::<Index>().prop_map(Step::GiveUp),
        5 => (0..LOCKS.len()).prop_map(Step::Lock),
        8 => (0..LOCKS.len()).prop_map(Step::Unlock),
        1 => (0..RESOURCES).prop_map(Step::TakeOver),
        2 => Just(Step::CutOff),
        12 => Just(Step::Breathe),
    ]
}

fn any_plan() -> impl Strategy<Value = Plan> {
    let options = (1..40_usize, 1..20_usize, 1..12_usize, 1..5_usize).prop_map(
        |(capacity, of_an_account, together, alone)| {
            CoalesceOptions::default()
                .with_capacity(capacity)
                .with_room_of_an_account(of_an_account)
                .with_together(together)
                .with_alone(alone)
        },
    );
    let steps = prop::collection::vec(any_step(), STEPS);
    (options, 2..6_u32, any::<bool>(), any::<bool>(), steps).prop_map(
        |(options, connections, finishes_early, is_cut, mut steps)| {
            steps.retain(|step| is_cut || !matches!(step, Step::CutOff));
            Plan {
                options,
                connections,
                finishes_early,
                is_cut,
                steps,
            }
        },
    )
}

fn plan(number: u64) -> Plan {
    let mut seed = [0; 32];
    seed[..8].copy_from_slice(&number.to_le_bytes());
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    any_plan().new_tree(&mut runner).expect("a plan").current()
}

struct Storm {
    world: World,
    client: Client,
    front: Coalescer,
    lockers: Vec<Session>,
    accounts: Vec<Account>,
    opens: Vec<Arc<OpenPermit>>,
    sent: Vec<Sent>,
}

impl Storm {
    async fn new(plan: &Plan) -> Storm {
        let world = World::new().await;
        let client = world.client().await;
        let (mut accounts, mut opens, mut lockers) = (Vec::new(), Vec::new(), Vec::new());
        for n in 0..ACCOUNTS {
            accounts.push(world.account(&format!("a{n}"), CREDITS).await);
        }
        for n in 0..RESOURCES {
            opens.push(client.open(&permit(&format!("r{n}"), 1)).await);
        }
        for _ in LOCKS {
            lockers.push(world.session().await);
        }
        let connect = PgPoolOptions::new().max_connections(plan.connections);
        let target = (*world.pool().connect_options()).clone();
        let pool = connect
            .connect_with(target.application_name("storm"))
            .await
            .unwrap();
        let front = Ledger::new(pool).coalescer(plan.options);
        Storm {
            world,
            client,
            front,
            lockers,
            accounts,
            opens,
            sent: Vec::new(),
        }
    }

    async fn take(&mut self, step: &Step) {
        match step {
            Step::Charge {
                account,
                resource,
                amount,
            } => {
                let charge = charge(&self.accounts[*account], *amount);
                self.send(charge, *account, *resource).await;
            }
            Step::Again(which) => {
                let again = |sent: &&Sent| sent.account >= SENT_ONCE;
                let sent: Vec<&Sent> = self.sent.iter().filter(again).collect();
                if !sent.is_empty() {
                    let sent = which.get(&sent);
                    let (charge, account, resource) =
                        (sent.charge.clone(), sent.account, sent.resource);
                    self.send(charge, account, resource).await;
                }
            }
            Step::GiveUp(which) => {
                let mut waiting = (self.sent.iter_mut())
                    .filter(|sent| sent.task.as_ref().is_some_and(Started::is_running))
                    .collect::<Vec<_>>();
                if !waiting.is_empty() {
                    let which = which.index(waiting.len());
                    // It may have been answered by now; then nobody has heard of it.
                    if let Some(task) = waiting[which].task.take() {
                        task.cancel().await;
                    }
                }
            }
            Step::Lock(which) => {
                self.lockers[*which].run("rollback").await;
                self.lockers[*which].run(LOCKS[*which]).await;
            }
            Step::Unlock(which) => self.lockers[*which].run("rollback").await,
            Step::TakeOver(which) => {
                // An opening waits for the writers before it, which wait for whoever has locked their accounts.
                self.unlock().await;
                let fence = self.opens[*which].permit().fence().get() + 1;
                let next = permit(&format!("r{which}"), fence);
                self.opens[*which] = self.client.open(&next).await;
            }
            Step::CutOff => {
                let cut = "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()
                    and application_name = 'storm' and state = 'active' order by query_start limit 1";
                sqlx::query(cut).execute(self.world.pool()).await.unwrap();
            }
            Step::Breathe => drop(self.world.balance(&self.accounts[0]).await),
        }
    }

    /// Calls now, in this task, so that the order of the calls is that of the steps; another task waits for the answer.
    async fn send(&mut self, charge: Charge, account: usize, resource: usize) {
        let (front, open, called) = (
            self.front.clone(),
            self.opens[resource].clone(),
            charge.clone(),
        );
        let mut call = Box::pin(async move { front.charge(&open, &called).await });
        let begun = std::future::poll_fn(|context| Poll::Ready(call.as_mut().poll(context))).await;
        let task = start(async move {
            match begun {
                Poll::Ready(outcome) => outcome,
                Poll::Pending => call.await,
            }
        });
        self.sent.push(Sent {
            charge,
            account,
            resource,
            task: Some(task),
        });
    }

    async fn unlock(&mut self) {
        for locker in &mut self.lockers {
            locker.run("rollback").await;
        }
    }

    /// What everybody has heard, in the order of the calls; `None` for those that have gone.
    async fn end(&mut self, finishes_early: bool) -> Vec<Option<Outcome>> {
        let front = self.front.clone();
        let finish = async move { front.finish().await };
        let finishing = finishes_early.then(|| start(finish));
        self.unlock().await;
        let mut outcomes = Vec::new();
        for sent in &mut self.sent {
            outcomes.push(match sent.task.take() {
                Some(task) => Some(task.done().await),
                None => None,
            });
        }
        match finishing {
            Some(finishing) => finishing.done().await,
            None => promises::within("the end", self.front.finish()).await,
        }
        outcomes
    }

    /// What was applied of an account, each by the place of its call.
    ///
    /// # Panics
    /// Where that is not in the order of the calls.
    async fn applied(&self, account: usize) -> Vec<(usize, i64)> {
        let mut calls = self.sent.iter().enumerate();
        let mut applied = Vec::new();
        for entry in self.world.charges(&self.accounts[account]).await {
            let place = calls.find(|(_, sent)| sent.charge.request.as_uuid() == entry.request);
            let Some((place, _)) = place else {
                panic!("entry {} was called for before {applied:?}", entry.seq);
            };
            applied.push((place, entry.balance_after));
        }
        applied
    }
}

/// Each outcome against the entries: what was applied has one, what was not has none, and whoever is told a balance is
/// told the one that those before it have left.
async fn hold_against_entries(storm: &Storm, plan: &Plan, outcomes: &[Option<Outcome>]) {
    for account in 0..ACCOUNTS {
        let entries = storm.world.charges(&storm.accounts[account]).await;
        let by_request: HashMap<Uuid, _> =
            entries.iter().map(|entry| (entry.request, entry)).collect();
        let applied = storm.applied(account).await;
        let left = |place: usize| {
            let before = applied.iter().rev().find(|(at, _)| *at < place);
            before.map_or(CREDITS, |(_, balance)| *balance)
        };
        let of_account =
            |(_, (sent, _)): &(usize, (&Sent, &Option<Outcome>))| sent.account == account;
        for (place, (sent, outcome)) in
            (storm.sent.iter().zip(outcomes).enumerate()).filter(of_account)
        {
            let entry = by_request.get(&sent.charge.request.as_uuid());
            let is_sent_once = account < SENT_ONCE;
            match outcome {
                Some(Ok(told)) => {
                    let entry = entry.expect("an entry of what was applied");
                    assert_eq!(
                        (entry.seq, entry.balance_after),
                        (told.seq, told.balance_after)
                    );
                }
                Some(Err(Error::InsufficientCredit { balance, .. })) if is_sent_once => {
                    assert_eq!(*balance, left(place), "call {place}");
                    assert!(entry.is_none(), "call {place}");
                }
                Some(Err(Error::Refused(_))) if is_sent_once => {
                    assert!(entry.is_none(), "call {place}");
                }
                Some(Err(Error::Finished)) => {
                    assert!(plan.finishes_early);
                    assert!(entry.is_none() || !is_sent_once, "call {place}");
                }
                Some(Err(Error::Store(_))) if plan.is_cut => {}
                None | Some(Err(Error::InsufficientCredit { .. } | Error::Refused(_))) => {}
                Some(Err(error)) => panic!("call {place}: {error}"),
            }
        }
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    match std::env::var(name) {
        Ok(number) => number.parse().expect("a number"),
        Err(_) => otherwise,
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn whatever_comes_everybody_is_answered_and_the_order_of_each_account_is_kept() {
    let first = number("STORMS_FROM", 0);
    let (mut together, mut alone) = (0, 0);
    for number in first..first + number("STORMS", STORMS) {
        // Shown where the test fails.
        println!("storm {number}");
        let plan = plan(number);
        let mut storm = Storm::new(&plan).await;
        for step in &plan.steps {
            storm.take(step).await;
        }
        let outcomes = storm.end(plan.finishes_early).await;
        hold_against_entries(&storm, &plan, &outcomes).await;
        let findings = storm.world.findings().await;
        assert!(findings.is_empty(), "{findings:?}");
        let figures = storm.front.figures();
        assert_eq!((figures.ready, figures.in_lanes, figures.alone), (0, 0, 0));
        together += figures.answered_together;
        alone += figures.sent_alone;
    }
    // A storm that only ever went one way would show nothing of the other.
    assert!(together > 0 && alone > 0, "{together} {alone}");
    println!("{together} were answered together, {alone} sent alone");
}
