//! Tests on the emulator: detection of runs that modify their input.

use generators_tpc::clusters::Clusters;
use portable_gpu::emulator::{self, Config};
use portable_gpu::{Gpu, POISON};

use super::{GatherBuffers, Gatherer, Memory, gather_from_gpu};
use crate::tpc_gather::TpcGather;
use crate::tpc_gather::hard_inputs::clusters;
use tasks::algorithm::{Prepare, Variant, VariantContext};
use tasks::device::{Arena, Target, Team};

#[test]
fn run_that_modifies_its_input_is_reported_and_reverted() {
    let Some(gpu) = emulator::gpu_for_tests(Config::default()) else {
        return;
    };
    let input = clusters(&[(9, 2), (2, 1), (4, 3)], &[1, 0, 2], 4).expect("sound");
    let arena = Arena::default();
    let team = Team::new(1).expect("a thread");
    let target = Target::emulated(gpu, &team);
    /// A gatherer that overwrites its input, and one that does nothing.
    const CARELESS: Prepare<TpcGather> = |at| {
        let overwrite = |to: &mut GatherBuffers<'_>, gpu: &Gpu, _: &Clusters| {
            gpu.fill(&to.pieces.input_buffers.row_starts, POISON)
        };
        gather_from_gpu(at, Gatherer::new(Memory::Host, overwrite))
    };
    const IDLE: Prepare<TpcGather> =
        |at| gather_from_gpu(at, Gatherer::new(Memory::Host, |_, _, _| Ok(())));
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
        assert_eq!(damage(CARELESS), expected);
        assert_eq!(damage(IDLE), None);
    }
}
