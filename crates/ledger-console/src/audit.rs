//! `ledger audit`: the rows against the rules.

use std::io::Write;

use crate::cli::{Audit, Format};
use crate::database::Database;
use crate::error::Error;
use crate::output::Output;
use crate::run::Ended;

/// `ledger audit`. The ledger's audit holds the guard's rules, too.
pub(crate) async fn audit(
    database: &Database,
    args: &Audit,
    to: &mut (dyn Write + Send),
) -> Result<Ended, Error> {
    let findings = match database.ledger() {
        Some(ledger) => ledger.audit().await,
        None => database.guard().audit().await,
    };
    let findings = findings.map_err(|error| database.error(error))?;
    let mut output = Output::new(args.format, to);
    output.rows(&findings)?;
    if !findings.is_empty() {
        return Ok(Ended::Finding);
    }
    if args.format == Format::Table {
        let whose = if database.ledger().is_some() {
            "guard and ledger"
        } else {
            "the guard"
        };
        output.text(&format!("every rule of {whose} holds\n"))?;
    }
    Ok(Ended::Fine)
}
