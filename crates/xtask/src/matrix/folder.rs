//! Where servers are unpacked: a folder that the account of the servers can enter.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use nix::unistd::Uid;

use crate::error::Error;

/// Unpacked servers, kept between runs, and the logs of the last run. One run at a time uses it.
#[derive(Debug)]
pub(crate) struct Folder {
    path: PathBuf,
    /// The system frees the lock when this process ends, however it does.
    _lock: File,
}

impl Folder {
    /// Takes `wanted`, else `matrix` in Cargo's target folder, else one below `/var/tmp`.
    pub(crate) fn open(wanted: Option<&Path>) -> Result<Folder, Error> {
        let path = match wanted {
            // The servers run in `/`.
            Some(folder) => std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned()),
            None => usual(),
        };
        let failed = |source| Error::Folder {
            folder: path.clone(),
            source,
        };
        prepare(&path).map_err(failed)?;
        let lock = File::create(path.join("lock")).map_err(failed)?;
        match lock.try_lock() {
            Ok(()) => Ok(Folder { path, _lock: lock }),
            Err(TryLockError::WouldBlock) => {
                Err(failed(io::Error::other("another run is using it")))
            }
            Err(TryLockError::Error(source)) => Err(failed(source)),
        }
    }

    /// Where the server with this key stands, once it has been unpacked.
    pub(crate) fn server(&self, key: &str) -> PathBuf {
        self.path.join(key)
    }

    /// The file for what the step `step` of this run prints.
    pub(crate) fn log(&self, step: &str) -> PathBuf {
        self.path.join("logs").join(format!("{step}.log"))
    }
}

fn usual() -> PathBuf {
    let target = testbed::target_folder();
    match target {
        // Only root's servers run under another account than the files' own.
        Some(target) if !Uid::effective().is_root() || can_be_entered(&target) => {
            target.join("matrix")
        }
        _ => PathBuf::from(format!("/var/tmp/xtask-matrix-{}", Uid::effective())),
    }
}

/// Whether every account can pass through all folders on the way, and through `folder` itself.
fn can_be_entered(folder: &Path) -> bool {
    folder
        .ancestors()
        .all(|folder| fs::metadata(folder).is_ok_and(|found| found.mode() & 0o001 != 0))
}

/// Makes the folder if it is missing, and checks that nobody else could put programs there.
fn prepare(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o755).create(path)?;
    let found = fs::symlink_metadata(path)?;
    if !found.is_dir() || found.uid() != Uid::effective().as_raw() || found.mode() & 0o022 != 0 {
        return Err(io::Error::other("it is not this user's own folder"));
    }
    // The umask may have taken bits away that the servers' account needs.
    fs::set_permissions(path, Permissions::from_mode(0o755))?;
    builder.create(path.join("logs"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder of this test, removed also when the test fails.
    struct Scratch(PathBuf);

    impl Scratch {
        fn new(name: &str) -> Scratch {
            let name = format!("xtask-{name}-{}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir(&path).unwrap();
            Scratch(path)
        }
    }

    impl Drop for Scratch {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn a_folder_below_a_private_one_cannot_be_entered() {
        let private = Scratch::new("private");
        let inner = private.0.join("inner");
        fs::create_dir(&inner).unwrap();
        fs::set_permissions(&inner, Permissions::from_mode(0o755)).unwrap();
        fs::set_permissions(&private.0, Permissions::from_mode(0o755)).unwrap();
        assert!(can_be_entered(&inner));
        fs::set_permissions(&private.0, Permissions::from_mode(0o700)).unwrap();
        assert!(!can_be_entered(&inner));
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_not_used() {
        let open = Scratch::new("open");
        fs::set_permissions(&open.0, Permissions::from_mode(0o777)).unwrap();
        let error = Folder::open(Some(&open.0)).unwrap_err().to_string();
        assert!(error.contains("not this user's own"), "{error}");
    }

    #[test]
    fn a_second_run_does_not_use_the_same_folder() {
        let shared = Scratch::new("shared");
        fs::set_permissions(&shared.0, Permissions::from_mode(0o755)).unwrap();
        let first = Folder::open(Some(&shared.0)).unwrap();
        let error = Folder::open(Some(&shared.0)).unwrap_err().to_string();
        assert!(error.contains("another run"), "{error}");
        drop(first);
        Folder::open(Some(&shared.0)).unwrap();
    }
}
