//! The clients: each asks one query after the other, and each until it is answered, as the semantics of the key
//! demand: the same key, the same query, on whichever instance answers.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use tokio::task::JoinSet;
use uuid::Uuid;

use crate::call::{Answer, Ask};
use crate::fleet::{Addresses, Fleet};

/// How many clients share a user: they get into each other's way.
const CLIENTS_PER_USER: u16 = 4;
/// How many datasets a user has.
const DATASETS: u16 = 3;
/// How long a client waits for an answer. A frozen instance says nothing for longer.
const ANSWERED_WITHIN: Duration = Duration::from_secs(1);
/// How long a client waits before it asks again: less than it is told, for the sake of the load.
const AGAIN: Duration = Duration::from_millis(60);
/// A query is answered within this time after the last thing has happened, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(120);
/// Every so manieth query is sent once more after it was answered.
const SENT_TWICE: usize = 10;

/// The running clients.
pub(crate) struct Clients(JoinSet<anyhow::Result<Heard>>);

/// What clients heard.
#[derive(Debug, Default)]
pub(crate) struct Heard {
    /// Keys that were answered with 200, by user.
    pub(crate) answered: BTreeMap<String, i64>,
    /// Of these, those whose first 200 was the answer that an earlier try had come to.
    pub(crate) replayed: u64,
    /// Requests that were sent.
    pub(crate) sent: u64,
    /// Answers that told to come again, by status.
    pub(crate) told: BTreeMap<u16, u64>,
    /// Requests without an answer: an instance was frozen, killed or gone.
    pub(crate) unanswered: u64,
}

/// The users that so many clients ask for.
pub(crate) fn users(clients: u16) -> Vec<String> {
    (0..clients.div_ceil(CLIENTS_PER_USER))
        .map(|user| user.to_string())
        .collect()
}

impl Clients {
    /// Starts so many, which ask something new for so long.
    pub(crate) fn start(clients: u16, fleet: &Fleet, time: Duration) -> Clients {
        let end = Instant::now() + time;
        let clients = (0..clients).map(|number| {
            let client = Client {
                number,
                fleet: fleet.addresses(),
                end,
                heard: Heard::default(),
            };
            client.run()
        });
        Clients(clients.collect())
    }

    /// Waits until each of their queries was answered.
    pub(crate) async fn ended(mut self) -> anyhow::Result<Heard> {
        let mut all = Heard::default();
        while let Some(ended) = self.0.join_next().await {
            all.add(ended??);
        }
        Ok(all)
    }
}

struct Client {
    number: u16,
    fleet: Addresses,
    end: Instant,
    heard: Heard,
}

impl Client {
    async fn run(mut self) -> anyhow::Result<Heard> {
        let user = (self.number / CLIENTS_PER_USER).to_string();
        let mut asked = 0;
        while Instant::now() < self.end {
            let first_day = 1 + asked % 300;
            let ask = Ask {
                user: user.clone(),
                dataset: ((asked + usize::from(self.number)) % usize::from(DATASETS)).to_string(),
                key: format!("\"{}\"", Uuid::new_v4()),
                body: format!(r#"{{"from": {first_day}, "to": {}}}"#, first_day + 30),
            };
            let answer = self.until_answered(&ask, asked).await?;
            *self.heard.answered.entry(user.clone()).or_default() += 1;
            self.heard.replayed += u64::from(answer.headers.contains_key("idempotent-replayed"));
            asked += 1;
            if asked.is_multiple_of(SENT_TWICE) {
                let again = self.until_answered(&ask, asked).await?;
                ensure!(
                    again.body == answer.body,
                    "one key has two answers: {again:?}, {answer:?}"
                );
            }
        }
        Ok(self.heard)
    }

    async fn until_answered(&mut self, ask: &Ask, asked: usize) -> anyhow::Result<Answer> {
        let deadline = self.end.max(Instant::now()) + PATIENCE;
        // To the one instance, then to the other.
        for attempt in usize::from(self.number) + asked.. {
            self.heard.sent += 1;
            match ask.of(self.fleet.of(attempt), ANSWERED_WITHIN).await {
                Ok(answer) if answer.status == 200 => return Ok(answer),
                Ok(Answer {
                    status: status @ (409 | 503),
                    ..
                }) => {
                    *self.heard.told.entry(status).or_default() += 1;
                }
                Ok(other) => bail!("nobody should hear this: {other:?}"),
                Err(_) => self.heard.unanswered += 1,
            }
            ensure!(
                Instant::now() < deadline,
                "{ask:?} was not answered within {PATIENCE:?}"
            );
            tokio::time::sleep(AGAIN).await;
        }
        unreachable!("the attempts do not end")
    }
}

impl Heard {
    fn add(&mut self, other: Heard) {
        for (user, answered) in other.answered {
            *self.answered.entry(user).or_default() += answered;
        }
        for (status, times) in other.told {
            *self.told.entry(status).or_default() += times;
        }
        self.replayed += other.replayed;
        self.sent += other.sent;
        self.unanswered += other.unanswered;
    }

    /// Keys that were answered with 200.
    pub(crate) fn answers(&self) -> i64 {
        self.answered.values().sum()
    }
}
