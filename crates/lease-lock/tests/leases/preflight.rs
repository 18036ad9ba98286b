//! What preflight says about servers that are set up well and badly.

use lease_lock::{Finding, LeaseLock, Preflight, Severity, Topic};
use testbed::RedisServer;

use crate::support::{Bench, private_server};

async fn look(server: &RedisServer) -> Preflight {
    let mut looks = LeaseLock::preflight(server.url()).await.unwrap();
    assert_eq!(looks.len(), 1, "one master");
    looks.remove(0)
}

fn about(preflight: &Preflight, topic: Topic) -> &Finding {
    let mut found = preflight.findings.iter().filter(|f| f.topic == topic);
    let finding = found.next().unwrap();
    assert!(found.next().is_none(), "one finding per topic");
    finding
}

#[tokio::test]
async fn eviction_of_all_keys_is_an_error_and_of_leases_a_warning() {
    for (policy, severity) in [
        ("allkeys-lru", Severity::Error),
        ("allkeys-random", Severity::Error),
        ("volatile-ttl", Severity::Warning),
        ("noeviction", Severity::Fine),
    ] {
        let server = private_server(&[("maxmemory-policy", policy)]);
        let preflight = look(&server).await;
        let finding = about(&preflight, Topic::Eviction);
        assert_eq!(finding.severity, severity, "{finding}");
        assert!(finding.observed.starts_with(policy), "{finding}");
        assert!(preflight.worst() >= severity);
    }
}

#[tokio::test]
async fn what_survives_a_restart_is_told_by_the_servers_own_settings() {
    let server = private_server(&[]);
    let finding = about(&look(&server).await, Topic::Persistence).clone();
    assert_eq!(finding.observed, "no persistence");
    assert_eq!(finding.severity, Severity::Warning);

    let server = private_server(&[("save", "3600 1")]);
    let finding = about(&look(&server).await, Topic::Persistence).clone();
    assert!(finding.observed.contains("3600 1"), "{finding}");

    let always = [("appendonly", "yes"), ("appendfsync", "always")];
    let server = private_server(&always);
    let finding = about(&look(&server).await, Topic::Persistence).clone();
    assert_eq!(finding.severity, Severity::Fine, "{finding}");
}

#[tokio::test]
async fn a_replica_is_an_error_and_a_master_with_one_a_warning() {
    let master = private_server(&[]);
    let alone = about(&look(&master).await, Topic::Replication).clone();
    assert_eq!(alone.severity, Severity::Fine, "{alone}");

    let port = master
        .url()
        .rsplit(':')
        .next()
        .unwrap()
        .trim_end_matches('/');
    let replica = private_server(&[("replicaof", &format!("127.0.0.1 {port}"))]);
    let finding = about(&look(&replica).await, Topic::Replication).clone();
    assert_eq!(finding.severity, Severity::Error, "{finding}");

    let bench = Bench::at(master.url(), "").await;
    let joined = async {
        loop {
            let info: String = bench.redis("INFO replication").await;
            if info.contains("connected_slaves:1") {
                return;
            }
        }
    };
    crate::support::within(joined).await;
    let finding = about(&look(&master).await, Topic::Replication).clone();
    assert_eq!(finding.severity, Severity::Warning, "{finding}");
}

#[tokio::test]
async fn one_node_of_a_cluster_is_an_error() {
    let server = private_server(&[("cluster-enabled", "yes")]);
    let preflight = look(&server).await;
    let finding = about(&preflight, Topic::Cluster);
    assert_eq!(finding.severity, Severity::Error, "{finding}");
}

#[tokio::test]
async fn the_server_is_asked_for_its_version_and_its_commands() {
    let server = private_server(&[]);
    let preflight = look(&server).await;
    let bench = Bench::at(server.url(), "").await;
    let info: String = bench.redis("INFO server").await;
    let field = |name: &str| {
        let mut lines = info.lines();
        lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
    };
    let expected = match field("valkey_version:") {
        Some(version) => format!("Valkey {version}"),
        None => format!("Redis {}", field("redis_version:").unwrap()),
    };
    assert_eq!(preflight.server, expected);
    assert_eq!(about(&preflight, Topic::Version).severity, Severity::Fine);

    let known: Vec<redis::Value> = bench.redis("COMMAND INFO delex delifeq").await;
    let finding = about(&preflight, Topic::CompareAndDelete);
    for (name, answer) in ["DELEX", "DELIFEQ"].iter().zip(known) {
        let told = finding.observed.starts_with(name) || finding.observed.ends_with(name);
        let has = !matches!(answer, redis::Value::Nil);
        assert_eq!(
            told && !finding.observed.starts_with("neither"),
            has,
            "{finding}"
        );
    }
    assert!(finding.meaning.contains("script"), "{finding}");
}

#[tokio::test]
async fn what_a_server_does_not_tell_is_a_finding_and_no_failure() {
    let server = private_server(&[]);
    let bench = Bench::at(server.url(), "").await;
    let silent = "ACL SETUSER quiet on >pw ~* &* +@all -info -config -command";
    let _: () = bench.redis(silent).await;
    let url = server.url().replace("//", "//quiet:pw@");
    let preflight = LeaseLock::preflight(&url).await.unwrap().remove(0);
    assert!(!preflight.to_string().contains("pw"), "{preflight}");
    for topic in [Topic::Eviction, Topic::Persistence, Topic::Replication] {
        let finding = about(&preflight, topic);
        assert_eq!(finding.severity, Severity::Warning, "{finding}");
        assert_eq!(finding.observed, "not told", "{finding}");
    }
    assert!(preflight.to_string().lines().count() > 6);
}
