//! Explores the protocol's model, and tells how a protocol without one of its safeguards goes wrong.

use std::process::ExitCode;

use clap::{Parser, Subcommand};
use protocol_model::{Bug, Scope, explore, shortest, table_of_bugs, table_of_scopes};

/// The protocol of leases, openings and writes, explored state by state.
#[derive(Parser)]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// Explores each scope, with all safeguards (what happens without a command).
    Scopes {
        /// This one alone.
        name: Option<String>,
    },
    /// Explores the protocol without each of its safeguards in turn.
    Bugs {
        /// Without this one alone.
        bug: Option<Bug>,
    },
    /// Tells the shortest way in which the protocol goes wrong without one safeguard.
    Trace {
        /// The safeguard that is missing.
        bug: Bug,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match arguments.command.unwrap_or(Command::Scopes { name: None }) {
        Command::Scopes { name } => scopes(name.as_deref()),
        Command::Bugs { bug } => bugs(bug),
        Command::Trace { bug } => trace(bug),
    }
}

/// Fails where a rule is broken.
fn scopes(name: Option<&str>) -> ExitCode {
    let scopes = Scope::all().into_iter();
    let explored: Vec<_> = scopes
        .filter(|scope| name.is_none_or(|name| name == scope.name))
        .map(|scope| (scope.clone(), explore(&scope, None)))
        .collect();
    println!("{}", table_of_scopes(&explored));
    let holds = explored
        .iter()
        .all(|(_, verdict)| verdict.broken.is_empty());
    match holds && !explored.is_empty() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

/// Fails where a bug breaks other rules than it should.
fn bugs(only: Option<Bug>) -> ExitCode {
    let bugs = Bug::all()
        .iter()
        .filter(|bug| only.is_none_or(|only| only == **bug));
    let explored: Vec<_> = bugs
        .map(|bug| (*bug, explore(&bug.in_scope(), Some(*bug))))
        .collect();
    println!("{}", table_of_bugs(&explored));
    let convicted = |(bug, verdict): &(Bug, _)| bug.is_convicted_by(verdict);
    match explored.iter().all(convicted) {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    }
}

fn trace(bug: Bug) -> ExitCode {
    let Some(rule) = bug.breaks().last() else {
        println!("it breaks no rule");
        return ExitCode::SUCCESS;
    };
    let Some(steps) = shortest(&bug.in_scope(), Some(bug), rule) else {
        println!("not found: {rule}");
        return ExitCode::FAILURE;
    };
    println!("broken: {rule}");
    for (at, step) in steps.iter().enumerate() {
        println!("{:>2}. {step}", at + 1);
    }
    ExitCode::SUCCESS
}
