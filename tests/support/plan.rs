//! Short ways to say what a test is about: resources, permits, requests.

use std::time::Duration;

use credit_ledger::{
    Account, Capture, Charge, Credits, Grant, Hold, Purpose, Refund, Release, RequestId,
};
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

/// A hold with a request id of its own, which does not expire while a test runs.
pub fn hold(account: &Account, amount: i64) -> Hold {
    let Charge {
        request,
        account,
        amount,
        purpose,
    } = charge(account, amount);
    Hold {
        request,
        account,
        amount,
        purpose,
        expires_in: HOLD,
    }
}

/// A capture of this hold with a request id of its own.
pub fn capture(hold: &Hold, amount: i64) -> Capture {
    Capture {
        request: RequestId::random(),
        hold: hold.request,
        amount: Credits::new(amount).unwrap(),
    }
}

/// A release of this hold with a request id of its own.
pub fn release(hold: &Hold) -> Release {
    Release {
        request: RequestId::random(),
        hold: hold.request,
    }
}

/// A refund of the charge, or of the capture, that had this request id.
pub fn refund(charge: RequestId, amount: i64) -> Refund {
    Refund {
        request: RequestId::random(),
        charge,
        amount: Credits::new(amount).unwrap(),
    }
}
