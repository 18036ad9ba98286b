//! The run as one JSON document; the crate's README documents it.

use serde::Serialize;

use crate::cell::{DUE, Incident, Protection};
use crate::log::{Entry, holders_at_once};
use crate::played::{Played, Verdict};

/// The document.
#[derive(Debug, Serialize)]
pub(crate) struct Document<'a> {
    run: &'a str,
    redis: &'a str,
    postgres: &'a str,
    as_documented: bool,
    cells: Vec<CellObject<'a>>,
}

#[derive(Debug, Serialize)]
struct CellObject<'a> {
    protection: Protection,
    incident: Incident,
    due: u64,
    charged: u64,
    refused: u64,
    replayed: u64,
    holders_at_once: usize,
    verdict: Verdict,
    as_documented: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    events: &'a [Entry],
}

impl<'a> Document<'a> {
    pub(crate) fn new(
        run: &'a str,
        redis: &'a str,
        postgres: &'a str,
        played: &'a [Played],
    ) -> Document<'a> {
        let as_documented = played.iter().all(Played::is_as_documented);
        let cells = played.iter().map(CellObject::new).collect();
        Document {
            run,
            redis,
            postgres,
            as_documented,
            cells,
        }
    }
}

impl<'a> CellObject<'a> {
    fn new(played: &'a Played) -> CellObject<'a> {
        CellObject {
            protection: played.cell.protection,
            incident: played.cell.incident,
            due: DUE,
            charged: played.outcome.charged,
            refused: played.outcome.refused,
            replayed: played.outcome.replayed,
            holders_at_once: holders_at_once(&played.entries),
            verdict: played.verdict(),
            as_documented: played.is_as_documented(),
            error: played.error.as_deref(),
            events: &played.entries,
        }
    }
}
