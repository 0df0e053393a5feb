//! A team of threads on the host.

use rayon::{ThreadPool, ThreadPoolBuilder};

/// So many threads, kept for the whole of a measurement.
///
/// Everything that a variant does in parallel it does with rayon from within
/// [`Team::run`]: then it runs on this team and no other.
pub struct Team {
    pool: ThreadPool,
}

/// The operating system gave no more threads.
#[derive(Debug, thiserror::Error)]
#[error("a team of {threads} threads can't be had: {source}; use fewer with --threads")]
pub struct TeamError {
    threads: usize,
    source: rayon::ThreadPoolBuildError,
}

impl Team {
    /// Starts the threads.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn new(threads: usize) -> Result<Self, TeamError> {
        ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|worker| format!("worker-{worker}"))
            .build()
            .map(|pool| Team { pool })
            .map_err(|source| TeamError { threads, source })
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads()
    }

    /// Runs `work` on a thread of the team.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Runs `work` once on each thread; results by the workers' numbers.
    pub fn run_on_each<R: Send>(&self, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        self.pool.broadcast(|context| work(context.index()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_worker_is_asked_once() {
        let team = Team::new(3).expect("threads");
        assert_eq!(team.threads(), 3);
        assert_eq!(team.run_on_each(|worker| worker), [0, 1, 2]);
        assert_eq!(team.run(rayon::current_num_threads), 3);
    }
}
