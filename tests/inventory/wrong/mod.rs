//! Inventories that are WRONG ON PURPOSE: each does one thing otherwise than the service, and breaks a rule by it.

mod a_new_holder_each_time;
mod checks_in_a_savepoint;
mod checks_then_writes;
mod fence_in_its_own_row;
mod forgets_its_requests;
mod forgets_updates;
mod guards_inserts_only;
mod heals_and_writes;
mod leaves_twins_to_the_key;
mod reads_before_it_opens;
mod reads_without_a_permit;
mod remembers_the_check;
mod stands_still_for_an_hour;
mod swallows_the_refusal;
mod trusts_the_setting;

use crate::convicted::Convicted;
use crate::warehouses::Warehouses;
use crate::way::convict;

/// Lets the kit loose on each of them, two at a time.
pub(crate) async fn all(warehouses: &Warehouses) -> Vec<Convicted> {
    let (mut convicted, misled) = tokio::join!(unfenced(warehouses), misled(warehouses));
    convicted.extend(misled);
    convicted
}

/// Those that read or write beside the guard.
async fn unfenced(warehouses: &Warehouses) -> Vec<Convicted> {
    vec![
        convict::<checks_then_writes::Way>(warehouses).await,
        convict::<checks_in_a_savepoint::Way>(warehouses).await,
        convict::<fence_in_its_own_row::Way>(warehouses).await,
        convict::<guards_inserts_only::Way>(warehouses).await,
        convict::<forgets_updates::Way>(warehouses).await,
        convict::<trusts_the_setting::Way>(warehouses).await,
        convict::<reads_before_it_opens::Way>(warehouses).await,
        convict::<reads_without_a_permit::Way>(warehouses).await,
        convict::<remembers_the_check::Way>(warehouses).await,
    ]
}

/// Those that ask the guard, and make something else of its answer.
async fn misled(warehouses: &Warehouses) -> Vec<Convicted> {
    vec![
        convict::<heals_and_writes::Way>(warehouses).await,
        convict::<swallows_the_refusal::Way>(warehouses).await,
        convict::<forgets_its_requests::Way>(warehouses).await,
        convict::<leaves_twins_to_the_key::Way>(warehouses).await,
        convict::<a_new_holder_each_time::Way>(warehouses).await,
        convict::<stands_still_for_an_hour::Way>(warehouses).await,
    ]
}
