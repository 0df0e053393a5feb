//! Declarations that the plugins of a task may make about themselves.

use text::Untrusted;

use super::abi;
use crate::device::Backend;

/// Declarations that the plugins of a task may make about themselves. Each task that takes plugins
/// has a contract, usually `Contract::NEW` with a few differences.
#[derive(Debug)]
pub struct Contract {
    /// The task.
    pub(crate) task: &'static str,
    /// First version of the header that has the task's input.
    pub(crate) since: u32,
    /// Buffers that CPU variants may use.
    pub(crate) cpu: &'static [u32],
    /// Buffers that GPU variants may use; empty if there are no plugins for GPUs.
    pub(crate) cuda: &'static [u32],
    /// Rule for the order of equal items.
    pub(crate) stable: Stable,
    /// Content of items that may be lost.
    pub(crate) omits: u32,
    /// Semantics that variants can choose from.
    pub(crate) semantics: u32,
    /// Items whose order variants choose, if they choose one.
    pub(crate) by_time: Option<&'static str>,
}

/// Rule for the order of equal items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stable {
    /// Declared by each variant.
    Chosen,
    /// Always stable, because each output item has a fixed position in the order.
    Always,
    /// Irrelevant for the task.
    Never,
}

impl Contract {
    /// Contract of a CPU task with a single right answer, in which each output element has a fixed
    /// position.
    pub(crate) const NEW: Contract = Contract {
        task: "",
        since: 2,
        cpu: &[abi::SEPARATE],
        cuda: &[],
        stable: Stable::Always,
        omits: 0,
        semantics: abi::EXACT,
        by_time: None,
    };

    /// Buffers that variants of a backend may use.
    pub(super) fn buffers(&self, backend: Backend) -> &'static [u32] {
        match backend {
            Backend::Cpu => self.cpu,
            Backend::Cuda => self.cuda,
            Backend::Wgpu => &[],
        }
    }
}

/// The contracts of all tasks that take plugins.
pub(crate) struct Contracts(pub(crate) Vec<&'static Contract>);

impl Contracts {
    /// Returns the contract of a task, for a plugin that was built for a version of the header.
    ///
    /// # Errors
    /// If the task takes no plugins, or that version does not know it.
    pub(super) fn for_task(&self, task: &str, version: u32) -> Result<&'static Contract, String> {
        let found = self.0.iter().find(|contract| contract.task == task);
        let contract = found.ok_or_else(|| {
            let known: Vec<_> = self.0.iter().map(|contract| contract.task).collect();
            let task = task.quoted();
            let known = known.join(", ");
            format!("is for the task {task}; plugins can be for {known}")
        })?;
        if contract.since > version {
            return Err(format!(
                "is for the task {}, which version {version} of recobench.h does not have; \
                 compile it with the header of this bench",
                task.quoted()
            ));
        }
        Ok(contract)
    }
}
