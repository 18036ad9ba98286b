//! How the service is started: options, each also a variable of the environment.

use std::net::SocketAddr;
use std::time::Duration;

use clap::{Args, ValueEnum};
use credit_ledger::Credits;
use fenced_section::{EnterOptions, Prefix, Ttl};

use crate::telemetry;

/// What an instance does while Redis does not answer. Each choice is a method of `fenced_section`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RedisDown {
    /// `enter`: no query is answered.
    FailClosed,
    /// `enter_from_guard`: queries are answered and charged; an instance that dies keeps others out of its
    /// datasets for a whole TTL.
    EnterFromGuard,
    /// `run_unfenced`: queries are answered, several times over if so asked, and nobody is charged.
    RunUnfenced,
}

/// The options of `serve`.
#[derive(Debug, Clone, Args)]
pub struct Config {
    /// Where Redis is. It may hold a password: prefer the variable
    #[arg(long, env = "REDIS_URL", hide_env_values = true)]
    pub redis_url: String,
    /// Where the Postgres of guard, ledger and answers is. It may hold a password: prefer the variable
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    pub database_url: String,
    /// The database URL leads to a transaction pooler, such as PgBouncer: no statement has a name. Goes with
    /// --queries-url, past the pooler, and --no-install
    #[arg(long, env = "POOLED")]
    pub pooled: bool,
    /// Where the Postgres of the datasets is [default: the same]
    #[arg(long, env = "QUERIES_URL", hide_env_values = true)]
    pub queries_url: Option<String>,
    /// Before each key in Redis; all instances have the same
    #[arg(long, env = "PREFIX", default_value = "dataset-service:")]
    pub prefix: Prefix,
    /// Where customers are served
    #[arg(long, env = "LISTEN", default_value = "127.0.0.1:8080")]
    pub listen: SocketAddr,
    /// Where /metrics, /live and /ready are served, also while the instance is being stopped
    #[arg(long, env = "OPS_LISTEN", default_value = "127.0.0.1:9090")]
    pub ops_listen: SocketAddr,
    /// What happens while Redis does not answer
    #[arg(long, env = "REDIS_DOWN", value_enum, default_value = "fail-closed")]
    pub redis_down: RedisDown,
    /// Credits for one answered query
    #[arg(long, env = "PRICE", default_value = "1", value_parser = credits)]
    pub price: Credits,
    /// How long a lease lives; several times what a query takes
    #[arg(long, env = "TTL_MS", default_value_t = 10_000, value_parser = millis())]
    pub ttl_ms: u64,
    /// How long a query may take, on the server itself; at most nine tenths of the TTL
    #[arg(long, env = "QUERY_LIMIT_MS", default_value_t = 8_000, value_parser = millis())]
    pub query_limit_ms: u64,
    /// How long credits stay held for a query that nobody ends; more than the TTL
    #[arg(long, env = "HOLD_MS", default_value_t = 60_000, value_parser = millis())]
    pub hold_ms: u64,
    /// How many queries are in flight at once; more are turned away
    #[arg(long, env = "AT_ONCE", default_value_t = 32, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub at_once: u32,
    /// How many connections there are at once, of customers and of operators each; idle ones give way to new ones
    #[arg(long, env = "CONNECTIONS", default_value_t = 1024, value_parser = clap::value_parser!(u16).range(1..))]
    pub connections: u16,
    /// How long new customers are still accepted, and told to come again, once the instance is to stop: until no load
    /// balancer sends any
    #[arg(long, env = "LAME_DUCK_MS", default_value_t = 1_000, value_parser = clap::value_parser!(u64).range(0..=HOUR_MS))]
    pub lame_duck_ms: u64,
    /// How long queries in flight may go on once the instance is to stop
    #[arg(long, env = "DRAIN_MS", default_value_t = 10_000, value_parser = millis())]
    pub drain_ms: u64,
    /// Makes each query take so much longer: to see something happen
    #[arg(long, env = "QUERY_TAKES_MS", default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..=HOUR_MS))]
    pub query_takes_ms: u64,
    /// Put no tables in place at the start, and only look whether they are: for a role that owns none
    #[arg(long, env = "NO_INSTALL")]
    pub no_install: bool,
    /// What is logged, in the grammar of RUST_LOG
    #[arg(long, env = "RUST_LOG", default_value = "info", value_parser = filter)]
    pub log: String,
}

const HOUR_MS: u64 = 3_600_000;
/// What part of a lease a query may take, as a numerator and a denominator. Before it there are a look and a hold, after it
/// the charge: a handful of round trips each.
const LIMIT_OF_TTL: (u64, u64) = (9, 10);

/// Options that do not go together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatched {
    /// A query that was stopped at its limit, or ended just before it, would have outlived its lease.
    #[error(
        "--query-limit-ms {limit} is above {most}, nine tenths of --ttl-ms {ttl}: the rest is for setting the price aside and charging it within the lease; lower the one to {most}, or raise the other to {least}"
    )]
    LimitTooNearToTtl {
        /// `--query-limit-ms`.
        limit: u64,
        /// `--ttl-ms`.
        ttl: u64,
        /// The highest limit that goes with this TTL.
        most: u64,
        /// The lowest TTL that goes with this limit.
        least: u64,
    },
    /// The slow queries, or the installation, would go through a transaction pooler.
    #[error(
        "--pooled needs --queries-url, past the pooler, and --no-install: slow queries have limits that are their session's, and migrations prepare statements; run dataset-service migrate past it, too"
    )]
    NotThroughAPooler,
    /// Credits could be given back under a query that is to be paid with them.
    #[error(
        "--hold-ms {hold} is not above --ttl-ms {ttl}: credits would be given back under a query in flight; raise --hold-ms"
    )]
    HoldNotAboveTtl {
        /// `--hold-ms`.
        hold: u64,
        /// `--ttl-ms`.
        ttl: u64,
    },
}

impl Config {
    /// Looks at what one option says about another.
    ///
    /// # Errors
    /// [`Mismatched`].
    pub fn check(&self) -> Result<(), Mismatched> {
        let (limit, ttl, hold) = (self.query_limit_ms, self.ttl_ms, self.hold_ms);
        let most = ttl * LIMIT_OF_TTL.0 / LIMIT_OF_TTL.1;
        if limit > most {
            return Err(Mismatched::LimitTooNearToTtl {
                limit,
                ttl,
                most,
                least: (limit * LIMIT_OF_TTL.1).div_ceil(LIMIT_OF_TTL.0),
            });
        }
        if hold <= ttl {
            return Err(Mismatched::HoldNotAboveTtl { hold, ttl });
        }
        if self.pooled && !(self.no_install && self.queries_url.is_some()) {
            return Err(Mismatched::NotThroughAPooler);
        }
        Ok(())
    }

    /// How sections are entered and left.
    pub(crate) fn enter_options(&self) -> EnterOptions {
        let ttl = Ttl::from_millis(self.ttl_ms).expect("the option is from 1 ms to an hour");
        EnterOptions::for_ttl(ttl)
    }

    pub(crate) fn query_limit(&self) -> Duration {
        Duration::from_millis(self.query_limit_ms)
    }

    pub(crate) fn hold(&self) -> Duration {
        Duration::from_millis(self.hold_ms)
    }

    pub(crate) fn lame_duck(&self) -> Duration {
        Duration::from_millis(self.lame_duck_ms)
    }

    pub(crate) fn drain(&self) -> Duration {
        Duration::from_millis(self.drain_ms)
    }

    pub(crate) fn queries_url(&self) -> &str {
        self.queries_url.as_deref().unwrap_or(&self.database_url)
    }
}

fn millis() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(1..=HOUR_MS)
}

/// Kept as it was written, once it is known that it can be read.
fn filter(text: &str) -> Result<String, String> {
    telemetry::read(text)
        .map(|_| text.to_owned())
        .map_err(|error| error.to_string())
}

fn credits(text: &str) -> Result<Credits, String> {
    let whole: i128 = text
        .parse()
        .map_err(|_| "a whole number of credits, at least 1".to_owned())?;
    Credits::new(whole).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        config: Config,
    }

    fn read(options: &[&str]) -> Result<Config, clap::Error> {
        let urls = [
            "serve",
            "--redis-url",
            "redis://r",
            "--database-url",
            "postgres://p",
        ];
        Line::try_parse_from(urls.iter().chain(options)).map(|line| line.config)
    }

    #[test]
    fn the_defaults_go_together() {
        read(&[]).unwrap().check().unwrap();
    }

    #[test]
    fn a_query_that_could_outlive_its_lease_or_its_hold_is_no_configuration() {
        let near = read(&["--query-limit-ms", "9001"]).unwrap().check();
        assert_eq!(
            near,
            Err(Mismatched::LimitTooNearToTtl {
                limit: 9001,
                ttl: 10_000,
                most: 9000,
                least: 10_002
            })
        );
        for enough in [["--query-limit-ms", "9000"], ["--ttl-ms", "8889"]] {
            assert_eq!(read(&enough).unwrap().check(), Ok(()));
        }
        let hold = read(&["--hold-ms", "10000"]).unwrap().check();
        assert_eq!(
            hold,
            Err(Mismatched::HoldNotAboveTtl {
                hold: 10_000,
                ttl: 10_000
            })
        );
    }

    #[test]
    fn a_pooler_is_for_guard_and_ledger_alone() {
        let queries = ["--queries-url", "postgres://q"];
        for options in [&["--pooled"][..], &["--pooled", "--no-install"]] {
            let checked = read(options).unwrap().check();
            assert_eq!(checked, Err(Mismatched::NotThroughAPooler));
        }
        let without = read(&[&["--pooled"], &queries[..]].concat());
        assert_eq!(without.unwrap().check(), Err(Mismatched::NotThroughAPooler));
        let all = read(&[&["--pooled", "--no-install"], &queries[..]].concat());
        assert_eq!(all.unwrap().check(), Ok(()));
    }

    #[test]
    fn a_bad_value_is_named_with_its_option() {
        for (option, value) in [
            ("--ttl-ms", "0"),
            ("--ttl-ms", "30s"),
            ("--price", "0"),
            ("--price", "x"),
            ("--at-once", "0"),
            ("--listen", "8080"),
            ("--prefix", "a{b"),
            ("--redis-down", "perhaps"),
            ("--log", "dataset_service=loud"),
        ] {
            let error = read(&[option, value]).unwrap_err().to_string();
            assert!(error.contains(option) && error.contains(value), "{error}");
        }
    }
}
