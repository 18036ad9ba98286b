//! Installing the servers with the system's package manager.

use std::env;
use std::io;
use std::process::{Command, Stdio};

use nix::unistd::Uid;
use testbed::ServerName;

use crate::error::Error;

/// What decides how servers can be installed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Facts {
    root: bool,
    apt_get: bool,
    /// `sudo` asks for no password.
    sudo: bool,
    brew: bool,
}

/// A way to install servers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Installer {
    Apt { sudo: bool },
    Brew,
}

impl Facts {
    pub(crate) fn of_this_machine() -> Facts {
        Facts {
            root: Uid::effective().is_root(),
            apt_get: in_path("apt-get"),
            sudo: in_path("sudo") && succeeds("sudo", &["-n", "true"]),
            brew: in_path("brew"),
        }
    }
}

impl Installer {
    /// Chooses the way; the error is half a sentence that says what is missing.
    pub(crate) fn choose(facts: &Facts) -> Result<Installer, String> {
        match *facts {
            // Homebrew refuses to run as root.
            Facts {
                brew: true,
                root: false,
                ..
            } => Ok(Installer::Brew),
            Facts {
                apt_get: true,
                root: true,
                ..
            } => Ok(Installer::Apt { sudo: false }),
            Facts {
                apt_get: true,
                sudo: true,
                ..
            } => Ok(Installer::Apt { sudo: true }),
            Facts { apt_get: true, .. } => {
                Err("apt-get needs root, and sudo asks for a password or is missing".to_owned())
            }
            _ => Err("there is neither apt-get nor Homebrew".to_owned()),
        }
    }

    /// Installs `servers`, and says so first.
    pub(crate) fn install(self, servers: &[ServerName]) -> Result<(), Error> {
        let packages: Vec<&str> = servers.iter().map(|server| self.package(*server)).collect();
        self.install_packages(&packages)
    }

    /// Installs packages by their names, and says so first.
    pub(crate) fn install_packages(self, packages: &[&str]) -> Result<(), Error> {
        let mut command = self.command(packages);
        let what = self.name();
        eprintln!("install   {} with {what}", packages.join(" "));
        // The standard output belongs to the demo.
        command.stdin(Stdio::null()).stdout(io::stderr());
        let status = command.status().map_err(|source| Error::Run {
            what: what.to_owned(),
            source,
        })?;
        if status.success() {
            return Ok(());
        }
        Err(Error::Install {
            what: what.to_owned(),
            status: status.to_string(),
        })
    }

    fn command(self, packages: &[&str]) -> Command {
        let script = include_str!("../sh/apt-install.sh");
        let mut command = match self {
            Installer::Apt { sudo: false } => Command::new("/bin/sh"),
            Installer::Apt { sudo: true } => {
                let mut sudo = Command::new("sudo");
                sudo.args(["-n", "/bin/sh"]);
                sudo
            }
            Installer::Brew => {
                let mut brew = Command::new("brew");
                brew.arg("install");
                brew
            }
        };
        if let Installer::Apt { .. } = self {
            command.args(["-c", script, "apt-install"]);
        }
        command.args(packages);
        command
    }

    fn name(self) -> &'static str {
        match self {
            Installer::Apt { sudo: false } => "apt-get",
            Installer::Apt { sudo: true } => "sudo apt-get",
            Installer::Brew => "brew",
        }
    }

    fn package(self, server: ServerName) -> &'static str {
        match (self, server) {
            (Installer::Apt { .. }, ServerName::Redis) => "redis-server",
            (Installer::Brew, ServerName::Redis) => "redis",
            (_, ServerName::PgBouncer) => "pgbouncer",
            _ => "postgresql",
        }
    }
}

fn in_path(program: &str) -> bool {
    let path = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command.args(arguments).stdin(Stdio::null());
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

#[cfg(test)]
mod tests {
    use super::*;

    const DEBIAN: Facts = Facts {
        root: false,
        apt_get: true,
        sudo: false,
        brew: false,
    };

    #[test]
    fn root_on_debian_installs_with_apt_get() {
        let facts = Facts {
            root: true,
            sudo: true,
            ..DEBIAN
        };
        assert_eq!(
            Installer::choose(&facts),
            Ok(Installer::Apt { sudo: false })
        );
    }

    #[test]
    fn sudo_is_used_only_where_it_asks_for_no_password() {
        let with_sudo = Facts {
            sudo: true,
            ..DEBIAN
        };
        let apt = Installer::Apt { sudo: true };
        assert_eq!(Installer::choose(&with_sudo), Ok(apt));
        let why = Installer::choose(&DEBIAN).unwrap_err();
        assert!(why.contains("password"), "{why}");
    }

    #[test]
    fn homebrew_is_not_run_as_root() {
        let brew = Facts {
            brew: true,
            ..Facts::default()
        };
        assert_eq!(Installer::choose(&brew), Ok(Installer::Brew));
        let as_root = Facts { root: true, ..brew };
        assert!(Installer::choose(&as_root).is_err());
    }

    #[test]
    fn only_the_missing_server_is_installed() {
        let apt = Installer::Apt { sudo: true };
        let command = apt.command(&[apt.package(ServerName::Redis)]);
        let arguments: Vec<_> = command.get_args().collect();
        assert_eq!(command.get_program(), "sudo");
        assert_eq!(arguments.last().unwrap(), &"redis-server");
        assert!(!arguments.contains(&"postgresql".as_ref()));
        assert_eq!(apt.package(ServerName::PgBouncer), "pgbouncer");
    }
}
