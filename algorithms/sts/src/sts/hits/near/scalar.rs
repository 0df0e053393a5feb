//! One by one.

use super::{Front, Isa, Lines, SLACK};
use crate::sts::rules::Rules;

#[derive(Clone, Copy)]
pub(in crate::sts::hits) struct Scalar;

impl Isa for Scalar {
    const BACKS: usize = 1;
    const FRONTS: usize = 1;

    #[inline(always)]
    fn crossing<P: Rules>(self, front: &Front<'_>, backs: &Lines, index: usize) -> u32 {
        let in_time = P::delay(front.time, backs.times[index]).abs()
            <= front.cuts[backs.classes[index] as usize];
        let difference = front.edge - backs.edges[index];
        let crosses = difference >= front.range[0] && difference <= front.range[1];
        u32::from(in_time & crosses)
    }

    #[inline(always)]
    fn put(self, _: u32, first: u32, list: &mut [u32; SLACK]) {
        list[0] = first;
    }
}
