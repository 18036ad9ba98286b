//! Python with psycopg 3, which only the tests need: one of them writes under the guard from Python.

use std::env;
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::error::Error;
use crate::install::{Facts, Installer};

/// Makes sure that a python3 can import psycopg, and says which: a Debian package, or where no package
/// can be installed, an environment in `target/`.
pub(crate) fn provision_psycopg() -> Result<(), Error> {
    let found = match find()? {
        Err(why) if names_python() => return Err(Error::Psycopg { why }),
        Err(_) => {
            install()?;
            find()?
        }
        found => found,
    };
    let python = found.map_err(|why| Error::Psycopg { why })?;
    eprintln!("psycopg   of {python}");
    Ok(())
}

/// Whether somebody has chosen a Python: then no other is installed.
fn names_python() -> bool {
    env::var_os("PYTHON").is_some_and(|python| !python.is_empty())
}

/// The python3 that has psycopg, or else the line that says what helps.
fn find() -> Result<Result<String, String>, Error> {
    let mut find = script(include_str!("../sh/find-psycopg.sh"));
    let output = find.output().map_err(not_run)?;
    let line = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    if output.status.success() {
        Ok(Ok(line(&output.stdout)))
    } else {
        Ok(Err(line(&output.stderr)))
    }
}

fn install() -> Result<(), Error> {
    // Homebrew has no formula of it, and its Python takes no packages: the environment serves there, too.
    if let Ok(apt @ Installer::Apt { .. }) = Installer::choose(&Facts::of_this_machine()) {
        return apt.install_packages(&["python3-psycopg"]);
    }
    let folder = environment();
    eprintln!("install   psycopg into {}", folder.display());
    let mut make = script(include_str!("../sh/make-psycopg.sh"));
    let status = make.stdout(io::stderr()).status().map_err(not_run)?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Install {
        what: "pip".to_owned(),
        status: status.to_string(),
    })
}

/// Where the environment is, or would be.
fn environment() -> PathBuf {
    let target = testbed::target_folder().unwrap_or_else(|| "target".into());
    target.join("psycopg")
}

/// A script that gets the folder of the environment.
fn script(text: &str) -> Command {
    let mut shell = Command::new("/bin/sh");
    shell.args(["-c", text, "psycopg"]).arg(environment());
    shell.stdin(Stdio::null());
    shell
}

fn not_run(source: io::Error) -> Error {
    Error::Run {
        what: "/bin/sh".to_owned(),
        source,
    }
}
