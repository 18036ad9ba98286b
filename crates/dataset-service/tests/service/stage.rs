//! A database and a key prefix of one test, a customer with credits, and instances on them.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use credit_ledger::{Account, Credits, Grant, Ledger, Purpose, RequestId, Standing};
use fence_guard::Guard;
use fenced_section::{LeaseLock, Prefix};
use sqlx::PgPool;
use sqlx::postgres::PgPoolOptions;
use testbed::TestDatabase;
use tokio::task::JoinHandle;

use crate::call::{Answer, Ask, get};
use crate::instance::Instance;

/// Whatever is waited for comes within this time, also on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);
/// How often a client asks again that does not wait as long as it is told to.
const AGAIN: Duration = Duration::from_millis(50);
/// Longer than any test: the lease ends when it is given back, or never.
pub(crate) const LONG: [(&str, &str); 3] = [
    ("TTL_MS", "600000"),
    ("HOLD_MS", "1200000"),
    ("QUERY_LIMIT_MS", "120000"),
];
/// Short, and long enough for everything but a process that stands still.
pub(crate) const SHORT: [(&str, &str); 3] = [
    ("TTL_MS", "3000"),
    ("HOLD_MS", "600000"),
    ("QUERY_LIMIT_MS", "2700"),
];
/// What stands in the slow query, and in no other statement.
pub(crate) const QUERY: &str = "generate_series";
/// The user of every test, who starts with [`BALANCE`].
pub(crate) const USER: &str = "7";
pub(crate) const BALANCE: i64 = 10;

pub(crate) struct Stage {
    url: String,
    /// Of the shared server; dropped with it.
    _database: Option<TestDatabase>,
    prefix: String,
    pub(crate) pool: PgPool,
    pub(crate) ledger: Ledger,
}

impl Stage {
    /// Tables in place, and a user with credits.
    pub(crate) async fn new(test: &str) -> Stage {
        let database = testbed::database(test).await;
        let url = database.url().to_owned();
        let stage = Stage::at(url, test).await;
        Stage {
            _database: Some(database),
            ..stage
        }
    }

    /// The same on a database of a server of its own.
    pub(crate) async fn at(url: String, test: &str) -> Stage {
        let pool = PgPoolOptions::new()
            .max_connections(2)
            .connect(&url)
            .await
            .unwrap();
        let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
        fence_guard::install(&pool, &schemas).await.unwrap();
        let stage = Stage {
            url,
            _database: None,
            prefix: testbed::prefix(test),
            ledger: Ledger::on(&Guard::new(pool.clone())),
            pool,
        };
        stage.grant(USER, BALANCE).await;
        stage
    }

    pub(crate) async fn grant(&self, user: &str, credits: i64) {
        let account = account(user);
        self.ledger.open_account(&account).await.unwrap();
        let grant = Grant {
            request: RequestId::random(),
            account,
            amount: Credits::new(credits).unwrap(),
            purpose: Purpose::new("first payment").unwrap(),
        };
        self.ledger.grant(&grant).await.unwrap();
    }

    /// Its URL.
    pub(crate) fn database_url(&self) -> &str {
        &self.url
    }

    /// Starts an instance with these options; later ones count.
    pub(crate) async fn instance(&self, options: &[&[(&str, &str)]]) -> Instance {
        self.start(options).await.unwrap()
    }

    pub(crate) async fn start(&self, options: &[&[(&str, &str)]]) -> anyhow::Result<Instance> {
        let own = [
            ("DATABASE_URL", self.url.as_str()),
            ("REDIS_URL", testbed::shared().redis_url()),
            ("PREFIX", self.prefix.as_str()),
        ];
        let all = own.iter().chain(options.iter().copied().flatten());
        let all: Vec<_> = all
            .map(|&(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        Instance::start(program(), &all).await
    }

    /// A client of the same leases, on another Redis.
    pub(crate) async fn locks(&self, redis_url: &str) -> LeaseLock {
        LeaseLock::connect(redis_url, Prefix::new(&self.prefix).unwrap())
            .await
            .unwrap()
    }

    pub(crate) async fn standing(&self) -> Standing {
        self.ledger.standing(&account(USER)).await.unwrap().unwrap()
    }

    /// How often the user was charged, and that nothing is held any more, and that every rule holds.
    pub(crate) async fn assert_charged(&self, times: i64) {
        let standing = self.standing().await;
        assert_eq!((standing.balance, standing.held), (BALANCE - times, 0));
        let captures: i64 = self
            .count(
                "select count(*) from credit.entry where operation = 'charge' and hold is not null",
            )
            .await;
        assert_eq!(captures, times, "one entry for each");
        let answered = self
            .count("select count(*) from dataset.query where answer is not null")
            .await;
        assert_eq!(answered, times, "one answer for each");
        let findings = self.ledger.audit().await.unwrap();
        assert!(findings.is_empty(), "{findings:?}");
    }

    /// That nothing was charged, and that so much is held still.
    pub(crate) async fn assert_held(&self, held: i64) {
        let standing = self.standing().await;
        assert_eq!((standing.balance, standing.held), (BALANCE, held));
    }

    /// The refused writes, in their order: what was to be done, and why it was not.
    pub(crate) async fn refusals(&self) -> Vec<(String, String)> {
        sqlx::query_as("select operation, reason from fence.refusals(null, 0, null)")
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    pub(crate) async fn count(&self, sql: &'static str) -> i64 {
        sqlx::query_scalar(sql).fetch_one(&self.pool).await.unwrap()
    }
}

pub(crate) fn account(user: &str) -> Account {
    Account::new(format!("user:{user}")).unwrap()
}

/// The binary that cargo has built for this test.
pub(crate) fn program() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_dataset-service"))
}

/// A query of the user over January.
pub(crate) fn query(dataset: &str, key: &str) -> Ask {
    Ask {
        user: USER.to_owned(),
        dataset: dataset.to_owned(),
        key: key.to_owned(),
        body: r#"{"from": 1, "to": 31}"#.to_owned(),
    }
}

pub(crate) async fn ask(instance: &Instance, ask: &Ask) -> Answer {
    ask.of(instance.listen, PATIENCE).await.unwrap()
}

/// Asks in the background.
pub(crate) fn asking(instance: &Instance, ask: &Ask) -> JoinHandle<anyhow::Result<Answer>> {
    let (server, ask) = (instance.listen, ask.clone());
    tokio::spawn(async move { ask.of(server, PATIENCE).await })
}

/// The answer to what was asked in the background.
pub(crate) async fn answer_of(asking: JoinHandle<anyhow::Result<Answer>>) -> Answer {
    asking.await.unwrap().unwrap()
}

/// Asks again, as the answers say, until it is answered. Each of them must be one of these.
pub(crate) async fn ask_until_answered(server: SocketAddr, ask: &Ask, allowed: &[u16]) -> Answer {
    let answered = async {
        loop {
            let answer = ask.of(server, PATIENCE).await.unwrap();
            if answer.status == 200 {
                return answer;
            }
            assert!(allowed.contains(&answer.status), "{answer:?}");
            // Sooner than it is told to: a query may be over long before its lease.
            tokio::time::sleep(answer.retry_after().unwrap().min(AGAIN)).await;
        }
    };
    within("an answer", answered).await
}

pub(crate) async fn got(server: SocketAddr, path: &str) -> Answer {
    get(server, path, PATIENCE).await.unwrap()
}

/// # Panics
/// When it does not come in time.
pub(crate) async fn within<T>(what: &str, event: impl Future<Output = T>) -> T {
    match tokio::time::timeout(PATIENCE, event).await {
        Ok(value) => value,
        Err(_) => panic!("{what} has not come within {PATIENCE:?}"),
    }
}
