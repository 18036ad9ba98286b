//! What these tests stand on: a database of their own, the program that serves it, a browser.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::thread::JoinHandle;
use std::time::Duration;

use credit_ledger::{Account, Charge, Credits, Grant, Ledger, Purpose, RequestId};
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use fence_guard::{Fence, Guard, Holder, Permit};
use hyper_util::client::legacy::connect::HttpConnector;
use nix::sys::signal::{Signal, killpg};
use nix::unistd::Pid;
use serde_json::{Value, json};
use testbed::TestDatabase;

/// How long a scenario may take, which waits for a lease to expire, on a machine that is busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(240);
/// How long an opening means to hold.
const VALID_FOR: Duration = Duration::from_secs(30);
const NO_BROWSER: &str = "there is no chromedriver: `cargo xtask test` installs it, or run `apt-get install chromium chromium-driver` as root";

pub(crate) struct Stage {
    database: TestDatabase,
    ledger: Ledger,
    guard: Guard,
    origin: String,
    driver: String,
    _children: [Tied; 2],
}

/// A child process that ends with its handle, and with it whatever it has started: a driver that is killed alone leaves its
/// browsers behind.
struct Tied(Child);

impl Drop for Tied {
    fn drop(&mut self) {
        let group = i32::try_from(self.0.id()).expect("it is a process");
        let _ = killpg(Pid::from_raw(group), Signal::SIGKILL);
        let _ = self.0.wait();
    }
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
        let mut serve = Command::new(env!("CARGO_BIN_EXE_ledger"));
        serve
            .args(["serve", "--listen", "127.0.0.1:0"])
            .env("DATABASE_URL", database.url());
        let (page, line) = started(serve, "http://", "it is our own program");
        let mut driver = Command::new(chosen("CHROMEDRIVER").unwrap_or("chromedriver".to_owned()));
        driver.arg("--port=0");
        let (chromedriver, said) = started(driver, "started successfully on port", NO_BROWSER);
        let port = said
            .trim_end_matches('.')
            .rsplit(' ')
            .next()
            .expect("it names its port");
        Stage {
            ledger: Ledger::on(&guard),
            guard,
            database,
            origin: line.trim_end_matches('/').to_owned(),
            driver: format!("http://127.0.0.1:{port}"),
            _children: [page, chromedriver],
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
        // CI runs as root, whom Chromium refuses its sandbox.
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--window-size=1100,1000",
        ];
        let options = match chosen("CHROMIUM") {
            Some(binary) => json!({ "args": arguments, "binary": binary }),
            None => json!({ "args": arguments }),
        };
        let Value::Object(capabilities) = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        }) else {
            unreachable!("it is an object")
        };
        let browser = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&self.driver)
            .await;
        let browser = browser.unwrap_or_else(|error| panic!("no browser: {error}; {NO_BROWSER}"));
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
        let asked = log(&page, "performance")
            .await
            .into_iter()
            .filter_map(|entry| {
                let message: Value = serde_json::from_str(entry["message"].as_str()?).ok()?;
                let sent = message["message"]["method"] == "Network.requestWillBeSent";
                sent.then(|| {
                    message["message"]["params"]["request"]["url"]
                        .as_str()
                        .map(str::to_owned)
                })?
            });
        let asked: Vec<String> = asked.collect();
        assert!(asked.len() >= 3, "the page and its files: {asked:?}");
        // What a browser opens with is a page of its own.
        let elsewhere = asked
            .iter()
            .filter(|url| !url.starts_with(&self.origin) && !url.starts_with("data:"));
        assert_eq!(elsewhere.collect::<Vec<_>>(), Vec::<&String>::new());
        page.close().await.expect("the browser ends");
    }
}

/// What a variable chooses.
fn chosen(variable: &str) -> Option<String> {
    std::env::var(variable)
        .ok()
        .filter(|chosen| !chosen.is_empty())
}

/// Starts a program and waits for its line that contains `word`.
fn started(mut command: Command, word: &str, else_say: &str) -> (Tied, String) {
    command.stdout(Stdio::piped()).process_group(0);
    let child = testbed::spawn_tied(command, Signal::SIGKILL);
    let mut child = child.unwrap_or_else(|error| panic!("{else_say} ({error})"));
    let mut output = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let line = output.find_map(|line| line.ok().filter(|line| line.contains(word)));
    let line = line.unwrap_or_else(|| panic!("it ended without a word of {word:?}: {else_say}"));
    // It may write on: to nobody, but not into a closed pipe.
    std::thread::spawn(move || output.for_each(drop));
    (Tied(child), line)
}

/// What chromedriver has kept of a log, which this empties.
async fn log(page: &Client, kind: &'static str) -> Vec<Value> {
    let entries = page
        .issue_cmd(Log(kind))
        .await
        .expect("chromedriver keeps it");
    entries.as_array().expect("it is a list").clone()
}

/// Chromedriver's own command for its logs.
#[derive(Debug)]
struct Log(&'static str);

impl WebDriverCompatibleCommand for Log {
    fn endpoint(
        &self,
        base: &url::Url,
        session: Option<&str>,
    ) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/se/log", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (
            http::Method::POST,
            Some(json!({ "type": self.0 }).to_string()),
        )
    }
}
