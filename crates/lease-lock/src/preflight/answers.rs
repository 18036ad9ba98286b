//! What a server says about itself.

use std::collections::HashMap;

use redis::{Cmd, FromRedisValue, Value};

use crate::connection::{Connection, Node};

/// The answers of one server; what it did not tell is absent.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    info: HashMap<String, String>,
    /// `save` of its configuration; managed servers do not tell.
    pub(crate) save: Option<String>,
    /// `appendfsync` of its configuration.
    pub(crate) appendfsync: Option<String>,
    /// Which of `DELEX` and `DELIFEQ` it has; `None` where it did not tell.
    pub(crate) compare_and_delete: Option<Vec<&'static str>>,
    /// Whether it has shard channels; `None` where it did not tell.
    pub(crate) shard_channels: Option<bool>,
    /// Whether it was asked as one node of a Cluster.
    pub(crate) is_asked_as_cluster: bool,
}

/// One server, and the way to it.
struct Server<'a> {
    connection: &'a Connection,
    node: &'a Node,
}

impl Answers {
    pub(crate) async fn ask(connection: &Connection, node: &Node) -> Answers {
        let server = Server { connection, node };
        let info = server.text(&["INFO"]).await.unwrap_or_default();
        let fields = info.lines().filter_map(|line| line.split_once(':'));
        let shard_channels = server.commands(&["ssubscribe"]).await;
        Answers {
            info: fields
                .map(|(name, value)| (name.to_owned(), value.to_owned()))
                .collect(),
            save: server.setting("save").await,
            appendfsync: server.setting("appendfsync").await,
            compare_and_delete: server.commands(&["delex", "delifeq"]).await,
            shard_channels: shard_channels.map(|known| !known.is_empty()),
            is_asked_as_cluster: matches!(node, Node::Of { .. }),
        }
    }

    /// A field of `INFO`.
    pub(crate) fn info(&self, field: &str) -> Option<&str> {
        self.info.get(field).map(String::as_str)
    }

    /// Valkey reports `redis_version:7.2.4` for the sake of old clients; its own number is elsewhere.
    pub(crate) fn server(&self) -> String {
        match (self.info("valkey_version"), self.info("redis_version")) {
            (Some(version), _) => format!("Valkey {version}"),
            (None, Some(version)) => format!("Redis {version}"),
            (None, None) => "a server that does not tell its version".to_owned(),
        }
    }
}

impl Server<'_> {
    async fn text(&self, words: &[&str]) -> Option<String> {
        String::from_redis_value(self.ask(words).await?).ok()
    }

    async fn setting(&self, name: &str) -> Option<String> {
        let value = self.ask(&["CONFIG", "GET", name]).await?;
        HashMap::<String, String>::from_redis_value(value)
            .ok()?
            .remove(name)
    }

    /// Which of these commands it has. It is asked, because versions and forks do not tell.
    async fn commands(&self, names: &[&'static str]) -> Option<Vec<&'static str>> {
        let words: Vec<_> = ["COMMAND", "INFO"].iter().chain(names).copied().collect();
        let Value::Array(answers) = self.ask(&words).await? else {
            return None;
        };
        let known = names.iter().zip(answers);
        let known =
            known.filter(|(_, answer)| matches!(answer, Value::Array(about) if !about.is_empty()));
        Some(known.map(|(name, _)| *name).collect())
    }

    /// `None` where it refuses: that is judged as not told.
    async fn ask(&self, words: &[&str]) -> Option<Value> {
        let mut cmd = Cmd::new();
        for word in words {
            cmd.arg(*word);
        }
        match self.connection.ask_node(self.node, &cmd).await {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::debug!(error = &error as &dyn std::error::Error, ?words, "not told");
                None
            }
        }
    }
}
