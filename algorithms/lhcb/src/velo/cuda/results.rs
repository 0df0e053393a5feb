//! Hits and tracks in device memory, and their copies from and to the host.

use bytemuck::Pod;
use generators_lhcb::geometry::MODULE_PAIRS;
use portable_gpu::{DeviceBuffer, DeviceError, Gpu};
use tasks::algorithm::CheckError;
use tasks::device::Buffers;

use super::input::InputBuffers;
use super::layout::Layout;
use super::precision::{DeviceHits, Precision};
use crate::kernels::velo_cuda_event_h::PairHits;
use crate::velo::model::{Hit, Hits, PairRange, TrackCounts, Tracks};
use crate::velo::{Stage, VeloInput};

/// Hits of the tracks of all events, one after the other.
pub(super) struct DeviceTrackHits<P: Precision> {
    pub(super) ids: DeviceBuffer<u32>,
    pub(super) slots: DeviceBuffer<u32>,
    pub(super) x: DeviceBuffer<P::Number>,
    pub(super) y: DeviceBuffer<P::Number>,
    pub(super) z: DeviceBuffer<P::Number>,
}

impl<P: Precision> DeviceTrackHits<P> {
    pub(super) fn new(gpu: &Gpu, hits: usize) -> Result<Self, DeviceError> {
        Ok(DeviceTrackHits {
            ids: gpu.buffer(hits)?,
            slots: gpu.buffer(hits)?,
            x: gpu.buffer(hits)?,
            y: gpu.buffer(hits)?,
            z: gpu.buffer(hits)?,
        })
    }
}

impl<P: Precision> DeviceTrackHits<P> {
    /// Longer arrays with the hits so far.
    pub(super) fn enlarged(&self, gpu: &Gpu, hits: usize) -> Result<Self, DeviceError> {
        let enlarged = DeviceTrackHits::new(gpu, hits)?;
        gpu.copy(&enlarged.ids, &self.ids)?;
        gpu.copy(&enlarged.slots, &self.slots)?;
        gpu.copy(&enlarged.x, &self.x)?;
        gpu.copy(&enlarged.y, &self.y)?;
        gpu.copy(&enlarged.z, &self.z)?;
        Ok(enlarged)
    }
}

impl<P: Precision> Buffers for DeviceTrackHits<P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.ids.poison()?;
        self.slots.poison()?;
        self.x.poison()?;
        self.y.poison()?;
        self.z.poison()
    }

    fn bytes(&self) -> u64 {
        let numbers = Buffers::bytes(&self.x) + Buffers::bytes(&self.y) + Buffers::bytes(&self.z);
        Buffers::bytes(&self.ids) + Buffers::bytes(&self.slots) + numbers
    }
}

/// Tracks of which numbers of hits and identifiers have been copied to the host.
pub(super) struct FoundTracks<'a> {
    /// Number of tracks of each event.
    pub(super) counts: Vec<TrackCounts>,
    /// Number of hits of each track.
    pub(super) lengths: Vec<u32>,
    /// Identifier of each hit.
    pub(super) ids: &'a [u32],
}

impl<P: Precision> DeviceTrackHits<P> {
    /// Copies the rest of the tracks from the device.
    pub(super) fn read(&self, gpu: &Gpu, found: FoundTracks<'_>) -> Result<Tracks, DeviceError> {
        let count = found.ids.len();
        let slots = whole(gpu, &self.slots)?;
        let x = whole(gpu, &self.x)?;
        let y = whole(gpu, &self.y)?;
        let z = whole(gpu, &self.z)?;
        let position = |hit: usize| [x[hit], y[hit], z[hit]].map(P::to_f32);
        let mut end = 0;
        let ends = found.lengths.into_iter().map(|length| {
            end += length;
            end
        });
        Ok(Tracks {
            counts: found.counts,
            offsets: std::iter::once(0).chain(ends).collect(),
            slots: slots[..count].to_vec(),
            ids: found.ids.to_vec(),
            positions: (0..count).map(position).collect(),
        })
    }
}

/// Hits of all events by slot, in order of creation and sorted, with the slots of pairs of modules.
pub(super) struct HitBuffers<P: Precision> {
    pub(super) unsorted: DeviceHits<P>,
    pub(super) sorted: DeviceHits<P>,
    pub(super) pairs: DeviceBuffer<PairHits>,
}

impl<P: Precision> Buffers for HitBuffers<P> {
    fn poison(&mut self) -> Result<(), DeviceError> {
        self.unsorted.poison()?;
        self.sorted.poison()?;
        self.pairs.poison()
    }

    fn bytes(&self) -> u64 {
        self.unsorted.bytes() + self.sorted.bytes() + Buffers::bytes(&self.pairs)
    }
}

impl<P: Precision> HitBuffers<P> {
    /// Buffers for what a stage reads and writes.
    pub(super) fn new(gpu: &Gpu, stage: Stage, layout: &Layout) -> Result<Self, DeviceError> {
        let slots = layout.slots() + 1;
        let unsorted = if stage == Stage::Tracks { 0 } else { slots };
        let sorted = if stage == Stage::Clusters { 0 } else { slots };
        Ok(HitBuffers {
            unsorted: DeviceHits::new(gpu, unsorted)?,
            sorted: DeviceHits::new(gpu, sorted)?,
            pairs: gpu.buffer(MODULE_PAIRS * layout.events())?,
        })
    }

    /// Copies the hits that a stage starts from to the device, with the headers of their events.
    pub(super) fn load(
        &self,
        gpu: &Gpu,
        input: &VeloInput,
        stage: Stage,
        buffers: &InputBuffers<'_>,
    ) -> Result<(), DeviceError> {
        let (hits, to) = match stage {
            Stage::Sort => (input.unsorted(), &self.unsorted),
            Stage::Tracks => (input.sorted(), &self.sorted),
            Stage::Clusters | Stage::Decode | Stage::Chain => return Ok(()),
        };
        buffers.upload_headers(gpu)?;
        let arrays = &hits.arrays;
        let on_device: Vec<_> =
            (0..arrays.len()).map(|slot| P::to_device(&arrays.hit(slot))).collect();
        gpu.upload(&to.hits, &on_device[..])?;
        gpu.upload(&to.phi, &arrays.phi[..])?;
        gpu.upload(&self.pairs, &pair_hits(hits)[..])
    }

    /// Copies the hits that a stage leaves from the device.
    pub(super) fn read(&self, gpu: &Gpu, stage: Stage) -> Result<Hits, CheckError> {
        let from = if stage == Stage::Clusters { &self.unsorted } else { &self.sorted };
        let pairs: Vec<PairHits> = whole(gpu, &self.pairs)?;
        let on_device = whole(gpu, &from.hits)?;
        let phi = whole(gpu, &from.phi)?;
        let hit = |slot: usize| P::from_device(&on_device[slot], phi[slot]);
        let mut hits = Hits::new();
        for of_event in pairs.chunks(MODULE_PAIRS) {
            check_pairs(of_event, phi.len())?;
            let mut slots = Vec::new();
            let mut ranges = [PairRange::default(); MODULE_PAIRS];
            for (range, pair) in ranges.iter_mut().zip(of_event) {
                *range = PairRange { start: pair.start, count: pair.count };
                slots.extend((pair.first..pair.first + pair.count).map(|slot| hit(slot as usize)));
                slots.resize((pair.start + pair.estimate) as usize, Hit::default());
            }
            hits.push_event(&ranges, &slots);
        }
        Ok(hits)
    }
}

/// Checks that the pairs of modules of an event follow each other, and are within the arrays of hits.
fn check_pairs(pairs: &[PairHits], slots: usize) -> Result<(), CheckError> {
    let mut start = 0;
    for (index, pair) in pairs.iter().enumerate() {
        let end = u64::from(pair.first) + u64::from(pair.estimate);
        if pair.start != start || pair.count > pair.estimate || end > slots as u64 {
            return Err(format!("pair of modules {index} of an event is {pair:?}").into());
        }
        start += pair.estimate;
    }
    Ok(())
}

/// All elements of a buffer.
fn whole<T: Pod + Default + Send + Sync>(
    gpu: &Gpu,
    buffer: &DeviceBuffer<T>,
) -> Result<Vec<T>, DeviceError> {
    gpu.read_back(buffer, 0..buffer.len())
}

/// Pairs of modules of hits on the host.
fn pair_hits(hits: &Hits) -> Vec<PairHits> {
    let mut all = Vec::with_capacity(hits.pairs.len());
    for (event, pairs) in hits.pairs.chunks(MODULE_PAIRS).enumerate() {
        let base = hits.offsets[event];
        let end = hits.offsets[event + 1] - base;
        let ends = pairs.iter().skip(1).map(|pair| pair.start).chain([end]);
        all.extend(pairs.iter().zip(ends).map(|(pair, end)| PairHits {
            first: base + pair.start,
            count: pair.count,
            estimate: end - pair.start,
            start: pair.start,
        }));
    }
    all
}
