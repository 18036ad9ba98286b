//! The header's value: how an opening is written, and read back.

use std::convert::Infallible;

use fence::{Permit, Resource};
use http::{HeaderName, HeaderValue};
use sfv::visitor::ParameterVisitor;
use sfv::{BareItemFromInput, ItemSerializer, KeyRef, Parser, RefBareItem, StringRef, key_ref};

use super::FieldError;
use crate::carried::{NoOpening, Whole};
use crate::open_permit::OpenPermit;

/// The header's name, `Fence-Permit`.
pub const FENCE_PERMIT: HeaderName = HeaderName::from_static("fence-permit");

/// The longest value, in bytes. A name of 512 bytes that are all percent-encoded makes one of about 1,700.
pub const MAX_BYTES: usize = 2048;

const FENCE: &str = "fence";
const HOLDER: &str = "holder";
const OPENING: &str = "opening";
const VALID_UNTIL_US: &str = "valid_until_us";
const TAKEOVER: &str = "takeover";

/// The value for an opening, marked as sensitive.
pub(super) fn value_of(open: &OpenPermit) -> HeaderValue {
    let text = write(open);
    let mut value = HeaderValue::try_from(text).expect("a structured field is printable ASCII");
    value.set_sensitive(true);
    value
}

/// Reads what [`value_of`] writes.
pub(super) fn read(value: &[u8]) -> Result<OpenPermit, FieldError> {
    if value.len() > MAX_BYTES {
        return Err(FieldError::TooLong { bytes: value.len() });
    }
    let parsed = Parser::new(value).parse_item_with_visitor(|item| {
        Ok::<_, Infallible>(Parsed {
            item,
            parameters: Vec::new(),
        })
    });
    let parsed = parsed.map_err(|error| FieldError::Syntax {
        problem: error.to_string(),
    })?;
    let open = parsed.judge()?;
    // The RFC lets a parser take other spellings, and the last of two equal parameters. Whoever sends one is not the
    // sender that we know, so it is refused; and what a parser might lose on the way shows itself here.
    if write(&open).as_bytes() != value {
        return Err(FieldError::Spelling);
    }
    Ok(open)
}

fn write(open: &OpenPermit) -> String {
    let permit = &open.permit;
    let texts = [
        (FENCE, permit.fence().to_string()),
        (HOLDER, permit.holder().to_string()),
        (OPENING, open.seq.to_string()),
        (VALID_UNTIL_US, open.valid_until_us().to_string()),
    ];
    let mut item =
        ItemSerializer::new().bare_item(RefBareItem::DisplayString(permit.resource().as_str()));
    for (name, text) in &texts {
        let text = StringRef::from_str(text).expect("digits and hyphens are ASCII");
        item = item.parameter(key_ref(name), text);
    }
    item.parameter(key_ref(TAKEOVER), open.takeover).finish()
}

/// The item and all its parameters, duplicates included.
struct Parsed<'a> {
    item: BareItemFromInput<'a>,
    parameters: Vec<(&'a str, BareItemFromInput<'a>)>,
}

impl<'a> ParameterVisitor<'a> for Parsed<'a> {
    type Out = Parsed<'a>;
    type Error = Infallible;

    fn parameter(
        &mut self,
        key: &'a KeyRef,
        value: BareItemFromInput<'a>,
    ) -> Result<(), Infallible> {
        self.parameters.push((key.as_str(), value));
        Ok(())
    }

    fn finish(self) -> Result<Parsed<'a>, Infallible> {
        Ok(self)
    }
}

impl Parsed<'_> {
    fn judge(&self) -> Result<OpenPermit, FieldError> {
        const KNOWN: [&str; 5] = [FENCE, HOLDER, OPENING, VALID_UNTIL_US, TAKEOVER];
        if let Some((name, _)) = self.parameters.iter().find(|(key, _)| !KNOWN.contains(key)) {
            let name = (*name).to_owned();
            return Err(FieldError::UnknownParameter { name });
        }
        let name = self.item.as_display_string();
        let permit = Permit::new(
            Resource::new(name.ok_or(FieldError::NoResource)?)?,
            self.text(FENCE)?.parse()?,
            self.text(HOLDER)?.parse()?,
        );
        let opening = self.number(OPENING)?;
        let valid_until_us = self.number(VALID_UNTIL_US)?;
        let takeover = self.one(TAKEOVER)?.as_boolean();
        let takeover = takeover.ok_or(FieldError::WrongType { name: TAKEOVER })?;
        OpenPermit::arrived(permit, opening, valid_until_us, takeover).map_err(|error| {
            let name = match error {
                NoOpening::Seq => OPENING,
                NoOpening::ValidUntil => VALID_UNTIL_US,
            };
            FieldError::Number { name }
        })
    }

    fn number(&self, name: &'static str) -> Result<Whole, FieldError> {
        let text = self.text(name)?;
        text.parse().map_err(|()| FieldError::Number { name })
    }

    fn text(&self, name: &'static str) -> Result<&str, FieldError> {
        match self.one(name)?.as_string() {
            Some(text) => Ok(text.as_str()),
            None => Err(FieldError::WrongType { name }),
        }
    }

    fn one(&self, name: &'static str) -> Result<&BareItemFromInput<'_>, FieldError> {
        let mut named = self.parameters.iter().filter(|(key, _)| *key == name);
        match (named.next(), named.next()) {
            (Some((_, value)), None) => Ok(value),
            (None, _) => Err(FieldError::MissingParameter { name }),
            (Some(_), Some(_)) => Err(FieldError::DuplicateParameter { name }),
        }
    }
}
