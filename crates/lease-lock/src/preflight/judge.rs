//! What the answers of a server mean for leases and fences.

use super::answers::Answers;
use super::{Finding, Severity, Topic};

/// One finding per topic.
pub(crate) fn all(answers: &Answers) -> Vec<Finding> {
    [
        eviction,
        persistence,
        replication,
        version,
        cluster,
        compare_and_delete,
    ]
    .into_iter()
    .map(|judge| judge(answers))
    .collect()
}

fn eviction(answers: &Answers) -> Finding {
    let policy = answers.info("maxmemory_policy").unwrap_or("not told");
    let unlimited = answers.info("maxmemory") == Some("0");
    let (severity, meaning) = match policy {
        "noeviction" => (
            Severity::Fine,
            "when memory is short an acquisition fails, and no lease or counter is lost",
        ),
        policy if policy.starts_with("allkeys-") => (
            Severity::Error,
            "counters and live leases are evicted: numbers start again, and one lease gets two \
             holders. Set maxmemory-policy noeviction, on a server for leases alone",
        ),
        policy if policy.starts_with("volatile-") => (
            Severity::Warning,
            "live leases have a ttl and are evicted: one lease gets two holders, and only the guard \
             stops the first. Set maxmemory-policy noeviction",
        ),
        _ => (
            Severity::Warning,
            "whether leases are evicted is unknown. Allow INFO, or see to noeviction yourself",
        ),
    };
    let limit = if unlimited { ", no maxmemory yet" } else { "" };
    finding(
        Topic::Eviction,
        severity,
        format!("{policy}{limit}"),
        meaning,
    )
}

fn persistence(answers: &Answers) -> Finding {
    let aof = answers.info("aof_enabled");
    let fsync = answers.appendfsync.as_deref().unwrap_or("not told");
    let save = answers.save.as_deref();
    let (severity, observed, meaning) = match (aof, fsync, save) {
        (Some("1"), "always", _) => (
            Severity::Fine,
            "appendonly yes, appendfsync always".to_owned(),
            "counters survive a crash",
        ),
        (Some("1"), fsync, _) => (
            Severity::Warning,
            format!("appendonly yes, appendfsync {fsync}"),
            "a crash of the machine loses the last second: numbers repeat. The guard refuses the \
             second holder of a number, and a remint heals it",
        ),
        (Some(_), _, Some("")) => (
            Severity::Warning,
            "no persistence".to_owned(),
            "a restart loses all counters: every first acquisition of a bucket then needs the \
             guard's mark as floor. Set appendonly yes to spare that",
        ),
        (Some(_), _, Some(save)) => (
            Severity::Warning,
            format!("snapshots only, save {save}"),
            "a restart brings old counters back: numbers repeat, which only the guard can tell. Set \
             appendonly yes",
        ),
        (None, ..) | (_, _, None) => (
            Severity::Warning,
            "not told".to_owned(),
            "whether counters survive a restart is unknown. Allow INFO and CONFIG GET",
        ),
    };
    finding(Topic::Persistence, severity, observed, meaning)
}

fn replication(answers: &Answers) -> Finding {
    let replicas = answers.info("connected_slaves").unwrap_or("not told");
    let (severity, observed, meaning) = match (answers.info("role"), replicas) {
        (Some("slave"), _) => (
            Severity::Error,
            "a replica".to_owned(),
            "no lease can be taken here. Connect to its master",
        ),
        (Some(_), "0") => (
            Severity::Fine,
            "a master without replicas".to_owned(),
            "no failover can repeat numbers; while it is down nobody acquires",
        ),
        (Some(_), replicas) => (
            Severity::Warning,
            format!("a master with {replicas} replicas"),
            "replication is asynchronous: a failover may grant a lease again and repeat its number. \
             The guard refuses the second holder, and a remint heals it",
        ),
        (None, _) => (
            Severity::Warning,
            "not told".to_owned(),
            "whether this is a master is unknown. Allow INFO",
        ),
    };
    finding(Topic::Replication, severity, observed, meaning)
}

fn version(answers: &Answers) -> Finding {
    let compatible = answers.info("redis_version").and_then(major_and_minor);
    let (severity, meaning) = match compatible {
        Some(version) if version >= (6, 2) => (Severity::Fine, "has all commands that are used"),
        Some(_) => (
            Severity::Error,
            "has no GETEX, without which a counter that somebody gave a ttl would be lost. Use Redis \
             6.2 or newer, or Valkey",
        ),
        None => (
            Severity::Warning,
            "whether it has all commands is unknown. It takes Redis 6.2 or newer, or Valkey",
        ),
    };
    finding(Topic::Version, severity, answers.server(), meaning)
}

fn cluster(answers: &Answers) -> Finding {
    let (severity, observed, meaning) = match (answers.info("cluster_enabled"), answers) {
        (Some("1"), answers) if !answers.is_asked_as_cluster => (
            Severity::Error,
            "cluster mode, asked as one server",
            "resources whose slots are on other nodes are refused. Connect with Servers::cluster",
        ),
        (Some("1"), answers) if answers.shard_channels == Some(false) => (
            Severity::Warning,
            "cluster mode without shard channels",
            "a waiter cannot be woken: waiting goes by timers, without order. Use Redis 7.0 or newer, or \
             Valkey",
        ),
        (Some("1"), _) => (
            Severity::Fine,
            "cluster mode",
            "a lease, its counter and its queue share a slot. While a slot is moved, its leases can be \
             renewed, and neither taken nor released",
        ),
        _ => (
            Severity::Fine,
            "no cluster",
            "all resources are on this server",
        ),
    };
    finding(Topic::Cluster, severity, observed.to_owned(), meaning)
}

/// They would spare the script of a release that nobody waits for, and only that.
fn compare_and_delete(answers: &Answers) -> Finding {
    let observed = match answers.compare_and_delete.as_deref() {
        None => "not told".to_owned(),
        Some([]) => "neither DELEX nor DELIFEQ".to_owned(),
        Some(names) => names.join(" and ").to_uppercase(),
    };
    let meaning = "a release is a script on every server, because waking the next waiter has to be \
                   atomic with the delete";
    finding(Topic::CompareAndDelete, Severity::Fine, observed, meaning)
}

fn major_and_minor(version: &str) -> Option<(u32, u32)> {
    let mut numbers = version.split('.').map(str::parse);
    Some((numbers.next()?.ok()?, numbers.next()?.ok()?))
}

fn finding(topic: Topic, severity: Severity, observed: String, meaning: &'static str) -> Finding {
    Finding {
        topic,
        severity,
        observed,
        meaning,
    }
}
