//! Measurements of copies and kernels: their times, and the resources of kernels.

use std::time::Instant;

use super::launched::Launched;
use super::nvtx::StageRanges;
use super::timeline::HOST;
use super::{Attributes, DeviceError, Gpu, Image, Kernel, LaunchConfig, Shape, lock};
use crate::timing::Stages;

/// Blocks to start for each multiprocessor if the number of resident blocks is unknown.
const RESIDENT_BLOCKS: u32 = 4;

/// A kernel with its resources.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct KernelUse {
    /// Name of the kernel.
    pub kernel: &'static str,
    /// Launch configuration of its last start.
    pub shape: Shape,
    /// Resources in that configuration.
    pub attributes: Attributes,
}

impl<A> Kernel<A> {
    /// Bytes of dynamic shared memory of a block, without those that a launch adds.
    pub fn shared_bytes(&self, gpu: &Gpu) -> u32 {
        let declared = gpu.engine().declared_shared_bytes(self.image, self.name);
        declared.unwrap_or(self.shared_bytes)
    }

    /// The launch configuration of the device; an error if it has too many threads or blocks.
    pub(super) fn shape(&self, gpu: &Gpu, config: LaunchConfig) -> Result<Shape, DeviceError> {
        let [y, z] = config.rows;
        let grid = [config.blocks, y, z];
        let block = config.block.unwrap_or([self.threads, 1, 1]);
        let refused = |problem: String| DeviceError::Launch {
            device: gpu.properties().device.clone(),
            kernel: self.name,
            problem,
        };
        let threads = product(block).filter(|threads| (1..=self.threads).contains(threads));
        let threads = threads.ok_or_else(|| {
            let max = self.threads;
            refused(format!("it takes 1 to {max} threads per block, not {}", sizes(block)))
        })?;
        let blocks = product(grid);
        let blocks =
            blocks.ok_or_else(|| refused(format!("{} are too many blocks", sizes(grid))))?;
        let shared_bytes = self.shared_bytes(gpu).saturating_add(config.shared_bytes);
        Ok(Shape { blocks, threads, grid, block, shared_bytes, bytes: config.bytes })
    }
}

fn product(sizes: [u32; 3]) -> Option<u32> {
    sizes.into_iter().try_fold(1, u32::checked_mul)
}

fn sizes([x, y, z]: [u32; 3]) -> String {
    format!("{x} · {y} · {z}")
}

/// Leaves a scope, also if the work in it panics.
struct ScopeGuard<'g>(&'g Gpu);

impl Drop for ScopeGuard<'_> {
    fn drop(&mut self) {
        self.0.submission().timeline.leave();
    }
}

impl Gpu {
    /// Starts to take the times of copies and kernels, and discards earlier ones. The device starts
    /// only when the host waits for it, so that no time includes the host's time for launches.
    ///
    /// # Errors
    /// Errors of earlier work on the device.
    pub fn start_timeline(&self) -> Result<(), DeviceError> {
        self.finish()?;
        self.submission().timeline.start();
        Ok(())
    }

    /// Shows a profiler the host's part of all further steps and scopes, or no longer.
    pub fn show_ranges(&self, ranges: Option<StageRanges>) {
        self.submission().ranges = ranges;
    }

    /// Returns the times of copies and kernels since [`Gpu::start_timeline`], once all work has
    /// ended: first the sum of the kernels, then each one, in the order of first calls. Stops
    /// taking times. Empty if the device has no clock, or no times were taken.
    ///
    /// # Errors
    /// If the driver refuses.
    pub fn stages(&self) -> Result<Stages, DeviceError> {
        let mut submission = self.submission();
        submission.timeline.stop();
        submission.timeline.stages(|from, to| self.engine().seconds_between(from, to))
    }

    /// True if the host took so long to start work that the device had to begin before all was
    /// queued: the last times then include launches.
    pub fn was_host_late(&self) -> bool {
        self.submission().timeline.is_late()
    }

    /// Runs work of the host that the device has to wait for. Its time is the stage `host`, and is
    /// not included in that of a kernel.
    pub fn host_stage<R>(&self, work: impl FnOnce() -> R) -> R {
        let range = self.submission().range(HOST);
        let start = Instant::now();
        let done = work();
        drop(range);
        self.submission().timeline.add_host_time(start.elapsed().as_secs_f64());
        done
    }

    /// Runs work whose copies and kernels become parts of the stage `name`: `name/kernel`.
    ///
    /// # Errors
    /// Errors of the work.
    pub fn scope<R>(
        &self,
        name: &'static str,
        work: impl FnOnce() -> Result<R, DeviceError>,
    ) -> Result<R, DeviceError> {
        let mut submission = self.submission();
        let _range = submission.range(name);
        submission.timeline.enter(name);
        drop(submission);
        let _guard = ScopeGuard(self);
        work()
    }

    /// Returns the resources of a kernel in a launch configuration.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn attributes<A>(
        &self,
        kernel: &Kernel<A>,
        grid: LaunchConfig,
    ) -> Result<Attributes, DeviceError> {
        let shape = kernel.shape(self, grid)?;
        self.engine().attributes(kernel.image, kernel.name, &shape)
    }

    /// Number of resident blocks of a kernel on all multiprocessors in a launch configuration; a
    /// fixed number per multiprocessor if the device does not report it.
    ///
    /// # Errors
    /// If there is no such kernel.
    pub fn resident_blocks<A>(
        &self,
        kernel: &Kernel<A>,
        grid: LaunchConfig,
    ) -> Result<u32, DeviceError> {
        let per_multiprocessor = if self.engine().describes_kernels() {
            self.attributes(kernel, grid)?.resident_blocks.max(1)
        } else {
            RESIDENT_BLOCKS
        };
        Ok(per_multiprocessor * self.properties().multiprocessors)
    }

    /// Returns all kernels that were started so far, in the order of first calls, with their
    /// resources; empty if the device does not report them.
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

    /// Stores the launch configuration of a kernel; the last one is kept.
    pub(super) fn note_launch(&self, image: &'static Image, kernel: &'static str, shape: &Shape) {
        let mut launched = lock(&self.shared.launched);
        match launched.iter_mut().find(|known| known.kernel == kernel) {
            Some(known) => known.shape = *shape,
            None => launched.push(Launched { image, kernel, shape: *shape }),
        }
    }
}
