//! Time for which a thread was runnable and waited for a core.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::Duration;

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
