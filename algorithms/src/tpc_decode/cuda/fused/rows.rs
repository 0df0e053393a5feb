//! Row pages, which are judged where they are decoded.

use super::{launch, tiles_of};
use crate::device::gpu::{DeviceError, Ptr};
use crate::kernels::tpc_decode_fused::{
    FUSED_ROW_CHARGES, FUSED_ROW_DIGITS, FusedRowCharges, FusedRowDigits,
};
use crate::tpc_decode::cuda::placing;
use crate::tpc_decode::cuda::target::{Charges, Target};
use crate::tpc_decode::cuda::work::Work;

/// Which time pages are decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Turn {
    /// As if all of them were sound.
    First,
    /// Without those that were not; nothing is done if all were.
    Again,
}

/// Nobody on the host knows whether a page was rejected: what mends its places is started anyway.
pub(super) fn decode(work: &Work<'_>) -> Result<(), DeviceError> {
    list(work, Turn::First)?;
    placing::place_again(work.gpu, work.resident, work.fragment)?;
    list(work, Turn::Again)
}

fn list(work: &Work<'_>, turn: Turn) -> Result<(), DeviceError> {
    match work.target {
        Target::Digits(digits) => {
            launch(work, &FUSED_ROW_DIGITS, to_digits(work, turn, digits.ptr()))
        }
        Target::Charges(charges) => {
            launch(work, &FUSED_ROW_CHARGES, to_charges(work, turn, charges))
        }
    }
}

fn to_digits(work: &Work<'_>, turn: Turn, digits: Ptr<u64>) -> FusedRowDigits {
    let (buffers, tables) = (work.resident.buffers, work.resident.tables);
    FusedRowDigits {
        pages: buffers.pages.ptr(),
        records: buffers.records.ptr(),
        geometry: tables.geometry.ptr(),
        jobs: buffers.jobs.ptr(),
        begins: buffers.begins.ptr(),
        fragment: work.fragment as u32,
        extents: buffers.extents.ptr(),
        verdicts: buffers.verdicts.ptr(),
        rejected: buffers.rejected.ptr(),
        again: (turn == Turn::Again).into(),
        digits,
    }
}

fn to_charges(work: &Work<'_>, turn: Turn, charges: &Charges) -> FusedRowCharges {
    let (buffers, tables) = (work.resident.buffers, work.resident.tables);
    FusedRowCharges {
        pages: buffers.pages.ptr(),
        records: buffers.records.ptr(),
        geometry: tables.geometry.ptr(),
        jobs: buffers.jobs.ptr(),
        begins: buffers.begins.ptr(),
        fragment: work.fragment as u32,
        extents: buffers.extents.ptr(),
        verdicts: buffers.verdicts.ptr(),
        rejected: buffers.rejected.ptr(),
        again: (turn == Turn::Again).into(),
        fragments: buffers.fragments.ptr(),
        gains: tables.gains.ptr(),
        positions: charges.positions.ptr(),
        charges: tiles_of(charges).charges.ptr(),
    }
}
