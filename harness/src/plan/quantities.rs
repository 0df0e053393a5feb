//! Declarations of axes and metrics by tasks, for records.

use std::sync::{Arc, LazyLock};

use crate::registry::tasks;
use reports::record::{
    About as RecordedAbout, AxisKind, AxisRecord, Better as RecordedBetter, Declared, MetricRecord,
    Params, Quantities,
};
use tasks::algorithm::{About, Better, MetricInfo};
use tasks::axis::{Axis, Kind};
use tasks::task::Task;

/// Parameters of inputs read from files, in addition to the axes of their task.
const OF_FILES: [(&str, AxisKind); 2] = [("input", AxisKind::Path), ("content", AxisKind::Text)];

/// Metrics that measuring adds to those of tasks.
pub static MEASURED: &[MetricInfo] = &[
    tasks::external::STARTUP,
    MetricInfo {
        name: "interval_level",
        unit: "",
        label: "level of the interval",
        meaning: "probability that the interval of the median holds it, where that is below 95 %",
        better: Better::Higher,
        about: About::Speed,
    },
    MetricInfo {
        name: "profiled",
        unit: "",
        label: "slowdown by profiling",
        meaning: "time with events around stages, over that without",
        better: Better::Near(1.0),
        about: About::Speed,
    },
    energy("j_per_item", "energy per item", "energy of a run over the number of items"),
    energy(
        "cpu_j_per_item",
        "energy of processors per item",
        "energy of all processors over items",
    ),
    energy("gpu_j_per_item", "energy of the GPU per item", "energy of the GPU over items"),
    MetricInfo::amount("device_bytes", "B", "device memory", "memory that the driver gave"),
    MetricInfo::amount("calls", "", "calls", "calls of the stage or kernel in a run"),
    MetricInfo::amount("bytes_moved", "B", "bytes moved", "bytes that all kernels read and write"),
    MetricInfo {
        name: "occupancy",
        unit: "",
        label: "occupancy",
        meaning: "warps that fit on a multiprocessor, over its maximum",
        better: Better::Higher,
        about: About::Speed,
    },
    MetricInfo::amount("shared_bytes", "B", "shared memory", "shared memory of a block"),
    MetricInfo::amount("registers", "", "registers", "registers of a thread"),
    MetricInfo::amount("local_bytes", "B", "local memory", "local memory of a thread"),
    MetricInfo::amount("dram_bytes", "B", "DRAM bytes", "bytes read from and written to DRAM"),
    MetricInfo::amount("warp_instructions", "", "warp instructions", "instructions of all warps"),
    MetricInfo {
        name: "issue_slots",
        unit: "",
        label: "issue slots",
        meaning: "cycles in which schedulers issue an instruction, over all cycles with warps",
        better: Better::Higher,
        about: About::Speed,
    },
    stalled("stall_barrier", "stall: barrier", "a barrier of the block"),
    stalled("stall_branch_resolving", "stall: branch resolving", "the target of a branch"),
    stalled("stall_dispatch_stall", "stall: dispatch", "the dispatch of an instruction"),
    stalled("stall_drain", "stall: drain", "stores after the last instruction"),
    stalled("stall_gmma", "stall: GMMA", "matrix instructions of warp groups"),
    stalled("stall_imc_miss", "stall: IMC miss", "the cache of constants"),
    stalled("stall_lg_throttle", "stall: LG throttle", "the queue to local and global memory"),
    stalled("stall_long_scoreboard", "stall: long scoreboard", "loads from global memory"),
    stalled("stall_math_pipe_throttle", "stall: math pipe throttle", "a busy arithmetic unit"),
    stalled("stall_membar", "stall: memory barrier", "a memory barrier"),
    stalled("stall_mio_throttle", "stall: MIO throttle", "the queue to shared memory"),
    stalled("stall_misc", "stall: misc", "other causes"),
    stalled("stall_no_instruction", "stall: no instruction", "the cache of instructions"),
    stalled("stall_not_selected", "stall: not selected", "other warps that are issued"),
    stalled("stall_short_scoreboard", "stall: short scoreboard", "loads from shared memory"),
    stalled("stall_sleeping", "stall: sleeping", "the end of a sleep"),
    stalled("stall_tex_throttle", "stall: TEX throttle", "the queue to textures"),
    stalled("stall_wait", "stall: wait", "a latency that is known in advance"),
    counted("cycles_per_item", "cycles per item", "clock cycles over the number of items"),
    counted("instructions_per_item", "instructions per item", "instructions over items"),
    counted("branch_misses_per_item", "branch misses per item", "branch misses over items"),
    counted("llc_misses_per_item", "last-level misses per item", "last-level misses over items"),
    counted("tlb_misses_per_item", "TLB misses per item", "data-TLB misses over items"),
    counted(
        "efficiency_cycles_per_item",
        "cycles per item on efficiency cores",
        "clock cycles on the smaller cores over the number of items",
    ),
    counted(
        "efficiency_instructions_per_item",
        "instructions per item on efficiency cores",
        "instructions on the smaller cores over items",
    ),
];

/// Declaration of an energy.
const fn energy(name: &'static str, label: &'static str, meaning: &'static str) -> MetricInfo {
    MetricInfo { name, unit: "J", label, meaning, better: Better::Lower, about: About::Speed }
}

/// Declaration of the share of the time of warps spent waiting; `meaning` is what for.
const fn stalled(name: &'static str, label: &'static str, meaning: &'static str) -> MetricInfo {
    MetricInfo { name, unit: "", label, meaning, better: Better::Neutral, about: About::Speed }
}

/// Declaration of a hardware counter per item.
const fn counted(name: &'static str, label: &'static str, meaning: &'static str) -> MetricInfo {
    MetricInfo::time_each(name, "", label, meaning)
}

/// Declarations of all tasks.
static ALL: LazyLock<Arc<Quantities>> = LazyLock::new(|| Arc::new(of_tasks(tasks())));

/// Declarations of some tasks.
pub fn of_tasks<'a>(tasks: impl IntoIterator<Item = &'a &'a dyn Task> + Clone) -> Quantities {
    let axes = tasks.clone().into_iter().flat_map(|task| axes_of(*task));
    let metrics = tasks.into_iter().flat_map(|task| metrics_of(*task));
    Quantities { axes: Declared::new(axes), metrics: Declared::new(metrics) }
}

/// Parameters in records, with the declarations of their names by tasks.
pub fn record_params(params: &tasks::axis::Params) -> Params {
    let mut record = Params::default();
    for (name, value) in params.iter() {
        record.set(name, value);
    }
    record.declared_by(&ALL)
}

/// An empty list of metrics, with the declarations of their names.
pub fn metrics() -> Params {
    Params::default().declared_by(&ALL)
}

fn axes_of(task: &dyn Task) -> Vec<(String, String, AxisRecord)> {
    let of_files = task.file_axes();
    let is_own = |axis: &&Axis| !task.axes().iter().any(|own| own.name == axis.name);
    let axes = task.axes().iter().chain(of_files.iter().filter(is_own));
    let declared = axes.map(|axis| {
        let with_input = of_files.iter().any(|of_files| of_files.name == axis.name);
        let record = AxisRecord {
            kind: kind(axis.kind),
            unit: axis.unit.to_owned(),
            label: axis.label.to_owned(),
            with_input,
        };
        (axis.name, record)
    });
    let of_files = OF_FILES.map(|(name, kind)| {
        (name, AxisRecord { kind, label: name.to_owned(), ..AxisRecord::default() })
    });
    declared.chain(of_files).map(|(name, it)| (task.name().into(), name.into(), it)).collect()
}

fn kind(kind: Kind) -> AxisKind {
    match kind {
        Kind::Count => AxisKind::Count,
        Kind::Integer => AxisKind::Integer,
        Kind::Share => AxisKind::Share,
        Kind::Number => AxisKind::Number,
        Kind::Frequency => AxisKind::Frequency,
        Kind::Duration => AxisKind::Duration,
        Kind::Path => AxisKind::Path,
        Kind::Range | Kind::TimeStamp => AxisKind::Text,
        Kind::Switch => AxisKind::Switch,
        Kind::Choice(_) => AxisKind::Choice,
        Kind::Own(_) => AxisKind::named(kind.name()),
    }
}

fn metrics_of(task: &dyn Task) -> impl Iterator<Item = (String, String, MetricRecord)> {
    let name = task.name();
    let all = task.metrics().iter().chain(MEASURED);
    all.map(move |info| (name.to_owned(), info.name.to_owned(), metric(info)))
}

fn metric(info: &MetricInfo) -> MetricRecord {
    let (better, ideal) = match info.better {
        Better::Higher => (RecordedBetter::Higher, None),
        Better::Lower => (RecordedBetter::Lower, None),
        Better::Near(ideal) => (RecordedBetter::Near, Some(ideal)),
        Better::Neutral => (RecordedBetter::Neutral, None),
    };
    MetricRecord {
        unit: info.unit.to_owned(),
        label: info.label.to_owned(),
        meaning: info.meaning.to_owned(),
        better,
        ideal,
        about: match info.about {
            About::Speed => RecordedAbout::Speed,
            About::Work => RecordedAbout::Work,
            About::Quality => RecordedAbout::Quality,
        },
    }
}
