//! Finding noisy pads on the host: strips of pads in parallel, charge by charge or many pads at
//! once.

use std::array::from_fn;
use std::ops::Range;

use generators_tpc::geometry::{ROWS, first_pad_of_row, pads_in_row};
use parallel::prefetch::prefetch;
use parallel::{for_each, split_mut};

use super::TpcNoisyPads;
use super::input::{PadActivity, Thresholds};
use crate::tpc_decode::charge_map::{TILE, TILE_PADS, TILE_TIMES, TILES_IN_ROW, tiles_of_row};
use tasks::algorithm::{PrepareResult, Variant, VariantContext};

pub(super) const VARIANTS: &[Variant<TpcNoisyPads>] = &[
    Variant::cpu("scalar", "charge by charge, in the order of the map", |at| strips(at, advance)),
    Variant::cpu(
        "simd",
        "the pads of four tiles at once with AVX-512, of two with AVX2, of one without",
        |at| strips(at, best()),
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

/// Charge by charge.
fn advance(states: &mut [PadState], tiles: &[Tile]) {
    for (state, tile) in states.iter_mut().zip(tiles) {
        for (index, &charge) in tile.iter().enumerate() {
            let pad = index % TILE_PADS;
            if charge == 0 {
                state.run[pad] = 0;
                continue;
            }
            state.charges[pad] += 1;
            state.run[pad] += 1;
            state.longest_run[pad] = state.longest_run[pad].max(state.run[pad]);
            state.largest[pad] = state.largest[pad].max(charge);
        }
    }
}

/// The widest implementation that this machine supports.
fn best() -> Advance {
    #[cfg(target_arch = "x86_64")]
    if let Some(widest) = avx512::if_available().or_else(avx2::if_available) {
        return widest;
    }
    portable
}

/// The pads of a tile at once: 8 lanes, which compilers vectorize.
fn portable(states: &mut [PadState], tiles: &[Tile]) {
    advance_lanes::<1, TILE_PADS>(states, tiles);
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use super::*;
    use tasks::device::cpu_features::with_instructions;

    with_instructions! {
        /// The pads of two tiles at once.
        ["avx2"]
        Advance: fn advance(states: &mut [PadState], tiles: &[Tile]) {
            advance_lanes::<2, { 2 * TILE_PADS }>(states, tiles);
            let pairs = states.len() / 2 * 2;
            portable(&mut states[pairs..], &tiles[pairs..]);
        }
    }
}

/// Advances complete groups of `N` tiles, with `LANES` pads, without branches.
#[inline(always)]
fn advance_lanes<const N: usize, const LANES: usize>(states: &mut [PadState], tiles: &[Tile]) {
    let (groups, _) = states.as_chunks_mut::<N>();
    let (tiles, _) = tiles.as_chunks::<N>();
    for (states, tiles) in groups.iter_mut().zip(tiles) {
        let mut charges: [u16; LANES] = joined(states.each_ref().map(|state| &state.charges));
        let mut run: [u16; LANES] = joined(states.each_ref().map(|state| &state.run));
        let mut longest: [u16; LANES] = joined(states.each_ref().map(|state| &state.longest_run));
        let mut largest: [u16; LANES] = joined(states.each_ref().map(|state| &state.largest));
        for time in 0..TILE_TIMES {
            let line: [u16; LANES] = joined(tiles.each_ref().map(|tile| line(tile, time)));
            for (lane, charge) in line.into_iter().enumerate() {
                let present = charge > 0;
                charges[lane] += u16::from(present);
                run[lane] = if present { run[lane] + 1 } else { 0 };
                longest[lane] = longest[lane].max(run[lane]);
                largest[lane] = largest[lane].max(charge);
            }
        }
        for (index, state) in states.iter_mut().enumerate() {
            let of_tile = |all: &[u16; LANES]| from_fn(|lane| all[index * TILE_PADS + lane]);
            state.charges = of_tile(&charges);
            state.run = of_tile(&run);
            state.longest_run = of_tile(&longest);
            state.largest = of_tile(&largest);
        }
    }
}

/// The numbers of `N` tiles in one array.
#[inline(always)]
fn joined<const N: usize, const LANES: usize>(parts: [&Eight; N]) -> [u16; LANES] {
    from_fn(|lane| parts[lane / TILE_PADS][lane % TILE_PADS])
}

/// The charges of a tile in a time bin.
#[inline(always)]
fn line(tile: &Tile, time: usize) -> &Eight {
    &tile.as_chunks().0[time]
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::*;
    use tasks::device::cpu_features::with_instructions;

    with_instructions! {
        /// The pads of four tiles at once. Masks mark pads with charge.
        ["avx512f", "avx512bw"]
        Advance: fn advance(states: &mut [PadState], tiles: &[Tile]) {
            let (fours, rest) = states.as_chunks_mut::<4>();
            let (tiles, last) = tiles.as_chunks::<4>();
            for (states, tiles) in fours.iter_mut().zip(tiles) {
                advance_four(states, tiles);
            }
            avx2::advance(rest, last);
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn advance_four(states: &mut [PadState; 4], tiles: &[Tile; 4]) {
        let one = _mm512_set1_epi16(1);
        let mut charges = load(states.each_ref().map(|state| &state.charges));
        let mut run = load(states.each_ref().map(|state| &state.run));
        let mut longest = load(states.each_ref().map(|state| &state.longest_run));
        let mut largest = load(states.each_ref().map(|state| &state.largest));
        for time in 0..TILE_TIMES {
            let charge = load(tiles.each_ref().map(|tile| line(tile, time)));
            let present = _mm512_test_epi16_mask(charge, charge);
            charges = _mm512_mask_add_epi16(charges, present, charges, one);
            run = _mm512_maskz_add_epi16(present, run, one);
            longest = _mm512_max_epu16(longest, run);
            largest = _mm512_max_epu16(largest, charge);
        }
        store(charges, states.each_mut().map(|state| &mut state.charges));
        store(run, states.each_mut().map(|state| &mut state.run));
        store(longest, states.each_mut().map(|state| &mut state.longest_run));
        store(largest, states.each_mut().map(|state| &mut state.largest));
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn load([a, b, c, d]: [&Eight; 4]) -> __m512i {
        let low = _mm512_castsi128_si512(load_eight(a));
        let low = _mm512_inserti32x4::<1>(low, load_eight(b));
        let three = _mm512_inserti32x4::<2>(low, load_eight(c));
        _mm512_inserti32x4::<3>(three, load_eight(d))
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn load_eight(charges: &Eight) -> __m128i {
        // SAFETY: the load has the size of the array.
        unsafe { _mm_loadu_si128(charges.as_ptr().cast()) }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn store(all: __m512i, [a, b, c, d]: [&mut Eight; 4]) {
        store_eight(_mm512_castsi512_si128(all), a);
        store_eight(_mm512_extracti32x4_epi32::<1>(all), b);
        store_eight(_mm512_extracti32x4_epi32::<2>(all), c);
        store_eight(_mm512_extracti32x4_epi32::<3>(all), d);
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn store_eight(values: __m128i, to: &mut Eight) {
        // SAFETY: the store has the size of the array.
        unsafe { _mm_storeu_si128(to.as_mut_ptr().cast(), values) }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    /// All implementations that this machine supports.
    fn implementations() -> Vec<Advance> {
        let mut implementations: Vec<Advance> = vec![portable];
        #[cfg(target_arch = "x86_64")]
        {
            implementations.extend(avx2::if_available());
            implementations.extend(avx512::if_available());
        }
        implementations
    }

    /// A charge in two of three cells, up to the largest that 16 bits can hold.
    fn charge(index: usize) -> u16 {
        let random = generators_common::random::mix(index as u64);
        (random >> 40) as u16 * u16::from(!random.is_multiple_of(3))
    }

    #[test]
    fn all_implementations_agree() {
        // The remainder is one, two or three tiles.
        for length in [0, 1, 2, 3, 4, 7, 19] {
            let tiles: Vec<Tile> = (0..3 * length)
                .map(|tile| std::array::from_fn(|index| charge(tile * TILE + index)))
                .collect();
            let advanced = |advance: Advance| {
                let mut states = vec![PadState::default(); length];
                for tiles in tiles.chunks(length.max(1)) {
                    advance(&mut states, tiles);
                }
                states
            };
            let expected = advanced(advance);
            assert!(expected.iter().all(|state| state.charges != [0; TILE_PADS]));
            for advance in implementations() {
                assert_eq!(advanced(advance), expected);
            }
        }
    }
}
