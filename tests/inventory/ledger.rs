//! The ledger as the kit drives it: each charge is one function call, under an opening.

use credit_ledger::{Account, Charge, Credits as Amount, Grant, Ledger, Purpose, RequestId};
use fence_guard::testing::{Applied, Claims, Effect, Entered, Rejected, Subject};
use fence_guard::{Guard, OpenPermit, Permit, Resource};
use promises::{HOLD, World};
use sqlx::PgPool;
use sqlx::postgres::PgConnectOptions;
use time::OffsetDateTime;

/// A world's ledger. Its effects are charges of one credit, each resource having an account of its own.
pub(crate) struct Credits {
    options: PgConnectOptions,
}

/// One process that charges.
pub(crate) struct Process {
    guard: Guard,
    ledger: Ledger,
}

impl Credits {
    pub(crate) fn of(world: &World) -> Credits {
        Credits {
            options: world.pool().connect_options().as_ref().clone(),
        }
    }
}

fn account(resource: &Resource) -> Account {
    Account::new(resource.as_str()).unwrap()
}

fn purpose() -> Purpose {
    Purpose::new("query").unwrap()
}

impl Subject for Credits {
    type Instance = Process;

    fn claims(&self) -> Claims {
        let mut claims = Claims::new(self.options.clone(), self.options.clone(), "credit.entry");
        claims.request_ids = true;
        claims
    }

    async fn start(&self, pool: PgPool) -> Process {
        let guard = Guard::new(pool);
        Process {
            ledger: Ledger::on(&guard),
            guard,
        }
    }

    async fn prepare(&self, process: &Process, resource: &Resource) -> Result<(), Rejected> {
        let account = account(resource);
        process.ledger.open_account(&account).await?;
        let grant = Grant {
            request: RequestId::random(),
            account,
            amount: Amount::new(1_000).unwrap(),
            purpose: purpose(),
        };
        process.ledger.grant(&grant).await.map_err(Rejected::by)?;
        Ok(())
    }

    async fn enter(&self, process: &Process, permit: &Permit) -> Result<Entered, Rejected> {
        let open = process.guard.open(permit, HOLD).await?;
        let account = account(permit.resource());
        let ever = OffsetDateTime::UNIX_EPOCH;
        let seen = process.ledger.charged(&account, &purpose(), ever).await?;
        Ok(Entered { open, seen })
    }

    async fn write(
        &self,
        process: &Process,
        open: &OpenPermit,
        effect: &Effect,
    ) -> Result<Applied, Rejected> {
        let charge = Charge {
            request: RequestId::from_uuid(effect.request).unwrap(),
            account: account(&effect.resource),
            amount: Amount::new(1).unwrap(),
            purpose: purpose(),
        };
        let applied = process
            .ledger
            .charge(open, &charge)
            .await
            .map_err(Rejected::by)?;
        Ok(if applied.replayed {
            Applied::Before
        } else {
            Applied::Now
        })
    }

    async fn leave(&self, process: &Process, open: &OpenPermit) -> Result<(), Rejected> {
        process.guard.close(open, 0).await?;
        Ok(())
    }

    async fn effects(&self, operator: &PgPool, resource: &Resource) -> Result<i64, sqlx::Error> {
        sqlx::query_scalar(include_str!("sql/charges.sql"))
            .bind(resource.as_str())
            .fetch_one(operator)
            .await
    }
}
