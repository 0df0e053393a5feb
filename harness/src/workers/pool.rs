//! Workers by index, each with a listener thread.

use std::io;
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use super::process::Process;
use crate::platform::{CpuTimes, Utilisation};

/// Workers by index. They are killed when this is dropped.
#[derive(Default)]
pub(crate) struct Pool {
    slots: Vec<Option<PooledWorker>>,
}

struct PooledWorker {
    process: Process,
    listener: JoinHandle<()>,
}

impl Pool {
    /// Adds a worker, with a thread that listens to its responses until its output is closed.
    pub(crate) fn listen(
        &mut self,
        number: usize,
        process: Process,
        listen: impl FnOnce(&Process) + Send + 'static,
    ) -> io::Result<()> {
        let heard = process.clone();
        let listener = Builder::new().spawn(move || listen(&heard));
        let listener = listener.inspect_err(|_| process.stop())?;
        if self.slots.len() <= number {
            self.slots.resize_with(number + 1, || None);
        }
        self.slots[number] = Some(PooledWorker { process, listener });
        Ok(())
    }

    /// True if there is such a worker, and it has not closed its output.
    pub(crate) fn is_running(&self, number: usize) -> bool {
        let slot = self.slots.get(number).and_then(Option::as_ref);
        slot.is_some_and(|worker| !worker.listener.is_finished())
    }

    /// Indices and processes of the running workers.
    pub(crate) fn running(&self) -> impl Iterator<Item = (usize, &Process)> {
        let slots = self.slots.iter().enumerate();
        let running = slots.filter(|(number, _)| self.is_running(*number));
        running.filter_map(|(number, worker)| Some((number, &worker.as_ref()?.process)))
    }

    /// CPU times up to now.
    pub(crate) fn usage(&self) -> Usage {
        let workers = self.running().filter_map(|(_, process)| process.cpu_time()).sum();
        Usage { machine: CpuTimes::now(), workers }
    }

    /// Handle of a worker that was started.
    pub(crate) fn process(&self, number: usize) -> Option<&Process> {
        Some(&self.slots.get(number)?.as_ref()?.process)
    }

    /// Kills all of them.
    pub(crate) fn end(&mut self) {
        for worker in self.slots.iter().flatten() {
            worker.process.kill();
        }
        for worker in self.slots.drain(..).flatten() {
            worker.process.stop();
            // Listeners end with their processes, and return nothing.
            let _ = worker.listener.join();
        }
    }
}

/// CPU times of the machine and of the running workers.
pub(crate) struct Usage {
    machine: Option<CpuTimes>,
    workers: Duration,
}

impl Usage {
    /// Utilisation by workers and by other processes since an earlier moment, `seconds` before.
    pub(crate) fn since(&self, earlier: &Usage, seconds: f64) -> Option<Utilisation> {
        let (_, others) = self.machine?.since(earlier.machine.as_ref()?);
        let workers = self.workers.saturating_sub(earlier.workers);
        // In the times of this process, its workers count as others.
        let others = others.map(|others| others.saturating_sub(workers));
        Utilisation::new(workers, others, seconds)
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.end();
    }
}
