//! The command line.

use std::path::PathBuf;

use clap::{Parser, Subcommand};

use crate::cell::{Incident, Protection};

/// Lets real processes charge a customer twice, then shows the guard stopping it.
///
/// Without a command it plays the whole table: five protections in four incidents, each with worker
/// processes that are frozen (SIGSTOP) past their lease, on a real Redis and a real Postgres.
///
/// Servers: REDIS_URL and DATABASE_URL if set, else a private pair from installed programs, else Docker
/// Compose.
#[derive(Debug, Parser)]
#[command(name = "double-charge", version, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) verb: Option<Verb>,
    /// Print one JSON document, and nothing else, on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Also write what was played as one self-contained HTML file: the staircase, and each cell as a picture.
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
}

impl Cli {
    /// The option that has no meaning for the command.
    pub(crate) fn contradiction(&self) -> Option<&'static str> {
        match self.verb {
            Some(Verb::Servers) if self.json => Some("servers has nothing to print as JSON"),
            Some(Verb::Servers | Verb::Refusals) if self.html.is_some() => {
                Some("--html draws what is played: the whole table, or the cell of show")
            }
            _ => None,
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Verb {
    /// Play one cell and print its timeline, a column for each holder.
    Show {
        /// What goes wrong.
        incident: Incident,
        /// What should keep it from charging twice.
        protection: Protection,
    },
    /// List the refused writes that the kept data holds, of this and earlier runs.
    Refusals,
    /// Keep the servers up, say how to reach them, until Ctrl-C.
    Servers,
    /// Be a worker; the conductor speaks to it by pipes.
    #[command(hide = true)]
    Worker,
}

const EXAMPLES: &str = "\
Examples:
  double-charge                              the staircase
  double-charge show window fence-on-write   the gap that a write-only fence leaves, step by step
  double-charge show window fence-opened     the same, stopped
  double-charge --html report.html           the staircase, and all its cells as pictures to share
  double-charge --json | jq '.cells[] | select(.charged > .due)'

Exit status: 0 when everything came out as documented, 1 when a cell did not, 2 on bad usage or when
there are no servers, or no place for the report.";

#[cfg(test)]
mod tests {
    use clap::ValueEnum;
    use proptest::prelude::*;

    use super::*;

    /// A word of the command line, or any other.
    fn word() -> impl Strategy<Value = String> {
        let cells = Incident::value_variants().iter().map(name);
        let cells = cells.chain(Protection::value_variants().iter().map(name));
        let words = ["show", "refusals", "servers", "--json", "-x", "--", ""].map(String::from);
        prop_oneof![6 => prop::sample::select(Vec::from_iter(cells.chain(words))), 1 => any::<String>()]
    }

    fn name<T: ValueEnum>(value: &T) -> String {
        let value = value.to_possible_value().expect("none is skipped");
        value.get_name().to_owned()
    }

    proptest! {
        /// Whatever is typed is a command that its words say, or bad usage with exit code 2.
        #[test]
        fn any_words_are_a_command_or_bad_usage(words in prop::collection::vec(word(), 0..5)) {
            let program = "double-charge".to_owned();
            match Cli::try_parse_from([program].iter().chain(&words)) {
                Ok(cli) => {
                    let said = words.iter().any(|word| word == "--json");
                    prop_assert_eq!(said, cli.json);
                    let rest = words.iter().filter(|word| !matches!(word.as_str(), "--json" | "--"));
                    prop_assert_eq!(cli.verb.map_or(vec![], spelled), Vec::from_iter(rest.cloned()));
                }
                Err(error) => prop_assert!(error.exit_code() == 2 || !error.use_stderr()),
            }
        }
    }

    /// The words of a command.
    fn spelled(verb: Verb) -> Vec<String> {
        match verb {
            Verb::Show {
                incident,
                protection,
            } => {
                vec!["show".to_owned(), name(&incident), name(&protection)]
            }
            Verb::Refusals => vec!["refusals".to_owned()],
            Verb::Servers => vec!["servers".to_owned()],
            Verb::Worker => vec!["worker".to_owned()],
        }
    }
}
