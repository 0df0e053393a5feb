//! Warp collectives: the lanes of a mask meet, and each has a result.

use super::threads::LaneOperand;

/// The collectives in the order of their numbers, as the authors of kernels call them.
macro_rules! collectives {
    ($($name:ident: $called:literal,)*) => {
        /// Kinds of collectives: `EmulatorCollective` in `build/include/runtime.h`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(super) enum Collective {
            $($name,)*
        }

        const COLLECTIVES: &[(Collective, &str)] = &[$((Collective::$name, $called),)*];
    };
}

collectives! {
    Sync: "__syncwarp",
    Ballot: "__ballot_sync",
    Shuffle: "__shfl_sync",
    ShuffleUp: "__shfl_up_sync",
    ShuffleDown: "__shfl_down_sync",
    ShuffleXor: "__shfl_xor_sync",
    MatchAny: "__match_any_sync",
    Add: "__reduce_add_sync",
    Min: "__reduce_min_sync",
    Max: "__reduce_max_sync",
    MinSigned: "__reduce_min_sync",
    MaxSigned: "__reduce_max_sync",
    And: "__reduce_and_sync",
    Or: "__reduce_or_sync",
    Xor: "__reduce_xor_sync",
}

/// Result where CUDA leaves it undefined.
const UNDEFINED: u64 = 0xA5A5_A5A5_A5A5_A5A5;

impl Collective {
    pub(super) fn numbered(kind: u32) -> Option<Self> {
        COLLECTIVES.get(kind as usize).map(|(found, _)| *found)
    }

    /// Name of the function in CUDA.
    pub(super) fn name(self) -> &'static str {
        COLLECTIVES[self as usize].1
    }
}

/// Lanes of a warp that meet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Group {
    pub(super) collective: Collective,
    /// Lanes that must take part.
    pub(super) mask: u64,
    /// Lanes that have arrived.
    pub(super) arrived: u64,
    /// Lanes between which a shuffle stays.
    pub(super) width: u32,
}

pub(super) fn lanes(mask: u64) -> impl Iterator<Item = u32> {
    let next = |left: &u64| Some(left & (left - 1)).filter(|&rest| rest != 0);
    let first = (mask != 0).then_some(mask);
    std::iter::successors(first, next).map(u64::trailing_zeros)
}

/// The result of each lane, from the operands of all.
pub(super) fn answers(
    group: &Group,
    operand: &impl Fn(u32) -> LaneOperand,
) -> impl Iterator<Item = (u32, u64)> {
    let common = common_answer(group, operand);
    lanes(group.mask).map(move |lane| {
        let own = || lane_answer(group, lane, operand);
        (lane, common.unwrap_or_else(own))
    })
}

/// The common result of all lanes, if there is one.
fn common_answer(group: &Group, operand: &impl Fn(u32) -> LaneOperand) -> Option<u64> {
    let values = || lanes(group.mask).map(|lane| operand(lane).value);
    Some(match group.collective {
        Collective::Sync => 0,
        Collective::Ballot => select(group, operand, |value| value != 0),
        Collective::Add => values().fold(0, u64::wrapping_add),
        Collective::Min => values().min().unwrap_or(UNDEFINED),
        Collective::Max => values().max().unwrap_or(UNDEFINED),
        Collective::MinSigned => extreme(values(), i64::min),
        Collective::MaxSigned => extreme(values(), i64::max),
        Collective::And => values().fold(u64::MAX, |a, b| a & b),
        Collective::Or => values().fold(0, |a, b| a | b),
        Collective::Xor => values().fold(0, |a, b| a ^ b),
        _ => return None,
    })
}

fn lane_answer(group: &Group, lane: u32, operand: &impl Fn(u32) -> LaneOperand) -> u64 {
    let mine = operand(lane).value;
    match group.collective {
        Collective::MatchAny => select(group, operand, |value| value == mine),
        _ => shuffled(group, lane, operand),
    }
}

/// The lanes with a chosen value.
fn select(
    group: &Group,
    operand: &impl Fn(u32) -> LaneOperand,
    chosen: impl Fn(u64) -> bool,
) -> u64 {
    lanes(group.mask)
        .filter(|&lane| chosen(operand(lane).value))
        .fold(0, |bits, lane| bits | 1 << lane)
}

fn extreme(values: impl Iterator<Item = u64>, better: fn(i64, i64) -> i64) -> u64 {
    let signed = values.map(u64::cast_signed);
    signed.reduce(better).map_or(UNDEFINED, i64::cast_unsigned)
}

/// As in the CUDA guide: lanes with a source outside the width's part get their own value.
fn shuffled(group: &Group, lane: u32, operand: &impl Fn(u32) -> LaneOperand) -> u64 {
    let LaneOperand { value, parameter } = operand(lane);
    let width = group.width.max(1);
    let first = lane / width * width;
    let within = lane - first;
    let from = match group.collective {
        Collective::ShuffleUp => within.checked_sub(parameter),
        Collective::ShuffleDown => within.checked_add(parameter).filter(|&to| to < width),
        Collective::ShuffleXor => Some(within ^ parameter).filter(|&to| to < width),
        _ => Some(parameter % width),
    };
    let Some(from) = from.map(|from| first + from) else {
        return value;
    };
    let takes_part = from < u64::BITS && group.mask >> from & 1 == 1;
    if takes_part { operand(from).value } else { UNDEFINED }
}

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

    fn group(collective: Collective, mask: u64, width: u32) -> Group {
        Group { collective, mask, arrived: mask, width }
    }

    fn all(collective: Collective, mask: u64, width: u32, parameter: u32) -> Vec<u64> {
        let operand = |lane: u32| LaneOperand { value: u64::from(lane) * 10, parameter };
        let group = group(collective, mask, width);
        answers(&group, &operand).map(|(_, answer)| answer).collect()
    }

    #[test]
    fn shuffles_stay_within_their_width() {
        assert_eq!(all(Collective::ShuffleUp, 0xF, 2, 1), [0, 0, 20, 20]);
        assert_eq!(all(Collective::ShuffleDown, 0xF, 4, 3), [30, 10, 20, 30]);
        assert_eq!(all(Collective::ShuffleXor, 0xF, 4, 2), [20, 30, 0, 10]);
        assert_eq!(all(Collective::Shuffle, 0xF, 2, 1), [10, 10, 30, 30]);
    }

    #[test]
    fn a_lane_outside_the_mask_gives_nothing() {
        assert_eq!(all(Collective::Shuffle, 0b101, 32, 1), [UNDEFINED; 2]);
    }

    #[test]
    fn reductions_and_votes_are_of_the_mask() {
        assert_eq!(all(Collective::Add, 0b1010, 32, 0), [40, 40]);
        assert_eq!(all(Collective::Ballot, 0b11, 32, 0), [0b10; 2]);
        assert_eq!(all(Collective::MatchAny, 0b110, 32, 0), [0b10, 0b100]);
        assert_eq!(all(Collective::Max, 1 << 63 | 1, 64, 0), [630, 630]);
    }

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
