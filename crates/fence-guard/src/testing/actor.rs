//! A holder, in a process of the service that is its own.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fence::{Permit, Resource};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::open_permit::OpenPermit;

use super::freeze::Freezer;
use super::outcome::{Applied, Effect, Entered, Rejected};
use super::rule::Rule;
use super::stop::Stop;
use super::subject::Subject;
use super::unopened::unopened;

/// A holder, and what it has opened.
pub(super) struct Actor<S: Subject> {
    who: &'static str,
    application: String,
    subject: Arc<S>,
    instance: Arc<S::Instance>,
    permit: Permit,
    open: Arc<Mutex<Option<Arc<OpenPermit>>>>,
    patience: Duration,
}

/// A call that goes on beside the scenario, and may have to wait. Dropping it cancels it.
pub(super) struct Call<T> {
    who: &'static str,
    application: String,
    freezer: Freezer,
    task: JoinHandle<T>,
    patience: Duration,
}

impl<S: Subject> Actor<S> {
    pub(super) fn new(
        who: &'static str,
        application: String,
        subject: Arc<S>,
        instance: S::Instance,
        permit: Permit,
        patience: Duration,
    ) -> Actor<S> {
        Actor {
            who,
            application,
            subject,
            instance: Arc::new(instance),
            permit,
            open: Arc::default(),
            patience,
        }
    }

    pub(super) fn permit(&self) -> &Permit {
        &self.permit
    }

    /// Carries on with the opening of another process of the same holder.
    pub(super) fn with_opening_of(self, other: &Actor<S>) -> Actor<S> {
        Actor {
            open: other.open.clone(),
            ..self
        }
    }

    /// Enters beside the scenario. The answer is how many effects it has read.
    pub(super) fn start_enter(&self) -> Call<Result<i64, Rejected>> {
        let (subject, instance) = (self.subject.clone(), self.instance.clone());
        let (permit, kept) = (self.permit.clone(), self.open.clone());
        self.call(async move {
            let Entered { open, seen } = subject.enter(&instance, &permit).await?;
            *kept.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::new(open));
            Ok(seen)
        })
    }

    pub(super) async fn enter(&self) -> Result<Result<i64, Rejected>, Stop> {
        self.start_enter().done().await
    }

    /// Enters, which it has to be able to. The answer is how many effects it has read.
    pub(super) async fn must_enter(&self) -> Result<i64, Stop> {
        self.entered(self.enter().await?)
    }

    /// What an entry came to that nothing may keep from it.
    pub(super) fn entered(&self, outcome: Result<i64, Rejected>) -> Result<i64, Stop> {
        outcome.or_else(|rejected| {
            let (who, fence) = (self.who, self.permit.fence());
            Stop::broken(
                Rule::S10,
                format!("{who}, the newest holder, could not enter with fence {fence}: {rejected}"),
            )
        })
    }

    /// Writes a request of its own on the resource of its permit, beside the scenario.
    pub(super) fn start_write(&self) -> Call<Result<Applied, Rejected>> {
        self.start_request(Uuid::new_v4())
    }

    /// Writes this request on the resource of its permit, beside the scenario.
    pub(super) fn start_request(&self, request: Uuid) -> Call<Result<Applied, Rejected>> {
        self.start_effect(self.permit.resource().clone(), request)
    }

    /// Writes this request on this resource, beside the scenario.
    pub(super) fn start_effect(
        &self,
        resource: Resource,
        request: Uuid,
    ) -> Call<Result<Applied, Rejected>> {
        let (subject, instance, open) =
            (self.subject.clone(), self.instance.clone(), self.opening());
        let effect = Effect { resource, request };
        self.call(async move { subject.write(&instance, &open, &effect).await })
    }

    pub(super) async fn write(&self) -> Result<Result<Applied, Rejected>, Stop> {
        self.start_write().done().await
    }

    pub(super) async fn request(&self, request: Uuid) -> Result<Result<Applied, Rejected>, Stop> {
        self.start_request(request).done().await
    }

    /// Writes, which it has to be able to.
    pub(super) async fn must_write(&self) -> Result<(), Stop> {
        self.wrote(self.write().await?)
    }

    /// What a write came to that nothing may keep from it.
    pub(super) fn wrote(&self, outcome: Result<Applied, Rejected>) -> Result<(), Stop> {
        let who = self.who;
        match outcome {
            Ok(Applied::Now) => Ok(()),
            Ok(Applied::Before) => Stop::broken(
                Rule::S10,
                format!("{who} wrote a new request, and was told that it had been written before"),
            ),
            Err(rejected) => Stop::broken(
                Rule::S10,
                format!("{who}, the rightful holder, could not write: {rejected}"),
            ),
        }
    }

    /// Reads what a decision rests on, in a transaction that was admitted.
    pub(super) async fn read(&self) -> Result<Result<i64, Rejected>, Stop> {
        let (subject, instance, open) =
            (self.subject.clone(), self.instance.clone(), self.opening());
        self.call(async move { subject.read(&instance, &open).await })
            .done()
            .await
    }

    pub(super) async fn leave(&self) -> Result<Result<(), Rejected>, Stop> {
        let (subject, instance, open) =
            (self.subject.clone(), self.instance.clone(), self.opening());
        self.call(async move { subject.leave(&instance, &open).await })
            .done()
            .await
    }

    /// What it has opened, or what somebody holds that has not.
    fn opening(&self) -> Arc<OpenPermit> {
        let open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        open.clone()
            .unwrap_or_else(|| Arc::new(unopened(&self.permit)))
    }

    fn call<T: Send + 'static>(&self, work: impl Future<Output = T> + Send + 'static) -> Call<T> {
        let freezer = Freezer::default();
        Call {
            who: self.who,
            application: self.application.clone(),
            task: tokio::spawn(freezer.around(work)),
            freezer,
            patience: self.patience,
        }
    }
}

impl<T> Call<T> {
    pub(super) fn who(&self) -> &'static str {
        self.who
    }

    pub(super) fn application(&self) -> &str {
        &self.application
    }

    pub(super) fn is_over(&self) -> bool {
        self.task.is_finished()
    }

    pub(super) fn freezer(&self) -> &Freezer {
        &self.freezer
    }

    /// What it came to, now that nothing holds it up.
    pub(super) async fn done(self) -> Result<T, Stop> {
        let patience = self.patience;
        self.done_within(patience).await
    }

    /// What it came to, which it must within this time.
    pub(super) async fn done_within(mut self, bound: Duration) -> Result<T, Stop> {
        match tokio::time::timeout(bound, &mut self.task).await {
            Ok(Ok(outcome)) => Ok(outcome),
            Ok(Err(panic)) => Stop::unplayed(format!("{}'s process panicked: {panic}", self.who)),
            Err(_) => Stop::broken(
                Rule::S10,
                format!(
                    "{} did not come to an end within {bound:?}, and nothing may hold it up for longer",
                    self.who
                ),
            ),
        }
    }
}

impl<T> Drop for Call<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}
