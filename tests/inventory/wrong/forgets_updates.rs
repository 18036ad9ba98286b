//! The resource is named by a generated column, and the table's trigger is on INSERT and DELETE alone: reservations cannot
//! be made or deleted without a permit, but be changed.

use fence_guard::testing::Rule;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "forgets_updates";
    const BREAKS: Rule = Rule::S3;
    const TABLES: &'static str = include_str!("sql/forgets_updates.sql");
    const COLUMN: &'static str = "named";
}
