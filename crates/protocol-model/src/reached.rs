//! What must happen somewhere: without it, a rule could hold because nothing ever put it to the test.
use stateright::Property;
use crate::protocol::Protocol;
pub(crate) fn all() -> Vec<Property<Protocol>> { vec![] }
