//! Merging on the host.
//!
//! All variants except the sequential one have the same stages, each with a choice of algorithms:
//! components are found, links brought together by component, then followed.
//!
//! | module | holds |
//! |---|---|
//! | `sequential` | link by link |
//! | `by_component` | the stages, and variants of two algorithms |
//! | `hooking`, `petgraph`, `hooking_ahead` | algorithms that find components |
//! | `cuts` | ranges of indices that separate components |
//! | `links_by_component`, `links_by_share` | algorithms that bring links together |

mod by_component;
mod cuts;
mod hooking;
mod hooking_ahead;
mod links_by_component;
mod links_by_share;
mod petgraph;
mod sequential;

use super::TpcMerge;
use crate::algorithm::Variant;
use by_component::ByComponent;
use hooking::Hooking;
use hooking_ahead::HookingAhead;
use links_by_component::LinksByComponent;
use links_by_share::LinksByShare;
use petgraph::Petgraph;
use sequential::Sequential;

pub(super) const VARIANTS: &[Variant<TpcMerge>] = &[
    Variant::cpu("sequential", "link by link in ascending order, one thread (thesis 3.7)", |at| {
        at.session(Sequential::new(at))
    }),
    Variant::cpu(
        "components",
        "components by lock-free hooking and pointer jumping, each one worker's (thesis 3.7)",
        |at| at.session(ByComponent::<Hooking, LinksByComponent>::new(at)),
    ),
    Variant::cpu(
        "petgraph",
        "peer: components by the union-find of the crate petgraph, the rest as components",
        |at| at.session(ByComponent::<Petgraph, LinksByComponent>::new(at)),
    ),
    Variant::cpu(
        "shares",
        "components only where numbers don't keep them apart; links in shares, fetched ahead",
        |at| at.session(ByComponent::<HookingAhead, LinksByShare>::new(at)),
    ),
];
