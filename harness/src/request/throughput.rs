//! Request of `bench throughput`.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::{ArgAction, Args};
use tasks::device::Device;
use text::Untrusted;

use super::values::{self, Threads, each_once};
use super::{EnergyFlags, MeasureRequest, Outputs, is_only_tried};
use crate::platform::gpus::usable_devices;
use crate::platform::usable_threads;

/// Measurement window in smoke mode.
const TRIED: Duration = Duration::from_millis(50);

/// Upper limit of processes: above the GPU count of any machine.
const MAX_PROCESSES: usize = 1024;

/// Task to measure with concurrent event streams.
pub struct ThroughputRequest {
    /// Task, data, variants and devices; the first device of each entry of `device_sets`.
    pub measuring: MeasureRequest,
    /// Devices to spread streams over; each usable device separately if none are given.
    pub device_sets: Vec<DeviceSet>,
    /// Flags of streams.
    pub flags: ThroughputFlags,
}

/// Name of the flag `--batch` where the task has an axis of this name.
pub const ROTATION: &str = "rotation";

/// Flags of streams.
#[derive(Args, Clone, Debug)]
pub struct ThroughputFlags {
    /// Concurrent streams, each with its own threads, buffers and events: N, all, or doubling (1, 2,
    /// 4, ...) [default: doubling, up to the number of CPUs]
    #[arg(long, value_name = "N", value_delimiter = ',', help_heading = "Streams")]
    #[arg(value_parser = values::thread_counts)]
    pub streams: Vec<Vec<Threads>>,
    /// Distinct inputs per stream, processed in rotation.
    #[arg(id = ROTATION, long = "batch", alias = ROTATION, value_name = "N", value_delimiter = ',', default_value = "4")]
    #[arg(help_heading = "Streams", value_parser = values::count())]
    pub batch: Vec<u64>,
    /// Driver processes that share the streams: N, or per-gpu for one per GPU.
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "1")]
    #[arg(help_heading = "Streams")]
    pub processes: Vec<Processes>,
    /// Measurement window of a point, after warm-up; longer for long events.
    #[arg(long, value_name = "TIME", value_parser = values::duration, default_value = "3s")]
    #[arg(help_heading = "Streams")]
    pub duration: Duration,
    /// Total time budget, such as 30m, divided evenly over the points.
    #[arg(long, value_name = "TIME", value_parser = values::duration, help_heading = "Streams")]
    pub budget: Option<Duration>,
    /// Meters of energy.
    #[command(flatten)]
    pub energy: EnergyFlags,
    /// A new folder below `results/` if not given.
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    #[arg(help = "Folder for the results [default: results/<UTC time>-throughput-TASK]")]
    pub out: Option<PathBuf>,
    /// Formats of the table.
    #[command(flatten, next_help_heading = "Output")]
    pub format: Outputs,
    /// Draw no charts.
    #[arg(long = "no-charts", action = ArgAction::SetTrue, help_heading = "Output")]
    #[arg(value_parser = values::switch(true, false))]
    pub charts: bool,
    /// Hide progress.
    #[arg(long, short, help_heading = "Output")]
    pub quiet: bool,
}

/// Number of driver processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Processes {
    /// A fixed number.
    Count(usize),
    /// One per GPU.
    PerGpu,
}

impl FromStr for Processes {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let count = text.parse().ok().filter(|count| (1..=MAX_PROCESSES).contains(count));
        match (text, count) {
            ("per-gpu", _) => Ok(Processes::PerGpu),
            (_, Some(count)) => Ok(Processes::Count(count)),
            _ => Err(format!("use a number from 1 to {MAX_PROCESSES}, or per-gpu")),
        }
    }
}

/// Device of streams, or several devices of one kind to spread them over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceSet(Vec<Device>);

impl DeviceSet {
    /// Returns the devices; at least one.
    pub fn devices(&self) -> &[Device] {
        &self.0
    }

    /// Joins these devices; `None` if there are none.
    pub(crate) fn from_devices(devices: Vec<Device>) -> Option<Self> {
        (!devices.is_empty()).then_some(DeviceSet(devices))
    }

    /// Returns the device of a stream; streams are distributed round-robin.
    pub fn of_stream(&self, stream: usize) -> Device {
        self.0[stream % self.0.len()]
    }
}

impl From<Device> for DeviceSet {
    fn from(device: Device) -> Self {
        DeviceSet(vec![device])
    }
}

impl fmt::Display for DeviceSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.0.iter().map(Device::to_string).collect();
        f.write_str(&names.join("+"))
    }
}

impl FromStr for DeviceSet {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let devices: Vec<Device> =
            names(text).iter().map(|it| it.parse()).collect::<Result<_, _>>()?;
        for (i, device) in devices.iter().enumerate() {
            if device.backend() != devices[0].backend() {
                let problem = format!("{} and {device} are devices of different kinds", devices[0]);
                return Err(format!(
                    "{problem}; give them as two: {}",
                    text.replace('+', ",").escaped()
                ));
            }
            if devices[..i].contains(device) {
                return Err(format!("{device} is there twice; give more --streams instead"));
            }
        }
        Ok(DeviceSet(devices))
    }
}

/// Splits joined device names; a part without an id belongs to the one before, as in
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
    /// Returns the stream counts, ascending.
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

    /// Returns the event counts per stream.
    pub fn batches(&self) -> Vec<usize> {
        let mut batches: Vec<usize> =
            self.flags.batch.iter().map(|&batch| batch as usize).collect();
        each_once(&mut batches);
        batches
    }

    /// Returns the process counts for a set of devices.
    pub(crate) fn process_counts(&self, device_set: &DeviceSet) -> Vec<usize> {
        let count = |processes: &Processes| match processes {
            Processes::Count(count) => *count,
            Processes::PerGpu => device_set.devices().len(),
        };
        let mut counts: Vec<usize> = self.flags.processes.iter().map(count).collect();
        each_once(&mut counts);
        counts
    }

    /// Fills in values that depend on several flags.
    pub(crate) fn complete(&mut self) -> Result<(), String> {
        self.measuring.settings.tidy();
        each_once(&mut self.device_sets);
        if self.measuring.settings.threads.is_empty() {
            self.measuring.settings.threads.push(vec![1.into()]);
        }
        let mut threads = self.flags.streams.iter().flatten();
        if threads.any(|count| count.inner.is_some()) {
            return Err(
                "--streams takes plain numbers; set the threads of each stream with --threads"
                    .to_owned(),
            );
        }
        let settings = &self.measuring.settings;
        let is_nested = settings.thread_counts().iter().any(|threads| threads.inner.is_some())
            || settings.binds.iter().any(|bind| bind.inner.is_some());
        if is_nested {
            return Err(
                "streams have one level of threads: use --threads N and one policy for --bind"
                    .to_owned(),
            );
        }
        if is_only_tried() {
            self.flags.duration = self.flags.duration.min(TRIED);
        }
        Ok(())
    }

    /// Selects all usable devices if none were given; see
    /// [`MeasureRequest::choose_devices`].
    pub(crate) fn choose_devices(&mut self) {
        if self.device_sets.is_empty() {
            self.device_sets = usable_devices().into_iter().map(DeviceSet::from).collect();
        }
        let mut first: Vec<Device> =
            self.device_sets.iter().map(|device_set| device_set.0[0]).collect();
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
    fn devices_of_one_kind_form_a_set() {
        let device_set: DeviceSet = "cuda:0+cuda:1".parse().expect("one kind");
        assert_eq!(device_set.to_string(), "cuda:0+cuda:1");
        let devices: Vec<Device> = (0..3).map(|stream| device_set.of_stream(stream)).collect();
        assert_eq!(devices, [Device::Cuda(0), Device::Cuda(1), Device::Cuda(0)]);
        let checked: DeviceSet = "wgpu:0+checked+wgpu:1".parse().expect("one kind");
        assert_eq!(checked.devices(), [Device::WgpuChecked(0), Device::Wgpu(1)]);
        for (text, problem) in [
            ("cuda:0+cpu", "different kinds; give them as two: cuda:0,cpu"),
            ("cuda:0+cuda:0", "cuda:0 is there twice"),
            ("cpu+cpu", "cpu is there twice"),
            ("cuda:0+", "unknown device"),
        ] {
            let error = text.parse::<DeviceSet>().expect_err("refused");
            assert!(error.contains(problem), "{text}: {error}");
        }
    }
}
