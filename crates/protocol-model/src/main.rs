//! x
use protocol_model::*;
fn main() {
    let only = std::env::args().nth(1);
    for s in Scope::all() {
        if only.as_deref().is_some_and(|o| o != s.name) { continue }
        let v = explore(&s, None);
        println!("{} {} states depth {} {:?} broken {:?}", s.name, v.states, v.depth, v.took, v.broken);
    }
}
