//! `ledger serve`: one page in a browser. It reads, and nothing else: its connections cannot write.
//!
//! The page is whole as it is served; its script only fetches the same page again, and puts what is new in
//! place. What keeps others out: it listens on loopback, answers only those who ask for it by a name of this
//! machine (another site's script, whose name was made to lead here, does not), and tells browsers to run and
//! to fetch nothing but its own files.

mod asked;
mod door;
mod lists;
mod page;
mod read;
mod routes;
mod story;

use std::io::Write;

use tokio::net::TcpListener;

use crate::cli::Serve;
use crate::database::Database;
use crate::error::Error;
use door::Door;

/// Serves the page until Ctrl-C. The one line that it writes says where.
///
/// # Errors
/// [`Error::BeyondLoopback`] and [`Error::Listen`], before anything is served.
pub(crate) async fn serve(
    database: &Database,
    args: &Serve,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let at = args.listen;
    if !at.ip().is_loopback() && !args.beyond_loopback {
        return Err(Error::BeyondLoopback(at));
    }
    let cannot = |source| Error::Listen { at, source };
    let listener = TcpListener::bind(at).await.map_err(cannot)?;
    let at = listener.local_addr().map_err(cannot)?;
    writeln!(to, "http://{at}/")?;
    to.flush()?;
    let router = routes::router(database.clone(), Door::new(at, &args.hosts));
    // Pages are short: whoever still reads one at Ctrl-C has no claim on the rest.
    tokio::select! {
        served = axum::serve(listener, router).into_future() => served.map_err(cannot),
        _ = tokio::signal::ctrl_c() => Ok(()),
    }
}
