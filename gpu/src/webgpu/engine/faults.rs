//! Errors of the device, which wgpu reports at any time.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

use wgpu::DeviceLostReason;

/// The first error since the last query.
#[derive(Default)]
pub(super) struct Faults {
    first: Mutex<Option<String>>,
    lost: AtomicBool,
}

impl Faults {
    /// Collects the errors of a device.
    pub(super) fn for_device(device: &wgpu::Device) -> Arc<Self> {
        let faults = Arc::new(Faults::default());
        let errors = Arc::clone(&faults);
        let losses = Arc::clone(&faults);
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
