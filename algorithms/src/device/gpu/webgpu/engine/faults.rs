//! What goes wrong on the device, of which wgpu tells at any time.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::DeviceLostReason;

/// The first thing that went wrong since it was last asked for.
#[derive(Default)]
pub(super) struct Faults {
    first: Mutex<Option<String>>,
    lost: AtomicBool,
}

impl Faults {
    /// Those of a device.
    pub(super) fn of(device: &wgpu::Device) -> Arc<Self> {
        let faults = Arc::new(Faults::default());
        let (errors, losses) = (Arc::clone(&faults), Arc::clone(&faults));
        device.on_uncaptured_error(Arc::new(move |error: wgpu::Error| {
            errors.note(&error.to_string());
        }));
        device.set_device_lost_callback(move |reason, message| {
            if reason != DeviceLostReason::Destroyed {
                losses.lost.store(true, Relaxed);
                losses.note(&format!("the device was lost: {message}"));
            }
        });
        faults
    }

    pub(super) fn note(&self, problem: &str) {
        let mut first = self.first.lock().unwrap_or_else(PoisonError::into_inner);
        first.get_or_insert_with(|| problem.trim().to_owned());
    }

    pub(super) fn take(&self) -> Option<String> {
        self.first.lock().unwrap_or_else(PoisonError::into_inner).take()
    }

    pub(super) fn is_lost(&self) -> bool {
        self.lost.load(Relaxed)
    }
}
