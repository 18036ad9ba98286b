//! Short ways to say what a test is about: resources, permits, requests.

use std::time::Duration;

use credit_ledger::{Account, Charge, Credits, Grant, Purpose, RequestId};
use fence_guard::{Fence, Holder, Permit, Resource};

/// How long the openings of these tests mean to hold; longer than any test runs, so that no server
/// timeout has a part in what is seen.
pub const HOLD: Duration = Duration::from_secs(120);

/// A resource of this name.
pub fn resource(name: &str) -> Resource {
    Resource::new(name).unwrap()
}

/// A permit of a new holder.
pub fn permit(name: &str, fence: u64) -> Permit {
    Permit::new(resource(name), Fence::new(fence).unwrap(), Holder::random())
}

/// A permit of another holder under the number of this one.
pub fn same_number(permit: &Permit) -> Permit {
    Permit::new(permit.resource().clone(), permit.fence(), Holder::random())
}

/// An account of this name.
pub fn account(name: &str) -> Account {
    Account::new(name).unwrap()
}

/// A charge with a request id of its own.
pub fn charge(account: &Account, amount: i64) -> Charge {
    charge_of(RequestId::random(), account, amount)
}

/// A charge with this request id.
pub fn charge_of(request: RequestId, account: &Account, amount: i64) -> Charge {
    Charge {
        request,
        account: account.clone(),
        amount: Credits::new(amount).unwrap(),
        purpose: Purpose::new("query").unwrap(),
    }
}

/// A grant with this request id.
pub fn grant_of(request: RequestId, account: &Account, amount: i64) -> Grant {
    Grant {
        request,
        account: account.clone(),
        amount: Credits::new(amount).unwrap(),
        purpose: Purpose::new("query").unwrap(),
    }
}
