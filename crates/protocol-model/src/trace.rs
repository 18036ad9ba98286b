//! A counterexample, told step by step.

use stateright::{Checker, HasDiscoveries, Model};

use crate::action::Action;
use crate::bug::Bug;
use crate::client::{Act, Worker};
use crate::faults::Fault;
use crate::guard::{Opening, Table};
use crate::protocol::Protocol;
use crate::scope::{Scope, Way};
use crate::session::{At, Session, Step};
use crate::state::State;
use crate::words::{Call, Holder, NEXT, Permit};

/// The shortest way to a state that breaks the rule, one line for each step. `None` where there is none.
///
/// By one thread, because only that finds the shortest first.
pub fn shortest(scope: &Scope, bug: Option<Bug>, rule: &'static str) -> Option<Vec<String>> {
    let protocol = Protocol {
        scope: scope.clone(),
        bug,
    };
    let until = HasDiscoveries::AllOf([rule].into());
    let checker = protocol.checker().finish_when(until).spawn_bfs().join();
    let path = checker.discovery(rule)?;
    let mut lines = Vec::new();
    let steps: Vec<_> = path.into_vec();
    for pair in steps.windows(2) {
        let (before, Some(action)) = &pair[0] else {
            break;
        };
        let after = &pair[1].0;
        let what = words(before, *action);
        lines.push(match changes(before, after) {
            news if news.is_empty() => what,
            news => format!("{what}: {}", news.join(", ")),
        });
    }
    Some(lines)
}

/// Holders by letters, as the story of the README has them.
fn name(holder: Holder) -> char {
    char::from(b'A' + holder)
}

fn words(state: &State, action: Action) -> String {
    match action {
        Action::Step(at) => of_session(&state.sessions[at]),
        Action::Client(act) => of_client(state, act),
        Action::Fault(fault) => of_fault(state, fault),
    }
}

fn of_session(session: &Session) -> String {
    let who = name(session.permit.holder);
    let fence = match session.permit.fence {
        NEXT => "next".to_owned(),
        fence => fence.to_string(),
    };
    match session.step {
        Step::Open(None, At::Read) => format!("{who}, open({fence}): reads the mark plainly"),
        Step::Open(None, At::Floor) => format!("{who}, open({fence}): no mark, locks the floor"),
        Step::Open(None, _) => {
            format!("{who}, open({fence}): locks the row, judges again, commits")
        }
        Step::Open(Some(r), At::Read) => {
            format!("{who}, charge_once({fence}, request {r}): reads the mark plainly")
        }
        Step::Open(Some(r), At::Floor) => {
            format!("{who}, charge_once({fence}, request {r}): no mark, locks the floor")
        }
        Step::Open(Some(r), _) => format!(
            "{who}, charge_once({fence}, request {r}): locks the row, decides by what it reads, commits"
        ),
        Step::CloseRead => format!("{who}, close({fence}): reads the mark plainly"),
        Step::CloseLock => format!("{who}, close({fence}): locks the row, judges again, commits"),
        Step::Replay { request, .. } => {
            format!("{who}, charge({fence}, request {request}): looks for the request")
        }
        Step::Look { request, .. } => {
            format!("{who}, charge({fence}, request {request}): locks the row FOR SHARE and judges")
        }
        Step::Insert(request) => {
            format!("{who}, charge({fence}, request {request}): writes the entry")
        }
        Step::Commit { request, .. } => {
            format!("{who}, charge({fence}, request {request}): commits")
        }
        Step::Again {
            request, reason, ..
        } => format!("{who}, charge({fence}, request {request}): is {reason:?}, looks again"),
    }
}

fn of_client(state: &State, act: Act) -> String {
    let holder = |at: usize| name(state.workers[at].permit.holder);
    let lose = |lost: bool| if lost { " (the reply is lost)" } else { "" };
    match act {
        Act::Start { way, lost, .. } => {
            let asks = match way {
                Way::FromGuard => "calls open_next",
                _ => "acquires",
            };
            format!("{} {asks}{}", name(state.holders), lose(lost))
        }
        Act::Ask { worker, lost } => format!("{} acquires again{}", holder(worker), lose(lost)),
        Act::AskMark { worker } => format!("{} asks the guard for the mark", holder(worker)),
        Act::Remint { worker, lost } => {
            format!("{} mints above the mark{}", holder(worker), lose(lost))
        }
        Act::Call { worker, call } => {
            let sends = sends(state.workers[worker].permit, call);
            format!("{} sends {sends}", holder(worker))
        }
        Act::Read { worker } => {
            let seen = entries(state, &state.workers[worker]);
            format!("{} reads that {seen} is paid for", holder(worker))
        }
        Act::Resolve { worker, anew } => {
            let how = if anew { " as a new holder" } else { "" };
            format!("{} resolves what became of it{how}", holder(worker))
        }
        Act::Look { worker } => format!("{} looks what became of it", holder(worker)),
        Act::Anybody { permit, call, .. } => {
            let sends = sends(permit, call);
            format!("somebody sends {sends} as {}", name(permit.holder))
        }
    }
}

fn entries(state: &State, worker: &Worker) -> usize {
    state.guard.resources[worker.resource()].entries.len()
}

fn sends(permit: Permit, call: Call) -> String {
    let fence = permit.fence;
    match call {
        Call::Open if fence == NEXT => "open_next".to_owned(),
        Call::Open => format!("open({fence})"),
        Call::Close => format!("close({fence})"),
        Call::Charge(request) => format!("charge({fence}, request {request})"),
        Call::Once(request) => format!("charge_once({fence}, request {request})"),
    }
}

fn of_fault(state: &State, fault: Fault) -> String {
    let session = |at: usize| name(state.sessions[at].permit.holder);
    match fault {
        Fault::LeaseEnds(_) => "the lease ends".to_owned(),
        Fault::CounterLost => "Redis loses its counter".to_owned(),
        Fault::CounterLags => "a lagging replica is promoted".to_owned(),
        Fault::ReplyLost(at) => format!("{} hears nothing of its call", session(at)),
        Fault::Aborted(at) => format!("Postgres ends the call of {}", session(at)),
        Fault::PostgresRestarts => "Postgres restarts".to_owned(),
        Fault::Crash(at) => format!("{} is gone", name(state.workers[at].permit.holder)),
        Fault::ValidityEnds(_) => "the time of the opening is over".to_owned(),
        Fault::Fold => "the operator folds".to_owned(),
    }
}

/// What is different afterwards, of what others can see.
fn changes(before: &State, after: &State) -> Vec<String> {
    let mut news = Vec::new();
    for (old, new) in before.redis.leases.iter().zip(&after.redis.leases) {
        match new {
            Some(lease) if old != new => news.push(format!(
                "{} has the lease with fence {}",
                name(lease.holder),
                lease.fence
            )),
            _ => {}
        }
    }
    let tables = before.guard.resources.iter().zip(&after.guard.resources);
    for (old, new) in tables {
        news.extend(in_table(old, new));
    }
    if before.guard.floor != after.guard.floor {
        news.push(format!("the floor is {}", after.guard.floor));
    }
    news
}

fn in_table(old: &Table, new: &Table) -> Vec<String> {
    let mut news = Vec::new();
    let opened = new.openings.iter().skip(old.openings.len());
    news.extend(opened.map(|Opening { permit, .. }| {
        format!("{} has opened with {}", name(permit.holder), permit.fence)
    }));
    let written = new.entries.iter().skip(old.entries.len());
    news.extend(written.map(|entry| {
        let Permit { fence, holder } = entry.permit;
        format!(
            "an entry of request {} under {fence} of {}",
            entry.request,
            name(holder)
        )
    }));
    if new.row.is_some_and(|row| row.closed) && !old.row.is_some_and(|row| row.closed) {
        news.push("closed".to_owned());
    }
    if new.absent > old.absent {
        news.push("nothing is there".to_owned());
    }
    news
}
