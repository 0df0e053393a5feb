//! On the emulator: what a run does to its input.

use std::sync::Arc;

use generators::tpc::clusters::Clusters;

use super::pieces::DevicePieces;
use super::prepared::PreparedCudaGather;
use super::{Gatherer, MakeGatherer};
use crate::algorithm::Prepared;
use crate::device::Arena;
use crate::device::emulator::{self, Config};
use crate::device::gpu::{DeviceError, Gpu, POISON, PinnedBuffer};
use crate::tpc_gather::hard_inputs::clusters;
use crate::tpc_gather::sample::Sample;

/// Overwrites its input.
struct Careless(PinnedBuffer<u8>);

impl Gatherer for Careless {
    fn gather(&mut self, gpu: &Gpu, _: &Clusters, all: &DevicePieces) -> Result<(), DeviceError> {
        gpu.fill(&all.given.row_starts, POISON)
    }

    fn host(&self) -> &[u8] {
        &self.0
    }

    fn host_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

/// Does nothing.
struct Idle(PinnedBuffer<u8>);

impl Gatherer for Idle {
    fn gather(&mut self, _: &Gpu, _: &Clusters, _: &DevicePieces) -> Result<(), DeviceError> {
        Ok(())
    }

    fn host(&self) -> &[u8] {
        &self.0
    }

    fn host_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

#[test]
fn a_run_that_changes_its_input_is_told_and_harms_no_other() {
    if let Some(reason) = emulator::unavailable() {
        eprintln!("skipped: {reason}");
        return;
    }
    let gpu = Arc::new(Gpu::emulated(Config::default()).expect("there is one"));
    let input = clusters(&[(9, 2), (2, 1), (4, 3)], &[1, 0, 2], 4).expect("sound");
    let arena = Arena::default();
    let damage = |gatherer: MakeGatherer| {
        let given = (&input, &arena);
        let mut prepared = PreparedCudaGather::new(gatherer, given, Sample::ALL, Arc::clone(&gpu));
        let ran = prepared.reset().and_then(|()| prepared.run());
        assert_eq!(ran, Ok(()));
        let damage = prepared.inspect().err().map(|damage| damage.to_string());
        prepared.release();
        damage
    };
    let told = Some("it changed the starts of rows".to_owned());
    for _ in 0..2 {
        let careless = damage(|gpu, layout| Ok(Box::new(Careless(gpu.pinned(layout.bytes())?))));
        assert_eq!(careless, told);
        let idle = damage(|gpu, layout| Ok(Box::new(Idle(gpu.pinned(layout.bytes())?))));
        assert_eq!(idle, None);
    }
}
