//! Sections that were entered together.

use std::time::Duration;

use fence::Resource;
use fence_guard::OpenPermit;
use futures_util::stream::{FuturesUnordered, StreamExt};

use crate::run::until_lost;
use crate::{Left, Lost, Section};

/// The sections of several resources, entered by [`enter_all`](crate::Sections::enter_all): all of them
/// are open. The order is everywhere that of the resources as they were named.
///
/// A set that is dropped is left in the background, as each of its [`Section`]s.
#[derive(Debug)]
#[must_use = "sections that are dropped are left at once"]
pub struct SectionSet {
    sections: Vec<Section>,
}

impl SectionSet {
    /// Puts sections, all of these resources, into the order of the resources.
    pub(crate) fn new(mut sections: Vec<Section>, resources: &[Resource]) -> SectionSet {
        sections.sort_by_key(|section| {
            let named = |resource| resource == section.resource();
            resources.iter().position(named)
        });
        SectionSet { sections }
    }

    /// Each of the sections.
    pub fn sections(&self) -> &[Section] {
        &self.sections
    }

    /// The sections one by one, to be left at different times.
    pub fn into_sections(self) -> Vec<Section> {
        self.sections
    }

    /// What lets you write, for each resource, as long as *all* sections are trusted.
    ///
    /// # Errors
    /// [`Lost`] once one of them is lost.
    pub fn open(&self) -> Result<Vec<&OpenPermit>, Lost> {
        self.sections.iter().map(Section::open).collect()
    }

    /// How long all of them can still be trusted; zero once one is lost.
    pub fn remaining(&self) -> Duration {
        let remaining = self.sections.iter().map(Section::remaining);
        remaining.min().unwrap_or(Duration::MAX)
    }

    /// Returns when one of them is lost; never where there is none. Dropping it and calling it again
    /// loses nothing.
    pub async fn lost(&self) {
        self.first_lost().await;
    }

    /// Runs work for as long as all sections are trusted, and drops it when one is lost; as
    /// [`Section::run`].
    ///
    /// # Errors
    /// [`Lost`] when the work was dropped, or never started. The others may be trusted still.
    pub async fn run<'s, T, W>(
        &'s self,
        work: impl FnOnce(Vec<&'s OpenPermit>) -> W,
    ) -> Result<T, Lost>
    where
        W: Future<Output = T>,
    {
        let work = work(self.open()?);
        let over = || {
            let is_over = |section: &&Section| section.remaining().is_zero();
            self.sections.iter().find(is_over).map(Section::lost_now)
        };
        until_lost(work, over, self.first_lost()).await
    }

    /// Leaves all of them, in the reverse of the order in which they were taken; as [`Section::leave`].
    ///
    /// When this future is dropped, what is not left yet is left in the background.
    pub async fn leave(self) -> Vec<Left> {
        let mut open: Vec<_> = self.sections.into_iter().enumerate().collect();
        open.sort_by(|(_, a), (_, b)| a.resource().cmp(b.resource()));
        let mut left = Vec::with_capacity(open.len());
        while let Some((index, section)) = open.pop() {
            left.push((index, section.leave().await));
        }
        left.sort_by_key(|(index, _)| *index);
        left.into_iter().map(|(_, left)| left).collect()
    }

    async fn first_lost(&self) -> Lost {
        let losses = self.sections.iter().map(async |section| {
            section.lost().await;
            section.lost_now()
        });
        let mut losses: FuturesUnordered<_> = losses.collect();
        match losses.next().await {
            Some(lost) => lost,
            None => std::future::pending().await,
        }
    }
}
