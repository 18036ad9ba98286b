//! Where a server keeps its files: for this run only, or for the next one too.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use crate::Error;
use crate::account::Account;
use crate::error::Doing;
use crate::folder::{Folder, bases, usable};
use crate::janitor::Fate;

/// The file in a kept folder whose lock says that a run uses it.
const LOCK: &str = "lock";

/// A folder, and the lock that keeps others out of it.
#[derive(Debug)]
pub(crate) enum Home {
    /// Removed when its server is.
    ThrowAway(Folder),
    /// Stays. One run at a time may use it.
    Kept {
        path: PathBuf,
        /// The system frees the lock when this process ends, however it does.
        _lock: File,
    },
}

impl Home {
    pub(crate) fn throw_away() -> Result<Home, Error> {
        Folder::new().map(Home::ThrowAway)
    }

    /// Takes `wanted`, or a folder of that name where the servers' account can enter, or a
    /// throw-away one while another run uses it. What is not as wanted becomes a line in `notices`.
    pub(crate) fn kept(wanted: &Path, notices: &mut Vec<String>) -> Result<Home, Error> {
        let account = Account::of_servers()?;
        // The servers run in `/`.
        let wanted = std::path::absolute(wanted)
            .doing(|| format!("find the folder {}", wanted.display()))?;
        let mut tried = Vec::new();
        for path in candidates(&wanted, account) {
            if let Err(error) = open(&path, account) {
                tried.push(format!("{}: {error}", path.display()));
                continue;
            }
            if !tried.is_empty() {
                let why = tried.join("; ");
                notices.push(format!("the data is kept in {} ({why})", path.display()));
            }
            return Home::locked(path, notices);
        }
        Err(Error::NoFolder {
            tried: tried.join("; "),
        })
    }

    fn locked(path: PathBuf, notices: &mut Vec<String>) -> Result<Home, Error> {
        let doing = || format!("lock the folder {}", path.display());
        let lock = File::create(path.join(LOCK)).doing(doing)?;
        match lock.try_lock() {
            Ok(()) => Ok(Home::Kept { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                let path = path.display();
                notices.push(format!(
                    "another run uses {path}: started throw-away servers, whose data goes with them"
                ));
                Home::throw_away()
            }
            Err(TryLockError::Error(error)) => Err(error).doing(doing),
        }
    }

    pub(crate) fn path(&self) -> &Path {
        match self {
            Home::ThrowAway(folder) => folder.path(),
            Home::Kept { path, .. } => path,
        }
    }

    pub(crate) fn fate(&self) -> Fate {
        match self {
            Home::ThrowAway(_) => Fate::Removed,
            Home::Kept { .. } => Fate::Kept,
        }
    }
}

/// Whether a server has kept data in `folder`, or in what stands in for it: what a server that is started with
/// [`Options::kept`](crate::Options::kept) would find, without starting one.
///
/// # Errors
/// [`Error::Io`] if the account of servers cannot be told.
pub fn has_kept(folder: impl AsRef<Path>) -> Result<bool, Error> {
    let account = Account::of_servers()?;
    let folder = folder.as_ref();
    let wanted =
        std::path::absolute(folder).doing(|| format!("find the folder {}", folder.display()))?;
    Ok(candidates(&wanted, account).any(|path| path.join(LOCK).exists()))
}

/// `wanted` itself, then its stand-ins below the bases that can be used. A base is made only when
/// it is its turn.
fn candidates(wanted: &Path, account: Account) -> impl Iterator<Item = PathBuf> {
    let name = wanted.to_string_lossy().replace('/', "-");
    let stand_in = format!("kept{name}");
    let stand_ins = bases()
        .into_iter()
        .filter(move |base| usable(base, account).is_ok())
        .map(move |base| base.join(&stand_in));
    [wanted.to_owned()].into_iter().chain(stand_ins)
}

fn open(path: &Path, account: Account) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    usable(path, account)
}
