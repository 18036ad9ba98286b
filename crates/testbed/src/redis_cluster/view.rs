//! What one node says of the cluster.

use std::ops::RangeInclusive;

use crate::RedisServer;
use crate::until::NotYet;

/// All nodes, as one of them knows them.
#[derive(Debug)]
pub(super) struct View(Vec<Entry>);

/// One node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) port: u16,
    /// Such as `myself`, `master`, `slave`, `fail`, `handshake`.
    flags: Vec<String>,
    /// The id of its master, or `-`.
    master: String,
    slots: Vec<RangeInclusive<u16>>,
}

impl View {
    pub(super) fn of(node: &RedisServer) -> Result<View, NotYet> {
        let text = node.command(&["CLUSTER", "NODES"])?;
        let entries = text.lines().map(|line| {
            Entry::parse(line).ok_or_else(|| NotYet(format!("the line `{line}` of a cluster")))
        });
        entries.collect::<Result<_, _>>().map(View)
    }

    pub(super) fn myself(&self) -> Result<&Entry, NotYet> {
        let mut entries = self.0.iter();
        let myself = entries.find(|entry| entry.is("myself"));
        myself.ok_or_else(|| NotYet("a node that does not know itself".to_owned()))
    }

    pub(super) fn master_of(&self, slot: u16) -> Option<&Entry> {
        let owns = |entry: &&Entry| entry.slots.iter().any(|range| range.contains(&slot));
        self.0.iter().find(owns)
    }

    pub(super) fn masters(&self) -> impl Iterator<Item = &Entry> {
        self.0.iter().filter(|entry| entry.is("master"))
    }

    pub(super) fn replicas_of<'v>(&'v self, master: &'v str) -> impl Iterator<Item = &'v Entry> {
        self.0.iter().filter(move |entry| entry.master == master)
    }

    /// Whether there are so many nodes, all well, and so many of them masters with slots.
    pub(super) fn is_whole(&self, masters: usize, nodes: usize) -> bool {
        let replicas = self.0.iter().filter(|entry| entry.is("slave"));
        let with_slots = self.masters().filter(|master| !master.slots.is_empty());
        self.0.iter().all(Entry::is_well)
            && (with_slots.count(), replicas.count()) == (masters, nodes - masters)
    }
}

impl Entry {
    /// `ID HOST:PORT@BUS[,NAME] FLAGS MASTER PING PONG EPOCH LINK SLOT...`
    fn parse(line: &str) -> Option<Entry> {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let (address, _) = fields.get(1)?.split_once('@')?;
        let slots = fields.get(8..).unwrap_or_default();
        Some(Entry {
            id: (*fields.first()?).to_owned(),
            port: address.rsplit_once(':')?.1.parse().ok()?,
            flags: fields.get(2)?.split(',').map(str::to_owned).collect(),
            master: (*fields.get(3)?).to_owned(),
            slots: slots.iter().filter_map(|slots| range(slots)).collect(),
        })
    }

    fn is(&self, flag: &str) -> bool {
        self.flags.iter().any(|own| own == flag)
    }

    fn is_well(&self) -> bool {
        self.flags
            .iter()
            .all(|flag| ["myself", "master", "slave"].contains(&flag.as_str()))
    }
}

/// `7` or `0-5460`. A slot that is moving is listed once more in brackets: not as owned.
fn range(text: &str) -> Option<RangeInclusive<u16>> {
    let (first, last) = text.split_once('-').unwrap_or((text, text));
    Some(first.parse().ok()?..=last.parse().ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_any_version_is_understood() {
        let old =
            "07c3 127.0.0.1:15004@25004 myself,master - 0 142 4 connected 0-5460 7000 [93-<-29c]";
        let entry = Entry::parse(old).unwrap();
        assert_eq!((entry.id.as_str(), entry.port), ("07c3", 15004));
        assert_eq!(entry.slots, [0..=5460, 7000..=7000]);
        assert!(entry.is("myself") && entry.is_well());
        let new = "67ed :15002@25002,,shard-id=69bc slave,fail 07c3 14 142 4 disconnected";
        let entry = Entry::parse(new).unwrap();
        assert_eq!((entry.port, entry.master.as_str()), (15002, "07c3"));
        assert!(entry.slots.is_empty() && !entry.is_well());
    }
}
