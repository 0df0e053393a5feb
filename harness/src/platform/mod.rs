//! The machine: identity, state and monitoring during runs.

pub(crate) mod address_space;
mod affinity;
mod allocator;
mod build;
pub(crate) mod clock;
pub(crate) mod control_groups;
mod cores;
pub(crate) mod counters;
mod cpu_time;
mod crash_record;
mod exit;
mod fingerprint;
pub mod gpus;
mod instruction_sets;
mod machine;
mod memory;
pub mod placement;
pub(crate) mod plugin_guard;
pub(crate) mod powercap;
mod process;
pub(crate) mod shared_memory;
pub(crate) mod supervisor;
mod sysfs;
mod threads;
mod topology;

pub(crate) use address_space::ensure_stack;
pub(crate) use address_space::use_small_pages;
pub(crate) use affinity::pin_current_thread;
pub use affinity::{
    assumption, current_cpu, process_time_of, thread_time, usable_cpus, usable_threads,
};
pub use allocator::{LabAllocator, peak_allocation};
pub(crate) use build::hash_text;
pub use build::{executable_fingerprint, is_development_build, software};
pub use cores::{CoreKind, core_kinds};
pub(crate) use cpu_time::Utilisation;
pub use cpu_time::{CpuTimes, run_delay};
pub use exit::Exit;
pub use fingerprint::variant_fingerprint;
pub use instruction_sets::{built_for_less, built_level};
pub use machine::{crowded, environment, environment_warnings, host_name, machine, this_machine};
pub use memory::{available_memory, last_level_bytes};
pub use process::{Interrupt, process_start};
pub(crate) use process::{TerminalSize, die_with, tell_of_full_files, terminal_size};
pub use threads::NoThreads;
pub(crate) use threads::{RAISE_LIMITS, is_limit, start_global_pool};
pub use topology::{Topology, draw, gpu_node, size};
