//! What these tests stand on: a database of their own, the program that serves it, a browser.

use std::process::{Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use credit_ledger::{Account, Charge, Credits, Grant, Ledger, Purpose, RequestId};
use fantoccini::Client;
use fence_guard::{Fence, Guard, Holder, Permit};
use testbed::TestDatabase;

use crate::chromium::{Driver, asked, log};
use crate::programs::Program;

/// How long a scenario may take, which waits for a lease to expire, on a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);
/// How long an opening means to hold.
const VALID_FOR: Duration = Duration::from_secs(30);

pub(crate) struct Stage {
    database: TestDatabase,
    ledger: Ledger,
    guard: Guard,
    origin: String,
    driver: Driver,
    _page: Program,
}

impl Stage {
    pub(crate) async fn set(test: &str) -> Stage {
        let database = testbed::database(test).await;
        let pool = sqlx::PgPool::connect(database.url())
            .await
            .expect("it was just made");
        let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
        fence_guard::install(&pool, &schemas)
            .await
            .expect("the database is empty");
        let guard = Guard::new(pool);
        let (page, origin) = Program::serve(database.url());
        Stage {
            ledger: Ledger::on(&guard),
            guard,
            database,
            origin,
            driver: Driver::start(),
            _page: page,
        }
    }

    /// A holder opens; another takes over; the first one's charge is refused.
    pub(crate) async fn refuse_a_late_write(&self, resource: &str) {
        let resource: fence_guard::Resource = resource.parse().expect("it is a name");
        let account = Account::new(resource.as_str()).expect("it is a name");
        self.ledger.open_account(&account).await.expect("it is new");
        let (amount, purpose) = (
            Credits::new(1).expect("it is positive"),
            Purpose::new("a query").expect("it is text"),
        );
        let grant = Grant {
            request: RequestId::random(),
            account: account.clone(),
            amount,
            purpose: purpose.clone(),
        };
        self.ledger
            .grant(&grant)
            .await
            .expect("the account is open");
        let permit = |fence| {
            Permit::new(
                resource.clone(),
                Fence::try_from(fence).expect("it is one"),
                Holder::random(),
            )
        };
        let late = self
            .guard
            .open(&permit(1_i64), VALID_FOR)
            .await
            .expect("nobody has opened");
        self.guard
            .open(&permit(2_i64), VALID_FOR)
            .await
            .expect("the fence is higher");
        let charge = Charge {
            request: RequestId::random(),
            account,
            amount,
            purpose,
        };
        self.ledger
            .charge(&late, &charge)
            .await
            .expect_err("it was overtaken");
    }

    /// The page in a browser of its own.
    pub(crate) async fn page(&self, path: &str) -> Client {
        let browser = self.driver.browser(1100, 1000).await;
        browser
            .goto(&format!("{}{path}", self.origin))
            .await
            .expect("the page is served");
        browser
    }

    /// Plays it against this database with the real program. True if it came out as documented.
    pub(crate) fn play_the_window(&self) -> JoinHandle<bool> {
        // What has to be built first is not what is waited for.
        let story = ["--quiet", "--package", "double-charge"];
        let built = Command::new(env!("CARGO"))
            .arg("build")
            .args(story)
            .status();
        assert!(
            built.is_ok_and(|status| status.success()),
            "the story is not built"
        );
        let mut play = Command::new(env!("CARGO"));
        play.args([
            "run",
            "--quiet",
            "--package",
            "double-charge",
            "--",
            "show",
            "window",
            "fence-opened",
        ]);
        play.env("DATABASE_URL", self.database.url())
            .env("REDIS_URL", testbed::shared().redis_url());
        play.stdout(Stdio::null());
        std::thread::spawn(move || play.status().is_ok_and(|status| status.success()))
    }

    /// Nothing was complained of on the console, and nothing was asked of anybody else.
    pub(crate) async fn ends_without_complaint(&self, page: Client) {
        let complaints = log(&page, "browser").await;
        assert!(complaints.is_empty(), "{complaints:?}");
        let asked = asked(&page).await;
        assert!(asked.len() >= 3, "the page and its files: {asked:?}");
        // What a browser opens with is a page of its own.
        let elsewhere = asked
            .iter()
            .filter(|url| !url.starts_with(&self.origin) && !url.starts_with("data:"));
        assert_eq!(elsewhere.collect::<Vec<_>>(), Vec::<&String>::new());
        page.close().await.expect("the browser ends");
    }
}
