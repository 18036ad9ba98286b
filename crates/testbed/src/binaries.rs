//! Where installed servers are looked for.

use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::Error;

/// Names that a Redis server goes by.
const REDIS: [&str; 2] = ["redis-server", "valkey-server"];
/// What a folder must hold to be a Postgres installation.
const POSTGRES: [&str; 2] = ["postgres", "initdb"];

/// The installed Redis to run: of `REDIS_SERVER`, of `PATH`, of Homebrew's folders.
pub(crate) fn redis() -> Result<Option<PathBuf>, Error> {
    Places::of_this_machine().redis()
}

/// The folder of the installed Postgres to run: `PG_BIN`, one in `PATH`, the one that `pg_config`
/// names, the newest of Debian's packages, the newest of Homebrew's.
pub(crate) fn postgres() -> Result<Option<PathBuf>, Error> {
    Places::of_this_machine().postgres()
}

/// The installed PgBouncer to run: of `PGBOUNCER`, of `PATH`, of the folders that Debian uses.
pub(crate) fn pgbouncer() -> Result<Option<PathBuf>, Error> {
    let mut folders: Vec<PathBuf> = env::var_os("PATH")
        .map(|path| env::split_paths(&path).collect())
        .unwrap_or_default();
    // Only root has the first one in its PATH.
    folders.extend(["/usr/sbin".into(), "/usr/bin".into()]);
    match variable("PGBOUNCER") {
        Some(path) if is_program(&path) => Ok(Some(absolute(path))),
        Some(path) => Err(wrong("PGBOUNCER", &path, "pgbouncer")),
        None => {
            let mut programs = folders.into_iter().map(|folder| folder.join("pgbouncer"));
            Ok(programs.find(|program| is_program(program)).map(absolute))
        }
    }
}

/// Everything that the search reads from its surroundings.
#[derive(Debug, Default)]
struct Places {
    redis_server: Option<PathBuf>,
    pg_bin: Option<PathBuf>,
    redis_folders: Vec<PathBuf>,
    postgres_folders: Vec<PathBuf>,
}

impl Places {
    fn of_this_machine() -> Places {
        let path: Vec<PathBuf> = env::var_os("PATH")
            .map(|path| env::split_paths(&path).collect())
            .unwrap_or_default();
        let brew = [PathBuf::from("/opt/homebrew"), PathBuf::from("/usr/local")];
        let kegs = brew
            .iter()
            .flat_map(|b| newest_first(&b.join("opt"), "postgresql"));
        let debian = newest_first(Path::new("/usr/lib/postgresql"), "");
        Places {
            redis_server: variable("REDIS_SERVER"),
            pg_bin: variable("PG_BIN"),
            redis_folders: path
                .iter()
                .cloned()
                .chain(brew.iter().map(|brew| brew.join("bin")))
                .collect(),
            postgres_folders: path
                .iter()
                .cloned()
                .chain(pg_config())
                .chain(debian.into_iter().chain(kegs).map(|v| v.join("bin")))
                .collect(),
        }
    }

    fn redis(&self) -> Result<Option<PathBuf>, Error> {
        if let Some(path) = &self.redis_server {
            // A bare name is looked for like the usual one.
            let found = [path.clone()]
                .into_iter()
                .chain(self.redis_folders.iter().map(|folder| folder.join(path)))
                .find(|program| is_program(program));
            return match found {
                Some(program) => Ok(Some(absolute(program))),
                None => Err(wrong("REDIS_SERVER", path, "redis-server")),
            };
        }
        let programs = REDIS
            .iter()
            .flat_map(|name| self.redis_folders.iter().map(move |f| f.join(name)));
        Ok(programs.map(absolute).find(|program| is_program(program)))
    }

    fn postgres(&self) -> Result<Option<PathBuf>, Error> {
        match &self.pg_bin {
            Some(path) if is_installation(path) => Ok(Some(real(path))),
            Some(path) => Err(wrong("PG_BIN", path, "postgres and initdb")),
            None => {
                let mut folders = self.postgres_folders.iter();
                Ok(folders
                    .find(|folder| is_installation(folder))
                    .map(|f| real(f)))
            }
        }
    }
}

/// A variable that is set and not empty, as a path.
fn variable(name: &str) -> Option<PathBuf> {
    env::var_os(name)
        .filter(|value| !value.is_empty())
        .map(PathBuf::from)
}

fn wrong(variable: &'static str, path: &Path, wanted: &'static str) -> Error {
    Error::WrongVariable {
        variable,
        path: path.to_owned(),
        wanted,
    }
}

/// The folder that `pg_config --bindir` names.
fn pg_config() -> Option<PathBuf> {
    let mut command = Command::new("pg_config");
    command.arg("--bindir").stdin(Stdio::null());
    let output = command.output().ok().filter(|out| out.status.success())?;
    let folder = String::from_utf8(output.stdout).ok()?;
    Some(PathBuf::from(folder.trim()))
}

/// The folders in `parent` whose name starts with `prefix`, by the number in it: 9 comes after 15.
fn newest_first(parent: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(parent).into_iter().flatten().flatten();
    let mut versions: Vec<(u32, PathBuf)> = entries
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let rest = name
                .strip_prefix(prefix)?
                .trim_start_matches('@')
                .to_owned();
            let major = rest.split('.').next().unwrap_or_default();
            Some((major.parse().unwrap_or(0), entry.path()))
        })
        .collect();
    versions.sort();
    versions.into_iter().rev().map(|(_, path)| path).collect()
}

/// The folder that holds the real `postgres`: what links to it from elsewhere may not find its
/// shared files.
fn real(folder: &Path) -> PathBuf {
    let program = folder.join("postgres").canonicalize().unwrap_or_default();
    match program.parent() {
        Some(real) if is_installation(real) => real.to_owned(),
        _ => absolute(folder.to_owned()),
    }
}

/// Servers are started in `/`, so a relative path would lead elsewhere.
fn absolute(path: PathBuf) -> PathBuf {
    std::path::absolute(&path).unwrap_or(path)
}

fn is_installation(folder: &Path) -> bool {
    POSTGRES.iter().all(|name| is_program(&folder.join(name)))
}

fn is_program(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::OpenOptionsExt;

    use super::*;
    use crate::folder::tests::Scratch;

    /// Makes empty programs and returns the folder that holds them.
    fn folder_with(folder: &Scratch, name: &str, programs: &[&str]) -> PathBuf {
        let path = folder.path().join(name);
        fs::create_dir_all(&path).unwrap();
        for program in programs {
            let mut options = fs::OpenOptions::new();
            options.write(true).create(true).mode(0o755);
            options.open(path.join(program)).unwrap();
        }
        path
    }

    #[test]
    fn a_variable_goes_before_every_folder() {
        let folder = Scratch::new();
        let in_path = folder_with(&folder, "path", &["redis-server", "postgres", "initdb"]);
        let chosen = folder_with(&folder, "chosen", &["my-redis", "postgres", "initdb"]);
        let places = Places {
            redis_server: Some(chosen.join("my-redis")),
            pg_bin: Some(chosen.clone()),
            redis_folders: vec![in_path.clone()],
            postgres_folders: vec![in_path],
        };
        assert_eq!(places.redis().unwrap(), Some(chosen.join("my-redis")));
        assert_eq!(places.postgres().unwrap(), Some(chosen));
    }

    #[test]
    fn a_variable_that_leads_nowhere_is_an_error_although_a_server_is_installed() {
        let folder = Scratch::new();
        let in_path = folder_with(&folder, "path", &["redis-server", "postgres", "initdb"]);
        let places = Places {
            redis_server: Some("/nonexistent/redis-server".into()),
            pg_bin: Some(folder.path().to_owned()),
            redis_folders: vec![in_path.clone()],
            postgres_folders: vec![in_path],
        };
        let redis = places.redis().unwrap_err().to_string();
        assert!(redis.contains("REDIS_SERVER"), "{redis}");
        let postgres = places.postgres().unwrap_err().to_string();
        assert!(postgres.contains("PG_BIN"), "{postgres}");
    }

    #[test]
    fn the_newest_version_comes_first_and_ten_is_newer_than_nine() {
        let folder = Scratch::new();
        for version in ["9.6", "15", "10"] {
            folder_with(&folder, version, &[]);
        }
        let names: Vec<_> = newest_first(folder.path(), "")
            .iter()
            .map(|path| path.file_name().unwrap().to_owned())
            .take(3)
            .collect();
        assert_eq!(names, ["15", "10", "9.6"]);
    }

    #[test]
    fn a_folder_with_half_an_installation_and_a_file_without_the_right_to_run_are_passed_over() {
        let folder = Scratch::new();
        let half = folder_with(&folder, "half", &["postgres"]);
        fs::write(half.join("redis-server"), "").unwrap();
        let places = Places {
            redis_folders: vec![half.clone()],
            postgres_folders: vec![half],
            ..Places::default()
        };
        assert_eq!(places.redis().unwrap(), None);
        assert_eq!(places.postgres().unwrap(), None);
    }

    #[test]
    fn valkey_will_do_where_there_is_no_redis() {
        let folder = Scratch::new();
        let path = folder_with(&folder, "path", &["valkey-server"]);
        let places = Places {
            redis_folders: vec![path.clone()],
            ..Places::default()
        };
        assert_eq!(places.redis().unwrap(), Some(path.join("valkey-server")));
    }
}
