//! The verb `grant`: credits for a payment, once, and what is said of it where that is not sure.

use std::process::ExitCode;
use std::time::Duration;

use clap::Args;
use clap::builder::NonEmptyStringValueParser;
use credit_ledger::{Applied, Credits, Error, Grant, Ledger, Purpose, RequestId, StoreError};
use fence_guard::Guard;
use tokio::time::timeout;
use uuid::Uuid;

use crate::{Id, id};

/// Payments' request ids are made below it.
const PAYMENTS: Uuid = Uuid::from_u128(0x1b52_77c4_0f0e_4c43_9a53_6a1c_2f1d_90d7);
/// How long Postgres may take to answer a grant that was sent.
const ANSWERED_WITHIN: Duration = Duration::from_secs(10);

/// A payment, and what it is for.
#[derive(Debug, Args)]
pub(crate) struct Payment {
    /// Where the Postgres of the ledger is. It may hold a password: prefer the variable
    #[arg(long, env = "DATABASE_URL", hide_env_values = true)]
    database_url: String,
    /// Who has paid
    user: Id,
    /// How many credits
    #[arg(value_parser = clap::value_parser!(i64).range(1..))]
    credits: i64,
    /// What tells this payment from every other: the number of an invoice, say
    #[arg(long, value_parser = NonEmptyStringValueParser::new())]
    payment: String,
}

/// Why it is not said that a payment was granted. Only the first of the three says that it was not.
#[derive(Debug, thiserror::Error)]
enum NotGranted {
    #[error("nothing was granted for payment {payment:?}")]
    Nothing {
        payment: String,
        #[source]
        cause: anyhow::Error,
    },
    #[error(
        "payment {payment:?} was granted before with another {field}, and nothing more was granted now; look it up"
    )]
    Before { payment: String, field: String },
    #[error(
        "it is unknown whether payment {payment:?} was granted; run the same command with the same payment, it is granted once"
    )]
    Unknown {
        payment: String,
        #[source]
        cause: anyhow::Error,
    },
}

/// Grants a payment, and prints what came of it.
///
/// # Errors
/// The fate of the payment, which is named: not granted, or unknown.
pub(crate) async fn grant(payment: Payment) -> anyhow::Result<ExitCode> {
    let (ledger, grant) = prepared(&payment)
        .await
        .map_err(|cause| payment.nothing(cause))?;
    let applied = match timeout(ANSWERED_WITHIN, ledger.grant(&grant)).await {
        Ok(answer) => answer.map_err(|error| payment.not_granted(error))?,
        Err(silent) => return Err(payment.unknown(silent.into()).into()),
    };
    payment.print(&applied);
    Ok(ExitCode::SUCCESS)
}

/// Everything before the grant itself is sent: whatever goes wrong here, nothing was granted.
async fn prepared(payment: &Payment) -> anyhow::Result<(Ledger, Grant)> {
    let account = id::account(&payment.user)?;
    let grant = Grant {
        request: RequestId::from_idempotency_key(PAYMENTS, &payment.payment),
        account: account.clone(),
        amount: Credits::new(payment.credits)?,
        purpose: Purpose::new(format!("payment {}", payment.payment))?,
    };
    let opened = async {
        let ledger = Ledger::on(&Guard::connect(&payment.database_url).await?);
        ledger.open_account(&account).await?;
        anyhow::Ok(ledger)
    };
    Ok((timeout(ANSWERED_WITHIN, opened).await??, grant))
}

impl Payment {
    fn print(&self, applied: &Applied) {
        let (user, credits) = (&self.user, self.credits);
        let again = match applied.replayed {
            true => " (granted before)",
            false => "",
        };
        println!(
            "user {user}: {credits} credits granted{again}, balance {}",
            applied.balance_after
        );
    }

    fn not_granted(&self, error: Error) -> NotGranted {
        match error {
            Error::Mismatch { field } => NotGranted::Before {
                payment: self.payment.clone(),
                field,
            },
            Error::Store(StoreError::Unknown(cause)) => self.unknown(cause.into()),
            // It answered, and not in words of this version: nobody knows what it did.
            Error::Store(cause @ StoreError::Foreign { .. }) => self.unknown(cause.into()),
            refused => self.nothing(refused.into()),
        }
    }

    fn nothing(&self, cause: anyhow::Error) -> NotGranted {
        NotGranted::Nothing {
            payment: self.payment.clone(),
            cause,
        }
    }

    fn unknown(&self, cause: anyhow::Error) -> NotGranted {
        NotGranted::Unknown {
            payment: self.payment.clone(),
            cause,
        }
    }
}
