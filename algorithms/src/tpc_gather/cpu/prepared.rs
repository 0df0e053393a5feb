//! A way to gather with its buffers, ready to run on one input.

use std::borrow::Cow;

use generators::tpc::clusters::{Clusters, Layout};

use super::Gather;
use crate::algorithm::Prepared;
use crate::all_cores::fill;
use crate::device::Arena;
use crate::device::gpu::DeviceError;
use crate::tpc_gather::TpcGather;
use crate::tpc_gather::packed::{Packed, blocks};
use crate::tpc_gather::packing::Packing;

/// What every byte of a poisoned buffer is.
const POISON: u8 = 0xa5;

pub(super) struct PreparedCpuGather<'a> {
    gather: Gather,
    input: &'a Clusters,
    arena: &'a Arena,
    output: Packed,
    /// The places of tracks and rows.
    places: [Vec<u32>; 2],
}

impl<'a> PreparedCpuGather<'a> {
    pub(super) fn new(gather: Gather, input: &'a Clusters, arena: &'a Arena) -> Self {
        PreparedCpuGather {
            gather,
            input,
            arena,
            output: Packed::from_blocks(Vec::new()),
            places: Default::default(),
        }
    }

    fn numbers_of_places(&self) -> [usize; 2] {
        [self.input.tracks(), self.input.rows()].map(|pieces| pieces.len() + 1)
    }
}

impl Prepared<TpcGather> for PreparedCpuGather<'_> {
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.release();
        let layout = Layout::new(&self.input.packed());
        self.output = Packed::from_blocks(self.arena.take(blocks(&layout)));
        self.places = self
            .numbers_of_places()
            .map(|length| self.arena.take(length));
        Ok(())
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        fill(self.output.bytes_mut(), POISON);
        Ok(())
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let [tracks, rows] = std::mem::take(&mut self.places);
        let packing = Packing::new(self.input, tracks, rows);
        (self.gather)(&packing, self.output.bytes_mut());
        self.places = packing.into_vectors();
        Ok(())
    }

    fn output(&self) -> Cow<'_, Packed> {
        Cow::Borrowed(&self.output)
    }

    fn release(&mut self) {
        let output = std::mem::replace(&mut self.output, Packed::from_blocks(Vec::new()));
        self.arena.give(output.into_blocks());
        for places in std::mem::take(&mut self.places) {
            self.arena.give(places);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        let input = self.input;
        let pieces: usize = self.numbers_of_places().iter().sum();
        let starts_and_counts = 2 * pieces;
        let words = (pieces + starts_and_counts) * size_of::<u32>();
        (input.bytes().len() + Layout::new(&input.packed()).bytes() + words) as u64
    }
}
