//! The lease against a real Redis. A name that starts with `c9_` covers case 9 of the list of
//! sequences that went wrong elsewhere.

mod acl;
mod acquire;
mod connect;
mod counter;
mod hand_over;
mod keeper;
mod lazily;
mod lookalikes;
mod memory;
mod patience;
mod preflight;
mod release;
mod renew;
mod scripts;
mod several;
mod slots;
mod support;
mod trouble;
mod trust;
mod unknown;
