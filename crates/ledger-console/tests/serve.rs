//! Whom `ledger serve` answers, and with what, asked byte by byte as no browser would.

mod programs;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use programs::Program;

/// How long an answer may take.
const WITHIN: Duration = Duration::from_secs(30);

struct Served {
    _program: Program,
    authority: String,
}

fn ledger(arguments: &[&str], database: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger"));
    command
        .args(arguments)
        .env("DATABASE_URL", database)
        .env_remove("REDIS_URL");
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Served {
    fn on(database: &str) -> Served {
        let (program, origin) = Program::serve(database);
        let authority = origin.trim_start_matches("http://").to_owned();
        Served {
            _program: program,
            authority,
        }
    }

    /// The answer to a request line, in lower case, asked for under `host`.
    fn ask(&self, request: &str, host: &str) -> String {
        let mut stream = TcpStream::connect(&self.authority).expect("it listens");
        stream
            .set_read_timeout(Some(WITHIN))
            .expect("it is a bound");
        write!(
            stream,
            "{request} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
        )
        .expect("it reads");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("it answers");
        answer.to_lowercase()
    }
}

async fn database(test: &str) -> testbed::TestDatabase {
    let database = testbed::database(test).await;
    let pool = sqlx::PgPool::connect(database.url())
        .await
        .expect("it was just made");
    let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
    fence_guard::install(&pool, &schemas)
        .await
        .expect("the database is empty");
    database
}

#[tokio::test]
async fn only_who_asks_by_a_name_of_this_machine_is_answered_and_only_get_and_head() {
    let database = database("serve door").await;
    let served = Served::on(database.url());
    let port = served
        .authority
        .rsplit(':')
        .next()
        .expect("it has a port")
        .to_owned();
    for host in [served.authority.clone(), format!("localhost:{port}")] {
        assert!(
            served.ask("GET /", &host).starts_with("http/1.1 200"),
            "{host}"
        );
    }
    for host in [format!("evil.example:{port}"), "127.0.0.1".to_owned()] {
        assert!(
            served.ask("GET /", &host).starts_with("http/1.1 421"),
            "{host}"
        );
    }
    assert!(
        served
            .ask("HEAD /", &served.authority)
            .starts_with("http/1.1 200")
    );
    for method in ["POST", "PUT", "DELETE", "OPTIONS"] {
        let answer = served.ask(&format!("{method} /"), &served.authority);
        assert!(answer.starts_with("http/1.1 405"), "{answer}");
    }
}

#[tokio::test]
async fn every_answer_forbids_what_the_page_does_not_need() {
    let database = database("serve headers").await;
    let served = Served::on(database.url());
    for path in ["/", "/page.js", "/page.css", "/none", "/?reason=hope"] {
        let answer = served.ask(&format!("GET {path}"), &served.authority);
        for header in [
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self'",
            "frame-ancestors 'none'",
            "x-content-type-options: nosniff",
            "referrer-policy: no-referrer",
        ] {
            assert!(answer.contains(header), "{path}: {answer}");
        }
    }
    assert!(
        served
            .ask("GET /?reason=hope", &served.authority)
            .starts_with("http/1.1 400")
    );
}

#[tokio::test]
async fn beyond_loopback_it_listens_only_when_told_to() {
    let database = database("serve loopback").await;
    let mut refused = ledger(&["serve", "--listen", "0.0.0.0:0"], database.url());
    let mut child = refused.spawn().expect("it starts");
    // Its first line says that it listens; refused, it ends without one.
    let mut line = String::new();
    let output = child.stdout.take().expect("it is piped");
    BufReader::new(output)
        .read_line(&mut line)
        .expect("it can be read");
    let _ = child.kill();
    let output = child.wait_with_output().expect("it is our child");
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(line, "", "it listens");
    assert_eq!(output.status.code(), Some(3), "{errors}");
    assert!(errors.contains("--beyond-loopback"), "{errors}");
}

#[test]
fn while_postgres_is_away_the_page_says_so_and_comes_back_by_itself() {
    let mut server = testbed::PostgresServer::start(&testbed::Options::throw_away().durable())
        .expect("it starts");
    let url = server.url().to_owned();
    let runtime = tokio::runtime::Runtime::new().expect("there is one");
    runtime.block_on(async {
        let pool = sqlx::PgPool::connect(&url).await.expect("it is up");
        let schemas = [fence_guard::SCHEMA, credit_ledger::SCHEMA];
        fence_guard::install(&pool, &schemas)
            .await
            .expect("it is empty");
    });
    let served = Served::on(&url);
    server.kill_nine().expect("it runs");
    let answer = served.ask("GET /", &served.authority);
    assert!(answer.starts_with("http/1.1 503"), "{answer}");
    assert!(
        answer.contains("/page.js") && answer.contains("postgres does not answer"),
        "{answer}"
    );
    server.restart().expect("it starts again");
    let answer = served.ask("GET /", &served.authority);
    assert!(answer.starts_with("http/1.1 200"), "{answer}");
}
