//! Sorts from plugins.

mod abi;

use std::ffi::c_void;

use bytemuck::Zeroable;
use generators_sts::{Digi, SegmentedDigis};
use parallel::par_map;

use super::StsSort;
use tasks::plugin::abi::{EITHER, IN_PLACE, SEPARATE};
use tasks::plugin::{Contract, Stable};
use tasks::plugin_session::{
    AbiInput, Addresses, Array, Description, OutputSpec, PluginRequest, PluginTask, Upload,
};

/// Properties that plugins of this task may declare.
pub(super) const CONTRACT: Contract = Contract {
    task: "sort",
    since: 1,
    cpu: BUFFERS,
    cuda: BUFFERS,
    stable: Stable::Chosen,
    omits: abi::SORT_ADDRESS,
    ..Contract::NEW
};

const BUFFERS: &[u32] = &[SEPARATE, EITHER, IN_PLACE];

impl PluginTask for StsSort {
    fn describe<'a>(
        &self,
        input: &'a SegmentedDigis,
        _: PluginRequest,
    ) -> Description<'a, Vec<Digi>> {
        let digis = bytes(input.digis());
        let sort = ShownSort::new(input);
        Description {
            arrays: vec![
                Array {
                    name: "its input".into(),
                    content: digis.into(),
                    changed: Some(|name, byte| {
                        let position = byte / size_of::<Digi>();
                        format!("it changed {name}, at position {position}: see RECOBENCH_SEPARATE")
                    }),
                },
                Array {
                    name: "its offsets".into(),
                    content: bytemuck::cast_slice(&sort.offsets).to_vec().into(),
                    changed: None,
                },
            ],
            on_host: 1,
            outputs: vec![OutputSpec::from_output(digis.len())],
            upload: Upload::InRun,
            shown: Box::new(sort),
            read: Box::new(|outputs| {
                Ok(par_map(bytemuck::cast_slice(outputs[0]), |&bits| Digi::from_bits(bits)))
            }),
        }
    }
}

/// The input passed to a plugin.
struct ShownSort {
    sort: abi::Sort,
    /// Offset of each segment, with the end of the last one. `sort` points to it.
    offsets: Vec<u64>,
}

impl ShownSort {
    fn new(input: &SegmentedDigis) -> Self {
        let ends = input.partition().ranges().map(|range| range.end as u64);
        let offsets: Vec<_> = std::iter::once(0).chain(ends).collect();
        ShownSort {
            sort: abi::Sort {
                size: size_of::<abi::Sort>(),
                digis: input.digis().len() as u64,
                segments: input.partition().segments() as u64,
                offsets: offsets.as_ptr(),
                ..Zeroable::zeroed()
            },
            offsets,
        }
    }
}

impl AbiInput for ShownSort {
    fn as_ptr(&self) -> *const c_void {
        (&raw const self.sort).cast()
    }

    fn set(&mut self, buffers: &Addresses) {
        self.sort.input = buffers.array(0);
        self.sort.device_offsets = buffers.array(1);
        self.sort.output = buffers.output(0);
    }
}

fn bytes(digis: &[Digi]) -> &[u8] {
    // SAFETY: a digi is 64 bits, and nothing else.
    unsafe { std::slice::from_raw_parts(digis.as_ptr().cast(), size_of_val(digis)) }
}

#[cfg(test)]
mod tests {
    use generators_sts::SegmentedDigis;

    use super::*;
    use crate::sts_sort::hard_inputs;
    use tasks::device::{Arena, Device, Target, Team};
    use tasks::plugin::{Quarantine, quarantine};
    use tasks::plugin_session::testing::Compiled;

    fn sorts() -> Option<Compiled<StsSort>> {
        Compiled::new(StsSort, "algorithms/sts/src/sts_sort/plugin/tests/sorts.c")
    }

    /// The emulator takes its time, and sizes make no difference here.
    const MAX_DIGIS: usize = 12_000;

    fn input() -> SegmentedDigis {
        let mut inputs = hard_inputs::all(1).into_iter();
        let together = inputs.find(|(name, _)| name == "segments of all sizes");
        together.expect("there is one").1
    }

    #[test]
    fn whichever_buffers_a_variant_uses_it_is_right() {
        let Some(sorts) = sorts() else { return };
        let mut inputs = hard_inputs::all(1);
        inputs.retain(|(_, input)| input.digis().len() <= MAX_DIGIS);
        sorts.assert_right(&["separate", "output", "input", "place"], &inputs);
    }

    #[test]
    fn errors_are_reported() {
        let Some(sorts) = sorts() else { return };
        let messages = [
            ("beyond", "it wrote beyond the end of its output"),
            ("scratch", "it wrote beyond the end of its scratch memory"),
            ("changed", "it changed its input, at position 0"),
            ("nowhere", "libsorts.so answered 7 in output"),
            ("stage", "libsorts.so called a stage \"total\""),
            ("refuses", "libsorts.so failed in run: out of luck"),
        ];
        sorts.assert_told(&input(), &messages);
    }

    #[test]
    fn stages_on_the_host_have_times() {
        let Some(sorts) = sorts() else { return };
        sorts.assert_stages("cpu-separate", &input(), &["copy", "sort"]);
    }

    #[test]
    fn reported_memory_is_that_of_the_arena() {
        let Some(sorts) = sorts() else { return };
        let input = input();
        let bytes = size_of_val(input.digis()) as u64;
        assert_eq!(sorts.buffer_bytes("cpu-separate", &input), 3 * bytes);
        assert_eq!(sorts.buffer_bytes("cpu-place", &input), 2 * bytes);
    }

    #[test]
    fn quarantined_plugins_are_not_called() {
        let Some(sorts) = sorts() else { return };
        let variant = sorts.variant("cpu-output");
        let elsewhere = Device::Cuda(7);
        let problem = Quarantine::Failed("crashed in run".to_owned());
        quarantine(variant.task, variant.name, variant.plugin, elsewhere, problem);
        assert!(variant.quarantine_on(Device::Cpu).is_none());
        let team = Team::new(1).expect("a thread");
        let arena = Arena::default();
        let input = input();
        let target = Target { device: elsewhere, gpu: None, team: &team };
        let mut session = sorts.opened(variant, &input, &arena, &target);
        let result = session.reset().map_err(|error| error.to_string());
        assert_eq!(result, Err("libsorts.so crashed in run".to_owned()));
    }
}
