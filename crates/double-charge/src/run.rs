//! What the program does for each of its commands.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::{Context, bail};
use indicatif::{ProgressBar, ProgressStyle};
use serde::Serialize;
use testbed::Origin;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::cell::Cell;
use crate::played::{self, Played};
use crate::report::{self, Document, Refused, ReportFile, Setting};
use crate::stage::Stage;

/// How many cells are played at one time. They spend most of theirs waiting for leases to expire.
const AT_ONCE: usize = 5;

/// How what was played is shown.
#[derive(Debug)]
pub(crate) struct Wanted {
    /// As one JSON document on standard output, instead of text.
    pub(crate) json: bool,
    /// Also as a report in this file.
    pub(crate) html: Option<PathBuf>,
}

/// Plays the whole table. True if every cell came out as documented.
pub(crate) async fn table(wanted: &Wanted) -> anyhow::Result<bool> {
    let report = wanted.report()?;
    let stage = Arc::new(announced_stage().await?);
    let played = play_all(&stage).await;
    stage.clear_redis().await?;
    let played = played?;
    write_report(report, &stage, &played).await?;
    if wanted.json {
        print_json(&stage, &played).await?;
    } else {
        print(&report::staircase(&played))?;
        farewell(&stage);
    }
    Ok(played.iter().all(Played::is_as_documented))
}

/// Plays one cell and prints its timeline. True if it came out as documented.
pub(crate) async fn show(cell: Cell, wanted: &Wanted) -> anyhow::Result<bool> {
    let report = wanted.report()?;
    let stage = announced_stage().await?;
    let played = played::play(&stage, cell).await;
    stage.clear_redis().await?;
    let played = played?;
    write_report(report, &stage, std::slice::from_ref(&played)).await?;
    if wanted.json {
        print_json(&stage, std::slice::from_ref(&played)).await?;
    } else {
        let refused = Refused::find(&stage.pool, Some(&played.names.resource)).await?;
        print(&report::timeline(&played, &refused))?;
    }
    Ok(played.is_as_documented())
}

/// Lists the refused writes that the database holds.
pub(crate) async fn refusals(json: bool) -> anyhow::Result<bool> {
    let stage = announced_stage().await?;
    if stage.pair.is_private() && stage.pair.kept_data().is_none() {
        bail!(
            "another run of double-charge has the kept data; list its refused writes when it has ended"
        );
    }
    let rows = Refused::find(&stage.pool, None).await?;
    if json {
        write_json(&rows)?;
    } else if rows.is_empty() {
        anstream::eprintln!("no write was refused here yet; run double-charge first");
    } else {
        print(&report::refusals(&rows))?;
    }
    Ok(true)
}

/// Keeps the servers up until Ctrl-C.
pub(crate) async fn servers() -> anyhow::Result<bool> {
    let stage = announced_stage().await?;
    anstream::println!("psql {}", testbed::redacted(&stage.database_url));
    anstream::println!("redis-cli -u {}", testbed::redacted(stage.pair.redis_url()));
    anstream::eprintln!("try: select * from credit.refused_write; \\df fence.*; Ctrl-C stops both");
    std::future::pending().await
}

async fn play_all(stage: &Arc<Stage>) -> anyhow::Result<Vec<Played>> {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut playing = JoinSet::new();
    for (index, cell) in Cell::all().enumerate() {
        let (stage, places) = (Arc::clone(stage), Arc::clone(&places));
        playing.spawn(async move {
            let _place = places.acquire_owned().await?;
            anyhow::Ok((index, played::play(&stage, cell).await?))
        });
    }
    let progress = Progress::new(playing.len());
    let mut played = Vec::with_capacity(playing.len());
    while let Some(next) = playing.join_next().await {
        let (index, cell) = next.context("a cell broke off")??;
        progress.tell(&cell);
        played.push((index, cell));
    }
    progress.end();
    played.sort_by_key(|&(index, _)| index);
    Ok(played.into_iter().map(|(_, cell)| cell).collect())
}

/// Sets the stage and says on standard error what it stands on.
async fn announced_stage() -> anyhow::Result<Stage> {
    let stage = Stage::set().await?;
    for notice in stage.pair.notices() {
        anstream::eprintln!("{notice}");
    }
    let servers = match stage.pair.origin() {
        Origin::Private { .. } => "a private pair of installed servers",
        Origin::Compose => "the containers of docker-compose.yml",
        _ => "the servers of REDIS_URL and DATABASE_URL",
    };
    anstream::eprintln!(
        "on {servers}: {}; run {}",
        stage.pair.versions().await?,
        stage.run
    );
    Ok(stage)
}

impl Wanted {
    /// The place of the report, taken before anything is played.
    fn report(&self) -> anyhow::Result<Option<ReportFile>> {
        self.html.as_deref().map(ReportFile::at).transpose()
    }
}

async fn write_report(
    file: Option<ReportFile>,
    stage: &Stage,
    played: &[Played],
) -> anyhow::Result<()> {
    let Some(file) = file else { return Ok(()) };
    let versions = stage.pair.versions().await?;
    let setting = Setting {
        run: &stage.run,
        redis: &versions.redis,
        postgres: &versions.postgres,
    };
    file.write(&report::html(&setting, played))
}

async fn print_json(stage: &Stage, played: &[Played]) -> anyhow::Result<()> {
    let versions = stage.pair.versions().await?;
    write_json(&Document::new(
        &stage.run,
        &versions.redis,
        &versions.postgres,
        played,
    ))
}

fn write_json(value: &impl Serialize) -> anyhow::Result<()> {
    print(&format!("{}\n", serde_json::to_string_pretty(value)?))
}

/// Prints on standard output. Unlike the macro it does not panic when nobody reads on.
fn print(text: &str) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    Ok(out.write_all(text.as_bytes()).and_then(|()| out.flush())?)
}

/// How to go on from here.
fn farewell(stage: &Stage) {
    anstream::eprintln!("\nstep by step: cargo demo show window fence-on-write");
    anstream::eprintln!("the refused writes, as rows: cargo demo refusals");
    if let Some(data) = stage.pair.kept_data() {
        let data = data.display();
        anstream::eprintln!("with psql: cargo demo servers (the data stays in {data})");
    }
}

/// A bar where standard error is a terminal, else a line for each cell.
struct Progress(ProgressBar);

impl Progress {
    fn new(cells: usize) -> Progress {
        let bar = ProgressBar::new(cells as u64);
        let style = ProgressStyle::with_template("{bar:20} {pos}/{len} {msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.tick();
        Progress(bar)
    }

    fn tell(&self, played: &Played) {
        let Cell {
            protection,
            incident,
        } = played.cell;
        let charged = played.outcome.charged;
        let line = format!(
            "{} under {}: charged {charged}",
            incident.name(),
            protection.name()
        );
        if self.0.is_hidden() {
            anstream::eprintln!("{line}");
        }
        self.0.set_message(line);
        self.0.inc(1);
    }

    fn end(&self) {
        self.0.finish_and_clear();
    }
}
