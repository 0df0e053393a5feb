//! Description of the waiting threads of a block, for a report.

use super::Block;
use crate::collective::Group;
use crate::threads::{Site, State, Thread};

/// Barriers: `EmulatorBarrier` in `build/include/runtime.h`.
const BARRIER_NAMES: [&str; 4] =
    ["__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"];

/// The name of a barrier of that kind.
pub(super) fn barrier(kind: u32) -> &'static str {
    BARRIER_NAMES.get(kind as usize).copied().unwrap_or("a barrier")
}

impl Block {
    /// Lists the waiting threads, for example `threads 0-31 at __syncthreads (a.cu:7)`.
    pub(crate) fn waiting(&self) -> String {
        let mut groups: Vec<(String, Vec<u32>)> = Vec::new();
        for (index, thread) in (0..).zip(&self.threads) {
            let Some(what) = self.activity(index, thread) else {
                continue;
            };
            match groups.iter_mut().find(|(known, _)| *known == what) {
                Some((_, threads)) => threads.push(index),
                None => groups.push((what, vec![index])),
            }
        }
        let described =
            |(what, threads): &(String, Vec<u32>)| format!("threads {} {what}", ranges(threads));
        groups.iter().map(described).collect::<Vec<_>>().join("; ")
    }

    fn activity(&self, number: u32, thread: &Thread) -> Option<String> {
        let at = |name: &str, site: Site| format!("wait at {name} in {}", site.source_line());
        match thread.state {
            State::AtBarrier(_, site) => Some(at(barrier(self.barrier.kind), site)),
            State::AtCollective(_, site) => {
                let (warp, lane) = self.lane(number);
                let here = |group: &&Group| group.arrived >> lane & 1 == 1;
                let group = self.warps[warp].groups.iter().find(here)?;
                let Group { collective, mask, .. } = group;
                Some(at(&format!("{} with mask {mask:#x}", collective.name()), site))
            }
            State::Exited => Some("have returned".to_owned()),
            State::Fresh | State::Ready(_) => None,
        }
    }
}

/// `0-31, 40`.
fn ranges(numbers: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let described = |&(first, last): &(u32, u32)| match last - first {
        0 => first.to_string(),
        _ => format!("{first}-{last}"),
    };
    parts.iter().map(described).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_printed_as_ranges() {
        assert_eq!(ranges(&[0, 1, 2, 5, 7, 8]), "0-2, 5, 7-8");
    }
}
