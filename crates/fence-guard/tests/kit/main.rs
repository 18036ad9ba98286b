//! The conformance kit itself: what it says of services that it cannot try, and that it leaves nothing behind.
//! Whom it convicts is seen in the tests of the promises (`inventory.rs`), where the canaries are.

mod by_hand;
#[path = "../../examples/inventory/database.rs"]
mod database;
mod example;
#[path = "../../examples/inventory/service.rs"]
mod service;
#[path = "../../examples/inventory/subject.rs"]
mod subject;
mod variant;
mod verdicts;
