//! Warps: lanes of a mask meet.

use super::collective::{Collective, Group};

/// A warp of a block.
#[derive(Default)]
pub(super) struct Warp {
    /// Lanes that the block has threads for.
    pub(super) existing: u64,
    /// Lanes whose threads have returned.
    pub(super) exited: u64,
    /// Collectives that wait for lanes.
    pub(super) groups: Vec<Group>,
}

impl Warp {
    /// Handles the arrival of a lane at a collective; returns the group if all have arrived.
    ///
    /// # Errors
    /// If the use is undefined.
    pub(super) fn arrive(
        &mut self,
        lane: u32,
        collective: Collective,
        mask: u64,
        width: u32,
    ) -> Result<Option<Group>, String> {
        // A mask may have lanes beyond the end of the block: hardware accepts that.
        let mask = mask & self.existing;
        self.refuse(lane, collective, mask)?;
        let index = self.groups.iter().position(|group| group.mask == mask);
        let index = index.unwrap_or_else(|| self.open(collective, mask, width));
        let group = &mut self.groups[index];
        if group.collective != collective || group.width != width {
            let other = group.collective.name();
            let lanes = group.arrived;
            let name = collective.name();
            return Err(format!(
                "{name} with mask {mask:#x} meets {other} of lanes {lanes:#x} with the same mask: all lanes of a mask must call the same with the same width"
            ));
        }
        group.arrived |= 1 << lane;
        let complete = group.arrived == group.mask;
        Ok(complete.then(|| self.groups.swap_remove(index)))
    }

    fn open(&mut self, collective: Collective, mask: u64, width: u32) -> usize {
        self.groups.push(Group { collective, mask, arrived: 0, width });
        self.groups.len() - 1
    }

    fn refuse(&self, lane: u32, collective: Collective, mask: u64) -> Result<(), String> {
        let name = collective.name();
        if mask >> lane & 1 == 0 {
            return Err(format!("{name}: mask {mask:#x} leaves out the calling lane {lane}"));
        }
        match mask & self.exited {
            0 => Ok(()),
            gone => {
                Err(format!("{name}: mask {mask:#x} names lanes {gone:#x}, which have returned"))
            }
        }
    }

    /// Handles the return of a lane.
    ///
    /// # Errors
    /// If others wait for it.
    pub(super) fn exit(&mut self, lane: u32) -> Result<(), String> {
        self.exited |= 1 << lane;
        let waited_for = |group: &&Group| group.mask >> lane & 1 == 1;
        self.groups.iter().find(waited_for).map_or(Ok(()), |group| {
            let Group { collective, mask, arrived, .. } = group;
            Err(format!(
                "returned while lanes {arrived:#x} wait for it in {} with mask {mask:#x}",
                collective.name()
            ))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_meet_separately() {
        let mut warp = Warp { existing: 0xF, ..Warp::default() };
        let mut arrive = |lane, mask| warp.arrive(lane, Collective::Sync, mask, 32);
        assert!(arrive(0, 0b0011).expect("fine").is_none());
        assert!(arrive(2, 0b1100).expect("fine").is_none());
        assert_eq!(arrive(3, 0b1100).expect("fine").map(|g| g.mask), Some(0b1100));
        assert_eq!(arrive(1, 0b0011).expect("fine").map(|g| g.mask), Some(0b0011));
        assert!(arrive(1, 0b0001).is_err(), "not its own mask");
    }

    #[test]
    fn waiting_for_a_returned_lane_is_an_error() {
        let mut warp = Warp { existing: 0b11, ..Warp::default() };
        warp.exit(1).expect("no lane waits");
        let refused = warp.arrive(0, Collective::Ballot, 0b11, 32);
        assert!(refused.expect_err("gone").contains("0x2"));
    }
}
