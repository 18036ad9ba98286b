//! The Redis of an example: that of `REDIS_URL`, or a private one that ends with the example.

use std::env;
use std::process;

use lease_lock::{InvalidResource, Resource};
use testbed::{Options, RedisServer};

pub(crate) enum Server {
    Named(String),
    Private(Box<RedisServer>),
}

impl Server {
    pub(crate) fn find() -> Result<Server, testbed::Error> {
        match env::var("REDIS_URL") {
            Ok(url) => Ok(Server::Named(url)),
            Err(_) => {
                let server = RedisServer::start(&Options::throw_away())?;
                Ok(Server::Private(Box::new(server)))
            }
        }
    }

    pub(crate) fn url(&self) -> &str {
        match self {
            Server::Named(url) => url,
            Server::Private(server) => server.url(),
        }
    }
}

/// A resource that no other run uses.
pub(crate) fn resource() -> Result<Resource, InvalidResource> {
    Resource::from_parts(["report", &process::id().to_string()])
}
