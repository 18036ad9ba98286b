//! URLs for people to read.

use url::Url;

/// `url` without password and parameters (which may hold one, too): for messages.
///
/// What is not the URL of a server is not shown at all.
///
/// ```
/// let url = "postgres://app:secret@db.example:5432/credit?sslmode=require";
/// assert_eq!(testbed::redacted(url), "postgres://app@db.example:5432/credit");
/// ```
pub fn redacted(url: &str) -> String {
    let mut url = match Url::parse(url) {
        Ok(url) if !url.cannot_be_a_base() => url,
        // `app:secret@host` is one with the scheme `app`, but not of a server.
        _ => return "(not the URL of a server)".to_owned(),
    };
    // It fails only for URLs that cannot have a password.
    let _ = url.set_password(None);
    url.set_query(None);
    url.set_fragment(None);
    url.to_string()
}

#[cfg(test)]
mod tests {
    use super::redacted;

    #[test]
    fn no_part_of_a_password_is_shown() {
        for url in [
            "redis://:secret@127.0.0.1:6379/0",
            "redis://app:secret@127.0.0.1:6379/0?password=secret",
            "postgres://app:se%40secret@h/db?password=secret&sslpassword=secret#secret",
            "postgres//app:secret@h/db",
            "app:secret@h",
        ] {
            let shown = redacted(url);
            assert!(!shown.contains("secret"), "{shown}");
        }
    }
}
