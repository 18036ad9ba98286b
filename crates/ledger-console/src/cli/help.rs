//! What --help says at its end.

pub(super) const EVERYWHERE: &str = "\
Examples:
  ledger refusals                             the newest refused writes
  ledger refusals --since 15m --reason stale  late holders of the last quarter of an hour
  ledger resource user:7:dataset:42           who had it, who was refused, what was written
  ledger account user:7                       was this customer charged twice?
  ledger stats --since 30d --by 1 --every 1d  how often sections outlived their lease, day by day
  ledger audit && ledger doctor               from a script
  ledger refusals --format json | jq -r .resource | sort | uniq -c

Servers: DATABASE_URL (and for doctor REDIS_URL) where it is set; else a private Postgres from installed
programs, on the data that the last `cargo demo` kept; else Docker Compose. Nothing is ever written: every
connection has default_transaction_read_only on. A role needs no more than `select fence.grant_reader('role')`.

Exit status: 0 fine; 1 audit or doctor has a finding; 2 bad usage; 3 could not ask: no server, no schemas, no
right to, no such account, or no answer.";

pub(super) const REFUSALS: &str = "\
late         fence and holder that the write came with
against      the mark that the guard saw, and who had opened it; 0 where nobody had
tries        how often this very write was refused; --since is about the first time
Below each row: the resource, and what would have been written, as far as its writer told.

Examples:
  ledger refusals --since 2h --resource user:7:dataset:42
  ledger refusals --reason stale --format csv > late.csv";

pub(super) const ENTRIES: &str = "\
under        fence and holder of the opening that a charge was written under
Examples:
  ledger entries --account user:7 --since 30d
  ledger entries --resource user:7:dataset:42 --format json";

pub(super) const OPENINGS: &str = "\
how          opened; takeover: the one before it had not been closed; a + where the guard minted the fence
held         how long, until it was closed; of time: as a part of how long its holder meant to hold
end          closed; late: closed after its lease was over; taken over; open; overdue: open, its time is over

Examples:
  ledger openings --resource user:7:dataset:42
  ledger openings --holder 4f2a91c0-0f0e-4c8e-9b1f-2a64d0e8c7b5 --format json";

pub(super) const HOLDS: &str = "\
state        open, captured, released; expired, or void: another has taken its opening over

Examples:
  ledger holds --state open --account user:7
  ledger holds --state void --since 7d";

pub(super) const STATS: &str = "\
since        when the stretch begins (UTC); prefix: what the resources' names begin with
sections     openings in it; open: of these, neither closed nor replaced yet
overruns     of these, those that outlived their lease: closed after it was over, or found out by a write that came
             after another holder had taken over. This is what a lock library does not tell
takeovers    openings that replaced one that was not closed: its holder was killed, or frozen, or too slow
p50 p90 p99 worst   how much of its time a section held: 50, 90, 99 of 100 held no longer than so many per cent.
             Near 100 the TTL is too short for the work. Known for sections that were closed, or came late
refused      refused writes by reason, each counted once; stale tries: repeats included

Examples:
  ledger stats --by 0                 everything in one row
  ledger stats --since 24h --every 1h --by 2 --format csv";

pub(super) const AUDIT: &str = "\
Asks the guard's audit, and the ledger's where it is installed: of each rule the first offending row. It reads
everything in one snapshot and keeps no writer waiting.

Exit status: 0 where every rule holds, 1 where one is broken, 3 where it could not ask.";

pub(super) const DOCTOR: &str = "\
Postgres: version, role and its rights, durability, isolation, versions of the installed functions, and who or what
could write around the guard (fence.bypass). Redis, where REDIS_URL names one: eviction, persistence, replication,
version. Both: how far apart their clocks are, which decides liveness and never safety.

fine, note   good, or good to know
warning      it works, until something happens that is bound to happen
error        it does not do what it is for

Exit status: 0 without a warning or error, 1 with one (--errors-only: with an error), 3 where it could not ask.";

pub(super) const WATCH: &str = "\
Each opening, takeover and refused write (its first attempt), in the order of their numbers as far as
they have committed. No row is left out and none shown twice, also while Postgres is away and comes back; what is seen
of an outage is said on standard error. Refusals and takeovers are shown at once, other openings within a second.

Examples:
  ledger watch
  ledger watch --since 1h --resource user:7:dataset:42
  ledger watch --format json | jq 'select(.event == \"refusal\")'

Ctrl-C ends it with exit status 0.";

/// Below `ledger serve --help`.
pub(super) const SERVE: &str = "\
Examples:
  ledger serve                       then open what it prints in a browser
  ledger serve --listen 127.0.0.1:0  on any free port
  http://127.0.0.1:7707/?resource=user:7:dataset:42&reason=stale&since=2h

It asks nobody for a password, so it listens on loopback alone unless told otherwise.";
