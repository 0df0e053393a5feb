//! From the clusters of both sides of a module to hits.
//!
//! | file | way |
//! |---|---|
//! | `modules` | a worker a module, in double precision: the offline reconstruction |
//! | `hit_buckets`, `pairs` | a worker a module, or a cluster of the front: the online one |
//! | `windows` | ours: what depends on one cluster is computed once, and large modules are split |
//! | `lines`, `near`, `crossings` | its steps: lines of clusters, which of them cross, and their hits |
//! | `outgoing` | where those go to |
//! | `sorted_clusters`, `formulas` | what they share: their input, and a pair's hits |

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
