//! A team of threads on the host, and nested teams.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// A thread pool that is kept for a whole measurement.
/// All parallel work of a variant uses rayon from within [`Team::run`], so it runs on this team and
/// no other.
pub struct Team {
    pool: ThreadPool,
    /// Set for nested teams: the threads of the pool only hand work to these.
    inner: Option<Arc<InnerTeams>>,
}

/// The inner teams of a nested team: one for each outer thread, all of the same size.
pub struct InnerTeams(Vec<ThreadPool>);

/// A team that can't be started.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The operating system refused to start threads.
    #[error(
        "the system gives no {}: {source}; {}raise the limit of threads (`ulimit -u`, pids.max of \
         the control group)",
        if *threads == 1 { "thread".to_owned() } else { format!("team of {threads} threads") },
        if *threads == 1 { "" } else { "use fewer --threads, or " }
    )]
    Threads {
        /// Number of threads requested.
        threads: usize,
        /// Error of the system.
        source: rayon::ThreadPoolBuildError,
    },
    /// A thread can't be bound to its CPUs.
    #[error("thread {worker} can't be bound to its CPUs: {problem}")]
    Bind {
        /// Index of the thread.
        worker: usize,
        /// Reason.
        problem: String,
    },
}

impl Team {
    /// Starts threads that are not bound to CPUs.
    ///
    /// # Errors
    /// If the system refuses to start them.
    pub fn new(threads: usize) -> Result<Self, TeamError> {
        Self::placed(threads, |_| Ok(()))
    }

    /// Starts threads, each of which first binds itself by `bind_thread`, called with its index.
    ///
    /// # Errors
    /// If the system refuses to start threads, or one can't be bound.
    pub fn placed(
        threads: usize,
        bind_thread: impl Fn(usize) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<Self, TeamError> {
        Ok(Team { pool: bound_pool(threads, bind_thread)?, inner: None })
    }

    /// Starts a team of `outer` threads, each with an inner team of `inner` threads, which do the
    /// work. Workers are counted team by team; an outer thread is bound where the first worker of
    /// its inner team is.
    ///
    /// # Errors
    /// If the system refuses to start threads, or one can't be bound.
    pub fn nested(
        outer: usize,
        inner: usize,
        bind_thread: impl Fn(usize) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<Self, TeamError> {
        let bind_thread = Arc::new(bind_thread);
        let pool = |threads: usize, first: usize, stride: usize| {
            let bind_thread = Arc::clone(&bind_thread);
            bound_pool(threads, move |worker| bind_thread(first + stride * worker))
        };
        let teams = (0..outer).map(|team| pool(inner, team * inner, 1));
        let teams = InnerTeams(teams.collect::<Result<_, _>>()?);
        Ok(Team { pool: pool(outer, 0, inner)?, inner: Some(Arc::new(teams)) })
    }

    /// Number of threads that do the work.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads() * self.inner.as_ref().map_or(1, |inner| inner.threads())
    }

    /// The inner teams, if the team is nested.
    pub fn inner(&self) -> Option<Arc<InnerTeams>> {
        self.inner.as_ref().map(Arc::clone)
    }

    /// Runs `work` on a thread of the team.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Runs `work` once on each thread that does work; results are ordered by worker index.
    pub fn run_on_each<R: Send>(&self, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let Some(inner) = &self.inner else {
            return self.pool.broadcast(|context| work(context.index()));
        };
        let of_team = self.pool.broadcast(|team| {
            let first = team.index() * inner.threads();
            inner.0[team.index()].broadcast(|context| work(first + context.index()))
        });
        of_team.into_iter().flatten().collect()
    }
}

impl InnerTeams {
    /// Threads of each inner team.
    pub fn threads(&self) -> usize {
        self.0.first().map_or(1, ThreadPool::current_num_threads)
    }

    /// Runs `count` pieces of work by index and returns their results in order: each thread of the
    /// outer team takes the next index for its inner team. Called by a thread of the outer team.
    pub fn map<R: Send>(&self, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&index| index < count);
        let done = rayon::broadcast(|context| {
            let team = self.0.get(context.index()).into_iter();
            let taken = team.flat_map(|team| std::iter::from_fn(take).map(move |n| (team, n)));
            taken.map(|(team, n)| (n, team.install(|| work(n)))).collect::<Vec<_>>()
        });
        let mut done: Vec<_> = done.into_iter().flatten().collect();
        done.sort_by_key(|(index, _)| *index);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// Starts threads, each of which first binds itself by `bind_thread`.
fn bound_pool(
    threads: usize,
    bind_thread: impl Fn(usize) -> Result<(), String> + Send + Sync + 'static,
) -> Result<ThreadPool, TeamError> {
    let failure = Arc::new(Mutex::new(None));
    let note = Arc::clone(&failure);
    let start = move |worker| {
        if let Err(problem) = bind_thread(worker) {
            let failure = TeamError::Bind { worker, problem };
            *note.lock().unwrap_or_else(PoisonError::into_inner) = Some(failure);
        }
    };
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|worker| format!("worker-{worker}"))
        .start_handler(start)
        .build()
        .map_err(|source| TeamError::Threads { threads, source })?;
    // A thread that answers has run its start handler.
    pool.broadcast(|_| ());
    let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    failure.map_or(Ok(pool), Err)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_runs_once_on_each_worker() {
        let team = Team::new(3).expect("threads");
        assert_eq!(team.threads(), 3);
        assert_eq!(team.run_on_each(|worker| worker), [0, 1, 2]);
        assert_eq!(team.run(rayon::current_num_threads), 3);
    }

    #[test]
    fn nested_teams_share_the_work() {
        let bound = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&bound);
        let go = move |worker| {
            seen.lock().expect("no panic").push(worker);
            Ok(())
        };
        let team = Team::nested(3, 2, go).expect("threads");
        let mut bound = bound.lock().expect("no panic").clone();
        bound.sort_unstable();
        assert_eq!(bound, [0, 0, 1, 2, 2, 3, 4, 4, 5], "the outer ones, too");
        assert_eq!(team.threads(), 6);
        assert_eq!(team.run_on_each(|worker| worker), [0, 1, 2, 3, 4, 5]);
        let inner = team.inner().expect("nested");
        let with_threads = |index| (index, rayon::current_num_threads());
        let done = team.run(|| inner.map(100, with_threads));
        assert!(done.into_iter().eq((0..100).map(|index| (index, 2))));
        assert!(Team::new(2).expect("threads").inner().is_none());
    }

    #[test]
    fn a_thread_that_can_not_be_bound_is_named() {
        let only_first = |worker| {
            if worker == 0 { Ok(()) } else { Err("no such CPU".to_owned()) }
        };
        let error = Team::placed(2, only_first).err().expect("refused");
        assert_eq!(error.to_string(), "thread 1 can't be bound to its CPUs: no such CPU");
    }
}
