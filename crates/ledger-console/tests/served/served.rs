//! `ledger serve` on a test's own database, and rows for it.

use fence_guard::OpeningRow;
use promises::{World, charge, permit};
use testbed::TestDatabase;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::programs::Program;

/// The program, which ends with this, and the database that it serves.
pub(crate) struct Served {
    _program: Program,
    origin: String,
    world: World,
    _database: Option<TestDatabase>,
}

/// An answer, as it came.
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// In lower case.
    head: String,
    pub(crate) body: String,
}

impl Served {
    /// A database of its own.
    pub(crate) async fn new() -> Served {
        let thread = std::thread::current();
        let database = testbed::database(thread.name().unwrap_or("served")).await;
        let mut served = Served::at(database.url()).await;
        served._database = Some(database);
        served
    }

    /// The database that is there.
    pub(crate) async fn at(url: &str) -> Served {
        let world = World::at(url).await;
        let (program, origin) = Program::serve(url);
        Served {
            _program: program,
            origin,
            world,
            _database: None,
        }
    }

    /// Where a path of it is.
    pub(crate) fn url(&self, path: &str) -> String {
        format!("{}{path}", self.origin)
    }

    pub(crate) fn port(&self) -> &str {
        self.origin.rsplit(':').next().unwrap_or_default()
    }

    pub(crate) fn pool(&self) -> &sqlx::PgPool {
        self.world.pool()
    }

    /// Asks for a path as a browser would, with more lines in the head.
    pub(crate) async fn get(&self, path: &str, more: &str) -> Answer {
        let head = format!(
            "GET {path} HTTP/1.1\r\nHost: localhost:{}\r\n{more}",
            self.port()
        );
        self.send(&head).await
    }

    /// Sends a head, whatever it is, and reads what is answered.
    pub(crate) async fn send(&self, head: &str) -> Answer {
        let mut stream = TcpStream::connect(self.origin.trim_start_matches("http://"))
            .await
            .expect("the page listens");
        let request = format!("{head}Connection: close\r\n\r\n");
        stream
            .write_all(request.as_bytes())
            .await
            .expect("it takes requests");
        let mut answer = String::new();
        stream
            .read_to_string(&mut answer)
            .await
            .expect("it answers in UTF-8");
        let (head, body) = answer.split_once("\r\n\r\n").expect("a head ends");
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        Answer {
            status: status.expect("an answer has a status"),
            head: head.to_lowercase(),
            body: body.to_owned(),
        }
    }

    /// Two openings of the resource, of which the second refuses a charge of the first, and charges itself.
    pub(crate) async fn a_refused_charge(&self, resource: &str, account: &str) {
        let account = self.world.account(account, 10).await;
        let mut session = self.world.session().await;
        let (late, newest) = (permit(resource, 1), permit(resource, 2));
        for opened in [&late, &newest] {
            session.open(opened).await.expect("it opens");
        }
        session
            .charge(&late, &charge(&account, 1))
            .await
            .expect("it is refused");
        session
            .charge(&newest, &charge(&account, 1))
            .await
            .expect("it is charged");
    }

    /// One more refused charge, of a holder that has opened nothing, under a fence that was overtaken.
    pub(crate) async fn one_more_refusal(&self, resource: &str, account: &str) {
        let account = self.world.account(account, 0).await;
        let charge = charge(&account, 1);
        let answer = self
            .world
            .session()
            .await
            .charge(&permit(resource, 1), &charge)
            .await;
        assert_eq!(answer.expect("it is answered").outcome, "stale");
    }

    /// Openings under these fences, each of a holder of its own.
    pub(crate) async fn openings(&self, resource: &str, fences: impl Iterator<Item = u64>) {
        let mut session = self.world.session().await;
        for fence in fences {
            session
                .open(&permit(resource, fence))
                .await
                .expect("it opens");
        }
    }

    pub(crate) async fn openings_of(&self, resource: &str) -> Vec<OpeningRow> {
        self.world.openings(resource).await
    }
}

impl Answer {
    /// A line of the head.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut lines = self.head.lines();
        lines.find_map(|line| line.strip_prefix(name)?.strip_prefix(": "))
    }
}
