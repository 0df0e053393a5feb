//! A team of threads on the host.

use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// So many threads, kept for the whole of a measurement.
///
/// Everything that a variant does in parallel it does with rayon from within
/// [`Team::run`]: then it runs on this team and no other.
pub struct Team {
    pool: ThreadPool,
}

/// A team that can't be had.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The operating system gave no more threads.
    #[error("a team of {threads} threads can't be had: {source}; use fewer with --threads")]
    Threads {
        /// How many were wanted.
        threads: usize,
        /// What the system said.
        source: rayon::ThreadPoolBuildError,
    },
    /// A thread can't be where it should.
    #[error("thread {worker} can't be placed: {problem}")]
    Place {
        /// The thread's number.
        worker: usize,
        /// Why.
        problem: String,
    },
}

impl Team {
    /// Starts threads that may be anywhere.
    ///
    /// # Errors
    /// If the system gives none.
    pub fn new(threads: usize) -> Result<Self, TeamError> {
        Self::placed(threads, |_| Ok(()))
    }

    /// Starts threads, each of which first goes to its place.
    ///
    /// # Errors
    /// If the system gives no threads, or one can't go to its place.
    pub fn placed(
        threads: usize,
        go_to_place: impl Fn(usize) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<Self, TeamError> {
        let failure = Arc::new(Mutex::new(None));
        let note = Arc::clone(&failure);
        let start = move |worker| {
            if let Err(problem) = go_to_place(worker) {
                let failure = TeamError::Place { worker, problem };
                *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
            }
        };
        let pool = ThreadPoolBuilder::new()
            .num_threads(threads)
            .thread_name(|worker| format!("worker-{worker}"))
            .start_handler(start)
            .build()
            .map_err(|source| TeamError::Threads { threads, source })?;
        let team = Team { pool };
        // Whoever answers has been to its place.
        team.run_on_each(|_| ());
        let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
        failure.map_or(Ok(team), Err)
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

    #[test]
    fn a_thread_that_finds_no_place_is_named() {
        let only_first = |worker| {
            if worker == 0 { Ok(()) } else { Err("no room".to_owned()) }
        };
        let error = Team::placed(2, only_first).err().expect("refused");
        assert_eq!(error.to_string(), "thread 1 can't be placed: no room");
    }
}
