//! From the clusters of both sides of a module to hits.
//!
//! | file | algorithm |
//! |---|---|
//! | `modules` | a worker for each module, in double precision: the offline reconstruction |
//! | `hit_buckets`, `pairs` | a worker for each module or cluster of the front: the online one |
//! | `windows` | recobench: terms of single clusters are precomputed, large modules are split |
//! | `lines`, `near`, `crossings` | its steps: lines of clusters, pairs that cross, and their hits
//! |
//! | `outgoing` | buffered output of hits |
//! | `sorted_clusters`, `formulas` | shared: the input, and the hits of a pair |

mod crossings;
mod formulas;
mod hit_buckets;
mod lines;
mod modules;
mod near;
mod outgoing;
mod pairs;
mod sorted_clusters;
mod windows;

pub(super) use formulas::ModuleFormulas;
pub(super) use hit_buckets::{HitBuckets, HitWorkers};
pub(super) use modules::hits_of_module;
pub(super) use sorted_clusters::SortedClusters;
pub(super) use windows::{WindowInput, WindowJob, Windows, window_jobs};
