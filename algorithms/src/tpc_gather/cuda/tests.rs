//! Tests on the emulator: detection of runs that modify their input.

use generators::tpc::clusters::{Clusters, Layout};

use super::Gatherer;
use super::pieces::DevicePieces;
use super::runner::gather_from_gpu;
use crate::algorithm::{Prepare, Variant, VariantContext};
use crate::device::emulator::{self, Config};
use crate::device::gpu::{DeviceError, Gpu, POISON, PinnedBuffer};
use crate::device::{Arena, Target, Team, buffers};
use crate::tpc_gather::TpcGather;
use crate::tpc_gather::hard_inputs::clusters;

/// A gatherer that does nothing, or overwrites its input.
struct Idle {
    host: PinnedBuffer<u8>,
    is_careless: bool,
}

buffers!(Idle: host);

impl Gatherer for Idle {
    fn gather(
        &mut self,
        gpu: &Gpu,
        _: &Clusters,
        all: &DevicePieces<'_>,
    ) -> Result<(), DeviceError> {
        if self.is_careless {
            gpu.fill(&all.input_buffers.row_starts, POISON)?;
        }
        Ok(())
    }

    fn host(&self) -> &[u8] {
        &self.host
    }
}

fn idle(gpu: &Gpu, layout: &Layout, is_careless: bool) -> Result<Box<dyn Gatherer>, DeviceError> {
    let host = gpu.pinned(layout.bytes())?;
    Ok(Box::new(Idle { host, is_careless }))
}

#[test]
fn run_that_modifies_its_input_is_reported_and_reverted() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
        return;
    };
    let input = clusters(&[(9, 2), (2, 1), (4, 3)], &[1, 0, 2], 4).expect("sound");
    let arena = Arena::default();
    let team = Team::new(1).expect("a thread");
    let target = Target::emulated(gpu, &team);
    let damage = |prepare: Prepare<TpcGather>| {
        let opening = VariantContext {
            task: &TpcGather,
            variant: Variant::cuda("of a test", "", prepare),
            input: &input,
            answers: None,
            arena: &arena,
            target: &target,
        };
        let mut session = prepare(&opening).expect("it fits");
        let ran = session.reset().and_then(|()| session.run());
        assert_eq!(ran, Ok(()));
        session.inspect().err().map(|damage| damage.to_string())
    };
    let expected = Some("it changed the starts of rows".to_owned());
    for _ in 0..2 {
        let careless = damage(|at| gather_from_gpu(at, |gpu, layout| idle(gpu, &layout, true)));
        assert_eq!(careless, expected);
        let careful = damage(|at| gather_from_gpu(at, |gpu, layout| idle(gpu, &layout, false)));
        assert_eq!(careful, None);
    }
}
