//! What a URL asks for.

use clap::ValueEnum;
use fence_guard::{Filter, Holder, Page, Resource};
use url::form_urlencoded::{Serializer, parse};

use crate::cli::{Moment, RefusedFor};

/// The filters of the page, as its URL says them, and which page of each list.
#[derive(Debug, Clone, Default)]
pub(super) struct Asked {
    pub(super) resource: Option<Resource>,
    pub(super) holder: Option<Holder>,
    pub(super) reason: Option<RefusedFor>,
    pub(super) since: Option<Moment>,
    /// Of each list, the number that its page ends before.
    pub(super) before: [Option<i64>; 4],
    /// What is no filter, and why not; the rest was read all the same.
    pub(super) wrong: Option<String>,
    /// What was written, for the form: also what is no filter, to be corrected.
    typed: Vec<(String, String)>,
}

/// The lists of the page, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum List {
    Refusals,
    Openings,
    Entries,
    Holds,
}

impl List {
    pub(super) fn name(self) -> &'static str {
        match self {
            List::Refusals => "refusals",
            List::Openings => "openings",
            List::Entries => "entries",
            List::Holds => "holds",
        }
    }

    const ALL: [List; 4] = [List::Refusals, List::Openings, List::Entries, List::Holds];
}

impl Asked {
    /// Reads the query of a URL. An empty value is none: a form sends those.
    pub(super) fn read(query: &str) -> Asked {
        let mut asked = Asked::default();
        for (name, value) in parse(query.as_bytes()).filter(|(_, value)| !value.trim().is_empty()) {
            if let Err(why) = asked.set(&name, value.trim()) {
                asked.wrong.get_or_insert(format!("{name}: {why}"));
            }
            asked
                .typed
                .push((name.into_owned(), value.trim().to_owned()));
        }
        asked
    }

    /// What was written for a filter.
    pub(super) fn typed(&self, name: &str) -> &str {
        let typed = self.typed.iter().rfind(|(typed, _)| typed == name);
        typed.map_or("", |(_, value)| value)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        match name {
            "resource" => self.resource = Some(value.parse().map_err(said)?),
            "holder" => self.holder = Some(value.parse().map_err(said)?),
            "reason" => self.reason = Some(RefusedFor::from_str(value, true)?),
            "since" => self.since = Some(Moment::read(value).map_err(said)?),
            _ => {
                let list = List::ALL
                    .into_iter()
                    .find(|list| name == format!("{}-before", list.name()));
                let list = list.ok_or("the page has no such filter")?;
                self.before[list as usize] = Some(value.parse().map_err(said)?);
            }
        }
        Ok(())
    }

    pub(super) fn page(&self, list: List) -> Page {
        self.before[list as usize].map_or(Page::NEWEST, Page::Before)
    }

    /// As the guard takes it, without the moment: that is the database's to say.
    pub(super) fn guard_filter(&self) -> Filter {
        let filter = Filter::from(self.resource.as_ref());
        self.holder
            .map_or(filter.clone(), |holder| filter.by(holder))
    }

    /// The URL of this, with the older page of a list.
    pub(super) fn older(&self, list: List, before: i64) -> String {
        let mut older = self.clone();
        older.before[list as usize] = Some(before);
        format!("{}#{}", older.url(), list.name())
    }

    /// The URL of the page about one resource.
    pub(super) fn about(resource: &str) -> String {
        let query = Serializer::new(String::new())
            .append_pair("resource", resource)
            .finish();
        format!("/?{query}")
    }

    fn url(&self) -> String {
        let mut query = Serializer::new(String::new());
        if let Some(resource) = &self.resource {
            query.append_pair("resource", resource.as_str());
        }
        if let Some(holder) = self.holder {
            query.append_pair("holder", &holder.to_string());
        }
        if let Some(reason) = self.reason {
            query.append_pair("reason", &value_of(reason));
        }
        // As it was written: a span stays one.
        if self.since.is_some() {
            query.append_pair("since", self.typed("since"));
        }
        for list in List::ALL {
            if let Some(before) = self.before[list as usize] {
                query.append_pair(&format!("{}-before", list.name()), &before.to_string());
            }
        }
        format!("/?{}", query.finish())
    }
}

/// The word of a reason in a URL.
pub(super) fn value_of(reason: RefusedFor) -> String {
    reason
        .to_possible_value()
        .map_or_else(String::new, |value| value.get_name().to_owned())
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_a_form_leaves_empty_is_no_filter() {
        let asked = Asked::read("resource=&holder=&reason=&since=");
        assert_eq!((asked.url(), asked.wrong), ("/?".to_owned(), None));
    }

    #[test]
    fn what_is_no_filter_is_named() {
        for (query, named) in [
            ("reason=hope", "reason: "),
            ("holder=7", "holder: "),
            ("since=yesterday", "since: "),
            ("nonsense=1", "nonsense: "),
            ("refusals-before=x", "refusals-before: "),
        ] {
            let why = Asked::read(query).wrong.expect(query);
            assert!(why.starts_with(named), "{why}");
        }
    }

    #[test]
    fn what_is_no_filter_stays_to_be_corrected() {
        let asked = Asked::read("since=yesterday&resource=r&since=2h&holder=7");
        assert_eq!((asked.typed("since"), asked.typed("holder")), ("2h", "7"));
        assert_eq!(
            asked
                .resource
                .map(|name| name.as_str().to_owned())
                .as_deref(),
            Some("r")
        );
    }

    proptest! {
        /// Any legal name survives its URL, also beside everything else that a URL can ask.
        #[test]
        fn a_url_asks_for_what_it_was_made_of(name in "[ -~äß家&=#%+?\"'<>]{1,40}", before in 1_i64..) {
            prop_assume!(name.trim() == name && !name.is_empty());
            let Ok(resource) = Resource::new(&name) else { return Ok(()) };
            let asked = Asked { resource: Some(resource), ..Asked::default() };
            let url = asked.older(List::Entries, before);
            let query = url.trim_start_matches("/?").trim_end_matches("#entries");
            let again = Asked::read(query);
            prop_assert_eq!(&again.wrong, &None);
            prop_assert_eq!(again.resource.map(|name| name.as_str().to_owned()), Some(name));
            prop_assert_eq!(again.before[List::Entries as usize], Some(before));
        }
    }
}
