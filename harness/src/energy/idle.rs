//! Power of the idle machine, measured before a run.

use std::thread;
use std::time::{Duration, Instant};

use reports::energy::EnergyParts;
use reports::record::IdleRecord;
use reports::units;
use tasks::device::Device;

use super::counters::EnergyCounters;
use super::window::EnergyWindow;
use crate::platform::{CpuTimes, Utilisation};

/// Share of CPU time from which on a machine is not idle.
const BUSY: f64 = 0.05;
/// Longest sleep between readings of counters that may wrap around.
const NAP: Duration = Duration::from_secs(1);

/// Power of the idle machine in watts.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct IdlePower {
    seconds: f64,
    busy_share: Option<f64>,
    /// Processors, and the command.
    host: EnergyParts,
    /// Each GPU.
    gpus: Vec<(Device, Option<f64>)>,
    /// Reasons for powers that are unknown although they could be measured.
    problems: Vec<String>,
}

impl IdlePower {
    /// Sleeps and measures.
    pub(super) fn measure(counters: &EnergyCounters, duration: Duration) -> Self {
        let devices: Vec<Device> = counters.devices().collect();
        let times = CpuTimes::now();
        let mut host = EnergyWindow::new(counters, &[]);
        let gpus: Vec<_> =
            devices.iter().map(|&device| EnergyWindow::new(counters, &[device])).collect();
        let start = Instant::now();
        while start.elapsed() < duration {
            thread::sleep(NAP.min(duration.saturating_sub(start.elapsed())));
            host.update();
        }
        let host = host.end().if_long_enough();
        let busy = times.zip(CpuTimes::now()).and_then(|(before, after)| {
            let (own, others) = after.since(&before);
            Utilisation::new(own, others, start.elapsed().as_secs_f64())
        });
        let mut problems = host.problems.clone();
        let of_gpu = |(device, window): (Device, EnergyWindow<'_>)| {
            let energy = window.end().if_long_enough();
            let of_counter = energy.problems.iter().filter(|_| energy.parts.gpu.is_none());
            problems.extend(of_counter.cloned());
            (device, energy.watts().gpu)
        };
        let gpus = devices.into_iter().zip(gpus).map(of_gpu).collect();
        problems.dedup();
        IdlePower {
            seconds: host.seconds,
            busy_share: busy.map(|busy| busy.own + busy.others.unwrap_or(0.0)),
            host: host.watts(),
            gpus,
            problems,
        }
    }

    /// Energy of the idle machine with these GPUs in a number of seconds.
    pub(super) fn joules(&self, devices: &[Device], seconds: f64) -> EnergyParts {
        let of = |device: &Device| {
            let known = self.gpus.iter().find(|(known, _)| known == device);
            known.and_then(|(_, watts)| *watts)
        };
        let gpus = devices.iter().filter(|device| **device != Device::Cpu);
        let gpu = gpus.map(of).sum::<Option<f64>>();
        EnergyParts { gpu, ..self.host }.map(|watts| watts * seconds)
    }

    /// True if the power of anything is known.
    pub(super) fn is_known(&self) -> bool {
        self.host != EnergyParts::default() || self.gpus.iter().any(|(_, watts)| watts.is_some())
    }

    /// Notes on powers that are unknown.
    pub(super) fn problems(&self) -> impl Iterator<Item = String> {
        self.problems.iter().map(|problem| format!("idle power is not available: {problem}"))
    }

    /// Notes for readers.
    pub(super) fn notes(&self) -> Vec<String> {
        let seconds = units::seconds(self.seconds, 2);
        let idle = format!(
            "energies are without the power of the idle machine, measured for {seconds} before the run"
        );
        let busy = self.busy_share.filter(|&share| share > BUSY).map(|share| {
            format!(
                "the machine was not idle while its idle power was measured: processes used {} of \
                 its CPU time",
                units::percent(share)
            )
        });
        std::iter::once(idle).chain(busy).chain(self.problems()).collect()
    }

    pub(super) fn record(&self) -> IdleRecord {
        let known = self.gpus.iter();
        IdleRecord {
            seconds: self.seconds,
            busy_share: self.busy_share,
            cpu_w: self.host.cpu,
            gpu_w: known
                .filter_map(|(device, watts)| Some((device.to_string(), (*watts)?)))
                .collect(),
            command_w: self.host.command,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fake;
    use super::*;

    #[test]
    fn idle_energy_is_that_of_the_devices_of_a_point() {
        let host = EnergyParts { cpu: Some(10.0), gpu: None, command: Some(50.0) };
        let gpus = vec![(Device::Cuda(0), Some(30.0)), (Device::Cuda(1), None)];
        let problems = vec!["no sensor".to_owned()];
        let idle = IdlePower { seconds: 5.0, busy_share: Some(0.3), host, gpus, problems };
        assert_eq!(
            idle.joules(&[Device::Cuda(0)], 2.0),
            EnergyParts { cpu: Some(20.0), gpu: Some(60.0), command: Some(100.0) }
        );
        assert_eq!(idle.joules(&[Device::Cuda(0), Device::Cuda(1)], 2.0).gpu, None);
        let notes = idle.notes();
        assert!(notes[0].contains("measured for 5.0 s before the run"), "{notes:?}");
        assert!(notes[1].contains("used 30 % of its CPU time"), "{notes:?}");
        assert_eq!(notes[2], "idle power is not available: no sensor");
        assert_eq!(idle.record().gpu_w.len(), 1);
        assert!(idle.is_known() && !IdlePower::default().is_known());
    }

    #[test]
    fn idle_power_is_measured_for_a_while() {
        let machine = fake::Machine::new();
        let idle = IdlePower::measure(&machine.counters(None), Duration::from_millis(50));
        assert_eq!(idle.host.cpu, Some(0.0), "it takes nothing");
        assert!(idle.seconds >= 0.05, "{idle:?}");
    }
}
