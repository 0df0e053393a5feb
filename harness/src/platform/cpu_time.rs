//! CPU time of this process and of all processes, and time for which a thread was runnable and
//! waited for a core.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::time::Duration;

use nix::unistd::{SysconfVar, sysconf};

use super::affinity::{process_time, usable_cpus, usable_threads};

/// Columns of a line of `/proc/stat` with busy time of a CPU: user, nice, system, irq, softirq, and
/// steal (used by other guests of the host). The others are idle time.
const BUSY: [usize; 6] = [0, 1, 2, 5, 6, 7];

/// CPU times since some fixed moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CpuTimes {
    /// Time of this process, summed over all CPUs.
    pub own: Duration,
    /// Time of all processes, summed over the CPUs that this process may use; `None` if not
    /// available.
    pub all: Option<Duration>,
}

impl CpuTimes {
    /// Current times; `None` if not available.
    pub fn now() -> Option<Self> {
        let all = fs::read_to_string("/proc/stat").ok();
        let all = all.and_then(|text| busy(&text, &usable_cpus(), ticks_per_s()?));
        Some(CpuTimes { own: process_time()?, all })
    }

    /// Time of this process since an earlier moment, and that of other processes.
    pub fn since(&self, earlier: &CpuTimes) -> (Duration, Option<Duration>) {
        let own = self.own.saturating_sub(earlier.own);
        let all = self.all.zip(earlier.all);
        (own, all.map(|(now, then)| now.saturating_sub(then).saturating_sub(own)))
    }
}

/// Shares of the CPU time of all threads that this process may use.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Utilisation {
    /// Share of this process, or of its workers.
    pub(crate) own: f64,
    /// Share of other processes; `None` if not available.
    pub(crate) others: Option<f64>,
}

impl Utilisation {
    /// Utilisation in a period; `None` for an empty one.
    pub(crate) fn new(own: Duration, others: Option<Duration>, seconds: f64) -> Option<Self> {
        let all = seconds * usable_threads() as f64;
        let share = |time: Duration| time.as_secs_f64() / all;
        (all > 0.0).then(|| Utilisation { own: share(own), others: others.map(share) })
    }
}

fn ticks_per_s() -> Option<f64> {
    let ticks = sysconf(SysconfVar::CLK_TCK).ok()??;
    Some(ticks as f64).filter(|&ticks| ticks > 0.0)
}

/// Busy time of these CPUs, from the text of `/proc/stat`; `None` if it lacks one of them.
fn busy(text: &str, cpus: &[usize], ticks_per_s: f64) -> Option<Duration> {
    let ticks_of = |cpu: &usize| -> Option<u64> {
        let mut lines = text.lines().map(str::split_ascii_whitespace);
        let name = format!("cpu{cpu}");
        let line = lines.find_map(|mut words| (words.next()? == name).then_some(words))?;
        let ticks: Vec<u64> = line.map_while(|word| word.parse().ok()).collect();
        Some(BUSY.iter().filter_map(|&column| ticks.get(column)).sum())
    };
    let ticks: Option<u64> = cpus.iter().map(ticks_of).sum();
    Duration::try_from_secs_f64(ticks? as f64 / ticks_per_s).ok()
}

/// Scheduler statistics of the thread that opens the file.
const FILE: &str = "/proc/thread-self/schedstat";

thread_local! {
    static SCHEDSTAT: Option<File> = File::open(FILE).ok();
}

/// Time for which the calling thread has waited for a core since it was started; `None` if the
/// kernel does not count it. A sleeping thread does not wait for a core.
pub fn run_delay() -> Option<Duration> {
    SCHEDSTAT.with(|file| {
        let mut text = [0; 96];
        let length = file.as_ref()?.read_at(&mut text, 0).ok()?;
        parsed(str::from_utf8(&text[..length]).ok()?)
    })
}

/// Second number of a line of schedstat, in nanoseconds.
fn parsed(line: &str) -> Option<Duration> {
    let nanoseconds = line.split_ascii_whitespace().nth(1)?;
    nanoseconds.parse().ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Instant;

    use super::*;

    const STAT: &str = "cpu  700 0 300 9000 50 7 3 40 0 0\n\
        cpu0 400 10 100 4000 20 5 3 30 0 0\ncpu1 300 0 200 5000 30 2 0 10 0 0\nintr 1\n";

    #[test]
    fn only_usable_cpus_count_and_idle_time_does_not() {
        let busy = |cpus: &[usize]| busy(STAT, cpus, 100.0);
        assert_eq!(busy(&[0]), Some(Duration::from_millis(5480)));
        assert_eq!(busy(&[0, 1]), Some(Duration::from_millis(10_600)));
        assert_eq!(busy(&[2]), None);
    }

    #[test]
    fn remaining_time_belongs_to_other_processes() {
        let at = |own, all: u64| CpuTimes {
            own: Duration::from_secs(own),
            all: Some(Duration::from_secs(all)),
        };
        let (own, others) = at(5, 20).since(&at(2, 10));
        assert_eq!((own.as_secs(), others.map(|it| it.as_secs())), (3, Some(7)));
        let unknown = CpuTimes { all: None, ..at(2, 0) };
        assert_eq!(at(5, 20).since(&unknown).1, None);
        assert!(CpuTimes::now().is_some());
    }

    #[test]
    fn the_second_number_is_the_delay() {
        assert_eq!(parsed("1000 54201 3\n"), Some(Duration::from_nanos(54_201)));
        assert_eq!(parsed("1000\n"), None);
    }

    /// More threads than cores have to wait, and a sleeping thread does not.
    #[test]
    fn waiting_for_a_core_is_counted_and_sleeping_is_not() {
        if run_delay().is_none() {
            eprintln!("skipped: no {FILE}");
            return;
        }
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let busy = |_| {
            thread::spawn(|| {
                let start = Instant::now();
                let before = run_delay();
                while start.elapsed() < Duration::from_millis(300) {}
                run_delay().zip(before).map(|(after, before)| after - before)
            })
        };
        let threads: Vec<_> = (0..4 * cores).map(busy).collect();
        let waited = threads.into_iter().filter_map(|thread| thread.join().expect("ends"));
        let total: Duration = waited.sum();
        // Each core has four threads, three of which wait at any time.
        assert!(total > Duration::from_millis(300), "{total:?}");
        let before = run_delay().expect("counted");
        thread::sleep(Duration::from_millis(300));
        let asleep = run_delay().expect("counted") - before;
        assert!(asleep < Duration::from_millis(290), "{asleep:?}");
    }
}
