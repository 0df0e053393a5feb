//! Variants on a GPU.
//!
//! | module | holds |
//! |---|---|
//! | `layout` | slots of events, and the memory that the search needs |
//! | `precision` | positions of 32 or 16 bits, with the kernels for them |
//! | `input` | raw banks and constants in device memory |
//! | `results` | hits and tracks in device memory, with their copies from and to the host |
//! | `resident` | recobench's: everything stays on the device |

mod input;
mod layout;
mod precision;
mod resident;
mod results;

use tasks::algorithm::{PrepareResult, Variant, VariantContext};

use super::VeloTask;
use precision::{Half, Precision, Single};
use resident::{Config, Resident};

/// All variants on a GPU.
pub const VARIANTS: &[Variant<VeloTask>] = &[
    Variant::cuda(
        "resident",
        "recobench's: a block for each pair of modules, then for each event, in the order of the CPU",
        |at| prepare::<Single>(at),
    ),
    Variant::cuda(
        "half",
        "the same with positions of 16 bits, as Allen stores hits on a GPU",
        |at| prepare::<Half>(at),
    )
    .by_published_rules(),
];

fn prepare<'a, P: Precision>(at: &VariantContext<'a, '_, VeloTask>) -> PrepareResult<'a, VeloTask> {
    let config = Config::new(&*at.gpu()?, at.input, at.task.stage)?;
    at.on_gpu::<Resident<'a, P>>(config)
}
