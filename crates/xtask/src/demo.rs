//! `cargo demo`: servers, then the story.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;

use crate::error::Error;
use crate::provision::provision;
use crate::step::cargo;

/// Makes sure of the servers, then becomes `double-charge`.
///
/// It *becomes* it, with the same process number: a signal that is meant for the demo, also SIGKILL,
/// reaches the program that owns the workers and the servers. The standard output is untouched.
pub(crate) fn run(arguments: &[OsString]) -> Result<(), Error> {
    provision()?;
    eprintln!("building  double-charge (the first time takes a minute or two)");
    let mut command = cargo(&["run", "--quiet", "--package", "double-charge", "--"]);
    let source = command.args(arguments).exec();
    Err(Error::Run {
        what: "cargo".to_owned(),
        source,
    })
}
