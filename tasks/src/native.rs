//! Native variants that ports of them are compared with.

/// The CUDA variant that does the same steps natively.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Native {
    /// Name of the variant.
    pub variant: &'static str,
    /// Description of the replacement: `shaders`, or the form that a layer over CUDA has for a
    /// native construct.
    pub written_as: &'static str,
    /// Other differences and their reasons; empty if there are none.
    pub differs: &'static str,
}
