//! The account that the servers run under when root starts them.

use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

use nix::unistd::{Gid, Uid, User};

use crate::Error;

/// Who the servers run as. Postgres refuses to run as root, so root drops to another account.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Account {
    /// The account that runs this process.
    Own(Uid),
    /// `postgres`, else `nobody`, because this process runs as root.
    Dropped(Uid, Gid),
}

impl Account {
    pub(crate) fn of_servers() -> Result<Account, Error> {
        let own = Uid::effective();
        if !own.is_root() {
            return Ok(Account::Own(own));
        }
        ["postgres", "nobody"]
            .into_iter()
            .filter_map(|name| User::from_name(name).ok().flatten())
            .map(|user| Account::Dropped(user.uid, user.gid))
            .next()
            .ok_or(Error::NoAccount)
    }

    pub(crate) fn uid(self) -> Uid {
        match self {
            Account::Own(uid) | Account::Dropped(uid, _) => uid,
        }
    }

    /// Makes `command` run as this account.
    ///
    /// The standard library sets the account before any `pre_exec` step and before it enters the
    /// working directory, so both happen with the rights of the account.
    pub(crate) fn applied_to(self, command: &mut Command) -> &mut Command {
        if let Account::Dropped(uid, gid) = self {
            command.uid(uid.as_raw()).gid(gid.as_raw());
        }
        command
    }

    /// Whether the account can enter `folder`: tried, because permission bits do not tell all.
    pub(crate) fn can_enter(self, folder: &Path) -> bool {
        let mut enter = Command::new("/bin/sh");
        enter.args(["-c", ":"]).current_dir(folder);
        enter.stdin(Stdio::null()).stderr(Stdio::null());
        self.applied_to(&mut enter)
            .status()
            .is_ok_and(|status| status.success())
    }

    /// Gives `folder` to the account.
    pub(crate) fn own(self, folder: &Path) -> std::io::Result<()> {
        match self {
            Account::Own(_) => Ok(()),
            Account::Dropped(uid, gid) => {
                std::os::unix::fs::chown(folder, Some(uid.as_raw()), Some(gid.as_raw()))
            }
        }
    }
}
