//! Sorts from plugins.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use generators::sts::{Digi, SegmentedDigis};

use super::StsSort;
use crate::all_cores::par_map;
use crate::plugin::abi;
use crate::plugin::contract::{Contract, Stable};
use crate::plugin_session::{
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

const BUFFERS: &[u32] = &[abi::SEPARATE, abi::EITHER, abi::IN_PLACE];

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
                device_offsets: null(),
                input: null_mut(),
                output: null_mut(),
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
mod tests;
