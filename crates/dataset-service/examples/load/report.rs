//! The count: what customers heard against what the database has recorded.

use std::fmt;

use anyhow::Context;
use credit_ledger::Ledger;
use fence_guard::Guard;

use crate::account;
use crate::clients::Heard;
use crate::fleet::Happened;

/// What came out.
#[derive(Debug)]
pub(crate) struct Report {
    heard: Heard,
    happened: Happened,
    counted: Counted,
    /// Refused writes: what was to be done, why not, and how often.
    refused: Vec<(String, String, i64)>,
    /// Customers who were charged for something else than what they were answered.
    wronged: Vec<String>,
    /// What the audit has to say, in its own words.
    findings: Vec<String>,
}

#[derive(Debug, sqlx::FromRow)]
struct Counted {
    answers: i64,
    unanswered: i64,
    captures: i64,
    credits: i64,
    holds: i64,
    released: i64,
    void: i64,
    expired: i64,
    open: i64,
    openings: i64,
    takeovers: i64,
}

impl Report {
    /// Reads the database, after the last instance has ended.
    pub(crate) async fn read(
        guard: &Guard,
        ledger: &Ledger,
        users: &[String],
        granted: i64,
        heard: Heard,
        happened: Happened,
    ) -> anyhow::Result<Report> {
        let counted = sqlx::query_as(include_str!("count.sql"))
            .fetch_one(guard.pool())
            .await?;
        let refused = sqlx::query_as(include_str!("refused.sql"));
        let refused = refused.fetch_all(guard.pool()).await?;
        let mut wronged = Vec::new();
        for user in users {
            let standing = ledger
                .standing(&account(user)?)
                .await?
                .context("an account is gone")?;
            let (charged, due) = (
                granted - standing.balance,
                heard.answered.get(user).copied().unwrap_or(0),
            );
            if charged != due {
                wronged.push(format!(
                    "user {user} was charged {charged} for {due} answers"
                ));
            }
        }
        let findings = ledger.audit().await?;
        let findings = findings
            .iter()
            .map(|finding| format!("{finding:?}"))
            .collect();
        Ok(Report {
            heard,
            happened,
            counted,
            refused,
            wronged,
            findings,
        })
    }

    /// What did not come out, or did not happen.
    pub(crate) fn failures(&self) -> Vec<String> {
        let (heard, happened, counted) = (&self.heard, &self.happened, &self.counted);
        let answers = heard.answers();
        let mut failures = self.wronged.clone();
        failures.extend(self.findings.iter().cloned());
        let mut must = |is_so: bool, otherwise: &str| {
            if !is_so {
                failures.push(otherwise.to_owned());
            }
        };
        must(
            counted.captures == answers,
            "there are not as many captures as answers",
        );
        must(
            counted.credits == answers,
            "not one credit was captured for each answer",
        );
        must(
            counted.answers == answers,
            "not exactly what was answered is kept",
        );
        must(counted.open == 0, "something is held still");
        // Nothing is shown where nothing happened.
        must(answers > 0, "nothing was answered");
        must(
            happened.frozen > 0 && happened.killed > 0 && happened.killed_frozen > 0,
            "nobody was frozen, killed, and killed while frozen",
        );
        must(counted.takeovers > 0, "nobody took over");
        must(counted.void > 0, "nothing that was held became void");
        must(happened.overruns > 0, "nobody outlived a lease");
        must(!self.refused.is_empty(), "no write was refused");
        must(
            heard.unanswered > 0,
            "nobody had to ask again for want of an answer",
        );
        failures
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (heard, happened, counted) = (&self.heard, &self.happened, &self.counted);
        let mut row = |what: &str, value: String| writeln!(f, "{what:<36} {value}");
        row(
            "instances frozen past their leases",
            happened.frozen.to_string(),
        )?;
        row(
            "instances killed and started again",
            (happened.killed + happened.killed_frozen).to_string(),
        )?;
        row(
            "  killed while they were frozen",
            happened.killed_frozen.to_string(),
        )?;
        row("requests sent", heard.sent.to_string())?;
        let told: Vec<_> = heard
            .told
            .iter()
            .map(|(status, times)| format!("{times} × {status}"))
            .collect();
        row("  told to come again", told.join(", "))?;
        row("  not answered", heard.unanswered.to_string())?;
        row("queries answered with 200", heard.answers().to_string())?;
        row("  of these by an earlier try", heard.replayed.to_string())?;
        row("answers kept", counted.answers.to_string())?;
        row("captures", counted.captures.to_string())?;
        row("credits captured, at 1 each", counted.credits.to_string())?;
        row(
            "holds",
            format!(
                "{}: {} captured, {} released, {} void, {} expired, {} open",
                counted.holds,
                counted.captures,
                counted.released,
                counted.void,
                counted.expired,
                counted.open
            ),
        )?;
        row("asked and never answered", counted.unanswered.to_string())?;
        row(
            "openings",
            format!(
                "{}, {} of them takeovers",
                counted.openings, counted.takeovers
            ),
        )?;
        row(
            "seen in the instances' figures",
            format!(
                "{} overruns, {} takeovers",
                happened.overruns, happened.takeovers
            ),
        )?;
        for (operation, reason, times) in &self.refused {
            row(
                "refused writes, as rows",
                format!("{times} × {operation}: {reason}"),
            )?;
        }
        row("findings of the audit", self.findings.len().to_string())?;
        row(
            "customers charged otherwise",
            self.wronged.len().to_string(),
        )
    }
}
