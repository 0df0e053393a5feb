//! The shaders that the build has collected: see `build/interface/shaders.rs`.

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// A kernel in WGSL.
pub(super) struct Shader {
    /// Name of the kernel and of the entry point.
    pub(super) kernel: &'static str,
    /// Parameters of the kernel.
    pub(super) parameters: &'static [Parameter],
    /// Source without the parts that depend on the GPU.
    pub(super) text: &'static str,
}

/// A parameter of a kernel.
#[derive(Clone, Copy)]
pub(super) enum Parameter {
    /// A pointer. The index of its binding is the number of pointers before it.
    Buffer(Access),
    /// A value of this number of bytes in the immediate data, after those before it.
    Value(usize),
}

/// Access of a shader to a buffer.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Access {
    /// None: the shader has no binding for the buffer.
    #[allow(dead_code, reason = "shaders may need all that kernels need")]
    None,
    Read,
    Write,
}

impl Shader {
    /// Returns the shader of a kernel, if there is one.
    pub(super) fn find(kernel: &str) -> Option<&'static Shader> {
        SHADERS.iter().find(|shader| shader.kernel == kernel)
    }

    /// Index of each binding, and the access to its buffer.
    pub(super) fn buffers(&self) -> impl Iterator<Item = (u32, Access)> {
        let access = |parameter: &Parameter| match parameter {
            Parameter::Buffer(access) => Some(*access),
            Parameter::Value(_) => None,
        };
        (0..).zip(self.parameters.iter().filter_map(access))
    }
}
