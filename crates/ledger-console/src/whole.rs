//! Everything about one resource, or one account.

use std::io::Write;

use credit_ledger::{Filter as LedgerFilter, Page, Standing};
use fence_guard::OpeningRow;

use crate::cli::{Format, OneAccount, OneResource, WholeFormat};
use crate::database::Database;
use crate::error::Error;
use crate::output::{Field, Output, Row, json_line, list, member, object, visible};
use crate::rows::{how, whole_moment};

/// The parts of an answer: what stands at its top, and its lists, each with its name.
struct Whole {
    top: Vec<(&'static str, Field)>,
    lines: Vec<(&'static str, String)>,
    lists: Vec<(&'static str, List)>,
}

/// A list, as either format has it.
struct List {
    json: String,
    table: String,
}

impl List {
    fn of<R: Row>(rows: &[R]) -> Result<List, Error> {
        let mut table = Vec::new();
        Output::new(Format::Table, &mut table).rows(rows)?;
        Ok(List {
            json: list(rows),
            table: String::from_utf8_lossy(&table).into_owned(),
        })
    }
}

/// `ledger resource NAME`.
pub(crate) async fn resource(
    database: &Database,
    args: &OneResource,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let guard = database.guard();
    let of_store = |error| database.error(error);
    let mark = guard.mark(&args.name).await.map_err(of_store)?;
    let openings = guard.openings(&args.name, Page::NEWEST, args.limit).await;
    let openings = openings.map_err(of_store)?;
    let refusals = guard.refusals(&args.name, Page::NEWEST, args.limit).await;
    let refusals = refusals.map_err(of_store)?;
    let newest = openings.first();
    let mut whole = Whole {
        top: vec![
            ("resource", args.name.as_str().into()),
            // A mark is the fence that was opened last; 0 is none.
            ("mark", Field::Text(mark.to_string())),
            ("state", state(newest).into()),
        ],
        lines: vec![
            ("resource", args.name.to_string()),
            ("mark", mark_line(mark.get(), newest)),
            ("state", state(newest).to_owned()),
        ],
        lists: vec![
            ("openings", List::of(&openings)?),
            ("refusals", List::of(&refusals)?),
        ],
    };
    if let Some(newest) = newest {
        whole.lines.push(("holder", newest.holder.to_string()));
        whole
            .lines
            .push(("valid until", whole_moment(newest.valid_until)));
    }
    if let Some(ledger) = database.ledger() {
        let of_it = LedgerFilter::all().under(args.name.clone());
        let entries = ledger.entries(of_it, Page::NEWEST, args.limit).await;
        let entries = entries.map_err(of_store)?;
        whole.lists.push(("entries", List::of(&entries)?));
    }
    whole.write(args.format, to)
}

/// `ledger account ID`.
pub(crate) async fn account(
    database: &Database,
    args: &OneAccount,
    to: &mut (dyn Write + Send),
) -> Result<(), Error> {
    let ledger = database.need_ledger()?;
    let of_store = |error| database.error(error);
    let standing = ledger.standing(&args.id).await.map_err(of_store)?;
    let Some(standing) = standing else {
        return Err(Error::NoAccount(args.id.as_str().to_owned()));
    };
    let holds = ledger.holds(&args.id, None, Page::NEWEST, args.limit);
    let holds = holds.await.map_err(of_store)?;
    let entries = ledger.entries(&args.id, Page::NEWEST, args.limit);
    let entries = entries.await.map_err(of_store)?;
    let refused = ledger.refusals(&args.id, None, Page::NEWEST, args.limit);
    let refused = refused.await.map_err(of_store)?;
    let whole = Whole {
        top: standing_fields(args.id.as_str(), &standing),
        lines: standing_lines(args.id.as_str(), &standing),
        lists: vec![
            ("holds", List::of(&holds)?),
            ("entries", List::of(&entries)?),
            ("refusals", List::of(&refused)?),
        ],
    };
    whole.write(args.format, to)
}

/// How the newest opening of a resource stands.
fn state(newest: Option<&OpeningRow>) -> &'static str {
    match newest {
        None => "no opening is recorded",
        Some(row) if row.folded_at.is_some() => "closed, and its mark folded",
        Some(row) if row.closed_at.is_some() => "closed",
        Some(_) => "open",
    }
}

fn mark_line(mark: u64, newest: Option<&OpeningRow>) -> String {
    match newest {
        Some(row) if row.folded_at.is_none() => format!("{mark}, {}", how(row)),
        // Where there is no row it is the floor, which stands for every mark that was folded.
        _ => format!("{mark}, the floor of all resources without a mark"),
    }
}

fn standing_fields(id: &str, standing: &Standing) -> Vec<(&'static str, Field)> {
    vec![
        ("account", id.into()),
        ("balance", standing.balance.into()),
        ("held", standing.held.into()),
        ("floor", standing.floor.into()),
        ("available", standing.available().into()),
        ("opened_at", standing.opened_at.into()),
        ("frozen_at", standing.frozen_at.into()),
        ("closed_at", standing.closed_at.into()),
    ]
}

fn standing_lines(id: &str, standing: &Standing) -> Vec<(&'static str, String)> {
    let mut lines = vec![
        ("account", id.to_owned()),
        (
            "balance",
            format!("{}, {} of it held", standing.balance, standing.held),
        ),
        (
            "available",
            format!(
                "{}, down to a floor of {}",
                standing.available(),
                standing.floor
            ),
        ),
        ("opened", whole_moment(standing.opened_at)),
    ];
    lines.extend(standing.frozen_at.map(|at| ("frozen", whole_moment(at))));
    lines.extend(standing.closed_at.map(|at| ("closed", whole_moment(at))));
    lines
}

impl Whole {
    fn write(self, format: WholeFormat, to: &mut (dyn Write + Send)) -> Result<(), Error> {
        let text = match format {
            WholeFormat::Json => self.into_json(),
            WholeFormat::Table => self.into_table(),
        };
        Output::new(Format::Table, to).text(&text)?;
        Ok(())
    }

    fn into_json(self) -> String {
        let lists = self
            .lists
            .iter()
            .map(|(name, list)| member(name, &list.json));
        let lists: Vec<String> = lists.collect();
        let top = object(self.top);
        let top = top.strip_suffix('}').unwrap_or(&top);
        json_line(&format!("{top},{}}}", lists.join(",")))
    }

    fn into_table(self) -> String {
        let mut text = String::new();
        for (name, line) in self.lines {
            text.push_str(&format!("{name:<12}{}\n", visible(&line)));
        }
        for (name, list) in self.lists {
            let rows = if list.table.is_empty() {
                "none\n"
            } else {
                &list.table
            };
            text.push_str(&format!("\n{name}, the newest first\n{rows}"));
        }
        text
    }
}
