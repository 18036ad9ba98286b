//! The permit across services: the header and its one spelling, problems and what they do not tell, and a real axum
//! server in front of a real Postgres, over TCP. Case: C19.

#[path = "../../examples/axum_permit/call.rs"]
mod call;
mod service;
mod support;

mod field;
mod field_parts;
mod field_round_trip;
mod openings_as_serde;
mod permits;

mod answers;
mod problems;
mod refusals;
mod states;

mod examples;
