//! The model: what may happen next, and what comes of it.

use stateright::{Model, Property};

use crate::action::Action;
use crate::bug::Bug;
use crate::scope::Scope;
use crate::state::State;
use crate::{client, faults, reached, rules, session};

/// The protocol within a scope; as it is, or with one safeguard missing.
#[derive(Clone, Debug)]
pub(crate) struct Protocol {
    pub(crate) scope: Scope,
    pub(crate) bug: Option<Bug>,
}

impl Protocol {
    pub(crate) fn has(&self, bug: Bug) -> bool {
        self.bug == Some(bug)
    }

    /// Does it, within bounds or not. `None` where it cannot be done now.
    pub(crate) fn apply(&self, state: &State, action: Action) -> Option<State> {
        let mut next = state.clone();
        match action {
            Action::Step(at) => session::advance(self, &mut next, at)?,
            Action::Client(act) => client::act(self, &mut next, act)?,
            Action::Fault(fault) => faults::happen(self, &mut next, fault)?,
        }
        Some(next)
    }
}

impl Model for Protocol {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::first(&self.scope)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend((0..state.sessions.len()).map(Action::Step));
        client::may(self, state, actions);
        faults::may(self, state, actions);
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        self.apply(state, action).map(State::in_order)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let mut properties = rules::all(&self.scope);
        properties.extend(reached::all());
        properties
    }
}
