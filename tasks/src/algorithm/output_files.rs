//! Description of the files that the output of a task is written to.

use crate::device::Backend;

/// Files of a task's output.
#[derive(Clone, Copy, Debug)]
pub struct OutputFiles {
    /// Items of each file, in the singular: "hit". The first file is the main one.
    pub items: &'static [&'static str],
    /// The variant that runs on a CPU if none is named.
    pub on_cpu: &'static str,
    /// The variant that runs on a GPU if none is named.
    pub on_gpu: &'static str,
    /// The axis of generated inputs that must be 1, if there is one.
    pub single: Option<&'static str>,
}

impl OutputFiles {
    /// Files of these items, of any input.
    pub const fn new(
        items: &'static [&'static str],
        on_cpu: &'static str,
        on_gpu: &'static str,
    ) -> Self {
        OutputFiles { items, on_cpu, on_gpu, single: None }
    }

    /// The variant that runs if none is named.
    pub fn default_variant(&self, backend: Backend) -> &'static str {
        match backend {
            Backend::Cpu => self.on_cpu,
            Backend::Cuda | Backend::Wgpu => self.on_gpu,
        }
    }
}
