//! The file of a report: there whole, or not at all.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::Context;
use tempfile::{Builder, NamedTempFile};

/// A place beside the report to come, taken before the run begins: that it cannot be written is known
/// then. Dropped, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct ReportFile {
    path: PathBuf,
    draft: NamedTempFile,
}

impl ReportFile {
    /// Makes sure that a report can be written at `path`, which may hold an older one.
    pub(crate) fn at(path: &Path) -> anyhow::Result<ReportFile> {
        let draft = draft(path).with_context(|| {
            format!(
                "no report can be written at {}; name another file",
                path.display()
            )
        })?;
        Ok(ReportFile {
            path: path.to_owned(),
            draft,
        })
    }

    /// Puts the report in its place, in one step: nobody sees half of it.
    pub(crate) fn write(mut self, text: &str) -> anyhow::Result<()> {
        let written = self
            .draft
            .write_all(text.as_bytes())
            .and_then(|()| self.draft.as_file().sync_all());
        written
            .and_then(|()| self.draft.persist(&self.path).map_err(|error| error.error))
            .with_context(|| format!("the report {} could not be written", self.path.display()))?;
        Ok(())
    }
}

fn draft(path: &Path) -> io::Result<NamedTempFile> {
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    let mut builder = Builder::new();
    builder.prefix(".double-charge-").suffix(".html");
    // A report is to be shared: as readable as any file that its user makes, not private as temporary ones.
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    builder.tempfile_in(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = std::fs::read_dir(folder)
            .expect("the folder is there")
            .flatten();
        entries
            .map(|entry| entry.file_name().to_string_lossy().into_owned())
            .collect()
    }

    #[test]
    fn until_it_is_whole_the_older_report_stays() {
        let folder = tempfile::tempdir().expect("there is a place for it");
        let path = folder.path().join("report.html");
        std::fs::write(&path, "older").expect("it can be written");
        let file = ReportFile::at(&path).expect("the place is free");
        assert_eq!(
            std::fs::read_to_string(&path).expect("it is there"),
            "older"
        );
        file.write("newer").expect("it can be written");
        assert_eq!(
            std::fs::read_to_string(&path).expect("it is there"),
            "newer"
        );
        assert_eq!(names(folder.path()), ["report.html"]);
    }

    #[test]
    fn a_run_that_breaks_off_leaves_nothing_behind() {
        let folder = tempfile::tempdir().expect("there is a place for it");
        drop(ReportFile::at(&folder.path().join("report.html")).expect("the place is free"));
        assert_eq!(names(folder.path()), Vec::<String>::new());
    }
}
