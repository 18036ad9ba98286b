//! Numbers and holders as serde values: the text that they display as, and nothing else.
//!
//! A fence is a string of decimal digits, not a number: JSON's numbers are doubles in JavaScript and in jq, so above
//! 2^53 two fences would become one. Reading a number *as well* would hide such a sender until the day it matters,
//! so only what is written here is read.

use std::fmt;
use std::marker::PhantomData;
use std::str::FromStr;

use serde::de::{self, Deserialize, Deserializer, Visitor};
use serde::ser::{Serialize, Serializer};

use crate::{Fence, Floor, Holder};

/// Reads a `T` from its text; `what` says what was expected where there is no text at all.
struct Text<T> {
    what: &'static str,
    read: PhantomData<T>,
}

impl<T> Text<T> {
    const fn of(what: &'static str) -> Text<T> {
        Text {
            what,
            read: PhantomData,
        }
    }
}

impl<T: FromStr<Err: fmt::Display>> Visitor<'_> for Text<T> {
    type Value = T;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.what)
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<T, E> {
        text.parse().map_err(E::custom)
    }
}

impl Serialize for Fence {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Fence {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Fence, D::Error> {
        deserializer.deserialize_str(Text::of("a fence as a string of decimal digits"))
    }
}

impl Serialize for Floor {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Floor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Floor, D::Error> {
        deserializer.deserialize_str(Text::of("a floor as a string of decimal digits"))
    }
}

impl Serialize for Holder {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Holder {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Holder, D::Error> {
        deserializer.deserialize_str(Text::of("a holder as a UUID in lower case"))
    }
}
