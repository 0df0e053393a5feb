//! Microslices in pieces, a warp each, and tiles of pieces, a block each.

use portable_gpu::{DeviceBuffer, DeviceError, Gpu};

use super::raw_on_gpu::UnpackPass;
use crate::kernels::sts_unpack_cuda_pieces_h::{
    BYTES_AT_ONCE, MESSAGES_OF_LANE, NO_JOB, Piece, RawPieces,
};
use crate::kernels::sts_unpack_cuda_raw_h::{FIRST_MESSAGES, MESSAGE_BYTES};
use crate::sts_unpack::survey::Job;
use tasks::device::{StagedArray, buffers};

/// Work of blocks of `threads` threads, on the device.
pub(crate) struct Pieces {
    threads: u32,
    pieces: StagedArray<Piece>,
    boards: StagedArray,
}

buffers!(Pieces: pieces, boards);

/// Work of warps.
#[derive(Debug, PartialEq)]
struct Layout {
    /// Board of each tile.
    boards: Vec<u32>,
    /// One for each warp of each tile.
    pieces: Vec<Piece>,
}

impl Pieces {
    /// Tables for the pieces of these microslices.
    pub(crate) fn new(gpu: &Gpu, jobs: &[Job], threads: u32) -> Result<Self, DeviceError> {
        let Layout { boards, pieces } = Layout::new(jobs, gpu.properties().lanes, threads);
        Ok(Pieces {
            threads,
            pieces: StagedArray::new(gpu, pieces.len())?,
            boards: StagedArray::new(gpu, boards.len())?,
        })
    }

    /// Capacity in tiles.
    pub(crate) fn tiles(&self) -> usize {
        self.boards.len()
    }

    /// Capacity in pieces.
    pub(crate) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Splits microslices into pieces, and starts to copy the tables for blocks; returns the number
    /// of tiles.
    pub(crate) fn cut(&mut self, gpu: &Gpu, jobs: &[Job]) -> Result<u32, DeviceError> {
        let lanes = gpu.properties().lanes;
        let Layout { boards, pieces } = gpu.host_stage(|| Layout::new(jobs, lanes, self.threads));
        let tiles = boards.len() as u32;
        self.boards.fill(gpu, boards)?;
        self.pieces.fill(gpu, pieces)?;
        Ok(tiles)
    }

    /// Arguments of kernels for the pieces of `tiles` tiles.
    pub(crate) fn arguments(
        &self,
        UnpackPass { data, rules, .. }: &UnpackPass<'_>,
        tiles: u32,
        states: &DeviceBuffer<u64>,
    ) -> RawPieces {
        RawPieces {
            bytes: data.bytes.ptr(),
            jobs: data.jobs.ptr(),
            boards: data.boards.ptr(),
            pieces: self.pieces.ptr(),
            tile_boards: self.boards.ptr(),
            states: states.ptr(),
            counts: data.counts.ptr(),
            rules: *rules,
            tiles,
        }
    }
}

impl Layout {
    fn new(jobs: &[Job], lanes: u32, threads: u32) -> Self {
        let mut layout = Layout { boards: Vec::new(), pieces: Vec::new() };
        let of_tile = (threads / lanes) as usize;
        for (number, job) in (0..).zip(jobs).filter(|(_, job)| job.board != Job::NO_BOARD) {
            if layout.boards.last() != Some(&job.board) {
                layout.fill_tile(of_tile);
            }
            for piece in 0..pieces_of(job, lanes) {
                if layout.pieces.len().is_multiple_of(of_tile) {
                    layout.boards.push(job.board);
                }
                layout.pieces.push(Piece { job: number, number: piece });
            }
        }
        layout.fill_tile(of_tile);
        layout
    }

    fn fill_tile(&mut self, of_tile: usize) {
        let pieces = self.pieces.len().next_multiple_of(of_tile);
        self.pieces.resize(pieces, Piece { job: NO_JOB, number: 0 });
    }
}

/// Pieces of a microslice, as `Messages` in `pieces.h` divides it: the first one reports
/// errors of the microslice, so there is at least one.
fn pieces_of(job: &Job, lanes: u32) -> u32 {
    let piece = u64::from(MESSAGES_OF_LANE * MESSAGE_BYTES * lanes);
    let first_bytes = u64::from(FIRST_MESSAGES * MESSAGE_BYTES);
    let Some(rest) = u64::from(job.bytes).checked_sub(first_bytes) else { return 1 };
    if !job.bytes.is_multiple_of(MESSAGE_BYTES) {
        return 1;
    }
    let shift = (job.begin + first_bytes) % u64::from(BYTES_AT_ONCE) / 4 * 4;
    (rest + shift).div_ceil(piece).max(1) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A microslice of `messages` messages of a board, from byte `begin` on.
    fn job(begin: u64, messages: u32, board: u32) -> Job {
        Job { begin, bytes: messages * MESSAGE_BYTES, board, ..Job::default() }
    }

    #[test]
    fn pieces_end_where_16_bytes_do() {
        let of = |begin, messages| pieces_of(&job(begin, messages, 0), 32);
        let whole = 32 * MESSAGES_OF_LANE;
        // The third message is aligned to 16 bytes.
        assert_eq!(
            [0, 1, 2, 3, 2 + whole, 3 + whole].map(|messages| of(40, messages)),
            [1, 1, 1, 1, 1, 2]
        );
        // The third message is the fourth word of its 16 bytes.
        assert_eq!([2 + whole - 3, 2 + whole - 2].map(|messages| of(36, messages)), [1, 2]);
        assert_eq!(pieces_of(&Job { bytes: 4 * whole * 4 + 1, ..Job::default() }, 32), 1);
    }

    #[test]
    fn tiles_are_of_one_board() {
        let per_tile = 8;
        let without_board = job(8, 100, Job::NO_BOARD);
        let long = job(8, 2 + per_tile * 32 * MESSAGES_OF_LANE + 1, 3);
        let layout = Layout::new(
            &[job(8, 9, 3), without_board, job(8, 0, 3), job(8, 9, 5), long],
            32,
            32 * per_tile,
        );
        assert_eq!(layout.boards, [3, 5, 3, 3]);
        let tiles = layout.pieces.chunks(per_tile as usize);
        let jobs = |tile: &[Piece]| -> Vec<_> {
            let used = tile.iter().filter(|piece| piece.job != NO_JOB);
            used.map(|piece| (piece.job, piece.number)).collect()
        };
        let tiles: Vec<_> = tiles.map(jobs).collect();
        assert_eq!(tiles[..2], [vec![(0, 0), (2, 0)], vec![(3, 0)]]);
        assert!(tiles[2].iter().copied().eq((0..per_tile).map(|number| (4, number))));
        assert_eq!(tiles[3], [(4, per_tile)]);
    }
}
