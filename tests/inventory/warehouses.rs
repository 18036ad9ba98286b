//! A server with the roles of the inventory, and databases in it. Roles belong to a whole server, so it is private.

use sqlx::postgres::PgConnectOptions;
use testbed::{Options, PostgresServer};

use crate::subject::Warehouse;
use crate::{database, service};

/// The server.
pub(crate) struct Warehouses {
    options: PgConnectOptions,
    _server: PostgresServer,
}

impl Warehouses {
    pub(crate) async fn start() -> Warehouses {
        let server = PostgresServer::start(&Options::throw_away()).unwrap();
        let options: PgConnectOptions = server.url().parse().unwrap();
        database::make_roles(&options).await.unwrap();
        Warehouses {
            options,
            _server: server,
        }
    }

    /// A database of this name in which the service has migrated its tables, by its own role.
    pub(crate) async fn migrated(&self, name: &str) -> Warehouse {
        let warehouse = database::make(&self.options, name).await.unwrap();
        let service = database::pool(&warehouse.service).await.unwrap();
        service::migrate(&service).await.unwrap();
        service.close().await;
        warehouse
    }
}
