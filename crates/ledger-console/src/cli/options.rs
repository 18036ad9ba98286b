//! What several commands take.

use clap::{Args, ValueEnum};
use fence_guard::{Filter, Holder, Page, Reason, Resource};

use super::Moment;

/// How an answer is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum Format {
    /// For people: 80 columns, short ids, times in UTC without their year
    #[default]
    Table,
    /// One object a line, everything whole
    Json,
    /// RFC 4180 with a head, everything whole
    Csv,
}

/// How an answer of several lists is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub enum WholeFormat {
    /// For people
    #[default]
    Table,
    /// One object
    Json,
}

/// Which rows.
#[derive(Debug, Clone, Args)]
pub struct Whose {
    /// Of this resource
    #[arg(long, value_name = "NAME")]
    pub resource: Option<Resource>,
    /// Of this holder, its whole UUID
    #[arg(long, value_name = "UUID")]
    pub holder: Option<Holder>,
}

/// How many rows, since when, in which format.
#[derive(Debug, Clone, Args)]
pub struct Listing {
    /// From this moment on: RFC 3339, or a span before now such as 15m, 2h, 7d
    #[arg(long, value_name = "WHEN", value_parser = Moment::read)]
    pub since: Option<Moment>,
    /// At most so many
    #[arg(long, default_value_t = 50, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
    /// Older ones: those before this number, which the page before names
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(i64).range(1..))]
    pub before: Option<i64>,
    /// How it is written
    #[arg(long, value_enum, default_value_t)]
    pub format: Format,
}

/// Why a write was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RefusedFor {
    /// A higher fence had been opened
    Stale,
    /// Its fence had never been opened
    #[value(alias = "not open")]
    NotOpen,
    /// Another holder had opened this very fence
    Conflict,
    /// Its own opening was closed already
    Closed,
}

impl Whose {
    /// As the guard takes it.
    pub fn filter(&self) -> Filter {
        let filter = Filter::from(self.resource.as_ref());
        self.holder
            .map_or(filter.clone(), |holder| filter.by(holder))
    }
}

impl Listing {
    /// The page that is asked for.
    pub fn page(&self) -> Page {
        self.before.map_or(Page::NEWEST, Page::Before)
    }
}

impl From<RefusedFor> for Reason {
    fn from(reason: RefusedFor) -> Reason {
        match reason {
            RefusedFor::Stale => Reason::Stale,
            RefusedFor::NotOpen => Reason::NotOpen,
            RefusedFor::Conflict => Reason::Conflict,
            RefusedFor::Closed => Reason::Closed,
        }
    }
}
