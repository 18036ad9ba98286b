//! What Postgres says of itself.

use super::Diagnosis;
use super::Severity::{Error, Fine, Note, Warning};
use crate::database::Database;

/// The oldest Postgres that the guard is for.
const OLDEST: i32 = 150_000;

#[derive(Debug, sqlx::FromRow)]
struct Server {
    version: String,
    version_num: i32,
    is_standby: bool,
    is_superuser: bool,
    is_read_only: bool,
    isolation: String,
    synchronous_commit: String,
    standbys: String,
    survives_a_crash: bool,
}

pub(super) async fn look(database: &Database) -> Result<Vec<Diagnosis>, crate::Error> {
    let server = sqlx::query_as(include_str!("../../sql/server.sql"));
    let server = server.fetch_one(database.pool()).await;
    let server: Server = server.map_err(|error| database.error(error.into()))?;
    Ok(vec![
        version(&server),
        role(&server, database.role()),
        place(&server),
        commit(&server),
        crash(&server),
        isolation(&server),
    ])
}

fn version(server: &Server) -> Diagnosis {
    let observed = format!("PostgreSQL {}", server.version);
    if server.version_num >= OLDEST {
        return Diagnosis::new(Fine, "version", observed, "has all that the guard uses");
    }
    let meaning = "the guard is made for 15 and newer, and tested there. Upgrade";
    Diagnosis::new(Error, "version", observed, meaning)
}

fn role(server: &Server, role: &str) -> Diagnosis {
    let observed = match server.is_superuser {
        true => format!("{role}, a superuser"),
        false => role.to_owned(),
    };
    match (server.is_read_only, server.is_superuser) {
        (false, _) => Diagnosis::new(
            Error,
            "role",
            format!("{observed}, through connections that can write"),
            "something between here and Postgres drops default_transaction_read_only. Connect directly",
        ),
        (true, true) => Diagnosis::new(
            Note,
            "role",
            observed,
            "these connections cannot write, but the role could do anything. For looking make one that has \
             fence.grant_reader alone",
        ),
        (true, false) => Diagnosis::new(Fine, "role", observed, "these connections cannot write"),
    }
}

fn place(server: &Server) -> Diagnosis {
    if server.is_standby {
        let meaning = "what is seen here lags behind. Ask the primary before you decide by it";
        return Diagnosis::new(Note, "place", "a standby", meaning);
    }
    Diagnosis::new(
        Fine,
        "place",
        "the primary",
        "what is seen here is what was committed",
    )
}

fn commit(server: &Server) -> Diagnosis {
    let observed = format!("synchronous_commit {}", server.synchronous_commit);
    let raised = "every guarded call raises it to on for itself and never lowers it";
    match (
        server.standbys.is_empty(),
        server.synchronous_commit.as_str(),
    ) {
        (true, _) => Diagnosis::new(
            Fine,
            "durability",
            format!("{observed}, no synchronous standby"),
            format!(
                "{raised}, so what was answered survives a crash of this machine; after a failover to a standby, marks \
                 and entries go back together to what that had"
            ),
        ),
        (false, "off" | "local" | "remote_write") => Diagnosis::new(
            Note,
            "durability",
            observed,
            format!(
                "{raised}; what a service commits outside of the guard may be lost with this machine"
            ),
        ),
        (false, _) => Diagnosis::new(
            Fine,
            "durability",
            format!("{observed}, standbys {}", server.standbys),
            "what was answered is on a standby, too",
        ),
    }
}

fn crash(server: &Server) -> Diagnosis {
    if server.survives_a_crash {
        let meaning = "a crash of the machine loses nothing that was answered";
        return Diagnosis::new(Fine, "crash", "fsync and full_page_writes on", meaning);
    }
    let meaning = "a crash of the machine may lower marks and lose entries that were answered (S4). Set both on; off is \
                   for throw-away servers alone";
    Diagnosis::new(Warning, "crash", "fsync or full_page_writes off", meaning)
}

fn isolation(server: &Server) -> Diagnosis {
    let observed = format!("default_transaction_isolation {}", server.isolation);
    if server.isolation == "read committed" {
        let meaning =
            "as the guard needs it: each statement sees what was committed while it waited";
        return Diagnosis::new(Fine, "isolation", observed, meaning);
    }
    let meaning = "guarded calls outside of a transaction that says READ COMMITTED raise ZF001, here and for every role \
                   that has this default. Set it to read committed for them";
    Diagnosis::new(Warning, "isolation", observed, meaning)
}
