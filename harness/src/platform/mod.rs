//! The machine: identity, state and monitoring during runs.

pub(crate) mod addresses;
mod affinity;
mod allocator;
mod build;
pub(crate) mod children;
pub(crate) mod clock;
mod control_groups;
mod core_kinds;
pub(crate) mod counters;
pub(crate) mod cpu_quota;
mod cpu_time;
mod crash_record;
mod drawing;
pub(crate) mod energy;
mod executable;
mod exit;
mod fingerprint;
mod frequency;
pub mod gpus;
mod instruction_sets;
mod machine;
mod memory;
pub(crate) mod monotonic;
mod pages;
pub mod placement;
pub(crate) mod plugin_guard;
mod process;
mod run_delay;
pub(crate) mod shared_memory;
mod stack;
pub(crate) mod supervisor;
mod sysfs;
mod terminal;
mod threads;
mod topology;
pub(crate) mod worker;

pub use affinity::{
    assumption, current_cpu, pin_current_thread, process_time, process_time_of, thread_time,
    usable_cpus, usable_threads,
};
pub use allocator::{LabAllocator, peak_allocation};
pub(crate) use build::hash_text;
pub use build::{executable_fingerprint, is_development_build, software};
pub use core_kinds::{CoreKind, core_kinds};
pub use cpu_time::CpuTimes;
pub use drawing::{draw, size};
pub use exit::Exit;
pub use fingerprint::variant_fingerprint;
pub use instruction_sets::{built_for_less, built_level};
pub use machine::{crowded, environment, environment_warnings, host_name, machine, this_machine};
pub use memory::{available_memory, last_level_bytes};
pub use pages::use_small_pages;
pub(crate) use process::tell_of_full_files;
pub use process::{Interrupt, process_start};
pub(crate) use process::{lines, lines_of};
pub use run_delay::run_delay;
pub(crate) use stack::ensure_stack;
pub(crate) use terminal::{TerminalSize, terminal_size};
pub use threads::NoThreads;
pub(crate) use threads::{RAISE_LIMITS, is_limit, start_global_pool};
pub use topology::{Cache, LogicalCpu, Topology, gpu_node};
