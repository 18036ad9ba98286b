//! Folders that the servers' account can enter, and that do not outlive their use.

use std::env;
use std::fs::{self, DirBuilder, File, Permissions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

use crate::account::Account;
use crate::error::Doing;
use crate::{Error, unique};

/// The file whose lock says that the process that made the folder is alive.
const OWNER: &str = "owner";

/// A throw-away folder. Its janitor removes it; where no janitor was left to do so, the next
/// process that makes a folder beside it does.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    _owner: File,
}

impl Folder {
    /// Makes one below the first base that the servers' account can enter.
    pub(crate) fn new() -> Result<Folder, Error> {
        let base = first_base()?;
        sweep(&base);
        let (path, owner) =
            make(&base).doing(|| format!("make a folder for servers in {}", base.display()))?;
        Ok(Folder {
            path,
            _owner: owner,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }
}

/// The folders that may hold servers' data, best first: `target/`, `$TMPDIR`, `/var/tmp`.
///
/// In the folders that everybody shares, the name bears the user's number, and the folder is
/// checked to be the user's own.
pub(crate) fn bases() -> Vec<PathBuf> {
    let own = format!("testbed-{}", Uid::effective());
    let shared = [env::temp_dir(), "/var/tmp".into()];
    let target = target_folder().map(|target| target.join("testbed"));
    target
        .into_iter()
        .chain(shared.map(|folder| folder.join(&own)))
        .collect()
}

/// The first base that can be used.
pub(crate) fn first_base() -> Result<PathBuf, Error> {
    let account = Account::of_servers()?;
    let mut tried = Vec::new();
    for base in bases() {
        match usable(&base, account) {
            Ok(()) => return Ok(base),
            Err(error) => tried.push(format!("{}: {error}", base.display())),
        }
    }
    Err(Error::NoFolder {
        tried: tried.join("; "),
    })
}

/// Makes `folder` if it is missing, and checks that it is ours and that `account` can enter it.
pub(crate) fn usable(folder: &Path, account: Account) -> io::Result<()> {
    match open_to_pass(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    let found = fs::symlink_metadata(folder)?;
    if !found.is_dir() || found.uid() != Uid::effective().as_raw() || found.mode() & 0o022 != 0 {
        return Err(io::Error::other("it is not this user's own folder"));
    }
    if account.can_enter(folder) {
        Ok(())
    } else {
        Err(io::Error::other("the servers' account cannot enter it"))
    }
}

/// Makes a folder through which another account can pass, but whose names it cannot list.
fn open_to_pass(folder: &Path) -> io::Result<()> {
    DirBuilder::new().mode(0o711).create(folder)?;
    // The umask may have taken bits away.
    fs::set_permissions(folder, Permissions::from_mode(0o711))
}

/// The `target/` that this program was built into, if it still lies there: Cargo marks it as a cache.
pub fn target_folder() -> Option<PathBuf> {
    let program = env::current_exe().ok()?;
    let target = program
        .ancestors()
        .find(|folder| folder.join("CACHEDIR.TAG").exists())?;
    Some(target.to_owned())
}

/// Makes a folder that is locked before it bears a name that others sweep away.
fn make(base: &Path) -> io::Result<(PathBuf, File)> {
    let suffix = unique::suffix();
    let unlocked = base.join(format!("new-{suffix}"));
    open_to_pass(&unlocked)?;
    let owner = File::create_new(unlocked.join(OWNER))?;
    owner.lock()?;
    let path = base.join(format!("run-{suffix}"));
    fs::rename(unlocked, &path)?;
    Ok((path, owner))
}

/// Removes what processes left behind whose janitor was killed, too.
fn sweep(base: &Path) {
    for entry in fs::read_dir(base).into_iter().flatten().flatten() {
        let abandoned = entry.file_name().to_string_lossy().starts_with("run-")
            && File::open(entry.path().join(OWNER)).is_ok_and(|owner| owner.try_lock().is_ok());
        if abandoned {
            // Its janitor may be at the same work: whoever comes second finds nothing.
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A folder for one test, removed also when the test fails.
    pub(crate) struct Scratch(Folder);

    impl Scratch {
        pub(crate) fn new() -> Scratch {
            Scratch(Folder::new().unwrap())
        }

        pub(crate) fn path(&self) -> &Path {
            self.0.path()
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(self.path());
        }
    }

    #[test]
    fn a_folder_in_use_survives_and_an_abandoned_one_is_swept() {
        let in_use = Scratch::new();
        let abandoned = Folder::new().unwrap();
        let left = abandoned.path().to_owned();
        drop(abandoned);
        let _third = Scratch::new();
        assert!(in_use.path().exists());
        assert!(!left.exists());
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_not_used() {
        let folder = Scratch::new();
        let open = folder.path().join("open");
        let account = Account::of_servers().unwrap();
        usable(&open, account).unwrap();
        fs::set_permissions(&open, Permissions::from_mode(0o777)).unwrap();
        assert!(usable(&open, account).is_err());
    }

    #[test]
    fn a_symbolic_link_is_not_used() {
        let folder = Scratch::new();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/tmp", &link).unwrap();
        assert!(usable(&link, Account::of_servers().unwrap()).is_err());
    }
}
