//! Redis Cluster: a script may only touch keys of one slot.

use crate::support::{Bench, private_server, resource};

/// A server in cluster mode refuses a script whose keys are in two slots, so this one judges.
#[tokio::test]
async fn c17_a_lease_and_its_counter_are_in_one_slot_whatever_the_name() {
    let server = private_server(&[("cluster-enabled", "yes")]);
    let bench = Bench::at(server.url(), "slots:").await;
    for name in [
        "r", "}", "{}", "{", "a}b{c", "{x}y", "}{", "{b1}", "x{}y{z}",
    ] {
        let r = resource(name);
        let slot = |key: String| bench.redis(format!("CLUSTER KEYSLOT {key}"));
        let lease: u16 = slot(bench.lease_key(&r)).await;
        let counter: u16 = slot(bench.counter_key(&r)).await;
        assert_eq!(lease, counter, "{name}");
    }
}
