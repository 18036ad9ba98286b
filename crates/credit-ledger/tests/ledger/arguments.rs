//! The outer functions, each with a good call, and for each argument what else somebody may send.

mod guard;
mod ledger;
mod ledger_values;
mod together;
mod values;

/// A bad argument, and the SQLSTATEs that it may come to; none where it is answered all the same.
pub(crate) type Bad = (&'static str, &'static [&'static str]);

/// One argument of a function.
pub(crate) struct Argument {
    pub(crate) good: &'static str,
    pub(crate) bad: &'static [Bad],
}

/// An outer function.
pub(crate) struct Outer {
    pub(crate) name: &'static str,
    pub(crate) arguments: &'static [Argument],
}

/// Every outer function, in the order of their names.
pub(crate) fn outer_calls() -> impl Iterator<Item = &'static Outer> {
    ledger::CALLS.iter().chain(guard::CALLS)
}

const fn argument(good: &'static str, bad: &'static [Bad]) -> Argument {
    Argument { good, bad }
}
