//! Shaders, compiled for a GPU.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::{env, fs};

use wgpu::naga::proc::GlobalCtx;
use wgpu::naga::{self, AddressSpace, Module, ScalarKind, TypeInner};
use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ComputePipeline, ComputePipelineDescriptor, Device, ErrorFilter, Features,
    PipelineCompilationOptions, PipelineLayoutDescriptor, ShaderModule, ShaderModuleDescriptor,
    ShaderRuntimeChecks, ShaderSource, ShaderStages,
};

use super::super::{Adapter, Checks};
use super::unroll::unrolled;
use crate::image::{Access, Parameter, Shader};

/// Parts that shaders begin with.
const PRELUDE: &str = include_str!("prelude.wgsl");
/// Function that shaders with subgroups call.
const ENTERS_LANES: &str = "enter_lanes(";
/// Environment variable with a folder of shaders that replace those of the binary, so that changing
/// one does not need a rebuild. All files that a shader includes must be in the folder.
const SHADERS: &str = "RECOBENCH_KERNELS";
/// Declaration of shaders whose warps wait for other warps of the block: if warps are parts of
/// subgroups, not all of them might make progress.
const WAITS_FOR_WARPS: &str = "const WAITS_FOR_WARPS = true;";
/// The number of blocks precedes the kernel's arguments.
pub(super) const BLOCKS_BYTES: usize = size_of::<u32>();

/// A compiled shader.
pub(super) struct Pipeline {
    pub(super) shader: &'static Shader,
    pub(super) compute: ComputePipeline,
    pub(super) bindings: BindGroupLayout,
    /// Threads of a block along x, y and z.
    pub(super) threads: [u32; 3],
}

/// Reason why a shader can't be used.
pub(super) enum PipelineError {
    /// The GPU lacks a resource: the required and the available amount.
    Lacks(String, String),
    /// Any other reason.
    Refused(String),
}

/// Cache of compiled shaders.
pub(super) struct Pipelines {
    adapter: Adapter,
    checks: Checks,
    made: Mutex<HashMap<&'static str, Arc<Pipeline>>>,
}

impl Pipelines {
    pub(super) fn new(adapter: Adapter, checks: Checks) -> Self {
        Pipelines { adapter, checks, made: Mutex::default() }
    }

    /// Returns the pipeline of a shader.
    pub(super) fn get(
        &self,
        device: &Device,
        shader: &'static Shader,
    ) -> Result<Arc<Pipeline>, PipelineError> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = made.get(shader.kernel) {
            return Ok(Arc::clone(known));
        }
        let pipeline = Arc::new(self.make(device, shader)?);
        made.insert(shader.kernel, Arc::clone(&pipeline));
        Ok(pipeline)
    }

    fn make(&self, device: &Device, shader: &'static Shader) -> Result<Pipeline, PipelineError> {
        let text = self.complete(shader)?;
        let module = parsed(&unrolled(&text, &parsed(&text)?))?;
        check_needs(&module, device)?;
        let needed = immediate_bytes(shader);
        let max = device.limits().max_immediate_size as usize;
        if needed > max {
            return Err(lacks("bytes of immediate data", needed, max));
        }
        let scope = device.push_error_scope(ErrorFilter::Validation);
        let pipeline = self.compiled(device, shader, module);
        match pollster::block_on(scope.pop()) {
            Some(error) => Err(PipelineError::Refused(error.to_string())),
            None => Ok(pipeline),
        }
    }

    /// Returns the source of a shader with the parts that depend on the GPU.
    fn complete(&self, shader: &Shader) -> Result<String, PipelineError> {
        let text = &changed(shader.kernel).map_or(Cow::Borrowed(shader.text), Cow::Owned);
        let limits = format!(
            "const WORKGROUP_BYTES = {}u;\nconst MAX_THREADS = {}u;\n",
            self.adapter.shared_bytes,
            power_of_two_up_to(self.adapter.max_threads)
        );
        if !text.contains(ENTERS_LANES) {
            return Ok([prelude("blocks"), &limits, text].concat());
        }
        let Some((min, max)) = self.adapter.lanes else {
            let needed = "subgroups".to_owned();
            let available = "none".to_owned();
            return Err(PipelineError::Lacks(needed, available));
        };
        if min != max && text.contains(WAITS_FOR_WARPS) {
            let needed = "subgroups of one size";
            let available = format!("{min} to {max} lanes");
            return Err(PipelineError::Lacks(needed.to_owned(), available));
        }
        let lanes = format!("const LANES = {min}u;\nconst SUBGROUP_LANES = {max}u;\n");
        let masks = if min <= u32::BITS { "masks_32" } else { "masks_128" };
        let warps = if min == max { "whole_subgroups" } else { "parts_of_subgroups" };
        let [blocks, in_warps, masks, warps] = ["blocks", "lanes", masks, warps].map(prelude);
        Ok([blocks, &limits, &lanes, in_warps, masks, warps, text].concat())
    }

    fn compiled(&self, device: &Device, shader: &'static Shader, module: Module) -> Pipeline {
        let entry = module.entry_points.iter().find(|entry| entry.name == shader.kernel);
        let threads = entry.map_or([0; 3], |entry| entry.workgroup_size);
        let bindings = device.create_bind_group_layout(&BindGroupLayoutDescriptor {
            label: None,
            entries: &entries(shader),
        });
        let layout = device.create_pipeline_layout(&PipelineLayoutDescriptor {
            label: None,
            bind_group_layouts: &[Some(&bindings)],
            immediate_size: immediate_bytes(shader) as u32,
        });
        let compute = device.create_compute_pipeline(&ComputePipelineDescriptor {
            label: Some(shader.kernel),
            layout: Some(&layout),
            module: &self.module(device, shader, module),
            entry_point: Some(shader.kernel),
            compilation_options: PipelineCompilationOptions {
                zero_initialize_workgroup_memory: self.checks == Checks::All,
                ..PipelineCompilationOptions::default()
            },
            cache: None,
        });
        Pipeline { shader, compute, bindings, threads }
    }

    fn module(&self, device: &Device, shader: &Shader, module: Module) -> ShaderModule {
        let source = ShaderModuleDescriptor {
            label: Some(shader.kernel),
            source: ShaderSource::Naga(Cow::Owned(module)),
        };
        match self.checks {
            Checks::All => device.create_shader_module(source),
            // SAFETY: it is a shader of this crate, which stays within its buffers as its kernel
            // does.
            Checks::None => unsafe {
                device.create_shader_module_trusted(source, ShaderRuntimeChecks::unchecked())
            },
        }
    }
}

fn parsed(text: &str) -> Result<Module, PipelineError> {
    naga::front::wgsl::parse_str(text)
        .map_err(|error| PipelineError::Refused(error.emit_to_string(text)))
}

/// Returns a part of the prelude.
fn prelude(name: &str) -> &'static str {
    let mut parts = PRELUDE.split("#part ");
    let found = parts.find_map(|part| part.strip_prefix(name)?.strip_prefix('\n'));
    found.expect("the prelude has the parts that this file names")
}

fn power_of_two_up_to(number: u32) -> u32 {
    1 << number.max(1).ilog2()
}

/// Returns the replacement of a shader, if there is one.
fn changed(kernel: &str) -> Option<String> {
    let folder = env::var_os(SHADERS)?;
    fs::read_to_string(Path::new(&folder).join(format!("{kernel}.wgsl"))).ok()
}

/// Bytes of the immediate data of a shader.
fn immediate_bytes(shader: &Shader) -> usize {
    let bytes = |parameter: &Parameter| match parameter {
        Parameter::Buffer(_) => 0,
        Parameter::Value(bytes) => *bytes,
    };
    BLOCKS_BYTES + shader.parameters.iter().map(bytes).sum::<usize>()
}

fn entries(shader: &Shader) -> Vec<BindGroupLayoutEntry> {
    let is_used = |(_, access): &(u32, Access)| *access != Access::None;
    let entry = |(binding, access)| BindGroupLayoutEntry {
        binding,
        visibility: ShaderStages::COMPUTE,
        ty: BindingType::Buffer {
            ty: BufferBindingType::Storage { read_only: access == Access::Read },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    shader.buffers().filter(is_used).map(entry).collect()
}

/// Checks resources that wgpu does not check.
fn check_needs(module: &Module, device: &Device) -> Result<(), PipelineError> {
    let limits = device.limits();
    let memory = workgroup_bytes(module);
    let max = limits.max_compute_workgroup_storage_size;
    if memory > max {
        return Err(lacks("bytes of workgroup memory", memory, max));
    }
    let threads = module.entry_points.iter().map(|entry| entry.workgroup_size.iter().product());
    let threads: Option<u32> = threads.max();
    let threads = threads.unwrap_or(0);
    let max = limits.max_compute_invocations_per_workgroup;
    if threads > max {
        return Err(lacks("threads of a block", threads, max));
    }
    for (feature, kinds, what) in [
        (Features::SHADER_INT64, &[ScalarKind::Sint, ScalarKind::Uint][..], "whole numbers"),
        (Features::SHADER_F64, &[ScalarKind::Float][..], "fractions"),
    ] {
        if has_64_bits(module, kinds) && !device.features().contains(feature) {
            return Err(PipelineError::Lacks(format!("{what} of 64 bits"), "none".to_owned()));
        }
    }
    Ok(())
}

fn lacks(what: &str, needed: impl ToString, available: impl ToString) -> PipelineError {
    PipelineError::Lacks(format!("{} {what}", needed.to_string()), available.to_string())
}

/// Bytes of workgroup memory of a block.
fn workgroup_bytes(module: &Module) -> u32 {
    let context = GlobalCtx {
        types: &module.types,
        constants: &module.constants,
        overrides: &module.overrides,
        global_expressions: &module.global_expressions,
    };
    let variables = module.global_variables.iter().map(|(_, variable)| variable);
    let of_workgroup = variables.filter(|variable| variable.space == AddressSpace::WorkGroup);
    of_workgroup.map(|variable| module.types[variable.ty].inner.size(context)).sum()
}

fn has_64_bits(module: &Module, kinds: &[ScalarKind]) -> bool {
    let is_one = |inner: &TypeInner| match inner {
        TypeInner::Scalar(scalar)
        | TypeInner::Vector { scalar, .. }
        | TypeInner::Atomic(scalar) => scalar.width == 8 && kinds.contains(&scalar.kind),
        _ => false,
    };
    module.types.iter().any(|(_, kind)| is_one(&kind.inner))
}
