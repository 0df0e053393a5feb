//! Speed of a core on a fixed piece of work, just before and after a sample.
//!
//! The clock that the system reports is a nominal value on virtual machines and an average over an
//! unknown interval elsewhere; the load that it reports excludes other guests on the same host. Two
//! short pieces of work measure both:
//!
//! - a chain of additions, each of which needs the result of the one before, takes one cycle per
//!   link on every x86-64 and arm64 core: its duration yields the current clock of this core;
//! - independent additions fill all adders of a core: if another program uses them (on the other
//!   hardware thread of the core, or by preempting this one), they take more cycles than usual, and
//!   so does the sample between two probes.

use std::collections::BTreeMap;
use std::time::Instant;

use crate::platform::CoreKind;

/// Links per loop iteration: enough to make the loop overhead negligible.
const LINKS_PER_TURN: u32 = 128;
/// About 7 µs in total: long compared with the timer's resolution, short compared with a sample.
const CHAIN_TURNS: u32 = 200;
/// Rows of independent additions per loop iteration.
const ROWS_PER_TURN: u32 = 64;
/// About 10 µs in total.
const ALU_PROBE_TURNS: u32 = 400;

/// Samples taken below this fraction of the usual clock are marked.
pub(super) const SLOW: f64 = 0.9;
/// A probe that takes more than this multiple of the minimum cycles was disturbed. Undisturbed ones
/// vary by a few thousandths.
const DISTURBED: f64 = 1.02;
/// Clock readings are off by this much occasionally; cycles are then counted with the usual clock
/// instead.
const READING_ERROR: f64 = 0.05;
/// Quantile of all probes that serves as the minimum number of cycles.
const MIN_CYCLES_QUANTILE: f64 = 0.05;
/// Minimum number of probes for usual values.
const MIN_READINGS: u64 = 5;

/// Result of a probe.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reading {
    /// Clock of the core, in MHz.
    pub(super) clock_mhz: f64,
    /// Time of the independent additions, in microseconds.
    pub(super) alu_probe_us: f64,
}

/// Probes this core; `None` on architectures without a probe.
pub(super) fn read() -> Option<Reading> {
    let start = Instant::now();
    if !run_chain() {
        return None;
    }
    let middle = Instant::now();
    run_alu_probe();
    let alu_probe_seconds = middle.elapsed().as_secs_f64();
    let chain_seconds = (middle - start).as_secs_f64();
    Some(Reading {
        clock_mhz: f64::from(CHAIN_TURNS * LINKS_PER_TURN) / chain_seconds * 1e-6,
        alu_probe_us: alu_probe_seconds * 1e6,
    })
}

/// Instruction that doubles a register by adding it to itself.
#[cfg(target_arch = "x86_64")]
macro_rules! double {
    ($register:literal) => {
        concat!("add {", $register, "}, {", $register, "}")
    };
}

#[cfg(target_arch = "aarch64")]
macro_rules! double {
    ($register:literal) => {
        concat!("add {", $register, "}, {", $register, "}, {", $register, "}")
    };
}

#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn run_chain() -> bool {
    let mut value = 1_u64;
    for _ in 0..CHAIN_TURNS {
        // SAFETY: the instructions change one declared register and access no memory.
        unsafe {
            std::arch::asm!(
                ".rept {links}", double!("value"), ".endr",
                value = inout(reg) value,
                links = const LINKS_PER_TURN,
                options(pure, nomem, nostack),
            );
        }
    }
    std::hint::black_box(value);
    true
}

/// Six parallel chains: the number of adders in current cores.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
fn run_alu_probe() {
    let [mut a, mut b, mut c, mut d, mut e, mut f] = [1_u64; 6];
    for _ in 0..ALU_PROBE_TURNS {
        // SAFETY: the instructions change only the declared registers and access no memory.
        unsafe {
            std::arch::asm!(
                ".rept {rows}",
                double!("a"), double!("b"), double!("c"),
                double!("d"), double!("e"), double!("f"),
                ".endr",
                a = inout(reg) a, b = inout(reg) b, c = inout(reg) c,
                d = inout(reg) d, e = inout(reg) e, f = inout(reg) f,
                rows = const ROWS_PER_TURN,
                options(pure, nomem, nostack),
            );
        }
    }
    std::hint::black_box([a, b, c, d, e, f]);
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn run_chain() -> bool {
    false
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn run_alu_probe() {}

/// Usual probe results on the CPUs of a team, learnt during the run. Fast and slow cores of a CPU
/// differ in clocks and adders, so each kind of core has its own usual values.
#[derive(Debug)]
pub(super) struct ClockBaseline {
    kinds: Vec<KindBaseline>,
}

/// Usual probe results on cores of one kind.
#[derive(Debug, Default)]
struct KindBaseline {
    /// In ascending order.
    cpus: Vec<usize>,
    clocks: Histogram,
    cycles: Histogram,
}

/// Judgement of a sample by the probes around it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CoreCondition {
    /// A core was far below its usual clock.
    pub(super) slow_clock: bool,
    /// Another program used a core.
    pub(super) disturbed: bool,
}

impl ClockBaseline {
    /// Empty statistics for CPUs of these kinds.
    pub(super) fn new(kinds: &[CoreKind]) -> Self {
        let of_kind =
            |kind: &CoreKind| KindBaseline { cpus: kind.cpus.clone(), ..Default::default() };
        let kinds: Vec<_> = kinds.iter().map(of_kind).collect();
        ClockBaseline {
            kinds: if kinds.is_empty() { vec![KindBaseline::default()] } else { kinds },
        }
    }

    /// Adds the readings around a sample, each with the CPU that it was taken on, and judges the
    /// sample by all readings so far. Readings from unknown CPUs count as those of the first kind.
    pub(super) fn judge(&mut self, readings: &[(Option<usize>, Reading)]) -> CoreCondition {
        let kinds: Vec<usize> = readings.iter().map(|(cpu, _)| self.kind_of(*cpu)).collect();
        let mut condition = CoreCondition::default();
        for (number, kind) in self.kinds.iter_mut().enumerate() {
            let of_kind = readings.iter().zip(&kinds).filter(|(_, kind)| **kind == number);
            let of_kind: Vec<Reading> = of_kind.map(|((_, reading), _)| *reading).collect();
            let judged = kind.judge(&of_kind);
            condition.slow_clock |= judged.slow_clock;
            condition.disturbed |= judged.disturbed;
        }
        condition
    }

    /// Index of the kind of a CPU.
    fn kind_of(&self, cpu: Option<usize>) -> usize {
        let has = |kind: &KindBaseline| cpu.is_some_and(|cpu| kind.cpus.contains(&cpu));
        self.kinds.iter().position(has).unwrap_or(0)
    }
}

impl KindBaseline {
    fn judge(&mut self, readings: &[Reading]) -> CoreCondition {
        let mut clocks = readings.iter().map(|reading| reading.clock_mhz);
        clocks.clone().for_each(|clock| self.clocks.add(clock));
        let Some(clock) = self.clocks.quantile(0.5) else {
            return CoreCondition::default();
        };
        let cycles: Vec<_> = readings.iter().map(|reading| reading.cycles(clock)).collect();
        cycles.iter().for_each(|&cycles| self.cycles.add(cycles));
        let min_cycles = self.cycles.quantile(MIN_CYCLES_QUANTILE).unwrap_or(f64::INFINITY);
        CoreCondition {
            slow_clock: clocks.any(|read| read < SLOW * clock),
            disturbed: cycles.iter().any(|&cycles| cycles > DISTURBED * min_cycles),
        }
    }
}

impl Reading {
    /// Cycles that the independent additions took.
    fn cycles(&self, usual_mhz: f64) -> f64 {
        let is_usual = (self.clock_mhz / usual_mhz - 1.0).abs() < READING_ERROR;
        self.alu_probe_us * if is_usual { usual_mhz } else { self.clock_mhz }
    }
}

/// Histogram of positive numbers with logarithmic bins of a third of a per cent: a run takes
/// hundreds of thousands of readings.
#[derive(Debug, Default)]
pub(super) struct Histogram {
    bins: BTreeMap<i32, u64>,
    count: u64,
}

impl Histogram {
    const BINS_PER_E: f64 = 300.0;

    pub(super) fn add(&mut self, value: f64) {
        let bin = (value.ln() * Self::BINS_PER_E).round() as i32;
        *self.bins.entry(bin).or_default() += 1;
        self.count += 1;
    }

    /// Quantile of the values; `None` while there are too few.
    pub(super) fn quantile(&self, share: f64) -> Option<f64> {
        let wanted = (share * self.count as f64).ceil() as u64;
        let mut seen = 0;
        let bin = self.bins.iter().find(|(_, count)| {
            seen += *count;
            seen >= wanted
        });
        let (bin, _) = bin.filter(|_| self.count >= MIN_READINGS)?;
        Some((f64::from(*bin) / Self::BINS_PER_E).exp())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(baseline: &mut ClockBaseline, clock_mhz: f64, cycles: f64) -> CoreCondition {
        judged_on(baseline, 0, clock_mhz, cycles)
    }

    fn judged_on(
        baseline: &mut ClockBaseline,
        cpu: usize,
        clock_mhz: f64,
        cycles: f64,
    ) -> CoreCondition {
        baseline.judge(&[(Some(cpu), Reading { clock_mhz, alu_probe_us: cycles / clock_mhz })])
    }

    #[test]
    fn slow_cores_have_their_own_baseline() {
        let kind = |name: &str, cpus: &[usize]| CoreKind {
            cpus: cpus.to_vec(),
            name: name.to_owned(),
            max_mhz: None,
        };
        let mut baseline =
            ClockBaseline::new(&[kind("performance", &[0, 1]), kind("efficiency", &[2, 3])]);
        let usual_cores = [(0, 5000.0, 1e4), (2, 3800.0, 1.5e4)];
        for _ in 0..10 {
            for (cpu, clock, cycles) in usual_cores {
                assert_eq!(judged_on(&mut baseline, cpu, clock, cycles), CoreCondition::default());
            }
        }
        // A fast core that is as slow as a slow one, and a slow one that is slower than usual.
        let fast = judged_on(&mut baseline, 1, 3800.0, 1.5e4);
        assert!(fast.slow_clock && fast.disturbed, "{fast:?}");
        let slow = judged_on(&mut baseline, 3, 3000.0, 1.7e4);
        assert!(slow.slow_clock && slow.disturbed, "{slow:?}");
        assert_eq!(judged_on(&mut baseline, 3, 3800.0, 1.5e4), CoreCondition::default());
    }

    #[test]
    fn readings_far_below_the_usual_clock_are_slow() {
        let mut baseline = ClockBaseline::new(&[]);
        let first = judged(&mut baseline, 1000.0, 1e4);
        assert!(!first.slow_clock, "nothing to compare with yet");
        for mhz in [3000.0, 3010.0, 2990.0, 3005.0, 3001.0] {
            assert!(!judged(&mut baseline, mhz, 1e4).slow_clock);
        }
        assert!(judged(&mut baseline, 2000.0, 1e4).slow_clock);
        assert!(!judged(&mut baseline, 2900.0, 1e4).slow_clock);
    }

    #[test]
    fn extra_cycles_are_a_disturbance_at_any_clock() {
        let mut baseline = ClockBaseline::new(&[]);
        let clocks = [3000.0; 10].into_iter().chain([2000.0, 2500.0]);
        for mhz in clocks {
            assert!(!judged(&mut baseline, mhz, 1e4).disturbed);
        }
        assert!(judged(&mut baseline, 3000.0, 1.1e4).disturbed);
        assert!(!judged(&mut baseline, 3000.0, 1.005e4).disturbed);
        // Works as long as some probes are undisturbed.
        let crowded = (0..100).all(|_| judged(&mut baseline, 3000.0, 1.5e4).disturbed);
        assert!(crowded);
    }

    #[test]
    fn quantiles_are_accurate_to_a_bin() {
        let mut histogram = Histogram::default();
        (1..=1000).for_each(|i| histogram.add(f64::from(i)));
        for share in [0.05, 0.5, 0.9] {
            let found = histogram.quantile(share).expect("enough values");
            assert!((found / (1000.0 * share) - 1.0).abs() < 0.004, "{found}");
        }
    }

    #[test]
    fn a_reading_is_plausible() {
        let readings: Option<Vec<_>> = (0..100).map(|_| read()).collect();
        let Some(readings) = readings else {
            eprintln!("skipped: no such work for this architecture");
            return;
        };
        let middle = |value: fn(&Reading) -> f64| {
            let mut values: Vec<_> = readings.iter().map(value).collect();
            values.sort_by(f64::total_cmp);
            values[values.len() / 2]
        };
        let clock = middle(|reading| reading.clock_mhz);
        assert!((400.0..10_000.0).contains(&clock), "{clock} MHz");
        let cycles = middle(|reading| reading.cycles(reading.clock_mhz));
        // Between all six additions in a cycle and one at a time.
        let rows = f64::from(ALU_PROBE_TURNS * ROWS_PER_TURN);
        let plausible = 0.5 * rows..20.0 * rows;
        assert!(plausible.contains(&cycles), "{cycles} cycles");
    }
}
