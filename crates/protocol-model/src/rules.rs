//! What must hold in every state.

use stateright::Property;

use crate::calm;
use crate::guard::{Entry, Table};
use crate::protocol::Protocol;
use crate::scope::{Clients, Scope};
use crate::state::State;

/// The rules, by the names that the tables use.
pub(crate) const S1: &str = "S1 fences grow";
pub(crate) const S2: &str = "S2 no older write after an opening";
pub(crate) const S3: &str = "S3 entries match openings";
pub(crate) const S4: &str = "S4 the mark never falls";
pub(crate) const S5: &str = "S5 one number, one holder";
pub(crate) const S6: &str = "S6 one entry per request";
pub(crate) const S6_TOLD: &str = "S6 a replay is told first";
pub(crate) const S10: &str = "S10 a new holder gets in";
pub(crate) const PAID: &str = "paid for no more than due";
pub(crate) const LEFT: &str = "what is left stays left";
pub(crate) const ABSENT: &str = "what is absent stays absent";
pub(crate) const VALID: &str = "no valid opening is cut short";

/// The rules of a scope. Who does not look before it pays pays as often as it likes: that rule is for
/// services that look.
pub(crate) fn all(scope: &Scope) -> Vec<Property<Protocol>> {
    let mut rules = vec![
        Property::always(S1, |_, state| each(state, grows)),
        Property::always(S2, |_, state| entries(state, |_, e| !e.after_higher)),
        Property::always(S3, |_, state| {
            entries(state, |_, e| is_under_its_opening(e))
        }),
        Property::always(S4, |_, state| mark_stands(state)),
        Property::always(S5, |_, state| entries(state, has_its_number_alone)),
        Property::always(S6, |_, state| has_each_request_once(state)),
        Property::always(S6_TOLD, |_, state| each(state, |t| !t.told_wrongly)),
        Property::always(S10, calm::heals),
        Property::always(LEFT, |_, state| entries(state, |_, e| !e.after_left)),
        Property::always(ABSENT, |_, state| entries(state, |_, e| !e.after_absent)),
        Property::always(VALID, |_, state| each(state, cuts_nothing_short)),
    ];
    if matches!(scope.clients, Clients::Sections(_)) {
        rules.push(Property::always(PAID, |protocol, state| {
            each(state, |table| table.entries.len() <= protocol.scope.due)
        }));
    }
    rules
}

fn each(state: &State, holds: impl Fn(&Table) -> bool) -> bool {
    state.guard.resources.iter().all(holds)
}

fn entries(state: &State, holds: impl Fn(&Table, &Entry) -> bool) -> bool {
    each(state, |table| table.entries.iter().all(|e| holds(table, e)))
}

fn grows(table: &Table) -> bool {
    table
        .openings
        .is_sorted_by(|one, next| one.permit.fence < next.permit.fence)
}

fn is_under_its_opening(entry: &Entry) -> bool {
    let under = entry.under;
    under.is_some_and(|opening| opening.permit == entry.permit && !opening.closed)
}

fn mark_stands(state: &State) -> bool {
    let mut resources = 0..state.guard.resources.len();
    resources.all(|resource| {
        let openings = &state.guard.resources[resource].openings;
        let highest = openings.iter().map(|opening| opening.permit.fence).max();
        highest.unwrap_or(0) <= state.guard.mark(resource)
    })
}

fn has_its_number_alone(table: &Table, entry: &Entry) -> bool {
    let mut others = table.entries.iter();
    !others.any(|other| {
        other.permit.fence == entry.permit.fence && other.permit.holder != entry.permit.holder
    })
}

fn has_each_request_once(state: &State) -> bool {
    let entries = || {
        state
            .guard
            .resources
            .iter()
            .flat_map(|table| &table.entries)
    };
    entries().all(|entry| {
        let same = entries().filter(|other| other.request == entry.request);
        same.count() == 1
    })
}

fn cuts_nothing_short(table: &Table) -> bool {
    !table.openings.iter().any(|opening| opening.cut_short)
}
