//! A line of tiles of a region, filled while it stays in the nearest cache.

use std::ops::Range;

use bytemuck::cast_slice_mut;
use generators_tpc::ZsFormat;
use generators_tpc::geometry::Region;
use parallel::shared::SharedSlice;

use crate::tpc_decode::charge_map::{
    Gains, MAX_CHARGE, ROW_PITCH, TILE, TILE_PADS, Tile, scale_of, tiles_of_row,
};
use tasks::device::Stores;

/// Maximum number of rows of a region.
const MAX_ROWS: usize = 18;
/// Maximum number of tiles of a line of a region: a power of two, so that a mask keeps an index
/// within.
const TILES: usize = (MAX_ROWS * ROW_PITCH / TILE_PADS).next_power_of_two();
/// Their entries.
pub(super) const ENTRIES: usize = TILES * TILE;

/// A line of tiles: zeros, except for the stored ADC values.
pub(super) struct Staging {
    tiles: Box<[Tile; TILES]>,
    gains: Box<[PadGains; TILES]>,
    rows: Range<usize>,
}

impl Staging {
    /// Empty tiles without a region.
    pub(super) fn new() -> Self {
        Staging {
            tiles: Box::new([Tile::default(); TILES]),
            gains: Box::new([PadGains::default(); TILES]),
            rows: 0..0,
        }
    }

    /// Switches to this region of a sector. All staged charges must have been flushed.
    pub(super) fn turn_to(&mut self, region: Region, sector: u8, gains: &Gains, format: ZsFormat) {
        self.rows = region.rows();
        let first = self.first_column();
        let (of_tiles, _) = gains.of_sector(sector)[first..].as_chunks::<TILE_PADS>();
        for (own, of_tile) in self.gains.iter_mut().zip(of_tiles) {
            // Multiplying by a power of two first changes no bit of the product.
            *own = of_tile.map(|gain| gain * scale_of(format));
        }
    }

    /// The column in the map of the region's first column.
    pub(super) fn first_column(&self) -> usize {
        tiles_of_row(self.rows.start).start * TILE_PADS
    }

    /// All entries, in the order of the map.
    #[inline(always)]
    pub(super) fn entries(&mut self) -> &mut [u16; ENTRIES] {
        match cast_slice_mut(&mut self.tiles[..]).first_chunk_mut() {
            Some(entries) => entries,
            None => unreachable!("tiles have ENTRIES entries"),
        }
    }

    /// Flushes the charges to a line of the map, by the index of its first tile.
    ///
    /// # Safety
    /// No other thread may access tiles of this region in this line.
    pub(super) unsafe fn leave(
        &mut self,
        map: &SharedSlice<'_, Tile>,
        first_of_line: usize,
        leave: FlushTiles,
        stores: &Stores,
    ) {
        let first = tiles_of_row(self.rows.start).start;
        for tiles in self.rows.clone().map(tiles_of_row) {
            let own = tiles.start - first..tiles.end - first;
            let range = first_of_line + tiles.start..first_of_line + tiles.end;
            // SAFETY: the caller ensures exclusive access to the tiles of this region in this line.
            let to = unsafe { map.part(range) };
            leave(&mut self.tiles[own.clone()], &self.gains[own], to, stores);
        }
    }
}

// All pads of a tile are corrected together, with or without a sample: gains of neighbours are
// loaded as a vector, and processing empty pads takes less time than branches.

/// Factors that make charges of the ADC values of a tile's pads.
pub(super) type PadGains = [f32; TILE_PADS];

/// Moves the charges of staged tiles to the map; the staged ones are zeros afterwards. Gains are of
/// the pads of each tile, for ADC values of the format.
pub(super) type FlushTiles = fn(&mut [Tile], &[PadGains], &mut [Tile], &Stores);

/// All implementations that this machine supports, the fastest last.
pub(super) fn all() -> Vec<FlushTiles> {
    #[cfg(target_arch = "x86_64")]
    let wide = [avx2::if_available(), avx512::if_available()];
    #[cfg(not(target_arch = "x86_64"))]
    let wide: [Option<FlushTiles>; 0] = [];
    let plain: FlushTiles = plain;
    [plain].into_iter().chain(wide.into_iter().flatten()).collect()
}

fn plain(staged: &mut [Tile], gains: &[PadGains], to: &mut [Tile], stores: &Stores) {
    for ((tile, gains), to) in staged.iter_mut().zip(gains).zip(to) {
        let (lines, _) = tile.0.as_chunks_mut::<TILE_PADS>();
        for (entry, gain) in lines.iter_mut().flat_map(|line| line.iter_mut().zip(gains)) {
            *entry = (f32::from(*entry) * gain).min(MAX_CHARGE) as u16;
        }
        stores.stream(bytemuck::bytes_of_mut(to), bytemuck::bytes_of(tile));
        *tile = Tile::default();
    }
}

#[cfg(target_arch = "x86_64")]
mod avx2 {
    use std::arch::x86_64::*;

    use super::{FlushTiles, MAX_CHARGE, PadGains, Stores, TILE_PADS, Tile};
    use tasks::device::cpu_features::with_instructions;

    with_instructions! {
        /// Eight pads at a time, if this machine has AVX2.
        ["avx2"]
        FlushTiles: fn leave(
            staged: &mut [Tile], gains: &[PadGains], to: &mut [Tile], _stores: &Stores
        ) {
            for ((tile, gains), to) in staged.iter_mut().zip(gains).zip(to) {
                let (from, _) = tile.0.as_chunks::<{ 2 * TILE_PADS }>();
                let (to, _) = to.0.as_chunks_mut::<{ 2 * TILE_PADS }>();
                for (from, to) in from.iter().zip(to) {
                    let charges = charges(from, gains);
                    // SAFETY: each half of a tile has 32 bytes and is aligned to 32. Other threads
                    // read it only after the fence that `Stores` stands for.
                    unsafe { _mm256_stream_si256(to.as_mut_ptr().cast(), charges) };
                }
                *tile = Tile::default();
            }
        }
    }

    /// The charges of two time bins.
    #[target_feature(enable = "avx2")]
    fn charges(adcs: &[u16; 2 * TILE_PADS], gains: &PadGains) -> __m256i {
        // SAFETY: both arrays have the size of the loads.
        let (adcs, gains) =
            unsafe { (_mm256_loadu_si256(adcs.as_ptr().cast()), _mm256_loadu_ps(gains.as_ptr())) };
        let charges = |adcs: __m128i| {
            let corrected = _mm256_mul_ps(_mm256_cvtepi32_ps(_mm256_cvtepu16_epi32(adcs)), gains);
            _mm256_cvttps_epi32(_mm256_min_ps(corrected, _mm256_set1_ps(MAX_CHARGE)))
        };
        let first = charges(_mm256_castsi256_si128(adcs));
        let second = charges(_mm256_extracti128_si256::<1>(adcs));
        // Packed within halves: so the quarters of both alternate.
        _mm256_permute4x64_epi64::<0b11_01_10_00>(_mm256_packus_epi32(first, second))
    }
}

#[cfg(target_arch = "x86_64")]
mod avx512 {
    use std::arch::x86_64::*;

    use super::{FlushTiles, MAX_CHARGE, PadGains, Stores, Tile};
    use tasks::device::cpu_features::with_instructions;

    with_instructions! {
        /// Two time bins at a time, if this machine has AVX-512.
        ["avx512f", "avx512bw"]
        FlushTiles: fn leave(
            staged: &mut [Tile], gains: &[PadGains], to: &mut [Tile], _stores: &Stores
        ) {
            for ((tile, gains), to) in staged.iter_mut().zip(gains).zip(to) {
                let charges = charges(tile, gains);
                *tile = Tile::default();
                // SAFETY: a tile has 64 bytes and is aligned to 64. Other threads read it only
                // after the fence that `Stores` stands for.
                unsafe { _mm512_stream_si512(std::ptr::from_mut(to).cast(), charges) };
            }
        }
    }

    #[target_feature(enable = "avx512f,avx512bw")]
    fn charges(tile: &Tile, gains: &PadGains) -> __m512i {
        // SAFETY: both arrays have the size of the loads.
        let (adcs, gains) = unsafe {
            (_mm512_loadu_si512(tile.0.as_ptr().cast()), _mm256_loadu_ps(gains.as_ptr()))
        };
        let gains = _mm512_castpd_ps(_mm512_broadcast_f64x4(_mm256_castps_pd(gains)));
        let charges = |adcs: __m256i| {
            let corrected = _mm512_mul_ps(_mm512_cvtepi32_ps(_mm512_cvtepu16_epi32(adcs)), gains);
            // Saturates to 16 bits here, and to the maximum charge below.
            _mm512_cvtusepi32_epi16(_mm512_cvttps_epi32(corrected))
        };
        let first = charges(_mm512_castsi512_si256(adcs));
        let second = charges(_mm512_extracti64x4_epi64::<1>(adcs));
        let both = _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), second);
        _mm512_min_epu16(both, _mm512_set1_epi16(MAX_CHARGE as i16))
    }
}

#[cfg(test)]
mod tests {
    use generators_tpc::ZsFormat;

    use super::*;
    use crate::tpc_decode::charge_map::{TILE, scale_of};
    use tasks::device::{Poison, streaming};

    #[test]
    fn tiles_of_every_region_fit() {
        assert!(Region::all().all(|region| region.rows().len() <= MAX_ROWS));
    }

    #[test]
    fn scales_are_powers_of_two() {
        for format in ZsFormat::ALL {
            assert_eq!(scale_of(format).log2().fract(), 0.0);
        }
    }

    /// All ADC values, also those that saturate, with gains of all sizes.
    #[test]
    fn all_levels_make_the_charges_of_the_converter() {
        for format in [ZsFormat::Row10, ZsFormat::Row12] {
            let scale = scale_of(format);
            for (index, first) in (0..=format.max_adc()).step_by(TILE).enumerate() {
                let gains: [f32; TILE_PADS] =
                    std::array::from_fn(|pad| 0.79 + (index * TILE_PADS + pad) as f32 * 0.001);
                let tile = Tile(std::array::from_fn(|entry| first + entry as u16));
                let expected = Tile(std::array::from_fn(|entry| {
                    let adc = f32::from(tile.0[entry]);
                    (adc * scale * gains[entry % TILE_PADS]).min(MAX_CHARGE) as u16
                }));
                for leave in all() {
                    let mut staged = [tile; 2];
                    let mut to = [Tile::POISON; 2];
                    let gains = [gains.map(|gain| gain * scale); 2];
                    streaming(|stores| leave(&mut staged, &gains, &mut to, stores));
                    assert_eq!((to, staged), ([expected; 2], [Tile::default(); 2]));
                }
            }
        }
    }
}
