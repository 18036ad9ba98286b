//! What a report may do in a browser: be read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use sha2::{Digest, Sha256};

/// The content security policy of a file whose only style is `style`.
pub(super) fn policy(style: &str) -> String {
    let digest = STANDARD.encode(Sha256::digest(style));
    format!("default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'")
}
