//! The steps of a batch, with the prefix sums between kernels.

use std::ops::Range;

use portable_gpu::{DeviceError, Gpu, Ptr};
use tasks::algorithm::GpuRunner;

use super::Published;
use super::kernels::Kernels;
use super::lists::Capacity;
use crate::velo::Stage;
use crate::velo::model::TrackCounts;

impl<'a> Published<'a> {
    /// Processes a batch whose first hit has the index `first`; returns the index after its last one.
    pub(super) fn process(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        first: u32,
    ) -> Result<u32, DeviceError> {
        let GpuRunner { input, gpu, config, .. } = at;
        let stage = config.stage;
        let bases = &config.layout.bases;
        let mut hits = bases[events.start]..bases[events.end];
        if stage.starts_from_banks() {
            self.input.upload(gpu, input, events)?;
            hits = self.find_hits(at, events, first)?;
        }
        if stage == Stage::Sort {
            self.kernels(at, events, &hits).sort(Ptr::NONE)?;
        }
        if stage.has_tracks() {
            self.find_tracks(at, events, &hits)?;
        }
        Ok(hits.end)
    }

    fn kernels<'b>(
        &'b self,
        at: &'b GpuRunner<'a, Self>,
        events: &Range<usize>,
        hits: &Range<u32>,
    ) -> Kernels<'b, 'a> {
        Kernels {
            buffers: self,
            config: &at.config,
            gpu: &at.gpu,
            events: events.clone(),
            hits: hits.clone(),
        }
    }

    /// Finds the hits of a batch; returns their indices.
    fn find_hits(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        first: u32,
    ) -> Result<Range<u32>, DeviceError> {
        let none = first..first;
        if at.config.has_super_pixels {
            self.kernels(at, events, &none).limit_candidates()?;
            self.counting.sum_candidates(&at.gpu, events.len())?;
        }
        self.kernels(at, events, &none).estimate_hits()?;
        let hits = first..self.counting.sum_estimates(&at.gpu, events.len(), first)?;
        self.kernels(at, events, &hits).find_hits()?;
        Ok(hits)
    }

    /// Finds the tracks of a batch.
    fn find_tracks(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        hits: &Range<u32>,
    ) -> Result<(), DeviceError> {
        let gpu = &*at.gpu;
        let long = self.search(at, events, hits)?;
        self.kernels(at, events, hits).filter()?;
        let accepted = self.lists.sum_accepted(gpu, events.len())?;
        self.kernels(at, events, hits).count_hits()?;
        let counts = long.iter().zip(&accepted);
        let counts = counts.map(|(&long, &three_hit)| TrackCounts { long, three_hit });
        self.found.counts.extend(counts);
        let tracks = long.iter().chain(&accepted).sum::<u32>() as usize;
        let before = self.found.hits;
        let end = self.lists.sum_hits(gpu, tracks, before)?;
        self.found.lengths.extend_from_slice(self.lists.hit_counts(tracks));
        self.reserve(gpu, end as usize)?;
        self.kernels(at, events, hits).consolidate()?;
        let ids = self.found.ids.part_mut(before as usize..end as usize);
        gpu.download_part(ids, &self.track_hits.ids, before as usize)?;
        self.found.hits = end;
        Ok(())
    }

    /// Searches for tracks, again with longer lists if needed; returns the number of tracks of four and
    /// more hits of each event.
    fn search(
        &mut self,
        at: &GpuRunner<'a, Self>,
        events: &Range<usize>,
        hits: &Range<u32>,
    ) -> Result<Vec<u32>, DeviceError> {
        self.kernels(at, events, hits).search()?;
        if let Some(counts) = self.lists.sum_tracks(&at.gpu, events.len())? {
            return Ok(counts);
        }
        self.lists = at.config.lists(&at.gpu, Capacity::Enlarged)?;
        self.kernels(at, events, hits).search()?;
        let counts = self.lists.sum_tracks(&at.gpu, events.len())?;
        Ok(counts.expect("a track for each slot"))
    }

    /// Makes the arrays of hits of tracks at least this long.
    fn reserve(&mut self, gpu: &Gpu, hits: usize) -> Result<(), DeviceError> {
        if hits <= self.track_hits.ids.len() {
            return Ok(());
        }
        let hits = 2 * hits;
        self.track_hits = self.track_hits.enlarged(gpu, hits)?;
        let mut ids = gpu.pinned(hits)?;
        ids[..self.found.ids.len()].copy_from_slice(&self.found.ids);
        self.found.ids = ids;
        Ok(())
    }
}
