//! Threads of this process, which the system may refuse: `ulimit -u` and `pids.max` of a control
//! group are easily reached on login nodes.
//!
//! Parallel generation, checks and file reading use rayon's global pool. By default, that pool
//! starts with its first use, and ends the process if the system refuses threads. So it is started
//! here, before any work.

use std::io;
use std::num::NonZero;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread::{Builder, available_parallelism};

use rayon::{ThreadBuilder, ThreadPoolBuilder};

/// Error: no thread could be started.
#[derive(Debug, thiserror::Error)]
#[error(
    "the system gives no thread: {0}; end other processes, or raise the limit (`ulimit -u`, \
     pids.max of the control group)"
)]
pub struct NoThreads(io::Error);

/// Advice if the system grants no more processes, threads or open files.
pub(crate) const RAISE_LIMITS: &str = "raise the limits of threads and files (`ulimit -u`, `ulimit -n`, pids.max of the control group)";

/// True if the system refused because of a limit of processes, threads, open files or memory.
pub(crate) fn is_limit(error: &io::Error) -> bool {
    let limits = [libc::EAGAIN, libc::EMFILE, libc::ENFILE, libc::ENOMEM];
    error.raw_os_error().is_some_and(|code| limits.contains(&code))
}

/// A thread that waits for its part of a pool.
type Waiting = SyncSender<ThreadBuilder>;

/// Starts the pool that everything except measured work uses. Returns a note if it has fewer
/// threads than there are CPUs.
pub(crate) fn start_global_pool() -> Result<Option<String>, NoThreads> {
    let wanted = available_parallelism().map_or(1, NonZero::get);
    let mut waiting: Vec<Waiting> = Vec::new();
    let mut refusal = None;
    while waiting.len() < wanted && refusal.is_none() {
        match waiting_thread() {
            Ok(thread) => waiting.push(thread),
            Err(error) => refusal = Some(error),
        }
    }
    let note = match refusal {
        None => None,
        Some(error) if waiting.is_empty() => return Err(NoThreads(error)),
        Some(error) => {
            // The other threads end, because listeners and measured work need threads, too.
            waiting.truncate(1);
            Some(format!(
                "note: the system gives fewer than {wanted} threads ({error}); one of them \
                 generates and checks"
            ))
        }
    };
    let hand_out = |part: ThreadBuilder| {
        let thread = &waiting[part.index()];
        thread.send(part).map_err(|_| io::ErrorKind::BrokenPipe.into())
    };
    let pool = ThreadPoolBuilder::new().num_threads(waiting.len()).spawn_handler(hand_out);
    // An error means that there is a pool already, which is equally good; no thread is started
    // here.
    drop(pool.build_global());
    Ok(note)
}

fn waiting_thread() -> io::Result<Waiting> {
    let (sender, part) = sync_channel(1);
    Builder::new().spawn(move || part.recv().map(ThreadBuilder::run))?;
    Ok(sender)
}
