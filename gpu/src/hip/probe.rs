//! Finds the GPUs.

use std::ffi::{CStr, c_char, c_int};
use std::sync::OnceLock;

use super::library::{Hip, HipError, INVALID_DEVICE, NO_DEVICE};

/// Attribute numbers, which are the same from HIP 5.2 on.
const L2_BYTES: c_int = 19;
const THREADS_OF_UNIT: c_int = 57;
const COMPUTE_UNITS: c_int = 63;
const SHARED_BYTES: c_int = 74;
const LANES: c_int = 87;

/// A GPU that the runtime reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HipGpu {
    /// Index in `hip:N`.
    pub number: u32,
    /// The model.
    pub name: String,
    /// Architecture of its kernels: `gfx90a`.
    pub architecture: String,
    /// Version of the runtime: `HIP 6.2`.
    pub runtime: String,
    /// Compute units, the counterpart of CUDA's multiprocessors.
    pub compute_units: u32,
    /// Maximum number of resident threads of a compute unit.
    pub unit_threads: u32,
    /// Lanes of a warp: 64, or 32 from RDNA on.
    pub lanes: u32,
    /// Bytes of the L2 cache.
    pub l2_bytes: u64,
    /// Bytes of memory.
    pub memory_bytes: u64,
    /// Bytes of shared memory of a block.
    pub shared_bytes: u32,
    /// The address on the PCI bus.
    pub pci_bus_id: String,
}

/// Returns all GPUs, at least one, ordered by index.
///
/// # Errors
/// The reason why none can be used, as text.
pub fn devices() -> Result<&'static [HipGpu], String> {
    runtime_and_gpus().map(|(_, gpus)| gpus)
}

/// Returns all GPUs, with the runtime.
pub(super) fn runtime_and_gpus() -> Result<(&'static Hip, &'static [HipGpu]), String> {
    static FOUND: OnceLock<Result<(Hip, Vec<HipGpu>), String>> = OnceLock::new();
    let found = FOUND.get_or_init(|| {
        let hip = Hip::load()?;
        let gpus = look(&hip)?;
        Ok((hip, gpus))
    });
    found.as_ref().map(|(hip, gpus)| (hip, gpus.as_slice())).map_err(Clone::clone)
}

/// Returns the GPUs that a runtime reports.
pub(super) fn look(hip: &Hip) -> Result<Vec<HipGpu>, String> {
    let no_gpu = |error: HipError| match error.code() {
        NO_DEVICE | INVALID_DEVICE => {
            "there is a HIP runtime, but no GPU that it may use: that needs AMD's \
                      driver, and access to /dev/kfd and /dev/dri"
                .to_owned()
        }
        _ => format!("the HIP runtime does not work: {error}"),
    };
    let mut count = 0;
    // SAFETY: the runtime writes an integer to this variable.
    unsafe { hip.hipInit(0).and_then(|()| hip.hipGetDeviceCount(&raw mut count)) }
        .map_err(no_gpu)?;
    let gpus = (0..count).map(|index| describe(hip, index).map_err(no_gpu));
    let gpus: Vec<_> = gpus.collect::<Result<_, _>>()?;
    if gpus.is_empty() {
        return Err("the HIP runtime knows of no GPU".to_owned());
    }
    Ok(gpus)
}

fn describe(hip: &Hip, index: c_int) -> Result<HipGpu, HipError> {
    let attribute = |which| {
        let mut value = 0;
        // SAFETY: the runtime writes an integer to this variable.
        unsafe { hip.hipDeviceGetAttribute(&raw mut value, which, index) }?;
        Ok(value.max(0) as u32)
    };
    let mut memory_bytes = 0;
    // SAFETY: the runtime writes an integer to this variable.
    unsafe { hip.hipDeviceTotalMem(&raw mut memory_bytes, index) }?;
    Ok(HipGpu {
        number: index as u32,
        // SAFETY: the runtime writes at most `length` bytes.
        name: text(|to, length| unsafe { hip.hipDeviceGetName(to, length, index) })?,
        architecture: hip.architecture(index)?,
        runtime: hip.name(),
        compute_units: attribute(COMPUTE_UNITS)?,
        unit_threads: attribute(THREADS_OF_UNIT)?,
        lanes: attribute(LANES)?,
        l2_bytes: attribute(L2_BYTES)?.into(),
        memory_bytes: memory_bytes as u64,
        shared_bytes: attribute(SHARED_BYTES)?,
        // SAFETY: the runtime writes at most `length` bytes.
        pci_bus_id: text(|to, length| unsafe { hip.hipDeviceGetPCIBusId(to, length, index) })?,
    })
}

/// Returns a text that the runtime writes into a buffer.
fn text(
    write: impl FnOnce(*mut c_char, c_int) -> Result<(), HipError>,
) -> Result<String, HipError> {
    let mut bytes = [0_u8; 256];
    write(bytes.as_mut_ptr().cast(), bytes.len() as c_int)?;
    let text = CStr::from_bytes_until_nul(&bytes).unwrap_or_default();
    Ok(text.to_string_lossy().trim().to_owned())
}
