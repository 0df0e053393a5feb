//! Kernels of the backend: loaded at their first use, with errors that name what is missing.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use super::engine::{DriverEngine, lock};
use super::{Cause, Driver};
use crate::{DeviceError, Image, Shape};

impl<D: Driver> DriverEngine<D> {
    /// Calls `use_kernel` with a kernel, which is loaded at its first use.
    pub(super) fn with_kernel<R>(
        &self,
        image: &'static Image,
        name: &'static str,
        use_kernel: impl FnOnce(&mut D::Kernel) -> Result<R, D::Error>,
    ) -> Result<R, D::Error> {
        self.driver.bind()?;
        let mut kernels = lock(&self.kernels);
        let kernel = get_or_load(&mut kernels, name, || {
            let mut modules = lock(&self.modules);
            let module = get_or_load(&mut modules, image.source, || self.driver.load(image))?;
            self.driver.find(module, image, name)
        })?;
        use_kernel(kernel)
    }

    /// Returns a kernel that is ready for a launch configuration.
    pub(super) fn prepared(
        &self,
        image: &'static Image,
        name: &'static str,
        shape: &Shape,
    ) -> Result<D::Kernel, DeviceError> {
        if let Some(reason) = D::missing_code(image) {
            return Err(self.has_no_code(name, reason));
        }
        let prepared = self.with_kernel(image, name, |kernel| {
            D::prepare(kernel, shape)?;
            Ok(kernel.clone())
        });
        prepared.map_err(|error| self.not_started(image, name, &error))
    }

    /// Converts the error of a kernel that was not started.
    pub(super) fn not_started(
        &self,
        image: &Image,
        kernel: &'static str,
        error: &D::Error,
    ) -> DeviceError {
        match D::cause(error) {
            Cause::Kernel => self.failed("starting a kernel", error),
            Cause::NoSuchKernel => self.has_no_code(kernel, lacks(image)),
            _ => DeviceError::Launch { device: self.device(), kernel, problem: error.to_string() },
        }
    }

    fn has_no_code(&self, kernel: &'static str, reason: String) -> DeviceError {
        DeviceError::MissingCode { device: self.device(), kernel, reason }
    }

    /// Error if a block needs more shared memory than there is, unless the driver finds out.
    pub(super) fn lacks_shared(
        &self,
        kernel: &'static str,
        loaded: &D::Kernel,
        shape: &Shape,
    ) -> Option<DeviceError> {
        let needed = D::static_shared_bytes(loaded)?.saturating_add(shape.shared_bytes);
        let available = self.properties.shared_bytes;
        (needed > available).then(|| DeviceError::Lacking {
            device: self.device(),
            kernel,
            needed: format!("{needed} bytes of shared memory"),
            available: format!("{available}"),
        })
    }
}

/// Reason why a kernel can't be started that an image does not have.
fn lacks(image: &Image) -> String {
    format!("the image {} has no kernel of this name; build it again", image.source)
}

fn get_or_load<'a, V, E>(
    loaded: &'a mut HashMap<&'static str, V>,
    name: &'static str,
    load: impl FnOnce() -> Result<V, E>,
) -> Result<&'a mut V, E> {
    match loaded.entry(name) {
        Entry::Occupied(known) => Ok(known.into_mut()),
        Entry::Vacant(unknown) => Ok(unknown.insert(load()?)),
    }
}
