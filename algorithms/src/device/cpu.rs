//! A team of threads on the host, and teams within a team.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::{ThreadPool, ThreadPoolBuilder};

/// So many threads, kept for the whole of a measurement.
///
/// Everything that a variant does in parallel it does with rayon from within
/// [`Team::run`]: then it runs on this team and no other.
pub struct Team {
    pool: ThreadPool,
    /// Of nested teams: the threads of the pool do nothing but hand work to these.
    inner: Option<Arc<InnerTeams>>,
}

/// Teams within a team: one for each of its threads, all of the same size.
pub struct InnerTeams(Vec<ThreadPool>);

/// A team that can't be had.
#[derive(Debug, thiserror::Error)]
pub enum TeamError {
    /// The operating system gave no more threads.
    #[error(
        "the system gives no {}: {source}; {}raise the limit of threads (`ulimit -u`, pids.max of \
         the control group)",
        if *threads == 1 { "thread".to_owned() } else { format!("team of {threads} threads") },
        if *threads == 1 { "" } else { "use fewer --threads, or " }
    )]
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
        Ok(Team { pool: placed_pool(threads, go_to_place)?, inner: None })
    }

    /// Starts a team of `outer` threads, each with a team of `inner` threads of its own, which do
    /// the work. Workers are counted team by team; a thread of the outer team is where the first
    /// worker of its own team is.
    ///
    /// # Errors
    /// If the system gives no threads, or one can't go to its place.
    pub fn nested(
        [outer, inner]: [usize; 2],
        go_to_place: impl Fn(usize) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<Self, TeamError> {
        let go_to_place = Arc::new(go_to_place);
        let pool = |threads: usize, first: usize, stride: usize| {
            let go_to_place = Arc::clone(&go_to_place);
            placed_pool(threads, move |worker| go_to_place(first + stride * worker))
        };
        let teams = (0..outer).map(|number| pool(inner, number * inner, 1));
        let teams = InnerTeams(teams.collect::<Result<_, _>>()?);
        Ok(Team { pool: pool(outer, 0, inner)?, inner: Some(Arc::new(teams)) })
    }

    /// The number of threads that do the work.
    pub fn threads(&self) -> usize {
        self.pool.current_num_threads() * self.inner.as_ref().map_or(1, |inner| inner.threads())
    }

    /// The teams within this one, if there are any.
    pub fn inner(&self) -> Option<Arc<InnerTeams>> {
        self.inner.as_ref().map(Arc::clone)
    }

    /// Runs `work` on a thread of the team.
    pub fn run<R: Send>(&self, work: impl FnOnce() -> R + Send) -> R {
        self.pool.install(work)
    }

    /// Runs `work` once on each thread that does work; results by the workers' numbers.
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
    /// The threads of each.
    pub fn threads(&self) -> usize {
        self.0.first().map_or(1, ThreadPool::current_num_threads)
    }

    /// Does so many pieces of work, by their numbers: each thread of the outer team takes the
    /// next one for its own team. Called by a thread of the outer team.
    pub(crate) fn map<R: Send>(&self, count: usize, work: impl Fn(usize) -> R + Sync) -> Vec<R> {
        let next = AtomicUsize::new(0);
        let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&number| number < count);
        let done = rayon::broadcast(|context| {
            let team = self.0.get(context.index()).into_iter();
            let taken = team.flat_map(|team| std::iter::from_fn(take).map(move |n| (team, n)));
            taken.map(|(team, n)| (n, team.install(|| work(n)))).collect::<Vec<_>>()
        });
        let mut done: Vec<_> = done.into_iter().flatten().collect();
        done.sort_by_key(|(number, _)| *number);
        done.into_iter().map(|(_, result)| result).collect()
    }
}

/// Starts threads, each of which first goes to its place.
fn placed_pool(
    threads: usize,
    go_to_place: impl Fn(usize) -> Result<(), String> + Send + Sync + 'static,
) -> Result<ThreadPool, TeamError> {
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
    // Whoever answers has been to its place.
    pool.broadcast(|_| ());
    let failure = failure.lock().unwrap_or_else(PoisonError::into_inner).take();
    failure.map_or(Ok(pool), Err)
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
    fn teams_within_a_team_share_its_work() {
        let places = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&places);
        let go = move |worker| {
            seen.lock().expect("no panic").push(worker);
            Ok(())
        };
        let team = Team::nested([3, 2], go).expect("threads");
        let mut places = places.lock().expect("no panic").clone();
        places.sort_unstable();
        assert_eq!(places, [0, 0, 1, 2, 2, 3, 4, 4, 5], "the outer ones, too");
        assert_eq!(team.threads(), 6);
        assert_eq!(team.run_on_each(|worker| worker), [0, 1, 2, 3, 4, 5]);
        let inner = team.inner().expect("nested");
        let of_two = |number| (number, rayon::current_num_threads());
        let done = team.run(|| inner.map(100, of_two));
        assert!(done.into_iter().eq((0..100).map(|number| (number, 2))));
        assert!(Team::new(2).expect("threads").inner().is_none());
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
