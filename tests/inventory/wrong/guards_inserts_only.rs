//! The table's trigger is on INSERT alone: reservations cannot be made without a permit, but be changed and
//! deleted.

use fence_guard::testing::Rule;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "guards_inserts_only";
    const BREAKS: Rule = Rule::S3;
    const TABLES: &'static str = include_str!("sql/inserts_only.sql");
}
