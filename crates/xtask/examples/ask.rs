//! Starts a private server from installed programs, and prints what it says that it is.
//!
//! `cargo xtask matrix` builds and runs it. It stands apart from `xtask` because it needs clients,
//! which take longer to build than all the rest of that.

use std::error::Error;
use std::process::ExitCode;

use redis::Value;
use sqlx::{ConnectOptions, Connection};
use testbed::{Options, PostgresServer, RedisServer};

/// The commands that compare and delete in one step, of Redis 8.4 and of Valkey 9.
const COMMANDS: [&str; 2] = ["DELEX", "DELIFEQ"];

/// Tells "there is no such program" from "it did not come up".
const NOT_FOUND: u8 = 3;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let outcome = match std::env::args().nth(1).as_deref() {
        Some("redis") => redis().await,
        Some("postgres") => postgres().await,
        _ => Err("name the server to ask: redis or postgres".into()),
    };
    let Err(error) = outcome else {
        return ExitCode::SUCCESS;
    };
    // One line: the table shows the last one.
    eprintln!("error: {}", error.to_string().replace('\n', "; "));
    match error.downcast_ref() {
        Some(testbed::Error::NotFound(_)) => ExitCode::from(NOT_FOUND),
        _ => ExitCode::FAILURE,
    }
}

async fn redis() -> Result<(), Box<dyn Error>> {
    let server = RedisServer::start(&Options::throw_away())?;
    let client = redis::Client::open(server.url())?;
    let mut connection = client.get_multiplexed_async_connection().await?;
    let mut command = redis::cmd("INFO");
    let info: String = command.arg("server").query_async(&mut connection).await?;
    println!("version: {}", version(&info));
    let mut command = redis::cmd("COMMAND");
    command.arg("INFO").arg(&COMMANDS);
    let answers: Vec<Value> = command.query_async(&mut connection).await?;
    let known = COMMANDS.iter().zip(&answers);
    let known =
        known.filter(|(_, about)| matches!(about, Value::Array(about) if !about.is_empty()));
    let names: Vec<&str> = known.map(|(name, _)| *name).collect();
    println!("commands: {}", names.join(" "));
    Ok(())
}

/// Valkey goes on reporting the Redis version that it is compatible with; its own stands beside it.
fn version(info: &str) -> String {
    let field = |name: &str| info.lines().find_map(|line| line.strip_prefix(name));
    match (field("valkey_version:"), field("redis_version:")) {
        (Some(version), _) => format!("Valkey {version}"),
        (None, Some(version)) => format!("Redis {version}"),
        (None, None) => "no version told".to_owned(),
    }
}

async fn postgres() -> Result<(), Box<dyn Error>> {
    let server = PostgresServer::start(&Options::throw_away())?;
    let options: sqlx::postgres::PgConnectOptions = server.url().parse()?;
    let connection = options.connect().await?;
    let number = connection.server_version_num().unwrap_or_default();
    connection.close().await?;
    // Since version 10 a number such as 160015 is 16.15.
    println!(
        "version: PostgreSQL {}.{}",
        number / 10_000,
        number % 10_000
    );
    Ok(())
}
