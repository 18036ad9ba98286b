//! An error with its causes, in one line, each said once.

use std::error::Error;
use std::fmt;

/// Writes an error, then each cause that what stands there already does not say. Many an error's text ends with its
/// cause's, and names that cause as its source as well.
pub(crate) struct Causes<'a>(pub(crate) &'a (dyn Error + 'static));

impl fmt::Display for Causes<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut said = self.0.to_string();
        let mut source = self.0.source();
        while let Some(cause) = source {
            let says = cause.to_string();
            if !said.contains(&says) {
                said = format!("{said}: {says}");
            }
            source = cause.source();
        }
        f.write_str(&said)
    }
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;

    #[test]
    fn a_cause_that_is_said_already_is_not_said_again() {
        let refused = sqlx::Error::Io(io::Error::other("connection refused"));
        let said = "error communicating with database: connection refused";
        assert_eq!(Causes(&refused).to_string(), said);
        let with_context = anyhow::Error::new(refused).context("Postgres (DATABASE_URL)");
        let said = format!("Postgres (DATABASE_URL): {said}");
        assert_eq!(Causes(with_context.as_ref()).to_string(), said);
    }
}
