//! The table's trigger looks whether the transaction carries a permit, and believes it. Anybody can set that.

use fence_guard::testing::Rule;

#[derive(Default)]
pub(crate) struct Way;

impl crate::way::Way for Way {
    const NAME: &'static str = "trusts_the_setting";
    const BREAKS: Rule = Rule::S3;
    const TABLES: &'static str = include_str!("sql/trusting.sql");
}
