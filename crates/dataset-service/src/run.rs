//! An instance from its start to its end.

use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use crate::service::{Phase, Service};
use crate::{Config, figures, serve, telemetry};

/// How long sections that are given up may take to be left where Postgres says nothing: a charge on its way (4 s), the
/// release of the credits, the close, the release of the lease (2 s each), and a last look (4 s).
const LEFT_WITHIN: Duration = Duration::from_secs(15);
/// How long the last answers may take to reach their clients.
const SENT_WITHIN: Duration = Duration::from_secs(2);
/// How often figures that are past are folded into their histograms.
const UPKEEP: Duration = Duration::from_secs(5);
/// 128 + SIGTERM, as shells count it.
const HURRIED: i32 = 143;

/// Serves until SIGTERM or SIGINT, then ends in order: not ready, and no new query, which is told to whoever comes for
/// [`Config::lame_duck_ms`] more, and to nobody after that. Those in flight go on for [`Config::drain_ms`], then are given up: released, left, answered with 503. A second signal ends it at once; then
/// what it held is void or expires, and its leases end with their TTL.
///
/// Success when every section was left.
///
/// # Errors
/// What keeps it from starting.
pub async fn run(config: Config) -> anyhow::Result<ExitCode> {
    telemetry::install(&config.log).context("--log")?;
    let figures = figures::install()?;
    let listener = TcpListener::bind(config.listen).await.context("--listen")?;
    let ops_listener = TcpListener::bind(config.ops_listen)
        .await
        .context("--ops-listen")?;
    let service = Service::start(config).await?;
    end_on_signals(&service)?;

    let ops = service.ops_router(figures.clone());
    let (listen, ops_listen) = (listener.local_addr()?, ops_listener.local_addr()?);
    let connections = usize::from(service.config().connections);
    let operators = serve::serve(ops_listener, ops, connections, std::future::pending());
    let operators = tokio::spawn(operators);
    let upkeep = tokio::spawn(async move {
        loop {
            tokio::time::sleep(UPKEEP).await;
            figures.run_upkeep();
        }
    });
    let (router, stopping) = (service.router(), service.clone());
    let until = async move {
        stopping.reached(Phase::Draining).await;
        tokio::time::sleep(stopping.config().lame_duck()).await;
    };
    let customers = tokio::spawn(serve::serve(listener, router, connections, until));
    tracing::info!(%listen, %ops_listen, "serving");

    service.reached(Phase::Draining).await;
    tracing::info!(
        lame_duck_ms = service.config().lame_duck_ms,
        drain_ms = service.config().drain_ms,
        "stopping, queries in flight go on"
    );
    // Both from the signal on: who is told to come again does not keep up who has his answer to come.
    let door = tokio::time::sleep(service.config().lame_duck());
    let (all_left, ()) = tokio::join!(drain(&service), door);
    let all_sent = timeout(SENT_WITHIN, customers).await.is_ok();
    upkeep.abort();
    operators.abort();
    tracing::info!(all_left, all_sent, summary = %service.sections().summary(), "stopped");
    Ok(if all_left {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

/// Waits for the queries in flight, then gives them up. Whether every section was left.
async fn drain(service: &Service) -> bool {
    if timeout(service.config().drain(), service.idle())
        .await
        .is_ok()
    {
        return true;
    }
    tracing::warn!("queries in flight are given up");
    service.enter_phase(Phase::GivingUp);
    timeout(LEFT_WITHIN, service.idle()).await.is_ok()
}

fn end_on_signals(service: &Service) -> std::io::Result<()> {
    let mut terminate = signal(SignalKind::terminate())?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let service = service.clone();
    tokio::spawn(async move {
        loop {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            if service.phase() > Phase::Serving {
                tracing::warn!("told to stop a second time, sections in flight are not left");
                std::process::exit(HURRIED);
            }
            service.enter_phase(Phase::Draining);
        }
    });
    Ok(())
}
