//! CPU utilisation and power in the window of a point.

use std::thread;
use std::time::Duration;

use super::window::{Clock, Window};
use crate::platform::energy::{Energy, EnergyCounters};
use crate::platform::{CpuTimes, Interrupt, Utilisation};

/// Interval between checks for the end of the window.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// State of the machine in the window.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct WindowStats {
    pub(super) busy: Option<Utilisation>,
    /// Power of processors and of GPUs, in watts.
    pub(super) cpu_w: Option<f64>,
    pub(super) gpu_w: Option<f64>,
}

impl WindowStats {
    /// Utilisation, and power from the energy in a number of seconds.
    pub(super) fn new(busy: Option<Utilisation>, energy: Energy, seconds: f64) -> Self {
        let watts = |joules: f64| joules / seconds;
        WindowStats { busy, cpu_w: energy.cpu_j.map(watts), gpu_w: energy.gpu_j.map(watts) }
    }
}

/// Waits until the window is over; returns CPU utilisation and power within it.
pub(super) fn watch(
    clock: &Clock<'_>,
    counters: &EnergyCounters,
    interrupt: &Interrupt,
) -> Option<WindowStats> {
    let is_over = |clock: &Clock<'_>| clock.is_over() || interrupt.asked();
    let window = loop {
        match clock.window() {
            Some(window) => break window,
            None if is_over(clock) => return None,
            None => thread::sleep(POLL_INTERVAL),
        }
    };
    // The window may have opened a moment before: power is averaged over the observed time.
    let seen_from = clock.now();
    let energy = counters.read();
    while clock.now() < window.end && !is_over(clock) {
        thread::sleep(POLL_INTERVAL.min(window.end.saturating_sub(clock.now())));
    }
    let energy = counters.since(&energy);
    let seconds = (clock.now() - seen_from).as_secs_f64();
    Some(WindowStats::new(busy(clock, window), energy, seconds))
}

/// CPU utilisation since the window opened.
fn busy(clock: &Clock<'_>, window: Window) -> Option<Utilisation> {
    let now = clock.now();
    let (own, others) = CpuTimes::now()?.since(&clock.cpu_times_at_begin()?);
    Utilisation::new(own, others, (now - window.begin).as_secs_f64())
}
