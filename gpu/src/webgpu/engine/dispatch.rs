//! Launches of shaders: their buffers and immediate data.

use std::sync::Arc;

use wgpu::{BindGroup, BindGroupDescriptor, BindGroupEntry, ComputePassDescriptor};

use super::WebGpuEngine;
use super::pipelines::{Pipeline, PipelineError};
use super::staging::WORD;
use super::work::{PendingWork, Recording};
use crate::image::{Access, Parameter, Shader};
use crate::{Argument, DeviceError, Shape};

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

/// Blocks of a dispatch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Grid {
    /// Number of blocks; those beyond return at once.
    blocks: u32,
    /// Blocks along x, y and z.
    sizes: [u32; 3],
    /// Threads of a block along x, y and z, if they matter: shaders declare their own.
    block: Option<[u32; 3]>,
}

impl Grid {
    /// The blocks of a launch. Those of one dimension may lie in several rows of at most `max`.
    pub(super) fn new(shape: &Shape, max: u32) -> Result<Self, String> {
        let Shape { blocks, grid, block, .. } = *shape;
        let is_line = |sizes: [u32; 3]| sizes[1..] == [1, 1];
        let block = (!is_line(block)).then_some(block);
        if is_line(grid) {
            return Ok(Grid { block, ..Grid::line(blocks, max) });
        }
        if let Some(size) = grid.iter().find(|&&size| size > max) {
            return Err(format!("{size} blocks in one dimension of a grid; the maximum is {max}"));
        }
        Ok(Grid { blocks, sizes: grid, block })
    }

    /// At least `blocks` blocks in one or two dimensions.
    fn line(blocks: u32, max: u32) -> Self {
        let rows = blocks.div_ceil(max);
        Grid { blocks, sizes: [blocks.div_ceil(rows.max(1)), rows, 1], block: None }
    }
}

impl WebGpuEngine {
    /// Starts a shader.
    pub(super) fn dispatch(
        &self,
        work: &mut PendingWork,
        shader: &'static Shader,
        grid: Grid,
        arguments: &[Argument],
    ) -> Result<(), DeviceError> {
        let pipeline = self.pipeline(shader)?;
        if let Some(block) = grid.block.filter(|block| *block != pipeline.threads) {
            let declared = pipeline.threads;
            return Err(DeviceError::Launch {
                device: self.properties.device.clone(),
                kernel: shader.kernel,
                problem: format!("its @workgroup_size is {declared:?}, the launch's {block:?}"),
            });
        }
        let (addresses, values) = split(arguments, grid.blocks);
        let bindings = self.bindings(work, &pipeline, addresses)?;
        let [x, y, z] = grid.sizes;
        let Recording { encoder, .. } = work.recording(&self.device);
        let mut pass = encoder.begin_compute_pass(&ComputePassDescriptor::default());
        pass.set_pipeline(&pipeline.compute);
        pass.set_bind_group(0, &bindings, &[]);
        pass.set_immediates(0, &values);
        pass.dispatch_workgroups(x, y, z);
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
        let grid = Grid::line(blocks, self.max_blocks_in_row);
        self.dispatch(work, &FILL, grid, &arguments)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_all_blocks_and_few_more() {
        for (blocks, sizes) in [(7, [7, 1, 1]), (10, [10, 1, 1]), (11, [6, 2, 1]), (35, [9, 4, 1])]
        {
            assert_eq!(Grid::line(blocks, 10), Grid { blocks, sizes, block: None });
        }
    }

    #[test]
    fn grids_are_dispatched_as_they_are() {
        let shape =
            |grid, block| Shape { blocks: 24, threads: 64, grid, block, shared_bytes: 0, bytes: 0 };
        let line = Grid::new(&shape([24, 1, 1], [64, 1, 1]), 10);
        assert_eq!(line, Ok(Grid { blocks: 24, sizes: [8, 3, 1], block: None }));
        let space = Grid::new(&shape([4, 3, 2], [8, 8, 1]), 10);
        assert_eq!(space, Ok(Grid { blocks: 24, sizes: [4, 3, 2], block: Some([8, 8, 1]) }));
        let refused = Grid::new(&shape([2, 12, 1], [64, 1, 1]), 10).expect_err("too long");
        assert!(refused.contains("12 blocks in one dimension"), "{refused}");
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
