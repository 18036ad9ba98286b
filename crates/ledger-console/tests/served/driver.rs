//! What a test does in a browser of its own, and sees there.

use std::cell::RefCell;
use std::panic::AssertUnwindSafe;
use std::time::Duration;

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::key::Key;
use fantoccini::{Client, Locator};
use futures_util::FutureExt;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::time::{Instant, sleep};

use crate::chromium::{Driver, asked, log};

/// How long anything on a page may take. It is looked at often; no test waits for less than what it waits for.
const WITHIN: Duration = Duration::from_secs(30);
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// How many browsers run at one time.
static PLACES: Semaphore = Semaphore::const_new(2);

/// A browser with one page.
pub(crate) struct Browser {
    client: Client,
    forgiven: RefCell<Vec<&'static str>>,
    _driver: Driver,
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
        let driver = tokio::task::spawn_blocking(Driver::start);
        let driver = driver.await.expect("the driver starts");
        let client = driver.browser(1200, 900).await;
        Browser {
            client,
            forgiven: RefCell::default(),
            _driver: driver,
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
        let lines = log(&self.client, "browser").await;
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
        for url in asked(&self.client).await {
            assert!(url.starts_with(&origin), "asked for elsewhere: {url}");
        }
    }
}
