//! A browser and its driver, which only the tests of the page need.

use std::env;
use std::path::PathBuf;

use crate::error::Error;
use crate::install::{Facts, Installer};

/// The programs, the variables that choose others, and the Debian packages that have them.
const PROGRAMS: [(&str, &str, &str); 2] = [
    ("chromium", "CHROMIUM", "chromium"),
    ("chromedriver", "CHROMEDRIVER", "chromium-driver"),
];

/// Makes sure that there are a Chromium and a chromedriver, and says where they come from.
pub(crate) fn provision_browser() -> Result<(), Error> {
    let missing = missing();
    if !missing.is_empty() {
        match Installer::choose(&Facts::of_this_machine()) {
            Ok(apt @ Installer::Apt { .. }) => apt.install_packages(&missing)?,
            // Homebrew's Chromium brings no driver of its own version.
            Ok(Installer::Brew) => return Err(none("Homebrew has no Chromium with its driver")),
            Err(why) => return Err(none(&why)),
        }
    }
    let [browser, driver] = PROGRAMS.map(|(program, variable, _)| find(program, variable));
    match (browser, driver) {
        (Some(browser), Some(driver)) => {
            eprintln!("browser   {} with {}", browser.display(), driver.display());
            Ok(())
        }
        _ => Err(none("they were installed, and are not in PATH")),
    }
}

/// The packages of the programs that are not there.
fn missing() -> Vec<&'static str> {
    let absent = PROGRAMS
        .into_iter()
        .filter(|(program, variable, _)| find(program, variable).is_none());
    absent.map(|(_, _, package)| package).collect()
}

fn find(program: &str, variable: &str) -> Option<PathBuf> {
    if let Some(chosen) = env::var_os(variable).filter(|chosen| !chosen.is_empty()) {
        return Some(PathBuf::from(chosen)).filter(|chosen| chosen.is_file());
    }
    let path = env::var_os("PATH").unwrap_or_default();
    let places = env::split_paths(&path).map(|folder| folder.join(program));
    places.into_iter().find(|place| place.is_file())
}

fn none(why: &str) -> Error {
    Error::Browser {
        why: why.to_owned(),
    }
}
