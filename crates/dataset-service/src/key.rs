//! `Idempotency-Key`: what makes a query that is sent again the same query.

use credit_ledger::RequestId;
use http::HeaderMap;
use sfv::{BareItem, Item, Parser};
use uuid::Uuid;

use crate::Id;

/// The header's name.
pub const IDEMPOTENCY_KEY: &str = "idempotency-key";
/// The longest key, in bytes.
const MAX_BYTES: usize = 255;

/// Everything below it belongs to this service.
const SERVICE: Uuid = Uuid::from_u128(0x6f1c_3e0a_9a4b_4d0e_8f57_5d0b_6b1f_42aa);

/// Why a request has no usable key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// It has none.
    #[error(
        "send an Idempotency-Key with each query, such as \"8e03978e-40d5-43dd-bc93-6894a57f9324\""
    )]
    Missing,
    /// It has several.
    #[error("send one Idempotency-Key, not several")]
    Several,
    /// It is neither a string in double quotes nor a plain word.
    #[error(
        "the Idempotency-Key is 1 to {MAX_BYTES} characters of printable ASCII in double quotes"
    )]
    Malformed,
}

/// The request id of a user's key: a UUID of version 5. One user's keys never meet another's.
///
/// The key is a String of RFC 9651, in double quotes (draft-ietf-httpapi-idempotency-key-header-07, section
/// 2.1). Most clients in the world send the bare word, so that is read as well, and is the same key.
///
/// # Errors
/// [`KeyError`] where there is no key, more than one, or something else.
pub(crate) fn request_of(user: &Id, headers: &HeaderMap) -> Result<RequestId, KeyError> {
    let mut lines = headers.get_all(IDEMPOTENCY_KEY).iter();
    let line = lines.next().ok_or(KeyError::Missing)?;
    if lines.next().is_some() {
        return Err(KeyError::Several);
    }
    let key = read(line.as_bytes()).ok_or(KeyError::Malformed)?;
    let keys_of_user = Uuid::new_v5(&SERVICE, user.as_str().as_bytes());
    Ok(RequestId::from_idempotency_key(keys_of_user, &key))
}

fn read(line: &[u8]) -> Option<String> {
    let key = match line.first()? {
        b'"' => quoted(line)?,
        _ => str::from_utf8(line)
            .ok()
            .filter(|word| is_plain(word))?
            .to_owned(),
    };
    (1..=MAX_BYTES).contains(&key.len()).then_some(key)
}

fn quoted(line: &[u8]) -> Option<String> {
    let item: Item = Parser::new(line).parse().ok()?;
    match item.bare_item {
        // A parameter is none that the draft knows, so it is part of no key.
        BareItem::String(text) if item.params.is_empty() => Some(text.as_str().to_owned()),
        _ => None,
    }
}

/// UUIDs, ULIDs, base64 and the like: nothing that a comma or a semicolon could make two of.
fn is_plain(word: &str) -> bool {
    let allowed = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:~+/=".contains(&byte);
    word.bytes().all(allowed)
}

#[cfg(test)]
mod tests {
    use http::HeaderValue;

    use super::*;

    fn request(user: &str, lines: &[&[u8]]) -> Result<RequestId, KeyError> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(IDEMPOTENCY_KEY, HeaderValue::from_bytes(line).unwrap());
        }
        request_of(&user.parse().unwrap(), &headers)
    }

    #[test]
    fn a_key_is_the_same_with_and_without_its_quotes() {
        assert_eq!(request("7", &[b"\"a-1\""]), request("7", &[b"a-1"]));
        assert_ne!(request("7", &[b"a-1"]), request("7", &[b"a-2"]));
        assert!(request("7", &[b"\"a key, with \\\"quotes\\\"\""]).is_ok());
    }

    #[test]
    fn the_same_key_of_two_users_is_two_requests() {
        assert_ne!(request("7", &[b"a-1"]), request("8", &[b"a-1"]));
    }

    #[test]
    fn what_is_no_key_is_refused() {
        assert_eq!(request("7", &[]), Err(KeyError::Missing));
        assert_eq!(request("7", &[b"a", b"a"]), Err(KeyError::Several));
        let long = "x".repeat(MAX_BYTES + 1);
        let none: [&[u8]; 9] = [
            b"",
            b"\"\"",
            b"a b",
            b"a,b",
            b"\"a",
            b"\"a\";p=1",
            b"\xff",
            b"\"a\", \"b\"",
            long.as_bytes(),
        ];
        for none in none {
            assert_eq!(request("7", &[none]), Err(KeyError::Malformed), "{none:?}");
        }
        assert!(request("7", &[&long.as_bytes()[1..]]).is_ok());
    }
}
