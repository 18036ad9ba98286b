//! The lease against a real Redis. A name that starts with `c9_` covers case 9 of the list of
//! sequences that went wrong elsewhere.

mod acquire;
mod connect;
mod counter;
mod memory;
mod release;
mod renew;
mod scripts;
mod slots;
mod support;
mod trust;
