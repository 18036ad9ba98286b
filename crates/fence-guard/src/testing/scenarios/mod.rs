//! The scenarios: each is one forced order of events. Orders are forced by gates, and by seeing that a session
//! waits; never by time.

mod around;
mod checks;
mod frozen;
mod in_flight;
mod openings;
mod permits;
mod reads;
mod refusals;
mod requests;
mod rightful;
mod window;

use super::claims::Claims;
use super::rule::Rule;
use super::stage::Stage;
use super::stop::Stop;
use super::subject::Subject;

/// A forced order of events that a service under the guard comes through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Scenario {
    /// The old holder writes after the new one has entered, and before that one writes.
    Window,
    /// The new holder enters while a write of the old one stands before its commit.
    InFlight,
    /// The old holder writes once more while the new one waits to enter.
    BehindAnOpening,
    /// The old holder writes while the new one's opening stands before its commit.
    BesideAnOpening,
    /// Old snapshots: the new holder enters, and the old one writes, at REPEATABLE READ.
    OldSnapshot,
    /// A holder with a lower number opens behind one with a higher number that is not committed yet.
    LowerBehindHigher,
    /// The source of numbers has forgotten: the newcomer's is lower than the mark.
    CounterLoss,
    /// The reply to an opening was lost, and it is sent again.
    LostReply,
    /// A holder writes whose number is the highest, and that never opened.
    NeverOpened,
    /// Two holders of one number.
    SameNumber,
    /// A holder writes on another's resource under its own opening.
    AnotherResource,
    /// A holder writes, and enters, after it has left.
    Closed,
    /// A holder writes twice.
    SecondWrite,
    /// Two processes of one holder write at once.
    TwoWriters,
    /// A late write is refused again and again.
    LateRefusal,
    /// A request is sent again after its holder was overtaken, and by the new holder.
    Replay,
    /// Two processes send one request at once.
    Twins,
    /// A holder reads, to decide, after it was overtaken.
    StaleRead,
    /// A holder stands still in the middle of its write.
    Frozen,
    /// Statements by hand, with and without a forged permit.
    AroundTheGuard,
}

impl Scenario {
    /// All of them, in the order in which they are played.
    pub const ALL: [Scenario; 20] = [
        Scenario::Window,
        Scenario::InFlight,
        Scenario::BehindAnOpening,
        Scenario::BesideAnOpening,
        Scenario::OldSnapshot,
        Scenario::LowerBehindHigher,
        Scenario::CounterLoss,
        Scenario::LostReply,
        Scenario::NeverOpened,
        Scenario::SameNumber,
        Scenario::AnotherResource,
        Scenario::Closed,
        Scenario::SecondWrite,
        Scenario::TwoWriters,
        Scenario::LateRefusal,
        Scenario::Replay,
        Scenario::Twins,
        Scenario::StaleRead,
        Scenario::Frozen,
        Scenario::AroundTheGuard,
    ];

    /// Its name in the table.
    pub const fn name(self) -> &'static str {
        match self {
            Scenario::Window => "window",
            Scenario::InFlight => "in flight",
            Scenario::BehindAnOpening => "behind an opening",
            Scenario::BesideAnOpening => "beside an opening",
            Scenario::OldSnapshot => "old snapshot",
            Scenario::LowerBehindHigher => "lower behind higher",
            Scenario::CounterLoss => "counter loss",
            Scenario::LostReply => "lost reply",
            Scenario::NeverOpened => "never opened",
            Scenario::SameNumber => "same number",
            Scenario::AnotherResource => "another resource",
            Scenario::Closed => "closed",
            Scenario::SecondWrite => "second write",
            Scenario::TwoWriters => "two writers",
            Scenario::LateRefusal => "late refusal",
            Scenario::Replay => "replay",
            Scenario::Twins => "twins",
            Scenario::StaleRead => "stale read",
            Scenario::Frozen => "frozen",
            Scenario::AroundTheGuard => "around the guard",
        }
    }

    /// The rule that it proves.
    pub const fn rule(self) -> Rule {
        match self {
            Scenario::Window
            | Scenario::InFlight
            | Scenario::BehindAnOpening
            | Scenario::BesideAnOpening
            | Scenario::OldSnapshot
            | Scenario::StaleRead => Rule::S2,
            Scenario::LowerBehindHigher | Scenario::CounterLoss => Rule::S1,
            Scenario::NeverOpened
            | Scenario::AnotherResource
            | Scenario::Closed
            | Scenario::AroundTheGuard => Rule::S3,
            Scenario::SameNumber => Rule::S5,
            Scenario::Replay | Scenario::Twins => Rule::S6,
            Scenario::LateRefusal => Rule::S7,
            Scenario::LostReply
            | Scenario::SecondWrite
            | Scenario::TwoWriters
            | Scenario::Frozen => Rule::S10,
        }
    }

    /// Where the mistake usually is when it is broken.
    pub const fn look_at(self) -> &'static str {
        match self {
            Scenario::Window => {
                "what raises the mark: the opening has to, before the first read; and at whether a write \
                 that was refused is sent again under a new fence"
            }
            Scenario::InFlight => {
                "whether the write holds the resource's row FOR SHARE to its commit, in the transaction that \
                 writes, and whether the new holder reads only after its opening has returned"
            }
            Scenario::BehindAnOpening | Scenario::BesideAnOpening => {
                "whether the write judges by what its lock returned, in a statement that begins after the wait"
            }
            Scenario::OldSnapshot => "the isolation level: the guard needs READ COMMITTED",
            Scenario::LowerBehindHigher => {
                "whether the opening judges again by what its lock returned"
            }
            Scenario::CounterLoss => {
                "whether a refused newcomer takes a number above the mark, and no lower one is let in"
            }
            Scenario::LostReply => {
                "whether an opening is let in again for the same fence and holder"
            }
            Scenario::NeverOpened => "whether a fence above the mark is refused, too",
            Scenario::SameNumber => "whether the holder is compared beside the number",
            Scenario::AnotherResource => {
                "whether the permit is of the resource whose rows are written"
            }
            Scenario::Closed => "whether leaving closes the opening, and closed never heals",
            Scenario::SecondWrite => {
                "whether a write under the mark's own fence is let in, however often"
            }
            Scenario::TwoWriters => {
                "whether writers share the resource's row and change nothing in it"
            }
            Scenario::LateRefusal => {
                "whether the refused transaction is committed, and a repeat raises attempts"
            }
            Scenario::Replay => "whether the request id is looked up before the permit is judged",
            Scenario::Twins => "whether the request id is unique, and looked up again after a wait",
            Scenario::StaleRead => {
                "whether a read that is decided by is made in an admitted transaction"
            }
            Scenario::Frozen => {
                "idle_in_transaction_session_timeout: Guard::begin sets it from valid_for"
            }
            Scenario::AroundTheGuard => {
                "fence.bypass(), and whether fence.protect was called for the table"
            }
        }
    }

    /// Whether the service claims what it is about.
    pub(super) fn is_claimed(self, claims: &Claims) -> bool {
        match self {
            Scenario::Closed => claims.closes,
            Scenario::Replay | Scenario::Twins => claims.request_ids,
            Scenario::StaleRead => claims.guarded_reads,
            Scenario::AroundTheGuard => claims.protected.is_some(),
            _ => true,
        }
    }

    /// Plays it, and says what was seen. Whatever it was, the refusals that were kept have to be true.
    pub(super) async fn play<S: Subject>(self, stage: &Stage<S>) -> Result<String, Stop> {
        let seen = self.act(stage).await?;
        refusals::are_true(stage).await?;
        Ok(seen)
    }

    async fn act<S: Subject>(self, stage: &Stage<S>) -> Result<String, Stop> {
        match self {
            Scenario::Window => window::window(stage).await,
            Scenario::InFlight => in_flight::in_flight(stage).await,
            Scenario::BehindAnOpening => in_flight::behind_an_opening(stage).await,
            Scenario::BesideAnOpening => in_flight::beside_an_opening(stage).await,
            Scenario::OldSnapshot => in_flight::old_snapshot(stage).await,
            Scenario::LowerBehindHigher => openings::lower_behind_higher(stage).await,
            Scenario::CounterLoss => openings::counter_loss(stage).await,
            Scenario::LostReply => openings::lost_reply(stage).await,
            Scenario::NeverOpened => permits::never_opened(stage).await,
            Scenario::SameNumber => permits::same_number(stage).await,
            Scenario::AnotherResource => permits::another_resource(stage).await,
            Scenario::Closed => permits::closed(stage).await,
            Scenario::SecondWrite => rightful::second_write(stage).await,
            Scenario::TwoWriters => rightful::two_writers(stage).await,
            Scenario::LateRefusal => refusals::late_refusal(stage).await,
            Scenario::Replay => requests::replay(stage).await,
            Scenario::Twins => requests::twins(stage).await,
            Scenario::StaleRead => reads::stale_read(stage).await,
            Scenario::Frozen => frozen::frozen(stage).await,
            Scenario::AroundTheGuard => around::around_the_guard(stage).await,
        }
    }
}
