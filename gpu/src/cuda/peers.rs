//! Access to the memory of other GPUs: copies then go from GPU to GPU. Without it the driver copies
//! through the host.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use cudarc::driver::CudaContext;
use cudarc::driver::result::DriverError;
use cudarc::driver::sys::{self, CUresult};

/// Addresses of the contexts whose memory a context has been given access to, where the hardware
/// can.
#[derive(Default)]
pub(super) struct Peers(Mutex<HashSet<usize>>);

impl Peers {
    /// Gives a context, which is current, access to the memory of another one, if it has none yet.
    pub(super) fn enable(
        &self,
        context: &CudaContext,
        peer: &CudaContext,
    ) -> Result<(), DriverError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if context == peer || known.contains(&peer.cu_ctx().addr()) {
            return Ok(());
        }
        if can_access(context, peer)? {
            // SAFETY: the context of the peer exists, and the other one is current.
            match unsafe { sys::cuCtxEnablePeerAccess(peer.cu_ctx(), 0) } {
                CUresult::CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED
                | CUresult::CUDA_ERROR_TOO_MANY_PEERS => {}
                enabled => enabled.result()?,
            }
        }
        known.insert(peer.cu_ctx().addr());
        Ok(())
    }
}

/// True if one GPU can access the memory of another one; false for contexts of one GPU.
fn can_access(context: &CudaContext, peer: &CudaContext) -> Result<bool, DriverError> {
    let mut can = 0;
    // SAFETY: the driver writes a number to this variable; the devices are those of contexts.
    let asked =
        unsafe { sys::cuDeviceCanAccessPeer(&raw mut can, context.cu_device(), peer.cu_device()) };
    asked.result()?;
    Ok(can != 0)
}
