//! Stages of the chain, and all of it, by plugins.
//!
//! All six tasks have one struct in the header: a plugin's input and output are lists. The input of
//! a stage is the output of the earlier stages' references, in the order in which those find it: so
//! it does not depend on any variant of them.
//!
//! | module | holds |
//! |---|---|
//! | `abi` | the interface in C |
//! | `setup` | the detector in the format of the interface |
//! | `items` | clusters and hits, as the header has them |
//! | `upstream` | the input of a stage |
//! | `products` | the output of a stage |

mod abi;
mod items;
mod products;
mod setup;
mod upstream;

use bytemuck::Zeroable;

use super::{StsTask, Timeslices};
use crate::sts::{ChainStage, Product};
use products::PluginOutput;
use tasks::algorithm::Semantics;
use tasks::plugin::abi::{BY_TIME, EXACT, OFFLINE, PUBLISHED, SEPARATE};
use tasks::plugin::{Contract, Stable};
use tasks::plugin_session::{Description, Layout, PluginRequest, PluginTask};

/// Contract of the tasks whose output size is known before a run.
const KNOWN: Contract = Contract { cuda: &[SEPARATE], ..FOUND };
/// Contract of the tasks whose output size is a result.
const FOUND: Contract =
    Contract { stable: Stable::Never, semantics: EXACT | PUBLISHED | OFFLINE, ..Contract::NEW };

static PRESORT: Contract = Contract { task: "presort", stable: Stable::Chosen, ..KNOWN };
static CLUSTER: Contract =
    Contract { task: "cluster", by_time: Some("the orders of digis that it takes"), ..FOUND };
static CLUSTER_SORT: Contract = Contract { task: "cluster-sort", ..KNOWN };
static HITS: Contract = Contract { task: "hits", cuda: &[SEPARATE], ..FOUND };
static COLLECT: Contract =
    Contract { task: "collect", by_time: Some("the orders of hits that it leaves"), ..KNOWN };
static CHAIN: Contract = Contract { task: "sts", ..FOUND };

/// Properties that plugins of a stage's task, or of the whole chain's, may declare.
pub(super) fn contract(stage: Option<ChainStage>) -> Option<&'static Contract> {
    match stage {
        Some(ChainStage::Presort) => Some(&PRESORT),
        Some(ChainStage::Cluster) => Some(&CLUSTER),
        Some(ChainStage::ClusterSort) => Some(&CLUSTER_SORT),
        Some(ChainStage::Hits) => Some(&HITS),
        Some(ChainStage::Collect) => Some(&COLLECT),
        Some(ChainStage::Unpack | ChainStage::Zero | ChainStage::Sort) => None,
        None => Some(&CHAIN),
    }
}

/// The input passed to a plugin: in C, the first field.
#[repr(C)]
struct ShownSts {
    sts: abi::Sts,
    setup: Box<abi::Setup>,
}

impl PluginTask for StsTask {
    fn describe<'a>(
        &self,
        input: &'a Timeslices,
        asked: PluginRequest,
    ) -> Description<'a, Vec<Product>> {
        let mut layout = Layout::new();
        upstream::of_stage(self.stage, input, asked, &mut layout);
        let output = PluginOutput::new(self.stage, input, asked, &mut layout);
        let setup = Box::new(setup::show(input, &mut layout));
        layout.pointer(|shown| shown.sts.setup = &raw const *shown.setup);
        let modules = input.0.first().map_or(0, |timeslice| timeslice.modules());
        let sts = abi::Sts {
            size: size_of::<abi::Sts>(),
            timeslices: input.0.len() as u64,
            modules: modules as u64,
            semantics: number_of(asked.semantics),
            order: if asked.by_time { BY_TIME } else { 0 },
            ..Zeroable::zeroed()
        };
        layout.describe(ShownSts { sts, setup }, Box::new(move |outputs| output.read(outputs)))
    }

    fn given(&self, asked: PluginRequest) -> &'static str {
        upstream::given(self.stage, asked)
    }

    fn semantics(input: &Timeslices) -> Semantics {
        input.online()
    }
}

/// Number of the semantics in the header.
fn number_of(semantics: Semantics) -> u32 {
    match semantics {
        Semantics::Exact => EXACT,
        Semantics::Published => PUBLISHED,
        Semantics::Offline => OFFLINE,
    }
}

#[cfg(test)]
mod tests;
