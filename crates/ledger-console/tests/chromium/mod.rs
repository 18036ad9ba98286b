//! Chromium without a window, and the chromedriver that drives it.
//!
//! Where there is none the tests fail, and say what helps.

use std::process::Command;

use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

use crate::programs::Program;

const NO_BROWSER: &str = "there is no chromedriver: `cargo xtask test` installs it, or run `apt-get install chromium chromium-driver` as root";

/// A chromedriver. It ends with its handle, and takes its browsers along.
pub(crate) struct Driver {
    _program: Program,
    url: String,
}

impl Driver {
    pub(crate) fn start() -> Driver {
        let mut command = Command::new(chosen("CHROMEDRIVER").unwrap_or("chromedriver".to_owned()));
        command.arg("--port=0");
        let (program, said) = Program::start(command, "started successfully on port", NO_BROWSER);
        let port = said.trim_end_matches('.').rsplit(' ').next();
        Driver {
            _program: program,
            url: format!("http://127.0.0.1:{}", port.expect("it names its port")),
        }
    }

    /// A browser with an empty page of this size.
    pub(crate) async fn browser(&self, width: u16, height: u16) -> Client {
        let size = format!("--window-size={width},{height}");
        // CI runs as root, whom Chromium refuses its sandbox.
        let arguments = [
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            size.as_str(),
        ];
        // Debian's chromedriver finds Debian's Chromium.
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
            .connect(&self.url)
            .await;
        browser.unwrap_or_else(|error| panic!("no browser: {error}; {NO_BROWSER}"))
    }
}

/// What chromedriver has kept of a log, line by line; this empties it.
pub(crate) async fn log(browser: &Client, kind: &'static str) -> Vec<String> {
    let entries = browser.issue_cmd(Log(kind)).await;
    let entries = entries.expect("chromedriver keeps it");
    let entries = entries.as_array().expect("it is a list");
    let text = |entry: &Value| entry["message"].as_str().map(str::to_owned);
    entries
        .iter()
        .map(|entry| text(entry).expect("it has a message"))
        .collect()
}

/// The URLs that a browser has asked for since its log was emptied.
pub(crate) async fn asked(browser: &Client) -> Vec<String> {
    let mut urls = Vec::new();
    for line in log(browser, "performance").await {
        let line: Value = serde_json::from_str(&line).expect("the log is JSON");
        let event = &line["message"];
        if event["method"] == "Network.requestWillBeSent" {
            let url = event["params"]["request"]["url"].as_str();
            urls.push(url.expect("a request has a URL").to_owned());
        }
    }
    urls
}

/// What a variable chooses.
fn chosen(variable: &str) -> Option<String> {
    std::env::var(variable)
        .ok()
        .filter(|chosen| !chosen.is_empty())
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
        let body = json!({ "type": self.0 }).to_string();
        (http::Method::POST, Some(body))
    }
}
