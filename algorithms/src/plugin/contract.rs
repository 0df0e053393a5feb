//! What the plugins of a task may say of themselves.

use text::Foreign;

use super::abi;
use crate::device::Backend;

/// What the plugins of a task may say of themselves: each task that takes plugins has one. What
/// differs from `Contract::NEW` is what is special about it.
#[derive(Debug)]
pub struct Contract {
    /// The task.
    pub(crate) task: &'static str,
    /// The version of the header that has its input first.
    pub(crate) since: u32,
    /// Which buffers variants for the host may use.
    pub(crate) cpu: &'static [u32],
    /// The same for GPUs; none if there are no plugins for GPUs.
    pub(crate) cuda: &'static [u32],
    /// Whether equals keep their order.
    pub(crate) stable: Stable,
    /// What of each item may be lost.
    pub(crate) omits: u32,
    /// The right answers that variants choose from.
    pub(crate) semantics: u32,
    /// Whether variants choose an order, and of what.
    pub(crate) by_time: Option<&'static str>,
}

/// Whether equals keep their order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stable {
    /// As a variant likes.
    Chosen,
    /// Always, since whatever comes out has a place of its own.
    Always,
    /// Nobody asks for it.
    Never,
}

impl Contract {
    /// Of a task with a single right answer, on the host, of which each element has a place of
    /// its own.
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

    /// Which buffers variants may use.
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
    /// That of a task, for a plugin that was made for a version of the header.
    ///
    /// # Errors
    /// If the task takes no plugins, or that version does not know it.
    pub(super) fn of(&self, task: &str, version: u32) -> Result<&'static Contract, String> {
        let found = self.0.iter().find(|contract| contract.task == task);
        let contract = found.ok_or_else(|| {
            let known: Vec<_> = self.0.iter().map(|contract| contract.task).collect();
            let (task, known) = (task.quoted(), known.join(", "));
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
