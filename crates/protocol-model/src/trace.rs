//! x
/// x
pub fn counterexample() {}
