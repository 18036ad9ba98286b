//! The README's commands are run, and say what the README shows.

use std::env;
use std::path::Path;
use std::process::Command;

use regex::Regex;
use tokio::runtime::Runtime;

#[path = "../examples/load/instance.rs"]
#[allow(dead_code, reason = "this instance is neither frozen nor killed")]
mod instance;

const README: &str = include_str!("../README.md");
/// A command; what comes after it is what it says. A line that starts with `> ` goes on with it.
const PROMPT: &str = "$ ";
const GOES_ON: &str = "\n> ";

/// What the README shows as a session: before it, the session, after it.
fn session() -> [&'static str; 3] {
    let (before, after) = README
        .split_once("```console\n")
        .expect("the README shows a session");
    let (session, after) = after.split_once("```").expect("to its end");
    [before, session, after]
}

/// Its commands, as they are typed, and what each says.
fn steps(session: &'static str) -> Vec<(&'static str, &'static str)> {
    let steps = session.split(PROMPT).skip(1).map(|step| {
        let typed = step.rfind(GOES_ON).map_or(0, |last| last + GOES_ON.len());
        let end = step[typed..].find('\n').expect("a command is a line");
        step.split_at(typed + end + 1)
    });
    steps.collect()
}

/// What differs from run to run: dates, and how much is left of a lease.
fn settled(text: &str) -> String {
    let date = Regex::new(r"(?m)^date: .*$")
        .unwrap()
        .replace_all(text, "date: …");
    let retry = Regex::new(r"(?m)^retry-after: \d+").unwrap();
    retry.replace_all(&date, "retry-after: …").into_owned()
}

#[test]
fn the_commands_of_the_readme_say_what_it_shows() {
    let runtime = Runtime::new().unwrap();
    let database = runtime.block_on(testbed::database("transcript"));
    let prefix = testbed::prefix("transcript");
    let program = Path::new(env!("CARGO_BIN_EXE_dataset-service"));
    let options = [
        ("DATABASE_URL", database.url()),
        ("REDIS_URL", testbed::shared().redis_url()),
        ("PREFIX", &prefix),
        // As the README starts it.
        ("QUERY_TAKES_MS", "1500"),
    ];
    let options: Vec<_> = options
        .iter()
        .map(|&(name, value)| (name.to_owned(), value.to_owned()))
        .collect();
    let service = runtime
        .block_on(instance::Instance::start(program, &options))
        .unwrap();
    let path = format!(
        "{}:{}",
        program.parent().unwrap().display(),
        env::var("PATH").unwrap_or_default()
    );
    let [before, shown, after] = session();
    let mut blessed = format!("{before}```console\n");
    for (typed, said) in steps(shown) {
        let command = typed.replace(GOES_ON, "\n");
        let output = Command::new("sh")
            .args(["-c", &command])
            .env("SERVICE", format!("http://{}", service.listen))
            .env("OPS", format!("http://{}", service.ops))
            .env("DATABASE_URL", database.url())
            .env("PATH", &path)
            .output()
            .unwrap();
        let complaints = String::from_utf8_lossy(&output.stderr);
        let says = String::from_utf8_lossy(&output.stdout).replace('\r', "");
        blessed += &format!("{PROMPT}{typed}{says}");
        // A body without a line end is shown with one.
        blessed += if says.is_empty() || says.ends_with('\n') {
            ""
        } else {
            "\n"
        };
        if env::var_os("BLESS").is_none() {
            assert_eq!(
                settled(&says).trim_end(),
                settled(said).trim_end(),
                "$ {command}\n{complaints}"
            );
        }
    }
    if env::var_os("BLESS").is_some() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
        std::fs::write(path, format!("{blessed}```{after}")).expect("the README can be written");
    }
}
