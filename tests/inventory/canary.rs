//! A guard of `canaries/` as the kit drives it, through the interface of `canaries/common.sql`.

use fence_guard::testing::{Applied, Claims, Effect, Entered, Rejected, Subject, unopened};
use fence_guard::{Floor, OpenPermit, Permit, RefusalRow, Resource, StoreError};
use promises::World;
use sqlx::pool::PoolConnection;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, Executor, PgConnection, PgPool, Postgres};

use crate::guards::Guard;

/// A guard in the schema of its name.
pub(crate) struct Canary {
    options: PgConnectOptions,
    schema: String,
    isolation: String,
    /// The guard of this workspace keeps its openings and refusals itself.
    is_ours: bool,
}

impl Canary {
    /// Builds it in the world's database.
    pub(crate) async fn build(world: &World, guard: Guard) -> Canary {
        guard.build(world).await;
        let schema = guard.name.clone();
        let options = world.pool().connect_options().as_ref().clone();
        let options = options.options([("search_path", schema.as_str())]);
        let isolation = format!("select {schema}.isolation()");
        Canary {
            options,
            is_ours: schema == "real_guard",
            schema,
            isolation: sqlx::query_scalar(AssertSqlSafe(isolation))
                .fetch_one(world.pool())
                .await
                .unwrap(),
        }
    }

    /// A connection at the level that the guard is to be used with, whatever its session's default is.
    async fn connection(&self, pool: &PgPool) -> Result<PoolConnection<Postgres>, sqlx::Error> {
        let mut connection = pool.acquire().await?;
        let level = format!("set default_transaction_isolation = '{}'", self.isolation);
        connection.execute(AssertSqlSafe(level)).await?;
        Ok(connection)
    }

    async fn open_and_read(
        &self,
        connection: &mut PgConnection,
        permit: &Permit,
    ) -> Result<Entered, Rejected> {
        let outcome: String = sqlx::query_scalar("select open($1, $2, $3)")
            .bind(permit.resource().as_str())
            .bind(permit.fence().as_i64())
            .bind(permit.holder().as_uuid())
            .fetch_one(&mut *connection)
            .await?;
        if !["opened", "already open"].contains(&outcome.as_str()) {
            return Err(rejected(outcome));
        }
        Ok(Entered {
            open: unopened(permit),
            seen: count(connection, permit.resource()).await?,
        })
    }
}

async fn count(connection: &mut PgConnection, resource: &Resource) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar("select count(*) from entry where resource = $1")
        .bind(resource.as_str())
        .fetch_one(connection)
        .await
}

/// Some canaries refuse in words of their own.
fn rejected(outcome: String) -> Rejected {
    match outcome.parse() {
        Ok(reason) => Rejected::Refused(reason),
        Err(()) => Rejected::Failed(outcome.into()),
    }
}

impl Subject for Canary {
    type Instance = PgPool;

    fn claims(&self) -> Claims {
        let (service, operator) = (self.options.clone(), self.options.clone());
        let mut claims = Claims::new(service, operator, &format!("{}.entry", self.schema));
        claims.closes = false;
        if !self.is_ours {
            claims.openings = format!("{}.opening", self.schema);
        }
        claims
    }

    async fn start(&self, pool: PgPool) -> PgPool {
        pool
    }

    async fn prepare(&self, pool: &PgPool, resource: &Resource) -> Result<(), Rejected> {
        let insert = sqlx::query("insert into tally (resource) values ($1)");
        insert.bind(resource.as_str()).execute(pool).await?;
        Ok(())
    }

    /// Opens and reads in one transaction.
    async fn enter(&self, pool: &PgPool, permit: &Permit) -> Result<Entered, Rejected> {
        let mut connection = self.connection(pool).await?;
        connection.execute("begin").await?;
        let entered = self.open_and_read(&mut connection, permit).await;
        let end = if entered.is_ok() {
            "commit"
        } else {
            "rollback"
        };
        connection.execute(end).await?;
        entered
    }

    async fn write(
        &self,
        pool: &PgPool,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let outcome: String = sqlx::query_scalar("select write($1, $2, $3, $4)")
            .bind(effect.resource.as_str())
            .bind(open.permit().fence().as_i64())
            .bind(open.permit().holder().as_uuid())
            .bind(effect.request)
            .fetch_one(&mut *self.connection(pool).await?)
            .await?;
        match outcome.as_str() {
            "admitted" => Ok(Applied::Now),
            _ => Err(rejected(outcome)),
        }
    }

    async fn leave(&self, _pool: &PgPool, _open: &OpenPermit) -> Result<(), Rejected> {
        Err(Rejected::Failed("canaries close nothing".into()))
    }

    async fn effects(&self, operator: &PgPool, resource: &Resource) -> Result<i64, sqlx::Error> {
        count(&mut *operator.acquire().await?, resource).await
    }

    async fn refusals(
        &self,
        operator: &PgPool,
        resource: &Resource,
    ) -> Result<Vec<RefusalRow>, StoreError> {
        if self.is_ours {
            return fence_guard::Guard::new(operator.clone())
                .refusals(Some(resource), 0, 100)
                .await;
        }
        let rows = sqlx::query_as(include_str!("sql/canary_refusals.sql"));
        Ok(rows.bind(resource.as_str()).fetch_all(operator).await?)
    }

    async fn mark(&self, operator: &PgPool, resource: &Resource) -> Result<Floor, StoreError> {
        let mark: i64 =
            sqlx::query_scalar("select coalesce(max(fence), 0) from opening where resource = $1")
                .bind(resource.as_str())
                .fetch_one(operator)
                .await?;
        Ok(Floor::try_from(mark).unwrap())
    }
}
