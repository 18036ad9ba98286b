//! A headless Chromium, driven by chromedriver: one driver for all tests of a process, a session for each.

use std::cell::RefCell;
use std::io::{BufRead, BufReader};
use std::panic::AssertUnwindSafe;
use std::process::{Child, Command, Stdio};
use std::sync::OnceLock;
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use futures_util::FutureExt;
use http::Method;
use hyper_util::client::legacy::connect::HttpConnector;
use nix::sys::signal::Signal;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

/// How long anything on a page may take. It is looked at often; no test waits for less than what it waits for.
const WITHIN: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How many browsers run at one time.
static PLACES: Semaphore = Semaphore::const_new(2);

const NO_BROWSER: &str = "there is no chromedriver: run `apt-get install chromium chromium-driver`, or `cargo xtask test`, which does";

/// A browser with one page.
pub(crate) struct Browser {
    client: Client,
    forgiven: RefCell<Vec<&'static str>>,
}

/// The programs, and where the driver listens.
struct Driver {
    /// It ends with this process; every test has closed its browser by then.
    _program: Child,
    url: String,
    /// Debian's chromedriver finds Debian's Chromium.
    browser: Option<String>,
}

impl Browser {
    /// Runs a test in a browser of its own, which ends with it. At its end nothing may stand on the console, and
    /// nothing may have been asked for elsewhere than where the test went.
    pub(crate) async fn run(test: impl AsyncFnOnce(&Browser)) {
        let _place = PLACES.acquire().await.expect("nobody closes it");
        let browser = Browser::start().await;
        let tested = AssertUnwindSafe(async {
            test(&browser).await;
            browser.was_quiet().await;
        });
        let tested = tested.catch_unwind().await;
        // A browser that is gone has ended, too.
        let _ = browser.client.close().await;
        if let Err(panic) = tested {
            std::panic::resume_unwind(panic);
        }
    }

    async fn start() -> Browser {
        let driver = tokio::task::spawn_blocking(driver)
            .await
            .expect("the driver starts");
        // No test depends on its sandbox, which root cannot have.
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-dev-shm-usage",
            "--window-size=1200,900",
        ];
        let options = match &driver.browser {
            Some(binary) => json!({ "args": arguments, "binary": binary }),
            None => json!({ "args": arguments }),
        };
        let capabilities = json!({
            "goog:chromeOptions": options,
            "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" },
        });
        let Value::Object(capabilities) = capabilities else {
            unreachable!("it is an object")
        };
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities)
            .connect(&driver.url)
            .await
            .unwrap_or_else(|error| panic!("no browser: {error}; {NO_BROWSER}"));
        Browser {
            client,
            forgiven: RefCell::default(),
        }
    }

    pub(crate) async fn go(&self, url: &str) {
        self.client.goto(url).await.expect("the page comes");
    }

    /// Clicks on what a selector finds first.
    pub(crate) async fn click(&self, selector: &str) {
        let element = self.client.find(Locator::Css(selector)).await;
        element.expect(selector).click().await.expect(selector);
    }

    /// Follows a link by the keyboard: what lies over it does not matter.
    pub(crate) async fn follow(&self, selector: &str) {
        self.run_script(&format!("document.querySelector('{selector}').focus()"))
            .await;
        self.press(char::from(Key::Enter)).await;
    }

    async fn press(&self, value: char) {
        let keys = KeyActions::new("keys".to_owned());
        let keys = keys
            .then(KeyAction::Down { value })
            .then(KeyAction::Up { value });
        self.client
            .perform_actions(keys)
            .await
            .expect("there is a keyboard");
    }

    /// Runs a script in the page; what it returns is the answer.
    pub(crate) async fn run_script(&self, script: &str) -> Value {
        self.client
            .execute(script, vec![])
            .await
            .unwrap_or_else(|error| panic!("{error}: {script}"))
    }

    pub(crate) async fn text_of(&self, script: &str) -> String {
        self.run_script(script)
            .await
            .as_str()
            .map(str::to_owned)
            .unwrap_or_else(|| panic!("no text: {script}"))
    }

    pub(crate) async fn number_of(&self, script: &str) -> i64 {
        self.run_script(script)
            .await
            .as_i64()
            .unwrap_or_else(|| panic!("no number: {script}"))
    }

    pub(crate) async fn holds(&self, what: &str, script: &str) {
        let value = self.run_script(script).await;
        assert_eq!(
            value,
            Value::Bool(true),
            "{what}: {script}\n{}",
            self.seen().await
        );
    }

    /// Waits until a script returns true; a page that is just being replaced is asked again.
    pub(crate) async fn until(&self, what: &str, script: &str) {
        let deadline = Instant::now() + WITHIN;
        while !matches!(
            self.client.execute(script, vec![]).await,
            Ok(Value::Bool(true))
        ) {
            assert!(
                Instant::now() < deadline,
                "not within {WITHIN:?}: {what}\n{}",
                self.seen().await
            );
            sleep(LOOK_EVERY).await;
        }
    }

    /// What a reader sees, for who has to find out why a test failed.
    async fn seen(&self) -> String {
        let text = self
            .client
            .execute(
                "return location.href + '\\n' + document.body.innerText",
                vec![],
            )
            .await;
        text.map_or_else(
            |error| error.to_string(),
            |text| text.as_str().unwrap_or_default().to_owned(),
        )
    }

    /// Says that a line of the console with this in it is what the test is about.
    pub(crate) fn forgive(&self, part: &'static str) {
        self.forgiven.borrow_mut().push(part);
    }

    async fn was_quiet(&self) {
        let lines = self.log("browser").await;
        let forgiven = self.forgiven.borrow().clone();
        let bad = lines
            .iter()
            .filter(|line| !forgiven.iter().any(|part| line.contains(part)));
        assert_eq!(
            bad.collect::<Vec<_>>(),
            Vec::<&String>::new(),
            "on the console"
        );
        let origin = self.text_of("return location.origin").await;
        for message in self.log("performance").await {
            let message: Value = serde_json::from_str(&message).expect("the log is JSON");
            let message = &message["message"];
            let url = message["params"]["request"]["url"].as_str();
            if let Some(url) = url.filter(|_| message["method"] == "Network.requestWillBeSent") {
                assert!(url.starts_with(&origin), "asked for elsewhere: {url}");
            }
        }
    }

    async fn log(&self, kind: &'static str) -> Vec<String> {
        let lines = self
            .client
            .issue_cmd(Log(kind))
            .await
            .expect("chromedriver has the log");
        let lines = lines.as_array().cloned().unwrap_or_default();
        lines
            .iter()
            .filter_map(|line| line["message"].as_str())
            .map(str::to_owned)
            .collect()
    }
}

/// Chromedriver's own command that hands out what was logged.
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

    fn method_and_body(&self, _: &url::Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "type": self.0 }).to_string()))
    }
}

/// The driver of this process.
fn driver() -> &'static Driver {
    static DRIVER: OnceLock<Driver> = OnceLock::new();
    DRIVER.get_or_init(start_driver)
}

fn start_driver() -> Driver {
    let mut command = Command::new(chosen("CHROMEDRIVER").unwrap_or("chromedriver".to_owned()));
    command.arg("--port=0").stdout(Stdio::piped());
    let child = testbed::spawn_tied(command, Signal::SIGKILL);
    let mut child = child.unwrap_or_else(|error| panic!("{NO_BROWSER} ({error})"));
    let said = child.stdout.take().expect("it is piped");
    let mut said = BufReader::new(said).lines().map_while(Result::ok);
    let port = said.find_map(|line| {
        let rest = line.split_once("started successfully on port ")?.1;
        rest.trim_end_matches('.').parse::<u16>().ok()
    });
    let port = port.expect("chromedriver says its port");
    // It would stop where nobody reads what it says.
    std::thread::spawn(move || said.for_each(drop));
    Driver {
        _program: child,
        url: format!("http://127.0.0.1:{port}"),
        browser: chosen("CHROMIUM"),
    }
}

/// What a variable chooses.
fn chosen(variable: &str) -> Option<String> {
    std::env::var(variable)
        .ok()
        .filter(|chosen| !chosen.is_empty())
}
