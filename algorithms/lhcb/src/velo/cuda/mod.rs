//! Variants on a GPU.
//!
//! | module | holds |
//! |---|---|
//! | `layout` | slots of events, and the memory that the search needs |
//! | `precision` | positions of 32 or 16 bits, with the kernels for them |
//! | `input` | raw banks and constants in device memory |
//! | `results` | hits and tracks in device memory, with their copies from and to the host |
//! | `resident` | recobench's: everything stays on the device |
//! | `published` | as the experiment: atomics, prefix sums on the host |

mod input;
mod layout;
mod precision;
mod published;
mod resident;
mod results;

use tasks::algorithm::{PrepareResult, Variant, VariantContext};

use super::VeloTask;
use precision::{Half, Precision, Single};
use published::Published;
use resident::Resident;

/// All variants on a GPU.
pub const VARIANTS: &[Variant<VeloTask>] = &[
    Variant::cuda(
        "published",
        "as Allen on a GPU: slots by atomics, ranks by counting, prefix sums on the host; positions of 32 bits",
        |at| at.on_gpu::<Published<'_>>(published::Config::new(at.input, at.task.stage)),
    ),
    Variant::cuda(
        "resident",
        "recobench's: a warp for each pair of modules, then a block for each event, in the order of the CPU",
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
    let config = resident::Config::new(&*at.gpu()?, at.input, at.task.stage);
    at.on_gpu::<Resident<'a, P>>(config)
}
