//! A copy to the host for each piece of each array.

use generators::tpc::clusters::{Clusters, FIELDS, Layout};

use super::Gatherer;
use super::pieces::DevicePieces;
use super::runner::gather_sample_from_gpu;
use crate::algorithm::Variant;
use crate::device::buffers;
use crate::device::gpu::{DeviceError, Gpu, PinnedBuffer};
use crate::tpc_gather::TpcGather;
use crate::tpc_gather::packed::Sample;
use crate::tpc_gather::packing::Packing;

pub(super) const NAIVE: Variant<TpcGather> = Variant::cuda(
    "naive",
    "a copy to the host a piece and array (thesis 3.8); of many pieces a sample",
    |at| {
        gather_sample_from_gpu(at, |gpu, layout| {
            Ok(Box::new(Naive { host: gpu.pinned(layout.bytes())?, layout }))
        })
    },
);

struct Naive {
    host: PinnedBuffer<u8>,
    layout: Layout,
}

buffers!(Naive: host);

impl Gatherer for Naive {
    fn gather(
        &mut self,
        gpu: &Gpu,
        input: &Clusters,
        pieces: &DevicePieces<'_>,
    ) -> Result<(), DeviceError> {
        let packing = Packing::new(input, Vec::new(), Vec::new());
        let sample = Sample::for_input(input);
        for (number, field) in FIELDS.iter().enumerate() {
            let array = packing.array(number);
            let begin = self.layout.range(number).start;
            for piece in sample.pieces(field.per, array.pieces()) {
                let piece = array.piece(piece);
                if piece.from.is_empty() {
                    continue;
                }
                let to = begin + piece.to;
                let to = self.host.part_mut(to..to + piece.from.len());
                gpu.download_part(to, &pieces.input_buffers.source, piece.from.start)?;
            }
        }
        Ok(())
    }

    fn host(&self) -> &[u8] {
        &self.host
    }

    fn multiprocessors(&self, _: &Gpu) -> u32 {
        0
    }
}
