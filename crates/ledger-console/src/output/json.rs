//! JSON: one object a line (JSON Lines), so that a stream and a page read alike.

use serde_json::Value;

use super::{Field, Row};

/// Fields as an object, in their order.
pub fn object(fields: Vec<(&'static str, Field)>) -> String {
    let members = fields
        .into_iter()
        .map(|(name, field)| member(name, &field.into_json().to_string()));
    format!("{{{}}}", Vec::from_iter(members).join(","))
}

/// Rows as a list.
pub fn list<R: Row>(rows: &[R]) -> String {
    let objects = rows.iter().map(|row| object(row.fields()));
    format!("[{}]", Vec::from_iter(objects).join(","))
}

/// A member of an object; its value is JSON already.
pub fn member(name: &str, value: &str) -> String {
    format!("{}:{value}", Value::from(name))
}

/// JSON as a line. What a terminal would obey or hide is written as `\u….`, which to JSON is the same text.
pub fn json_line(json: &str) -> String {
    let mut line = String::with_capacity(json.len() + 1);
    for c in json.chars() {
        // Outside of its strings JSON is plain ASCII, and within them serde escapes what is below a space.
        let is_plain = if c.is_ascii() {
            c != '\x7f'
        } else {
            c.escape_debug().len() == 1
        };
        if is_plain {
            line.push(c);
        } else {
            let mut units = [0; 2];
            for unit in c.encode_utf16(&mut units) {
                line.push_str(&format!("\\u{unit:04x}"));
            }
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn any_text_comes_back_and_no_terminal_obeys_it(text in any::<String>()) {
            let line = json_line(&Value::from(text.clone()).to_string());
            let (line, rest) = line.split_once('\n').expect("it is a line");
            prop_assert!(rest.is_empty() && !line.chars().any(char::is_control), "{line:?}");
            prop_assert_eq!(serde_json::from_str::<String>(line).expect("it is JSON"), text);
        }
    }
}
