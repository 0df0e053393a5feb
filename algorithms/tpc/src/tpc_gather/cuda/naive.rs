//! A copy to the host for each piece of each array.

use generators_tpc::clusters::{Clusters, FIELDS};
use portable_gpu::{DeviceError, Gpu};

use super::{GatherBuffers, Gatherer, Memory, gather_from_gpu};
use crate::tpc_gather::TpcGather;
use crate::tpc_gather::packed::Sample;
use crate::tpc_gather::packing::Packing;
use tasks::algorithm::Variant;

/// If there are many pieces, only a sample of them is copied.
pub(super) const NAIVE: Variant<TpcGather> = Variant::cuda(
    "naive",
    "a copy to the host a piece and array (thesis 3.8); of many pieces a sample",
    |at| {
        let sample = Sample::for_input(at.input);
        let gather = move |to: &mut GatherBuffers<'_>, gpu: &Gpu, input: &Clusters| {
            gather(to, gpu, input, sample)
        };
        let gatherer = Gatherer::new(Memory::Host, gather);
        let sample = Some(sample);
        gather_from_gpu(at, Gatherer { multiprocessors: Some(0), sample, ..gatherer })
    },
);

fn gather(
    to: &mut GatherBuffers<'_>,
    gpu: &Gpu,
    input: &Clusters,
    sample: Sample,
) -> Result<(), DeviceError> {
    let packing = Packing::new(input, Vec::new(), Vec::new());
    for (number, field) in FIELDS.iter().enumerate() {
        let array = packing.array(number);
        let begin = to.layout.range(number).start;
        for piece in sample.pieces(field.per, array.pieces()) {
            let piece = array.piece(piece);
            if piece.from.is_empty() {
                continue;
            }
            let start = begin + piece.to;
            let host = to.host.part_mut(start..start + piece.from.len());
            gpu.download_part(host, &to.pieces.input_buffers.source, piece.from.start)?;
        }
    }
    Ok(())
}
