//! A GPU variant with its buffers, ready to run on the maps of one time frame.

use std::borrow::Cow;
use std::sync::Arc;

use super::groups::{self, Group};
use super::{Activity, Launch};
use crate::algorithm::{Prepared, Stages};
use crate::all_cores::{fill, mapped};
use crate::device::Arena;
use crate::device::gpu::{
    DeviceBuffer, DeviceError, Gpu, Lent, POISON, PinnedBuffer, Pristine, Shape,
};
use crate::tpc_noisy_pads::TpcNoisyPads;
use crate::tpc_noisy_pads::activity::{PadActivity, Verdict};
use crate::tpc_noisy_pads::input::ChargeMaps;

pub(super) struct PreparedCudaNoisyPads<'a> {
    launch: Launch,
    maps: &'a ChargeMaps,
    arena: &'a Arena,
    held: Option<Held>,
    gpu: Arc<Gpu>,
}

/// What is held during a run.
struct Held {
    charges: Pristine<u16>,
    found: PinnedBuffer<Activity>,
    device: OnDevice,
}

/// What is on the device.
struct OnDevice {
    charges: DeviceBuffer<u16>,
    /// The same in each time frame, so that no run copies it.
    groups: Lent<DeviceBuffer<Group>>,
    activity: DeviceBuffer<Activity>,
}

impl<'a> PreparedCudaNoisyPads<'a> {
    pub(super) fn new(
        launch: Launch,
        maps: &'a ChargeMaps,
        arena: &'a Arena,
        gpu: Arc<Gpu>,
    ) -> Self {
        PreparedCudaNoisyPads {
            launch,
            maps,
            arena,
            held: None,
            gpu,
        }
    }

    fn hold(&mut self) -> Result<&mut Held, DeviceError> {
        let held = match self.held.take() {
            Some(held) => held,
            None => Held::new(&self.gpu, self.maps, self.arena)?,
        };
        Ok(self.held.insert(held))
    }
}

impl Held {
    fn new(gpu: &Arc<Gpu>, maps: &ChargeMaps, arena: &Arena) -> Result<Self, DeviceError> {
        let entries = maps.entries();
        Ok(Held {
            charges: Pristine::take(arena, gpu, entries, 0..entries.len())?,
            found: gpu.pinned(maps.pads())?,
            device: OnDevice::new(gpu, maps, arena)?,
        })
    }
}

impl OnDevice {
    fn new(gpu: &Arc<Gpu>, maps: &ChargeMaps, arena: &Arena) -> Result<Self, DeviceError> {
        let groups = Lent::of(maps, arena, gpu, |gpu| {
            let of_sector = groups::of_sector();
            let groups = gpu.buffer(of_sector.len())?;
            gpu.upload(&groups, &of_sector)?;
            gpu.finish()?;
            Ok(groups)
        })?;
        Ok(OnDevice {
            charges: gpu.buffer(maps.entries().len())?,
            groups,
            activity: gpu.buffer(maps.pads())?,
        })
    }

    fn find(&self, gpu: &Gpu, launch: Launch, maps: &ChargeMaps) -> Result<(), DeviceError> {
        let groups = self.groups.len() as u32;
        let groups_of_block = (launch.groups_of_block)(gpu.properties().lanes);
        let shape = Shape {
            blocks: maps.sectors() as u32 * groups.div_ceil(groups_of_block),
            threads: launch.threads,
            shared_bytes: 0,
            bytes: maps.bytes_with_pads() + self.activity.bytes(),
        };
        let thresholds = maps.thresholds();
        let arguments = (
            &self.charges,
            &*self.groups,
            &self.activity,
            groups,
            maps.tile_rows() as u32,
            thresholds.charges.into(),
            thresholds.run.into(),
            thresholds.saturation.into(),
        );
        // SAFETY: each group of each sector has its tile in all rows of tiles of a map,
        // and its pads have a place among the activities.
        unsafe { gpu.launch(launch.kernel, &shape, arguments) }
    }

    fn bytes(&self) -> u64 {
        self.charges.bytes() + self.groups.bytes() + self.activity.bytes()
    }
}

impl Prepared<TpcNoisyPads> for PreparedCudaNoisyPads<'_> {
    /// Runs do not change the maps, so they are provided once.
    fn reset(&mut self) -> Result<(), DeviceError> {
        self.hold().map(drop)
    }

    fn poison(&mut self) -> Result<(), DeviceError> {
        if let Some(held) = &mut self.held {
            fill(&mut held.found, [u16::from_ne_bytes([POISON; 2]); 4]);
            self.gpu.fill(&held.device.charges, POISON)?;
            self.gpu.fill(&held.device.activity, POISON)?;
        }
        self.gpu.finish()
    }

    fn run(&mut self) -> Result<(), DeviceError> {
        let (gpu, launch, maps) = (Arc::clone(&self.gpu), self.launch, self.maps);
        let held = self.hold()?;
        gpu.upload(&held.device.charges, &held.charges)?;
        held.device.find(&gpu, launch, maps)?;
        gpu.download(&mut held.found, &held.device.activity)?;
        gpu.finish()
    }

    fn stages(&mut self) -> Result<Stages, DeviceError> {
        self.gpu.stages()
    }

    fn output(&self) -> Cow<'_, Vec<PadActivity>> {
        let found = self.held.as_ref().map(|held| &held.found[..]);
        Cow::Owned(mapped(found.unwrap_or_default(), activity))
    }

    fn release(&mut self) {
        if let Some(held) = self.held.take() {
            held.charges.give(self.arena);
            held.device.groups.give(self.arena);
        }
    }

    fn buffer_bytes(&self) -> u64 {
        self.held.iter().map(|held| held.device.bytes()).sum()
    }
}

fn activity(&[charges, longest_run, largest, verdict]: &Activity) -> PadActivity {
    PadActivity {
        charges,
        longest_run,
        largest,
        verdict: match verdict {
            0 => Verdict::Good,
            _ => Verdict::Noisy,
        },
    }
}
