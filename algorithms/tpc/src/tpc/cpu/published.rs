//! The experiment's chain for CPUs: fragment by fragment, for which a map of charges and a list of
//! positions is made for each sector, and then a loop for each stage.

use std::borrow::Cow;
use std::sync::atomic::{AtomicUsize, Ordering};

use generators_tpc::PadId;
use parallel::shared::SharedSlice;
use portable_gpu::DeviceError;
use portable_gpu::timing::{Laps, Stages};

use super::noisy_in_map;
use crate::tpc::Tpc;
use crate::tpc::finding::{Finding, looked_at};
use crate::tpc::input::RawFrame;
use crate::tpc_cluster_finder::cpu::{FragmentContext, Lists, Maps, noisy_columns, peak_entries};
use crate::tpc_cluster_finder::{Cluster, RowCluster};
use crate::tpc_decode::Fragments;
use crate::tpc_decode::cpu::{ChargesRunner, DecodedCharges};
use tasks::algorithm::Runner;
use tasks::device::{Arena, ArenaVec, buffers};

pub(super) struct Published<'a> {
    input: &'a RawFrame,
    arena: &'a Arena,
    decoder: ChargesRunner<'a>,
    laps: Laps,
}

pub(super) struct PublishedBuffers<'a> {
    decoded: DecodedCharges<'a>,
    peaks: ArenaVec<'a, u8>,
    lists: Lists<'a>,
    found: ArenaVec<'a, RowCluster>,
    count: ArenaVec<'a, usize>,
}

buffers!(PublishedBuffers<'_>: decoded, peaks, lists, found, count);

impl<'a> Published<'a> {
    pub(super) fn new(input: &'a RawFrame, arena: &'a Arena, threads: usize) -> Self {
        Published {
            input,
            arena,
            decoder: ChargesRunner::fastest(&input.frame, arena, threads),
            laps: Laps::default(),
        }
    }
}

impl<'a> Runner<Tpc> for Published<'a> {
    type Buffers = PublishedBuffers<'a>;

    fn allocate(&self) -> Result<PublishedBuffers<'a>, DeviceError> {
        let arena = self.arena;
        let positions = self.decoder.promised();
        Ok(PublishedBuffers {
            decoded: self.decoder.allocate()?,
            peaks: arena.vector(peak_entries(self.decoder.entries())),
            lists: Lists::take(arena, positions),
            found: arena.vector(positions),
            count: arena.vector(1),
        })
    }

    fn load(&mut self, buffers: &mut PublishedBuffers<'a>) -> Result<(), DeviceError> {
        self.decoder.load(&mut buffers.decoded)
    }

    fn run(&mut self, buffers: &mut PublishedBuffers<'a>) -> Result<(), DeviceError> {
        let finding = &self.input.finding;
        let Finding { time_bins, fragment: length, rule, settings } = finding;
        let limits = finding.limits();
        let looked_at = looked_at(*rule);
        let mut noisy: Vec<Vec<PadId>> = Vec::new();
        let found = SharedSlice::new(&mut buffers.found);
        let count = AtomicUsize::new(0);
        let laps = &mut self.laps;
        laps.start();
        self.decoder.read_headers(&mut buffers.decoded);
        for (index, fragment) in Fragments::new(*length).of_frame(*time_bins).enumerate() {
            let ends = self.decoder.make_fragment(&mut buffers.decoded, index as u32);
            laps.lap("decode", 0);
            let (maps, positions) = buffers.decoded.maps_and_positions();
            let maps = maps.chunks_mut(self.decoder.entries());
            let mut begin = 0;
            for (sector, (map, end)) in maps.zip(ends).enumerate() {
                if index == 0 {
                    noisy.push(noisy_in_map(map, &looked_at, &limits));
                    laps.lap("noisy-pads", 0);
                }
                let is_noisy = noisy_columns(&noisy[sector]);
                let maps = Maps::new(map, &mut buffers.peaks);
                let fragment = fragment.clone();
                let work = FragmentContext { settings, fragment, is_noisy: &is_noisy, maps };
                let add = |row: usize, cluster: Cluster, _| {
                    let case = sector as u32;
                    let row = row as u8;
                    let index = count.fetch_add(1, Ordering::Relaxed);
                    // SAFETY: the index was claimed by an atomic increment, and is checked to be in
                    // range.
                    unsafe { found.write(index, RowCluster { case, row, cluster }) };
                };
                work.find(&positions[begin..end], &mut buffers.lists, add, laps);
                begin = end;
            }
        }
        buffers.count[0] = count.into_inner();
        Ok(())
    }

    fn stages(&self, _: &PublishedBuffers<'a>) -> Stages {
        self.laps.stages()
    }

    fn output<'b>(&'b self, buffers: &'b PublishedBuffers<'a>) -> Cow<'b, Vec<RowCluster>> {
        let mut found = buffers.found[..buffers.count[0]].to_vec();
        found.sort_unstable();
        Cow::Owned(found)
    }

    fn input_bytes(&self) -> u64 {
        self.decoder.input_bytes()
    }
}
