//! Output of CubeCL's CUDA compiler for a kernel.

use cubecl_core::compute::KernelBuilder;
use cubecl_core::prelude::*;
use cubecl_core::server::CubeDim;
use cubecl_core::{CompilationError, Compiler, Info};
use cubecl_cpp::cuda::CudaDialect;
use cubecl_cpp::cuda::mma::CudaWmmaCompiler;
use cubecl_cpp::shared::{CompilationOptions, CppCompiler, CppSupportedFeatures};

type CudaCompiler = CppCompiler<CudaDialect<CudaWmmaCompiler>>;

/// A kernel in CUDA C++.
#[derive(Clone, Debug)]
pub struct CudaKernel {
    /// Its name.
    pub name: &'static str,
    /// Threads of a block.
    pub threads: u32,
    /// Bytes of dynamic shared memory of a block.
    pub shared_bytes: usize,
    /// Bytes of its last argument, a struct: 32-bit numbers in the order of the kernel's, and
    /// lengths of arrays, which kernels without bounds checks don't read.
    pub info_bytes: usize,
    /// The whole file.
    pub source: String,
}

/// Compiles a kernel as CubeCL's runtime does on a GPU from Volta on, without checks of bounds.
/// `define` declares arguments and expands the kernel.
///
/// # Errors
/// If CubeCL finds something wrong with it.
pub fn compile(
    name: &'static str,
    threads: u32,
    address: AddressType,
    define: impl FnOnce(&mut KernelBuilder),
) -> Result<CudaKernel, CompilationError> {
    let mut builder = KernelBuilder::default();
    address.register(&mut builder.scope);
    define(&mut builder);
    let settings = KernelSettings::default()
        .cube_dim(CubeDim::new_1d(threads))
        .address_type(address)
        .kernel_name(name);
    let options = CompilationOptions {
        warp_size: 32,
        supports_features: CppSupportedFeatures { grid_constants: true, ..Default::default() },
    };
    let definition = builder.build(settings);
    let mode = ExecutionMode::Unchecked;
    let kernel =
        CudaCompiler::default().compile(definition, &options, mode, address.unsigned_type())?;
    Ok(CudaKernel {
        name,
        threads,
        shared_bytes: kernel.shared_memory_size(),
        info_bytes: info_bytes(&kernel.info),
        source: kernel.to_string(),
    })
}

fn info_bytes(info: &Info) -> usize {
    let fields = info.scalars.iter().chain(&info.sized_meta);
    let ends = fields.map(|field| field.offset + field.padded_size() * field.ty.size());
    ends.max().unwrap_or(0)
}

/// An array that a kernel reads.
pub(crate) fn read<T: CubePrimitive>(builder: &mut KernelBuilder) -> NativeExpand<Array<T>> {
    let ty = T::as_type(&builder.scope);
    builder.input_array(ty).into()
}

/// An array that a kernel reads and writes.
pub(crate) fn written<T: CubePrimitive>(builder: &mut KernelBuilder) -> NativeExpand<Array<T>> {
    let ty = T::as_type(&builder.scope);
    builder.output_array(ty).into()
}

/// A 32-bit number that is the same for all threads.
pub(crate) fn number(builder: &mut KernelBuilder) -> NativeExpand<u32> {
    let ty = u32::as_type(&builder.scope).storage_type();
    builder.scalar(ty).into()
}
