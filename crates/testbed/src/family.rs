//! The children of a process that is about to be killed, to await their end.

use std::time::{Duration, Instant};

use nix::unistd::Pid;

/// How often the list of processes is read while waiting.
const LOOK_EVERY: Duration = Duration::from_millis(2);

/// Children of one process, told from later bearers of their numbers by the time they started.
///
/// They are not this process' children, so their end is no event that it could await. Where there is
/// no `/proc` nobody is listed; a start that meets survivors is tried again.
#[derive(Debug)]
pub(crate) struct Family(Vec<Member>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct Member {
    pid: i32,
    started: String,
}

impl Family {
    pub(crate) fn of(parent: Pid) -> Family {
        let processes = std::fs::read_dir("/proc").into_iter().flatten().flatten();
        let pids = processes.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let children = pids.filter_map(|pid| {
            let stat = Stat::read(pid)?;
            (stat.parent == parent.as_raw()).then_some(Member {
                pid,
                started: stat.started,
            })
        });
        Family(children.collect())
    }

    /// Whether all of them end within `bound`.
    pub(crate) fn gone_within(&self, bound: Duration) -> bool {
        let deadline = Instant::now() + bound;
        while self.0.iter().any(Member::is_running) {
            if Instant::now() > deadline {
                return false;
            }
            std::thread::sleep(LOOK_EVERY);
        }
        true
    }
}

impl Member {
    fn is_running(&self) -> bool {
        Stat::read(self.pid).is_some_and(|stat| stat.started == self.started && stat.state != "Z")
    }
}

/// The fields of `/proc/PID/stat` that matter here.
struct Stat {
    state: String,
    parent: i32,
    started: String,
}

impl Stat {
    fn read(pid: i32) -> Option<Stat> {
        let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The second field, the name in parentheses, may hold spaces and parentheses itself.
        let (_, rest) = line.rsplit_once(')')?;
        let fields: Vec<&str> = rest.split_whitespace().collect();
        Some(Stat {
            state: (*fields.first()?).to_owned(),
            parent: fields.get(1)?.parse().ok()?,
            started: (*fields.get(19)?).to_owned(),
        })
    }
}
