//! Concurrent bandwidth of the links of several GPUs.
//!
//! GPUs share the memory of the host and the path to it: all links together may carry less than the
//! sum of what each carries alone. Each link is kept busy by a thread near its GPU, block after
//! block, and measured while all others are busy, too.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Barrier};
use std::thread::{self, Builder};
use std::time::{Duration, Instant};

use portable_gpu::ceilings::{Direction, HostMemory, LinkBuffers};
use portable_gpu::{DeviceError, Gpu};
use reports::record::{LinkBandwidth, LinksAtOnce, SharedLink};
use tasks::device::{Device, Team, TeamError};

use super::placement::{StreamGpus, StreamTeam, stream_specs, team_specs};
use crate::measure::gpu_ceilings::buffers;
use crate::plan::{TeamLayout, TeamSpec};
use crate::platform::placement::{Placement, PlacementError};
use crate::request::DeviceSet;

/// Block size: a transfer takes a few milliseconds, so that the time for waiting is negligible.
const BLOCK: usize = 128 << 20;
/// Time for which links are kept busy, and repetitions: the best counts, as for a single link.
const WINDOW: Duration = Duration::from_millis(150);
const REPETITIONS: usize = 3;

/// Error of measuring links.
#[derive(Debug, thiserror::Error)]
pub(crate) enum LinksError {
    /// Error of a GPU.
    #[error(transparent)]
    Device(#[from] DeviceError),
    /// Threads that can't be started.
    #[error(transparent)]
    Team(#[from] TeamError),
    /// CPUs near a GPU that don't exist.
    #[error("{}", .0.0)]
    Placement(PlacementError),
}

/// A link that carries blocks.
trait Link: Send {
    /// Copies a block and waits for it; returns its bytes, summed over both directions.
    fn copy(&mut self, direction: Direction) -> Result<u64, DeviceError>;

    fn device(&self) -> String;
}

/// Link of a GPU, with a thread near it and memory that this thread has allocated.
struct GpuLink {
    gpu: Arc<Gpu>,
    team: Team,
    buffers: LinkBuffers,
    block: usize,
}

/// Links of several GPUs.
pub(crate) struct Links(Vec<GpuLink>);

impl Links {
    /// Opens the links of all GPUs of a device list.
    pub(crate) fn open(device_set: &DeviceSet, gpus: &StreamGpus) -> Result<Self, LinksError> {
        let layout = TeamLayout { threads: 1, placement: Placement::None, inner: None };
        let specs = team_specs(&layout, device_set, device_set.devices().len())
            .map_err(LinksError::Placement)?;
        let mut links = Vec::new();
        for (&device, spec) in device_set.devices().iter().zip(&specs) {
            links.extend(GpuLink::open(device, gpus, 0, spec)?);
        }
        Ok(Links(links))
    }

    /// Bandwidths of each link alone, and while all others are busy.
    pub(crate) fn alone_and_at_once(&mut self) -> Result<Vec<LinksAtOnce>, LinksError> {
        let directions = HostMemory::Pinned.directions().iter();
        let measured = directions.map(|&direction| compared(&mut self.0, direction, WINDOW));
        Ok(measured.collect::<Result<_, _>>()?)
    }

    /// Bandwidths of all links at the same time.
    pub(super) fn at_once(&mut self) -> Result<LinkBandwidth, LinksError> {
        let mut sum = |direction| -> Result<f64, DeviceError> {
            Ok(best(&mut self.0, direction, WINDOW)?.iter().sum())
        };
        Ok(LinkBandwidth {
            h2d_bytes_per_s: sum(Direction::ToDevice)?,
            d2h_bytes_per_s: sum(Direction::ToHost)?,
            both_bytes_per_s: sum(Direction::Both)?,
        })
    }
}

impl GpuLink {
    /// Opens the link of a GPU in a queue of its own, with a thread; `None` for the host, which has
    /// none.
    fn open(
        device: Device,
        gpus: &StreamGpus,
        queue: usize,
        spec: &TeamSpec,
    ) -> Result<Option<Self>, LinksError> {
        let Some(gpu) = gpus.for_stream(device, queue)? else { return Ok(None) };
        Ok(Some(GpuLink::new(gpu, spec.start()?, BLOCK)?))
    }

    fn new(gpu: Arc<Gpu>, team: Team, largest: usize) -> Result<Self, DeviceError> {
        let (buffers, block) = team.run(|| {
            let (mut buffers, block) = buffers(&gpu, HostMemory::Pinned, largest)?;
            buffers.check(&gpu)?;
            Ok::<_, DeviceError>((buffers, block))
        })?;
        Ok(GpuLink { gpu, team, buffers, block })
    }
}

impl Link for GpuLink {
    fn copy(&mut self, direction: Direction) -> Result<u64, DeviceError> {
        let GpuLink { gpu, team, buffers, block } = self;
        team.run(|| {
            let bytes = buffers.copy(gpu, direction, *block)?;
            gpu.finish()?;
            Ok(bytes)
        })
    }

    fn device(&self) -> String {
        self.gpu.properties().device.clone()
    }
}

/// Link of a GPU that copies blocks in both directions, as a load next to others.
pub(crate) struct LinkLoad(GpuLink);

/// Index of the queue of that load, which no stream has.
const QUEUE_OF_LOAD: usize = usize::MAX;

impl LinkLoad {
    /// Opens the link of a GPU, with a thread near it.
    pub(crate) fn open(device: Device, gpus: &StreamGpus) -> Result<Self, LinksError> {
        let specs = stream_specs(&Placement::None, &[StreamTeam { threads: 1, device }]);
        let mut specs = specs.map_err(LinksError::Placement)?;
        let link = GpuLink::open(device, gpus, QUEUE_OF_LOAD, &specs.remove(0))?;
        let unusable = || DeviceError::Unusable {
            device: device.to_string(),
            reason: "it has no link".to_owned(),
        };
        Ok(LinkLoad(link.ok_or_else(unusable)?))
    }

    /// Bytes of a copy, in both directions.
    pub(crate) fn bytes(&self) -> u64 {
        2 * self.0.block as u64
    }

    /// Copies a block in each direction.
    pub(crate) fn copy(&mut self) -> Result<(), DeviceError> {
        self.0.copy(Direction::Both).map(|_| ())
    }
}

/// Bandwidths of links alone and at the same time, in one direction.
fn compared(
    links: &mut [impl Link],
    direction: Direction,
    window: Duration,
) -> Result<LinksAtOnce, DeviceError> {
    let at_once = best(links, direction, window)?;
    let mut shared = Vec::new();
    for (link, at_once_bytes_per_s) in links.iter_mut().zip(at_once) {
        let alone = best(std::slice::from_mut(link), direction, window)?;
        let device = link.device();
        let alone_bytes_per_s = alone.iter().sum();
        shared.push(SharedLink { device, alone_bytes_per_s, at_once_bytes_per_s });
    }
    Ok(LinksAtOnce { direction: direction.to_string(), links: shared })
}

/// Bandwidths of links at the same time, in bytes per second each: those of the repetition with the
/// largest sum.
fn best(
    links: &mut [impl Link],
    direction: Direction,
    window: Duration,
) -> Result<Vec<f64>, DeviceError> {
    let mut best = Vec::new();
    let sum = |rates: &[f64]| rates.iter().sum::<f64>();
    for _ in 0..REPETITIONS {
        let rates = rates(links, direction, window)?;
        if sum(&rates) > sum(&best) {
            best = rates;
        }
    }
    Ok(best)
}

/// Barrier for links that are busy at the same time.
struct StartBarrier {
    begin: Barrier,
    /// Number of links whose window is not over.
    within: AtomicUsize,
    window: Duration,
}

fn rates(
    links: &mut [impl Link],
    direction: Direction,
    window: Duration,
) -> Result<Vec<f64>, DeviceError> {
    let count = links.len();
    let barrier =
        StartBarrier { begin: Barrier::new(count), within: AtomicUsize::new(count), window };
    let devices: Vec<String> = links.iter().map(Link::device).collect();
    thread::scope(|scope| {
        let barrier = &barrier;
        let mut starts = Vec::new();
        let start = |link| {
            let (start, started) = sync_channel::<()>(1);
            starts.push(start);
            // A link that is not started with all others would wait for them forever.
            let work = move || started.recv().ok().map(|()| keep_busy(link, direction, barrier));
            Builder::new().spawn_scoped(scope, work)
        };
        let busy: Result<Vec<_>, _> = links.iter_mut().map(start).collect();
        let no_thread = |problem: String| DeviceError::Failed {
            device: devices.join(", "),
            what: "starting a thread for each link",
            problem,
        };
        let busy = busy.map_err(|error| no_thread(error.to_string()))?;
        starts.iter().for_each(|start| {
            // The thread waits for this message.
            let _ = start.send(());
        });
        let rates = busy.into_iter().map(|link| match link.join() {
            Ok(Some(rate)) => rate,
            Ok(None) => Err(no_thread("it was not started".to_owned())),
            Err(panic) => std::panic::resume_unwind(panic),
        });
        // Collect first, so that all threads are joined before an error is returned.
        rates.collect::<Vec<_>>().into_iter().collect()
    })
}

/// Keeps a link busy until the windows of all are over; returns its rate within its own. A link
/// that fails leaves no other one waiting.
fn keep_busy(
    link: &mut impl Link,
    direction: Direction,
    barrier: &StartBarrier,
) -> Result<f64, DeviceError> {
    let warm = link.copy(direction);
    barrier.begin.wait();
    let rate = warm.and_then(|_| rate_within(link, direction, barrier.window));
    barrier.within.fetch_sub(1, Ordering::SeqCst);
    while rate.is_ok() && barrier.within.load(Ordering::SeqCst) > 0 {
        link.copy(direction)?;
    }
    rate
}

fn rate_within(
    link: &mut impl Link,
    direction: Direction,
    window: Duration,
) -> Result<f64, DeviceError> {
    let begin = Instant::now();
    let mut bytes = 0;
    loop {
        bytes += link.copy(direction)?;
        let time = begin.elapsed();
        if time >= window {
            return Ok(bytes as f64 / time.as_secs_f64());
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use portable_gpu::emulator;
    use tasks::device::Device;

    use super::*;

    const TAKES: Duration = Duration::from_millis(4);
    const SHORT: Duration = Duration::from_millis(80);

    /// A link to memory that serves one link at a time.
    struct Fake<'a> {
        memory: Option<&'a Mutex<()>>,
        copies_left: usize,
    }

    impl Link for Fake<'_> {
        fn copy(&mut self, _: Direction) -> Result<u64, DeviceError> {
            let fails = || DeviceError::Failed {
                device: self.device(),
                what: "copying",
                problem: "no copies left".to_owned(),
            };
            self.copies_left = self.copies_left.checked_sub(1).ok_or_else(fails)?;
            let _turn = self.memory.map(|memory| memory.lock().expect("no thread panics"));
            thread::sleep(TAKES);
            Ok(1000)
        }

        fn device(&self) -> String {
            "fake:0".to_owned()
        }
    }

    fn share(memory: Option<&Mutex<()>>) -> f64 {
        let link = || Fake { memory, copies_left: usize::MAX };
        let mut links = [link(), link(), link()];
        let shared = compared(&mut links, Direction::ToDevice, SHORT).expect("measured");
        assert_eq!((shared.direction.as_str(), shared.links.len()), ("h2d", 3));
        assert!(shared.links.iter().all(|link| link.at_once_bytes_per_s > 0.0), "{shared:?}");
        shared.share()
    }

    #[test]
    fn links_to_one_memory_share_its_bandwidth() {
        let one = share(Some(&Mutex::new(())));
        let multiprocess = share(None);
        assert!(one < 0.6 && one < 0.7 * multiprocess, "{one} {multiprocess}");
    }

    #[test]
    fn a_failing_link_ends_all() {
        for copies_left in [0, 3] {
            let whole = Fake { memory: None, copies_left: usize::MAX };
            let mut links = [whole, Fake { memory: None, copies_left }];
            let failed = rates(&mut links, Direction::Both, SHORT).expect_err("it fails");
            assert!(failed.to_string().contains("no copies left"), "{failed}");
        }
    }

    #[test]
    fn emulated_gpus_have_concurrent_links() {
        if emulator::unavailable().is_some() {
            return;
        }
        let gpus = StreamGpus::default();
        let link = |number| {
            let gpu = gpus.for_stream(Device::Emulator, number).expect("there").expect("no host");
            GpuLink::new(gpu, Team::new(1).expect("a thread"), 4 << 10).expect("room")
        };
        let mut links = Links(vec![link(0), link(1)]);
        let shared = compared(&mut links.0, Direction::Both, SHORT / 8).expect("measured");
        assert_eq!(shared.links.len(), 2);
        assert!(shared.share() > 0.0 && shared.links.iter().all(|it| it.device == "emulator"));
    }
}
