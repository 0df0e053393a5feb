//! Compiled kernels of a source file.

use std::path::PathBuf;

/// Environment variable with a folder of images that replace those of the binary, so that tuning a
/// kernel does not need a rebuild.
const IMAGES: &str = "RECOBENCH_KERNELS";

/// Returns the folder that [`IMAGES`] specifies.
pub(super) fn built_just_now() -> Option<PathBuf> {
    std::env::var_os(IMAGES).map(PathBuf::from)
}

/// The kernels of a source file, compiled for all devices.
///
/// The binary contains all images, so that a user needs a driver and nothing else. Those that
/// [`portable-gpu-build`](../portable_gpu_build/index.html) makes of kernel files are all that most
/// programs need; others are written by hand, of machine code and shaders from elsewhere.
pub struct Image {
    /// Task and source file: `sts_sort-block_merge`.
    pub source: &'static str,
    /// Machine code for several architectures, and PTX that drivers compile for others; `None` if
    /// it was built without a CUDA compiler.
    pub fatbin: Option<&'static [u8]>,
    /// Shaders of those kernels that have one; none in a build without wgpu.
    pub shaders: &'static [Shader],
    /// Code for the emulator.
    pub emulated: &'static cuda_emulator::Kernels,
}

/// A kernel in WGSL.
pub struct Shader {
    /// Name of the kernel and of the entry point.
    pub kernel: &'static str,
    /// Parameters of the kernel.
    pub parameters: &'static [Parameter],
    /// Source without the parts that depend on the GPU.
    pub text: &'static str,
}

/// A parameter of a kernel.
#[derive(Clone, Copy)]
pub enum Parameter {
    /// A pointer. The index of its binding is the number of pointers before it.
    Buffer(Access),
    /// A value of this number of bytes in the immediate data, after those before it.
    Value(usize),
}

/// Access of a shader to a buffer.
#[derive(Clone, Copy, PartialEq)]
pub enum Access {
    /// None: the shader has no binding for the buffer.
    None,
    /// The shader reads it.
    Read,
    /// The shader reads and writes it.
    Write,
}

#[cfg(feature = "wgpu")]
impl Image {
    /// Returns the shader of a kernel, if there is one.
    pub(super) fn shader(&self, kernel: &str) -> Option<&'static Shader> {
        self.shaders.iter().find(|shader| shader.kernel == kernel)
    }
}

#[cfg(feature = "wgpu")]
impl Shader {
    /// Index of each binding, and the access to its buffer.
    pub(super) fn buffers(&self) -> impl Iterator<Item = (u32, Access)> {
        let access = |parameter: &Parameter| match parameter {
            Parameter::Buffer(access) => Some(*access),
            Parameter::Value(_) => None,
        };
        (0..).zip(self.parameters.iter().filter_map(access))
    }
}

/// The shaders of an image, in builds with wgpu.
#[cfg(feature = "wgpu")]
#[doc(hidden)]
#[macro_export]
macro_rules! shaders {
    ($($shader:tt)*) => { &[$($shader)*] };
}

/// None: a build without wgpu needs no shaders.
#[cfg(not(feature = "wgpu"))]
#[doc(hidden)]
#[macro_export]
macro_rules! shaders {
    ($($shader:tt)*) => {
        &[]
    };
}
