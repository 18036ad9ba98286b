//! A worker: takes the lock, (opens,) reads whether the query is paid for, runs the slow query, charges,
//! releases. It does not look again before it charges: that is the bug that everybody ships.

mod book;
mod fenced;
mod lock;

use std::io::Write;

use anyhow::Context;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

use crate::wire::{Event, Job, Line, Order};
use book::Book;
use lock::{Lock, Taken};

pub(crate) use lock::plain_key;

/// Lives one worker's life by the job on standard input, and tells of it on standard output.
pub(crate) async fn run() -> anyhow::Result<()> {
    let mut voice = Voice {
        orders: BufReader::new(tokio::io::stdin()).lines(),
    };
    let job = voice.next_line().await?;
    let job: Job = serde_json::from_str(&job).context("the first line is no job")?;
    let result = live(&job, &mut voice).await;
    if let Err(error) = &result {
        voice.tell(Event::Failed {
            error: format!("{error:#}"),
        });
    }
    result
}

async fn live(job: &Job, voice: &mut Voice) -> anyhow::Result<()> {
    let book = Book::open(job).await?;
    let lock = Lock::connect(job).await?;
    voice.tell(Event::Started);
    let Some(mut taken) = lock.take(job, &book, voice).await? else {
        return Ok(());
    };
    let order = work(job, &book, &mut taken, voice).await;
    // The `finally` of the article: whatever happened, leave.
    let left = taken.leave(&book, voice).await;
    order.and(left)
}

async fn work(job: &Job, book: &Book, taken: &mut Taken, voice: &mut Voice) -> anyhow::Result<()> {
    taken.open(book, voice).await?;
    let (paid, balance) = book.read().await?;
    voice.tell(Event::Read { paid, balance });
    let order = if job.waits_after_read {
        voice.await_order().await?
    } else {
        Order::GoOn
    };
    if order == Order::GiveUp {
        voice.tell(Event::GaveUp);
        return Ok(());
    }
    if paid > 0 {
        voice.tell(Event::AlreadyPaid);
        return Ok(());
    }
    book.run_slow_query().await?;
    voice.tell(Event::Worked);
    voice.tell(book.charge(taken.pass()).await?);
    Ok(())
}

/// The pipes to the conductor.
pub(crate) struct Voice {
    orders: Lines<BufReader<Stdin>>,
}

impl Voice {
    pub(crate) fn tell(&mut self, event: Event) {
        say(&Line::Event(event));
    }

    async fn await_order(&mut self) -> anyhow::Result<Order> {
        say(&Line::WaitsAfterRead);
        serde_json::from_str(&self.next_line().await?).context("no order")
    }

    async fn next_line(&mut self) -> anyhow::Result<String> {
        self.orders
            .next_line()
            .await?
            .context("the conductor is gone")
    }
}

/// Writes a line at once, by one system call: a frozen worker must have said all that it did.
fn say(line: &Line) {
    let text = serde_json::to_string(line).expect("a line of plain fields is JSON");
    // A conductor that is gone hears nothing; the worker notices at its next order.
    let _ = std::io::stdout()
        .lock()
        .write_all(format!("{text}\n").as_bytes());
}
