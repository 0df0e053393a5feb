//! Noisy pads compared with a reference that scans each pad separately.

use super::{Numbers, emulator, kernel, run};

const TILES_IN_ROW: usize = 2889;
const TILE: usize = 32;
const PADS_IN_SECTOR: usize = 14560;

/// Thresholds: charges, run, saturation.
const MOST: [u32; 3] = [9, 5, 12_000];

/// Charges, longest run, largest, and 1 if it is noisy.
type Activity = [u16; 4];

/// Pads of a group: their tile, how many they are, and the first one's number.
#[derive(Clone, Copy)]
struct Group {
    tile: usize,
    pads: usize,
    first_pad: usize,
}

/// Maps of sectors with `tile_rows` rows of tiles.
struct Maps {
    sectors: usize,
    tile_rows: usize,
    charges: Vec<u16>,
    groups: Vec<Group>,
}

impl Maps {
    /// Creates maps with charges in `density` of 8 time bins.
    fn new(sectors: usize, tile_rows: usize, groups: usize, density: u64, seed: u64) -> Self {
        let mut numbers = Numbers(seed);
        let entries = sectors * tile_rows * TILES_IN_ROW * TILE;
        let mut charge = || match numbers.below(8) < density {
            true => 1 + numbers.below(0x3fff) as u16,
            false => 0,
        };
        let charges = (0..entries).map(|_| charge()).collect();
        let mut first_pad = 0;
        let group = |number: usize| {
            let pads = if number % 5 == 4 { 1 + number % 7 } else { 8 };
            first_pad += pads;
            Group { tile: number * 77 % TILES_IN_ROW, pads, first_pad: first_pad - pads }
        };
        Maps { sectors, tile_rows, charges, groups: (0..groups).map(group).collect() }
    }

    fn words(&self) -> Vec<u32> {
        let words =
            |group: &Group| [(group.pads << 16 | group.tile) as u32, group.first_pad as u32];
        self.groups.iter().flat_map(words).collect()
    }

    fn charge(&self, sector: usize, group: Group, pad: usize, time: usize) -> u16 {
        let row = sector * self.tile_rows + time / 4;
        self.charges[(row * TILES_IN_ROW + group.tile) * TILE + time % 4 * 8 + pad]
    }

    /// Activity of a pad of a group.
    fn activity(&self, sector: usize, group: Group, pad: usize) -> Activity {
        let times = 0..4 * self.tile_rows;
        let charges: Vec<_> = times.map(|time| self.charge(sector, group, pad, time)).collect();
        let count = charges.iter().filter(|&&charge| charge > 0).count();
        let runs = charges.split(|&charge| charge == 0).map(<[u16]>::len);
        let longest = runs.max().unwrap_or(0);
        let largest = *charges.iter().max().expect("some");
        let is_busy = count as u32 > MOST[0] || longest as u32 > MOST[1];
        let is_noisy = is_busy && u32::from(largest) <= MOST[2];
        [count as u16, longest as u16, largest, is_noisy.into()]
    }

    /// Looks for noisy pads with a kernel whose blocks have `groups_of_block` groups.
    fn assert_found(&self, name: &str, groups_of_block: usize, checked: bool, seed: u64) {
        let Some(emulator) = emulator(checked, seed) else { return };
        let blocks = self.sectors * self.groups.len().div_ceil(groups_of_block);
        let nothing = vec![0xdead_u16; self.sectors * PADS_IN_SECTOR * 4];
        let charges = emulator.upload(&self.charges).expect("room");
        let groups = emulator.upload(&self.words()).expect("room");
        let activity = emulator.upload(&nothing).expect("room");
        let [charges_, run_, saturation] = MOST;
        let numbers = [self.groups.len() as u32, self.tile_rows as u32, charges_, run_, saturation];
        run(&emulator, &kernel(name), blocks as u32, &[charges, groups, activity], &numbers);
        let found = emulator.download::<u16>(activity).expect("the same length");
        let mut expected = nothing;
        for sector in 0..self.sectors {
            for &group in &self.groups {
                for pad in 0..group.pads {
                    let index = (sector * PADS_IN_SECTOR + group.first_pad + pad) * 4;
                    expected[index..index + 4].copy_from_slice(&self.activity(sector, group, pad));
                }
            }
        }
        let wrong = found.iter().zip(&expected).position(|(found, right)| found != right);
        assert_eq!(wrong.map(|index| index / 4), None, "{name}: the first pad that is wrong");
    }
}

const KERNELS: [(&str, usize); 2] = [("noisy_pads_cache_line", 1), ("noisy_pads_bit_runs", 8)];

#[test]
fn maps_of_all_lengths_and_densities_are_right() {
    for (seed, tile_rows) in [1, 2, 3, 8, 9, 63, 64, 65].into_iter().enumerate() {
        for (name, groups_of_block) in KERNELS {
            let maps = Maps::new(2, tile_rows, 19, seed as u64 + 1, seed as u64);
            maps.assert_found(name, groups_of_block, false, seed as u64);
        }
    }
}

#[test]
fn no_access_races_or_is_out_of_bounds() {
    for (name, groups_of_block) in KERNELS {
        let maps = Maps::new(1, 17, 11, 5, 3);
        maps.assert_found(name, groups_of_block, true, 3);
    }
}
