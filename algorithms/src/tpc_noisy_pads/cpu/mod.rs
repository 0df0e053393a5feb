//! Finding noisy pads on the host: strips of pads in parallel, charge by charge or by `simd`.

mod simd;

use std::ops::Range;

use generators::tpc::geometry::{ROWS, first_pad_of_row, pads_in_row};

use super::TpcNoisyPads;
use super::activity::{PadActivity, Thresholds};
use crate::algorithm::{PrepareResult, Variant, VariantContext};
use crate::all_cores::split_mut;
use crate::parallel::for_each;
use crate::prefetch::prefetch;
use crate::tpc_decode::charge_map::{TILE, TILE_PADS, TILES_IN_ROW, tiles_of_row};

pub(super) const VARIANTS: &[Variant<TpcNoisyPads>] = &[
    Variant::cpu("scalar", "charge by charge, in the order of the map", |at| strips(at, advance)),
    Variant::cpu(
        "simd",
        "the pads of four tiles at once with AVX-512, of two with AVX2, of one without",
        |at| strips(at, simd::best()),
    ),
];

fn strips<'a>(
    at: &VariantContext<'a, '_, TpcNoisyPads>,
    advance: Advance,
) -> PrepareResult<'a, TpcNoisyPads> {
    let maps = at.input;
    let strips = for_sectors(at.input.sectors());
    at.fill_output(maps.pads(), size_of_val(maps.entries()), move |activity| {
        let parts = split_mut(activity, strips.iter().map(|strip| strip.pads()));
        for_each(parts.into_iter().zip(&strips), |(activity, strip)| {
            strip.find(maps.map(strip.sector), maps.thresholds(), advance, activity);
        });
    })
}

/// The charges of eight pads in four time bins, time bin by time bin.
type Tile = [u16; TILE];

/// A number for each pad of a tile.
type Eight = [u16; TILE_PADS];

/// Processes the tiles of a strip in one row of tiles: a state for each tile's pads.
type Advance = fn(&mut [PadState], &[Tile]);

/// State of the pads of a tile so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
struct PadState {
    charges: Eight,
    run: Eight,
    longest_run: Eight,
    largest: Eight,
}

/// Portable code, charge by charge.
fn advance(states: &mut [PadState], tiles: &[Tile]) {
    for (state, tile) in states.iter_mut().zip(tiles) {
        for (index, &charge) in tile.iter().enumerate() {
            advance_pad(state, index % TILE_PADS, charge);
        }
    }
}

#[inline]
fn advance_pad(state: &mut PadState, pad: usize, charge: u16) {
    if charge == 0 {
        state.run[pad] = 0;
        return;
    }
    state.charges[pad] += 1;
    state.run[pad] += 1;
    state.longest_run[pad] = state.longest_run[pad].max(state.run[pad]);
    state.largest[pad] = state.largest[pad].max(charge);
}

// A row of pads has contiguous tiles in each row of tiles, and the state of the pads of a strip
// stays in the nearest cache during the iteration over time. The distance from one row of tiles to
// the next is too large for the hardware prefetcher, so the next tiles are prefetched explicitly.

/// Rows of pads in a strip: 9 to 18 tiles each, with a state of one cache line for each tile.
const ROWS_IN_STRIP: usize = 8;
/// Strips of a sector.
const STRIPS: usize = ROWS.div_ceil(ROWS_IN_STRIP);

/// Some rows of pads of a sector.
#[derive(Clone, Copy)]
struct Strip {
    sector: usize,
    first_row: usize,
}

/// The strips of `sectors` sectors, in order.
fn for_sectors(sectors: usize) -> Vec<Strip> {
    let strip = |index| Strip { sector: index / STRIPS, first_row: index % STRIPS * ROWS_IN_STRIP };
    (0..sectors * STRIPS).map(strip).collect()
}

impl Strip {
    fn rows(self) -> Range<usize> {
        self.first_row..(self.first_row + ROWS_IN_STRIP).min(ROWS)
    }

    /// Number of its pads.
    fn pads(self) -> usize {
        first_pad_of_row(self.rows().end) - first_pad_of_row(self.rows().start)
    }

    /// Finds the activity of its pads, from the map of its sector.
    fn find(
        self,
        map: &[u16],
        thresholds: &Thresholds,
        advance: Advance,
        activity: &mut [PadActivity],
    ) {
        let (map, _) = map.as_chunks::<TILE>();
        let mut rows: Vec<RowOfPads> = self.rows().map(RowOfPads::new).collect();
        let mut rows_of_tiles = map.chunks_exact(TILES_IN_ROW).peekable();
        while let Some(tiles) = rows_of_tiles.next() {
            for row in &mut rows {
                if let Some(later) = rows_of_tiles.peek() {
                    row.tiles.clone().for_each(|tile| prefetch(later, tile));
                }
                advance(&mut row.states, &tiles[row.tiles.clone()]);
            }
        }
        let found = rows.iter().flat_map(|row| row.activity(thresholds));
        for (activity, found) in activity.iter_mut().zip(found) {
            *activity = found;
        }
    }
}

/// A row of pads, with the state so far.
struct RowOfPads {
    pads: usize,
    /// Its tiles in each row of tiles.
    tiles: Range<usize>,
    /// The pads of each of these tiles.
    states: Vec<PadState>,
}

impl RowOfPads {
    fn new(row: usize) -> Self {
        let tiles = tiles_of_row(row);
        RowOfPads { pads: pads_in_row(row), states: vec![PadState::default(); tiles.len()], tiles }
    }

    fn activity(&self, thresholds: &Thresholds) -> impl Iterator<Item = PadActivity> {
        (0..self.pads).map(|pad| {
            let state = &self.states[pad / TILE_PADS];
            let lane = pad % TILE_PADS;
            let charges = state.charges[lane];
            let largest = state.largest[lane];
            PadActivity::new(charges, state.longest_run[lane], largest, thresholds)
        })
    }
}
