//! What is seen of copies and kernels: their times, and what kernels take.

use std::time::Instant;

use super::launched::Launched;
use super::{Attributes, DeviceError, Gpu, Grid, Image, Kernel, Shape, lock};
use crate::timing::Stages;

/// Blocks of a multiprocessor that are started where nobody can tell how many run at once.
const RESIDENT_BLOCKS: u32 = 4;

/// A kernel with what it takes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelUse {
    /// Its name.
    pub kernel: &'static str,
    /// How it was started last.
    pub shape: Shape,
    /// What it takes in that shape.
    pub attributes: Attributes,
}

impl<A> Kernel<A> {
    /// Bytes of dynamic shared memory of a block, without what is asked for beyond it.
    pub(crate) fn shared_bytes(&self, gpu: &Gpu) -> u32 {
        let declared = gpu.engine().declared_shared_bytes(self.image, self.name);
        declared.unwrap_or(self.shared_bytes)
    }

    pub(super) fn shape(&self, gpu: &Gpu, grid: Grid) -> Shape {
        Shape {
            blocks: grid.blocks,
            threads: self.threads,
            shared_bytes: self.shared_bytes(gpu) + grid.shared_bytes,
            bytes: grid.bytes,
        }
    }
}

/// Leaves a scope, also if the work in it panics.
struct ScopeGuard<'g>(&'g Gpu);

impl Drop for ScopeGuard<'_> {
    fn drop(&mut self) {
        self.0.submission().timeline.leave();
    }
}

impl Gpu {
    /// From now on takes the times of copies and kernels, and forgets those so
    /// far. The device begins only when the host waits for it, so that the time
    /// that launches take the host is in none of them.
    ///
    /// # Errors
    /// What went wrong on the device before.
    pub fn start_timeline(&self) -> Result<(), DeviceError> {
        self.finish()?;
        self.submission().timeline.start();
        Ok(())
    }

    /// What copies and kernels took since [`Gpu::start_timeline`], once all is
    /// done: the sum of the kernels first, then each by itself, in the order of
    /// their first calls. Takes no more times. Empty where times mean nothing,
    /// and where none were taken.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn stages(&self) -> Result<Stages, DeviceError> {
        let mut submission = self.submission();
        submission.timeline.stop();
        submission.timeline.stages(|from, to| self.engine().seconds_between(from, to))
    }

    /// Whether the host took so long to start what it then waited for that the
    /// device had to begin before: launches are a part of the last times then.
    pub fn was_host_late(&self) -> bool {
        self.submission().timeline.is_late()
    }

    /// Does work of the host that the device has to wait for. Its time is a stage of that name,
    /// `host`, and in no kernel's.
    pub(crate) fn on_host<R>(&self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let done = work();
        self.submission().timeline.on_host(start.elapsed().as_secs_f64());
        done
    }

    /// Does some work whose copies and kernels are parts of a stage of that name:
    /// `name/kernel`.
    ///
    /// # Errors
    /// Those of the work.
    pub fn scope<R>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        self.submission().timeline.enter(name);
        let _guard = ScopeGuard(self);
        work()
    }

    /// What a kernel takes if so much of it is started.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn attributes<A>(&self, kernel: &Kernel<A>, grid: Grid) -> Result<Attributes, DeviceError> {
        let shape = kernel.shape(self, grid);
        self.engine().attributes(kernel.image, kernel.name, &shape)
    }

    /// Blocks of a kernel that run at once, of all multiprocessors, if so much of it is started; or
    /// so many as are worth it, where nobody can tell.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub(crate) fn resident_blocks<A>(
        &self,
        kernel: &Kernel<A>,
        grid: Grid,
    ) -> Result<u32, DeviceError> {
        let of_each = match self.engine().describes_kernels() {
            true => self.attributes(kernel, grid)?.resident_blocks.max(1),
            false => RESIDENT_BLOCKS,
        };
        Ok(of_each * self.properties().multiprocessors)
    }

    /// All kernels that were started so far, in the order of their first calls,
    /// with what they take; none where nobody can tell.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn kernels(&self) -> Result<Vec<KernelUse>, DeviceError> {
        if !self.engine().describes_kernels() {
            return Ok(Vec::new());
        }
        let launched = lock(&self.shared.launched).clone();
        let described = launched.into_iter().map(|launched| {
            let Launched { image, kernel, shape } = launched;
            Ok(KernelUse {
                kernel,
                shape,
                attributes: self.engine().attributes(image, kernel, &shape)?,
            })
        });
        described.collect()
    }

    /// The last launch of each kernel is remembered.
    pub(super) fn note_launch(&self, image: &'static Image, kernel: &'static str, shape: &Shape) {
        let mut launched = lock(&self.shared.launched);
        match launched.iter_mut().find(|known| known.kernel == kernel) {
            Some(known) => known.shape = *shape,
            None => launched.push(Launched { image, kernel, shape: *shape }),
        }
    }
}
