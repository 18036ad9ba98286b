//! x
/// x
pub fn table_of_bugs() {}
/// x
pub fn table_of_scopes() {}
