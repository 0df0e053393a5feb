//! What `bench throughput` is asked for.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use algorithms::device::Device;
use clap::{ArgAction, Args};
use reports::table::Format;
use text::Foreign;

use super::values::{self, Threads, each_once};
use super::{MeasureRequest, Outputs, is_only_tried};
use crate::platform::gpus::usable_devices;
use crate::platform::usable_threads;

/// A window where commands are only tried.
const TRIED: Duration = Duration::from_millis(50);

/// More processes than any machine has GPUs, or parts that are worth one.
const MOST_PROCESSES: usize = 1024;

/// A task to be kept busy by streams of events.
pub struct ThroughputRequest {
    /// The task, its data, and what runs where; one device of each place.
    pub measuring: MeasureRequest,
    /// The devices that streams are spread over; all that can be used, each by itself, if none
    /// are given.
    pub places: Vec<DevicePlace>,
    /// What measuring commands don't have.
    pub flags: ThroughputFlags,
}

/// The flags that measuring commands don't have.
#[derive(Args, Clone, Debug)]
pub struct ThroughputFlags {
    /// Streams side by side, each with its own threads, buffers and events: numbers, all, or
    /// doubling (1, 2, 4, ...) [default: doubling, up to as many as there are CPUs]
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = "Streams")]
    #[arg(value_parser = values::thread_counts)]
    pub streams: Vec<Vec<Threads>>,
    /// Events of each stream, which differ and are taken in turn.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "4")]
    #[arg(help_heading = "Streams", value_parser = values::count())]
    pub batch: Vec<u64>,
    /// Processes that drive the streams, which are dealt out to them in turn: numbers, or per-gpu
    /// for one for each GPU that a device names.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1")]
    #[arg(help_heading = "Streams")]
    pub processes: Vec<Processes>,
    /// The window of a point, after warming up; longer if events are long.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "3s")]
    #[arg(help_heading = "Streams")]
    pub duration: Duration,
    /// Time for all of it, such as 30m, divided fairly over the points.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = "Streams")]
    pub budget: Option<Duration>,
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    #[arg(help = "Folder for the results [default: results/<UTC time>-throughput-TASK]")]
    pub out: Option<PathBuf>,
    /// How to print the table, and into which files.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs<Format>,
    /// Draw no charts.
    #[arg(long = "no-charts", action = ArgAction::SetTrue, help_heading = "Output")]
    #[arg(value_parser = values::switch(true, false))]
    pub charts: bool,
    /// Hide progress.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// How many processes drive streams.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processes {
    /// So many.
    Count(usize),
    /// One for each GPU.
    PerGpu,
}

impl FromStr for Processes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count = text.parse().ok().filter(|count| (1..=MOST_PROCESSES).contains(count));
        match (text, count) {
            ("per-gpu", _) => Ok(Processes::PerGpu),
            (_, Some(count)) => Ok(Processes::Count(count)),
            _ => Err(format!("use a number from 1 to {MOST_PROCESSES}, or per-gpu")),
        }
    }
}

/// Where streams run: on a device, or spread over several of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DevicePlace(Vec<Device>);

impl DevicePlace {
    /// The devices; at least one.
    pub fn devices(&self) -> &[Device] {
        &self.0
    }

    /// All of these devices, if there are any.
    pub(crate) fn of_all(devices: Vec<Device>) -> Option<Self> {
        (!devices.is_empty()).then_some(DevicePlace(devices))
    }

    /// The device of a stream: they take turns.
    pub fn of_stream(&self, stream: usize) -> Device {
        self.0[stream % self.0.len()]
    }
}

impl From<Device> for DevicePlace {
    fn from(device: Device) -> Self {
        DevicePlace(vec![device])
    }
}

impl fmt::Display for DevicePlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(Device::to_string).collect();
        f.write_str(&names.join("+"))
    }
}

impl FromStr for DevicePlace {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let devices: Vec<Device> =
            names(text).iter().map(|it| it.parse()).collect::<Result<_, _>>()?;
        for (i, device) in devices.iter().enumerate() {
            if device.backend() != devices[0].backend() {
                let problem = format!("{} and {device} are devices of different kinds", devices[0]);
                return Err(format!(
                    "{problem}; give them as two: {}",
                    text.replace('+', ",").shown()
                ));
            }
            if devices[..i].contains(device) {
                return Err(format!("{device} is there twice; give more --streams instead"));
            }
        }
        Ok(DevicePlace(devices))
    }
}

/// The names of devices that are joined: what has no number belongs to the one before, as in
/// `wgpu:0+checked`.
fn names(text: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for part in text.split('+') {
        match names.last_mut() {
            Some(name)
                if !part.is_empty()
                    && !part.contains(':')
                    && name.contains(':')
                    && part != "cpu" =>
            {
                *name = format!("{name}+{part}");
            }
            _ => names.push(part.to_owned()),
        }
    }
    names
}

impl ThroughputRequest {
    /// Numbers of streams, ascending.
    pub fn stream_counts(&self) -> Vec<usize> {
        let given = self.flags.streams.concat();
        let mut counts: Vec<usize> = match given.as_slice() {
            [] => values::doubling(usable_threads()),
            given => given.iter().map(|count| count.all).collect(),
        };
        counts.sort_unstable();
        counts.dedup();
        counts
    }

    /// Numbers of events of a stream.
    pub fn batches(&self) -> Vec<usize> {
        let mut batches: Vec<usize> =
            self.flags.batch.iter().map(|&batch| batch as usize).collect();
        each_once(&mut batches);
        batches
    }

    /// Numbers of processes on a place.
    pub(crate) fn process_counts(&self, place: &DevicePlace) -> Vec<usize> {
        let count = |processes: &Processes| match processes {
            Processes::Count(count) => *count,
            Processes::PerGpu => place.devices().len(),
        };
        let mut counts: Vec<usize> = self.flags.processes.iter().map(count).collect();
        each_once(&mut counts);
        counts
    }

    /// Fills in what no flag alone says.
    ///
    /// # Errors
    /// If flags make no sense together.
    pub(crate) fn complete(&mut self) -> Result<(), String> {
        self.measuring.settings.tidy();
        each_once(&mut self.places);
        if self.measuring.settings.threads.is_empty() {
            self.measuring.settings.threads.push(vec![1.into()]);
        }
        let mut threads = self.flags.streams.iter().flatten();
        if threads.any(|count| count.inner.is_some()) {
            return Err(
                "--streams takes plain numbers; --threads says how many each has".to_owned()
            );
        }
        let settings = &self.measuring.settings;
        let is_nested = settings.thread_counts().iter().any(|threads| threads.inner.is_some())
            || settings.binds.iter().any(|bind| bind.inner.is_some());
        if is_nested {
            return Err("streams are teams already; give --threads and --bind one level".to_owned());
        }
        if is_only_tried() {
            self.flags.duration = self.flags.duration.min(TRIED);
        }
        Ok(())
    }

    /// Takes all devices that can be used, unless some were given; see
    /// [`MeasureRequest::choose_devices`].
    pub(crate) fn choose_devices(&mut self) {
        if self.places.is_empty() {
            self.places = usable_devices().into_iter().map(DevicePlace::from).collect();
        }
        let mut first: Vec<Device> = self.places.iter().map(|place| place.0[0]).collect();
        each_once(&mut first);
        self.measuring.settings.devices = first;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn processes_are_a_number_or_one_for_each_gpu() {
        assert_eq!("per-gpu".parse(), Ok(Processes::PerGpu));
        assert_eq!("4".parse(), Ok(Processes::Count(4)));
        for text in ["0", "-1", "per-cpu", "1025", ""] {
            assert!(text.parse::<Processes>().is_err(), "{text}");
        }
    }

    #[test]
    fn devices_of_one_kind_are_a_place() {
        let place: DevicePlace = "cuda:0+cuda:1".parse().expect("one kind");
        assert_eq!(place.to_string(), "cuda:0+cuda:1");
        let devices: Vec<Device> = (0..3).map(|stream| place.of_stream(stream)).collect();
        assert_eq!(devices, [Device::Cuda(0), Device::Cuda(1), Device::Cuda(0)]);
        let checked: DevicePlace = "wgpu:0+checked+wgpu:1".parse().expect("one kind");
        assert_eq!(checked.devices(), [Device::WgpuChecked(0), Device::Wgpu(1)]);
        for (text, problem) in [
            ("cuda:0+cpu", "different kinds; give them as two: cuda:0,cpu"),
            ("cuda:0+cuda:0", "cuda:0 is there twice"),
            ("cpu+cpu", "cpu is there twice"),
            ("cuda:0+", "unknown device"),
        ] {
            let error = text.parse::<DevicePlace>().expect_err("refused");
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
