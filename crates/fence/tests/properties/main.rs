//! What must hold for every name, number, holder and permit, tried with those that nobody would think of.
//!
//! `PROPTEST_CASES` says how many of each; 256 where it says nothing.

mod holder;
mod number;
mod permit;
mod resource;
