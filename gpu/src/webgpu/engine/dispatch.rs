//! Launches of shaders: their buffers and immediate data.

use std::sync::Arc;

use wgpu::{BindGroup, BindGroupDescriptor, BindGroupEntry, ComputePassDescriptor};

use super::WebGpuEngine;
use super::pipelines::{Pipeline, PipelineError};
use super::staging::WORD;
use super::work::{PendingWork, Recording};
use crate::image::{Access, Parameter, Shader};
use crate::{Argument, DeviceError};

/// Shader that sets words to a value, since drivers only set them to zero.
static FILL: Shader = Shader {
    kernel: "fill",
    parameters: &[
        Parameter::Buffer(Access::Write),
        Parameter::Value(4),
        Parameter::Value(4),
        Parameter::Value(4),
        Parameter::Value(4),
    ],
    text: include_str!("fill.wgsl"),
};
/// Threads of its blocks.
const FILL_THREADS: u32 = 256;

impl WebGpuEngine {
    /// Starts a shader with `blocks` blocks.
    pub(super) fn dispatch(
        &self,
        work: &mut PendingWork,
        shader: &'static Shader,
        blocks: u32,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let pipeline = self.pipeline(shader)?;
        let (addresses, values) = split(arguments, blocks);
        let bindings = self.bindings(work, &pipeline, addresses)?;
        let (x, y) = grid(blocks, self.max_blocks_in_row);
        let Recording { encoder, .. } = work.recording(&self.device);
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline.compute);
        pass.set_bind_group(0, &bindings, &[]);
        pass.set_immediates(0, &values);
        pass.dispatch_workgroups(x, y, 1);
        drop(pass);
        work.running.push(shader.kernel);
        Ok(())
    }

    /// The buffers of a shader as a bind group.
    fn bindings(
        &self,
        work: &mut PendingWork,
        pipeline: &Pipeline,
        addresses: Vec<u64>,
    ) -> Result<BindGroup, DeviceError> {
        let key = (pipeline.shader.kernel, addresses);
        if let Some(known) = work.bindings.get(&key) {
            return Ok(known.clone());
        }
        let mut entries = Vec::new();
        let used = pipeline.shader.buffers().zip(&key.1);
        for ((binding, _), &address) in used.filter(|((_, access), _)| *access != Access::None) {
            let location = work.allocations.at(address).ok_or_else(|| self.nothing_at(address))?;
            if location.offset > 0 {
                return Err(self.failed("binding a buffer", "it begins within another"));
            }
            entries.push(BindGroupEntry { binding, resource: location.buffer.as_entire_binding() });
        }
        let bindings = self.device.create_bind_group(&BindGroupDescriptor {
            label: None,
            layout: &pipeline.bindings,
            entries: &entries,
        });
        work.bindings.insert(key, bindings.clone());
        Ok(bindings)
    }

    /// Sets the bits of a mask in some words of a buffer.
    pub(super) fn set(
        &self,
        work: &mut PendingWork,
        to: u64,
        first: u64,
        count: u64,
        value: u32,
        mask: u32,
    ) -> Result<(), DeviceError> {
        let word = |value: u64| Argument::Word { bits: value, bytes: WORD };
        let numbers = [first, count, value.into(), mask.into()].map(word);
        let address = Argument::Word { bits: to, bytes: size_of::<u64>() };
        let arguments: Vec<_> = std::iter::once(address).chain(numbers).collect();
        let blocks = (count as u32).div_ceil(FILL_THREADS);
        self.dispatch(work, &FILL, blocks, &arguments)
    }

    fn pipeline(&self, shader: &'static Shader) -> Result<Arc<Pipeline>, DeviceError> {
        let kernel = shader.kernel;
        let device = || self.properties.device.clone();
        self.pipelines.get(&self.device, shader).map_err(|error| match error {
            PipelineError::Lacks(needed, available) => {
                DeviceError::Lacking { device: device(), kernel, needed, available }
            }
            PipelineError::Refused(problem) => {
                DeviceError::Launch { device: device(), kernel, problem }
            }
        })
    }
}

/// Splits arguments into buffer addresses and immediate data.
fn split(arguments: &[Argument], blocks: u32) -> (Vec<u64>, Vec<u8>) {
    let mut addresses = Vec::new();
    let mut values = blocks.to_ne_bytes().to_vec();
    split_to(arguments, &mut addresses, &mut values);
    (addresses, values)
}

fn split_to(arguments: &[Argument], addresses: &mut Vec<u64>, values: &mut Vec<u8>) {
    for argument in arguments {
        match argument {
            Argument::Word { bits, bytes: 8 } => addresses.push(*bits),
            Argument::Word { bits, bytes } => {
                values.extend_from_slice(&bits.to_le_bytes()[..*bytes]);
            }
            Argument::Struct { bytes, fields } if fields.is_empty() => {
                values.extend_from_slice(bytes);
            }
            Argument::Struct { fields, .. } => split_to(fields, addresses, values),
        }
    }
}

/// A grid of at least `blocks` blocks, in one or two dimensions.
fn grid(blocks: u32, max: u32) -> (u32, u32) {
    let rows = blocks.div_ceil(max);
    (blocks.div_ceil(rows.max(1)), rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_have_all_blocks_and_few_more() {
        assert_eq!(grid(7, 10), (7, 1));
        assert_eq!(grid(10, 10), (10, 1));
        assert_eq!(grid(11, 10), (6, 2));
        assert_eq!(grid(35, 10), (9, 4));
    }

    #[test]
    fn values_are_immediate_data_after_the_number_of_blocks() {
        let arguments = [
            Argument::Word { bits: 1 << 40, bytes: 8 },
            Argument::Word { bits: 7, bytes: 4 },
            Argument::from_struct(&1_u32),
            Argument::from_fields(
                16,
                vec![
                    (0, Argument::Word { bits: 2, bytes: 4 }),
                    (8, Argument::Word { bits: 1 << 41, bytes: 8 }),
                ],
            ),
        ];
        let words = [3_u32, 7, 1, 2].map(u32::to_ne_bytes).concat();
        assert_eq!(split(&arguments, 3), (vec![1 << 40, 1 << 41], words));
    }
}
