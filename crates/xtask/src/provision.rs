//! Servers to run with: found, or else installed.

use testbed::{NotFound, PgBouncer};

use crate::error::Error;
use crate::install::{Facts, Installer};

/// Makes sure that there are servers, and says where they come from.
pub(crate) fn provision() -> Result<(), Error> {
    let found = match testbed::find() {
        Err(testbed::Error::NotFound(servers)) => {
            install(servers)?;
            testbed::find()
        }
        found => found,
    };
    eprintln!("servers   {}", found?);
    Ok(())
}

/// Makes sure that there is a PgBouncer, which only the tests need: a transaction pooler mixes up
/// the calls of a client that does not expect one.
pub(crate) fn provision_pooler() -> Result<(), Error> {
    let found = match PgBouncer::find() {
        Err(testbed::Error::NotFound(pooler)) => {
            install(pooler)?;
            PgBouncer::find()
        }
        found => found,
    };
    eprintln!("pooler    pgbouncer from {}", found?.display());
    Ok(())
}

fn install(servers: NotFound) -> Result<(), Error> {
    match Installer::choose(&Facts::of_this_machine()) {
        Ok(installer) => installer.install(servers.missing()),
        Err(why) => Err(Error::CannotInstall { servers, why }),
    }
}
