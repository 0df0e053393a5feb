//! The shaders, as the build has found them: see `build/interface/shaders.rs`.

include!(concat!(env!("OUT_DIR"), "/shaders.rs"));

/// A kernel in WGSL.
pub(super) struct Shader {
    /// The kernel's name, and that of the entry point.
    pub(super) kernel: &'static str,
    /// What the kernel takes.
    pub(super) parameters: &'static [Parameter],
    /// All of it but what depends on the GPU.
    pub(super) text: &'static str,
}

/// A parameter of a kernel.
#[derive(Clone, Copy)]
pub(super) enum Parameter {
    /// A pointer. The number of the binding is how many pointers come before it.
    Buffer(Access),
    /// So many bytes of the immediate data, behind those before it.
    Value(usize),
}

/// What a shader does with a buffer.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Access {
    /// Nothing: it has no binding for it.
    #[allow(dead_code, reason = "shaders may need all that kernels need")]
    None,
    Read,
    Write,
}

impl Shader {
    /// The shader of a kernel, if there is one.
    pub(super) fn of(kernel: &str) -> Option<&'static Shader> {
        SHADERS.iter().find(|shader| shader.kernel == kernel)
    }

    /// The number of each binding, and what is done with its buffer.
    pub(super) fn buffers(&self) -> impl Iterator<Item = (u32, Access)> {
        let access = |parameter: &Parameter| match parameter {
            Parameter::Buffer(access) => Some(*access),
            Parameter::Value(_) => None,
        };
        (0..).zip(self.parameters.iter().filter_map(access))
    }
}
