//! The chain on the host.
//!
//! | module | holds |
//! |---|---|
//! | `published` | as the experiment: maps of charges, and a loop for each stage |
//! | `rows` | recobench's chain: digits, then row by row in the nearest caches |
//! | `activity` | noisy pads of a row |

mod activity;
mod published;
mod rows;

use super::Tpc;
use super::noisy::NoisyRule;
use crate::algorithm::Variant;
use crate::device::Unavailable;

pub(super) const VARIANTS: &[Variant<Tpc>] = &[
    Variant::<Tpc>::cpu(
        "published",
        "fragment by fragment and sector by sector, a loop for each stage, as the experiment on a \
         CPU",
        |at| match at.input.finding.rule {
            NoisyRule::Published => {
                at.session(published::Published::new(at.input, at.arena, at.threads()))
            }
            // Fragments are finished before the last one is known.
            NoisyRule::Lab => Err(Unavailable(
                "it searches noisy pads in the first fragment only: use --noisy published".into(),
            )),
        },
    )
    .by_published_rules(),
    Variant::<Tpc>::cpu(
        "rows",
        "ours: pages to digits, digits by row; each row's noisy pads and clusters at once",
        |at| at.session(rows::Rows::new(at.input, at.arena, at.threads())),
    )
    .by_published_rules(),
];
