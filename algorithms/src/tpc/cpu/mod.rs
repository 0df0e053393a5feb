//! The chain on the host.
//!
//! | module | holds |
//! |---|---|
//! | `rows` | ours: digits, then row by row in the nearest caches |
//! | `activity` | which pads of a row are noisy |

mod activity;
mod rows;

use super::Tpc;
use crate::algorithm::{Semantics, Variant};

pub(super) const VARIANTS: &[Variant<Tpc>] = &[by_the_rules(Variant::cpu(
    "rows",
    "ours: pages to digits, digits by row; each row's noisy pads and clusters at once",
    |at| at.session(rows::Rows::new(at.input, at.arena, at.threads())),
))];

/// All follow the rules of the experiment.
const fn by_the_rules(variant: Variant<Tpc>) -> Variant<Tpc> {
    variant.with_semantics(&[Semantics::Published], |_| Semantics::Published)
}
