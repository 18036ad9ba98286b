//! New data folders: made once per version by `initdb`, then copied, which is many times faster.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use nix::sys::signal::Signal;

use crate::Error;
use crate::account::Account;
use crate::error::Doing;
use crate::folder::{Folder, first_base};
use crate::janitor::{Fate, Janitor};

/// An installed Postgres, and the account to run it with.
#[derive(Debug)]
pub(crate) struct Installation {
    folder: PathBuf,
    account: Account,
    version: String,
}

impl Installation {
    /// Asks the `postgres` in `folder` for its version.
    pub(crate) fn new(folder: PathBuf, account: Account) -> Result<Installation, Error> {
        let mut installation = Installation {
            folder,
            account,
            version: String::new(),
        };
        let mut command = installation.command("postgres");
        let version = run(command.arg("--version"))?;
        installation.version = file_name(&String::from_utf8_lossy(&version.stdout));
        Ok(installation)
    }

    /// Names what can read a data folder: the major version, and the account.
    pub(crate) fn data_key(&self) -> String {
        format!("postgres-{}-u{}", major(&self.version), self.account.uid())
    }

    /// Names what a template was made by. A minor version may improve what `initdb` writes.
    fn template_key(&self) -> String {
        format!("template-{}-u{}", self.version, self.account.uid())
    }

    pub(crate) fn account(&self) -> Account {
        self.account
    }

    /// One of its programs, run as the account, and untouched by this process' environment.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(self.folder.join(program));
        for (name, _) in env::vars_os() {
            if name.to_string_lossy().starts_with("PG") {
                command.env_remove(name);
            }
        }
        command.env("LC_ALL", "C").current_dir("/");
        self.account.applied_to(&mut command);
        command
    }
}

/// Fills `data`, whose parent the account owns, with a new cluster.
pub(crate) fn new_data(installation: &Installation, data: &Path) -> Result<(), Error> {
    let template = template(installation)?;
    // A copy that was cut short must not look like data.
    let partial = data.with_extension("partial");
    let _ = fs::remove_dir_all(&partial);
    let mut copy = Command::new("cp");
    copy.arg("-Rp").arg(&template).arg(&partial);
    copy.current_dir("/");
    run(installation.account.applied_to(&mut copy))?;
    fs::rename(&partial, data).doing(|| format!("make the folder {}", data.display()))
}

/// The data folder to copy from; made if this is the first time.
fn template(installation: &Installation) -> Result<PathBuf, Error> {
    let template = first_base()?.join(installation.template_key());
    let data = template.join("data");
    if data.join("PG_VERSION").exists() {
        return Ok(data);
    }
    let folder = Folder::new()?;
    let janitor = Janitor::start(folder.path(), Fate::Removed, Signal::SIGTERM)
        .doing(|| "run /bin/sh".to_owned())?;
    let new = folder.path().join("template");
    fs::create_dir(&new)
        .and_then(|()| installation.account.own(&new))
        .doing(|| format!("make the folder {}", new.display()))?;
    init(installation, &new.join("data"))?;
    // Two processes may come here at once. The second finds a folder that is not empty, and one
    // template is as good as the other.
    match fs::rename(&new, &template) {
        Err(error) if !data.join("PG_VERSION").exists() => {
            return Err(error).doing(|| format!("make the folder {}", template.display()));
        }
        _ => {}
    }
    drop(janitor);
    Ok(data)
}

fn init(installation: &Installation, data: &Path) -> Result<(), Error> {
    let mut initdb = installation.command("initdb");
    initdb.arg("-D").arg(data);
    initdb.args(["--username=postgres", "--auth=trust", "--encoding=UTF8"]);
    initdb.args(["--no-locale", "--no-sync", "--no-instructions"]);
    run(&mut initdb).map(drop)
}

fn run(command: &mut Command) -> Result<Output, Error> {
    let tool = command.get_program().to_string_lossy().into_owned();
    let output = command.stdin(Stdio::null()).output();
    let output = output.doing(|| format!("run {tool} as the servers' account"))?;
    if output.status.success() {
        return Ok(output);
    }
    Err(Error::Tool {
        tool,
        status: output.status.to_string(),
        output: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
    })
}

/// `postgres (PostgreSQL) 15.18 (Debian …)`, from the number on, as a name without spaces and
/// parentheses.
fn file_name(version: &str) -> String {
    let words = version.split(|c: char| !(c.is_ascii_alphanumeric() || c == '.' || c == '-'));
    let words = words.skip_while(|word| !word.starts_with(|c: char| c.is_ascii_digit()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join("-")
}

/// The digits at the start of a version: `18` of `18.4` and of `18beta1`.
fn major(version: &str) -> &str {
    let end = version.find(|c: char| !c.is_ascii_digit());
    &version[..end.unwrap_or(version.len())]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_becomes_a_file_name() {
        let debian = file_name("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n");
        assert_eq!(debian, "15.18-Debian-15.18-0-deb12u1");
        assert_eq!(file_name("postgres (PostgreSQL) 18beta1\n"), "18beta1");
    }

    #[test]
    fn a_data_folder_depends_on_the_major_version_only() {
        assert_eq!(major("15.18-Debian-15.18-0-deb12u1"), "15");
        assert_eq!(major("18beta1"), "18");
        assert_eq!(major("9"), "9");
    }
}
