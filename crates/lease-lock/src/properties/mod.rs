//! What must hold for every name, time and reply, tried with those that nobody would think of.
//!
//! `PROPTEST_CASES` says how many of each; 256 where it says nothing.

mod messages;
mod names;
mod replies;
mod times;

use fence::Resource;
use proptest::prelude::*;

/// Any name that a resource can have.
fn any_resource() -> impl Strategy<Value = Resource> {
    let hard = prop::sample::select(vec!['{', '}', ':', ' ', '%', 'é', '\u{10ffff}']);
    let one =
        prop_oneof![hard, any::<char>()].prop_filter("a control character", |c| !c.is_control());
    let name = prop::collection::vec(one, 1..=128).prop_map(String::from_iter);
    name.prop_map(|name| Resource::new(name).expect("128 characters are at most 512 bytes"))
}
