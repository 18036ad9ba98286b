//! Openings and headers of which the tests know every part.

use fence_guard::OpenPermit;
use fence_guard::http::{FENCE_PERMIT, FencePermit, FieldError, carry};
use hyper::HeaderMap;
use hyper::header::HeaderValue;
use serde_json::{Value, json};

pub(crate) const HOLDER: &str = "0d9c3f6e-7a51-4c8e-9b1f-2a64d0e8c7b5";

/// The header of [`opening`], written by hand.
pub(crate) const WRITTEN: &str = concat!(
    r#"%"user:7:dataset:42";fence="7";holder="0d9c3f6e-7a51-4c8e-9b1f-2a64d0e8c7b5";"#,
    r#"opening="19";valid_until_us="1793491200123456";takeover=?0"#
);

/// The JSON of an opening of this name and fence.
pub(crate) fn payload(resource: &str, fence: &str) -> Value {
    json!({
        "permit": { "resource": resource, "fence": fence, "holder": HOLDER },
        "opening": "19",
        "valid_until_us": "1793491200123456",
        "takeover": false,
    })
}

/// The opening that [`WRITTEN`] carries.
pub(crate) fn opening() -> OpenPermit {
    serde_json::from_value(payload("user:7:dataset:42", "7")).unwrap()
}

/// Headers with nothing but this opening.
pub(crate) fn headers_of(open: &OpenPermit) -> HeaderMap {
    let mut headers = HeaderMap::new();
    carry(open, &mut headers);
    headers
}

/// Headers with these lines, byte by byte.
pub(crate) fn lines(values: &[&[u8]]) -> HeaderMap {
    let mut headers = HeaderMap::new();
    for value in values {
        headers.append(FENCE_PERMIT, HeaderValue::from_bytes(value).unwrap());
    }
    headers
}

/// What is wrong with a header of this value.
///
/// # Panics
/// When nothing is.
pub(crate) fn wrong_with(value: &str) -> FieldError {
    FencePermit::from_headers(&lines(&[value.as_bytes()])).expect_err(value)
}
