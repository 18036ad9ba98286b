//! `ledger watch`: openings, takeovers and refusals as they happen.

mod ear;
mod news;
mod tide;

use std::io::Write;
use std::time::Duration;

use fence_guard::{Filter, Horizon, OpeningRow, Page, RefusalRow};
use time::OffsetDateTime;
use tokio::time::{MissedTickBehavior, interval};

use crate::cli::Watch;
use crate::database::Database;
use crate::error::Error;
use crate::output::Output;
use crate::run::say;
use ear::Ear;
use news::News;
use tide::{Tide, Turn};

/// How often is looked where nothing is told: an opening that took nothing over notifies nobody, for notifications
/// make commits wait for each other.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How many rows are read at once.
const PAGE: u16 = 1_000;
/// How many numbers back is looked, at the start, for what was drawn before and may commit after it.
const IN_FLIGHT: i64 = 10_000;

/// `ledger watch`. It ends well with Ctrl-C.
pub(crate) async fn watch(
    database: &Database,
    args: &Watch,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let watching = async {
        let mut watcher = Watcher::start(database, args).await?;
        say("watching; Ctrl-C ends it");
        watcher.go_on(&mut Output::new(args.format, to)).await
    };
    tokio::select! {
        ended = watching => ended,
        interrupted = tokio::signal::ctrl_c() => Ok(interrupted?),
    }
}

/// What is watched, and how far it has been shown.
struct Watcher<'a> {
    database: &'a Database,
    args: &'a Watch,
    /// For as long as the numbers have not passed it.
    since: Option<OffsetDateTime>,
    tide: Tide,
    is_away: bool,
}

impl<'a> Watcher<'a> {
    async fn start(database: &'a Database, args: &'a Watch) -> Result<Watcher<'a>, Error> {
        let mut watcher = Watcher {
            database,
            args,
            since: None,
            tide: Tide::after(0),
            is_away: false,
        };
        if let Some(moment) = args.since {
            watcher.since = Some(moment.before(database.now().await?));
            return Ok(watcher);
        }
        let now = database.guard().horizon().await;
        let now = now.map_err(|error| database.error(error))?;
        watcher.tide = Tide::after((now.last_seq - IN_FLIGHT).max(0));
        // What is there already is not news.
        let (_, there) = watcher.read().await?;
        for row in there {
            watcher.tide.is_new(row.seq());
        }
        Ok(watcher)
    }

    async fn go_on(&mut self, output: &mut Output<'_>) -> Result<(), Error> {
        let ear = Ear::open(self.database.pool().clone());
        let mut look = interval(LOOK_EVERY);
        look.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                _ = look.tick() => {}
                () = ear.hears() => {}
            }
            match self.read().await {
                Ok((horizon, rows)) => {
                    self.tell_whether_away(None);
                    self.show(horizon, rows, output)?;
                }
                Err(lost @ Error::Lost(_)) => self.tell_whether_away(Some(&lost)),
                Err(error) => return Err(error),
            }
        }
    }

    /// What there is after the last number that is settled. The horizon is read first, so that the rows are at least
    /// what was there at its moment.
    async fn read(&self) -> Result<(Horizon, Vec<News>), Error> {
        let guard = self.database.guard();
        let of_store = |error| self.database.error(error);
        let horizon = guard.horizon().await.map_err(of_store)?;
        let mut rows = Vec::new();
        // Refusals first: the opening that a write was refused against was there before it, and is not told behind it.
        let mut after = self.tide.low();
        loop {
            let page = guard.refusals(self.filter(), Page::After(after), PAGE);
            let page: Vec<RefusalRow> = page.await.map_err(of_store)?;
            let is_last = page.len() < usize::from(PAGE);
            after = page.last().map_or(after, |row| row.seq);
            rows.extend(page.into_iter().map(News::from));
            if is_last {
                break;
            }
        }
        after = self.tide.low();
        loop {
            let page = guard.openings(self.filter(), Page::After(after), PAGE);
            let page: Vec<OpeningRow> = page.await.map_err(of_store)?;
            let is_last = page.len() < usize::from(PAGE);
            after = page.last().map_or(after, |row| row.seq);
            rows.extend(page.into_iter().map(News::from));
            if is_last {
                break;
            }
        }
        Ok((horizon, rows))
    }

    /// Openings have no reason, and are not left out by one.
    fn filter(&self) -> Filter {
        let mut filter = self.args.whose.filter();
        if let Some(reason) = self.args.reason {
            filter = filter.refused_for(reason.into());
        }
        self.since
            .map_or(filter.clone(), |since| filter.since(since))
    }

    /// Shows what was not shown before: only now does it count as shown.
    fn show(
        &mut self,
        horizon: Horizon,
        mut rows: Vec<News>,
        output: &mut Output<'_>,
    ) -> Result<(), Error> {
        rows.sort_by_key(News::seq);
        rows.retain(|row| self.tide.is_new(row.seq()));
        output.rows(&rows)?;
        match self.tide.settle(horizon) {
            Turn::Up => {}
            Turn::Settled => self.since = None,
            Turn::Back => say(
                "numbers went back: Postgres was restored, or failed over to a standby that lagged; watching on from there",
            ),
        }
        Ok(())
    }

    fn tell_whether_away(&mut self, lost: Option<&Error>) {
        match (lost, self.is_away) {
            (Some(lost), false) => say(&format!(
                "{lost}; nothing is missed, watching goes on when it is back"
            )),
            (None, true) => say("Postgres is back"),
            _ => {}
        }
        self.is_away = lost.is_some();
    }
}
