//! Cabling of read-out boards: the ASIC and the module at the end of each e-link.
//!
//! A board (CROB) has 42 e-links and reads front-end boards (FEBs), each of which has the eight
//! ASICs of one module side. FEBs are of two types, A and B, with opposite orders of ASICs; the
//! type of a side depends on the type of its module.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use super::elink::hexadecimal;
use super::{ASIC_CHANNELS, Elink, Elink2023, Readout, ReadoutProblem};
use crate::Address;

/// E-links of a board.
const BOARD_ELINKS: usize = 42;
const FEB_ASICS: u8 = 8;
/// FEBs of a board if each ASIC has one e-link, and if it has five.
const FEBS: usize = 5;
const FEBS_OF_FIVE: usize = 1;
/// The first equipment id of generated boards.
const FIRST_BOARD: u16 = 0x1000;

/// Cabling and settings of boards.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub struct Cabling {
    /// All modules, by their numbers.
    pub modules: Vec<CabledModule>,
    /// All boards; FEBs are counted in their order.
    pub components: Vec<CabledBoard>,
    /// E-links of boards with five FEBs.
    #[serde(rename = "elinks_feb8_1")]
    pub one_elink: Vec<CabledElink>,
    /// E-links of boards with one FEB.
    #[serde(rename = "elinks_feb8_5")]
    pub five_elinks: Vec<CabledElink>,
    /// FEBs and their channels, 0 to 1023, whose hits are dropped.
    pub masked: BTreeSet<(usize, u16)>,
    /// Subtracted from all times, in ns.
    pub time_offset_ns: i32,
    /// Correction tables of ASICs of modules.
    pub walk: Vec<WalkOfAsic>,
}

/// A module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
pub struct CabledModule {
    /// Its full address.
    #[serde(deserialize_with = "hexadecimal")]
    pub address: u32,
    /// 0: the front has a FEB of type B, the back one of type A. 1: vice versa.
    #[serde(rename = "type")]
    pub kind: u8,
}

/// A board: for each of its CROBs, of which there is one, lists by FEB.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct CabledBoard {
    /// The equipment id.
    #[serde(deserialize_with = "hexadecimal")]
    pub equipment: u32,
    /// Modules by their numbers; −1 where nothing is connected.
    pub feb_to_module: Vec<Vec<i32>>,
    /// 1 if it is the front of the module, 0 if it is the back.
    pub feb_side: Vec<Vec<i32>>,
    /// True for FEBs that are for pulses of known charge.
    pub feb_pulser: Vec<Vec<u8>>,
}

/// An e-link: the FEB of the board (−1 if there is none), the ASIC if that is of type A, and if it
/// is of type B.
pub type CabledElink = (i32, u16, u16);

/// The full address of a module in hexadecimal, the ASIC in it, the index of a table.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct WalkOfAsic(#[serde(deserialize_with = "hexadecimal")] pub u32, pub u8, pub usize);

/// A FEB of a board.
struct Feb {
    module: Option<CabledModule>,
    is_front: bool,
    pulser: u8,
    /// Index among the FEBs of all boards.
    number: usize,
}

impl Cabling {
    /// Modules by their numbers, side by side: five FEBs a board, as mCBM has them.
    pub fn regular(modules: usize) -> Self {
        let module = |index| CabledModule {
            address: Address::of_module(index).full(),
            kind: (index % 2) as u8,
        };
        let board = |index: usize| {
            let febs = FEBS * index..FEBS * (index + 1);
            let of_module = |feb: usize| if feb < 2 * modules { feb as i32 / 2 } else { -1 };
            CabledBoard {
                equipment: u32::from(FIRST_BOARD) + index as u32,
                feb_to_module: vec![febs.clone().map(of_module).collect()],
                feb_side: vec![febs.map(|feb| 1 - feb as i32 % 2).collect()],
                feb_pulser: vec![vec![0; FEBS]],
            }
        };
        let elink = |elink: usize| {
            let feb = elink / usize::from(FEB_ASICS);
            let asic = elink as u16 % 8;
            if feb < FEBS { (feb as i32, asic, 7 - asic) } else { (-1, 0, 0) }
        };
        Cabling {
            modules: (0..modules).map(module).collect(),
            components: (0..boards(modules)).map(board).collect(),
            one_elink: (0..BOARD_ELINKS).map(elink).collect(),
            five_elinks: Vec::new(),
            masked: BTreeSet::new(),
            time_offset_ns: 0,
            walk: Vec::new(),
        }
    }

    /// FEBs of all boards.
    pub fn febs(&self) -> usize {
        self.components.iter().map(|board| board.feb_to_module.iter().flatten().count()).sum()
    }

    /// Builds the tables of these boards, by the current code and that of 2023.
    ///
    /// # Errors
    /// If a board has more than one CROB, or another number of FEBs than one or five; if lists
    /// don't fit each other; and those of [`Readout::new`].
    pub fn readout(&self, mut walk_tables: Vec<Vec<f64>>) -> Result<Readout, ReadoutProblem> {
        // ASICs without a table use the empty one.
        let no_walk = walk_tables.len();
        walk_tables.push(Vec::new());
        let walks =
            self.walk.iter().map(|WalkOfAsic(address, asic, table)| ((*address, *asic), *table));
        let walks: BTreeMap<_, _> = walks.collect();
        let mut boards = BTreeMap::new();
        let mut boards_2023 = BTreeMap::new();
        let mut febs_before = 0;
        for board in &self.components {
            let problem = |problem: String| {
                ReadoutProblem::from_board("components", board.equipment as u16, problem)
            };
            let febs = self.febs_of(board, febs_before).map_err(problem)?;
            febs_before += febs.len();
            let elinks = match febs.len() {
                FEBS => &self.one_elink,
                FEBS_OF_FIVE => &self.five_elinks,
                count => return Err(problem(format!("has {count} FEBs; use 1 or 5"))),
            };
            let walk = |address, asic| walks.get(&(address, asic)).copied().unwrap_or(no_walk);
            let current = elinks.iter().map(|elink| self.elink(elink, &febs, walk));
            boards.insert(board.equipment as u16, current.collect());
            let of_2023 = elinks.iter().map(|elink| elink_2023(elink, &febs));
            boards_2023.insert(board.equipment as u16, of_2023.collect());
        }
        Readout::new(boards, Some(boards_2023), walk_tables)
    }

    fn febs_of(&self, board: &CabledBoard, before: usize) -> Result<Vec<Feb>, String> {
        let ([modules], [sides], [pulsers]) =
            (&board.feb_to_module[..], &board.feb_side[..], &board.feb_pulser[..])
        else {
            return Err("has not one CROB".to_owned());
        };
        if modules.len() != sides.len() || modules.len() != pulsers.len() {
            return Err("has lists of different lengths".to_owned());
        }
        let feb = |(number, ((&module, &side), &pulser))| {
            let module = usize::try_from(module).ok().map(|number: usize| {
                let known = self.modules.get(number).copied();
                known.ok_or_else(|| format!("has module {number} of {}", self.modules.len()))
            });
            let module = module.transpose()?;
            Ok(Feb { module, is_front: side == 1, pulser, number })
        };
        let lists = (before..).zip(modules.iter().zip(sides).zip(pulsers));
        lists.map(feb).collect()
    }

    fn elink(&self, elink: &CabledElink, febs: &[Feb], walk: impl Fn(u32, u8) -> usize) -> Elink {
        let unconnected = Elink {
            time_offset_ns: self.time_offset_ns,
            walk_table: walk(0, 0),
            ..Elink::UNCONNECTED
        };
        let Some((feb, module, asic_in_feb)) = connected(elink, febs) else { return unconnected };
        let asic = if feb.is_front { asic_in_feb } else { 2 * FEB_ASICS - 1 - asic_in_feb };
        let first = u16::from(ASIC_CHANNELS) * u16::from(asic_in_feb);
        let is_masked =
            |channel: u8| self.masked.contains(&(feb.number, first + u16::from(channel)));
        let masked = (0..ASIC_CHANNELS).filter(|channel| is_masked(*channel));
        Elink {
            address: module.address,
            asic,
            pulser: feb.pulser,
            masked: masked.fold(0, |all, channel| all | 1 << channel),
            walk_table: walk(module.address, asic),
            ..unconnected
        }
    }
}

fn elink_2023(elink: &CabledElink, febs: &[Feb]) -> Elink2023 {
    let Some((feb, module, asic)) = connected(elink, febs) else {
        return Elink2023::UNCONNECTED;
    };
    let asic = if feb.is_front { asic } else { asic + FEB_ASICS };
    Elink2023 { address: module.address, asic }
}

/// Number of boards for `modules` modules, cabled in order.
pub(super) fn boards(modules: usize) -> usize {
    (2 * modules).div_ceil(FEBS)
}

/// The ASIC that an e-link is connected to, by its number on the FEB.
fn connected<'f>(
    (feb, of_type_a, of_type_b): &CabledElink,
    febs: &'f [Feb],
) -> Option<(&'f Feb, CabledModule, u8)> {
    let feb = febs.get(usize::try_from(*feb).ok()?)?;
    let module = feb.module?;
    let is_type_b = if module.kind == 0 { feb.is_front } else { !feb.is_front };
    let asic = if is_type_b { of_type_b } else { of_type_a };
    Some((feb, module, (asic % u16::from(FEB_ASICS)) as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regular_boards_read_each_asic_once() {
        for (modules, boards) in [(12, 5), (896, 359)] {
            let readout = Cabling::regular(modules).readout(Vec::new()).expect("sensible");
            assert_eq!(readout.boards().len(), boards);
            let elinks = readout.boards().values().flatten();
            let read = elinks.filter(|elink| elink.address != 0).map(|it| (it.address, it.asic));
            assert_eq!(read.clone().count(), 16 * modules);
            assert_eq!(read.collect::<BTreeSet<_>>().len(), 16 * modules);
        }
    }

    #[test]
    fn masks_are_in_the_order_of_the_feb() {
        let masked = BTreeSet::from([(1, 0), (1, 1023), (5, 128)]);
        let cabling = Cabling { masked, ..Cabling::regular(3) };
        let readout = cabling.readout(Vec::new()).expect("sensible");
        let of = |address: u32, asic: u8| {
            let mut elinks = readout.boards().values().flatten();
            elinks
                .find(|elink| (elink.address, elink.asic) == (address, asic))
                .expect("read")
                .masked
        };
        let address = |module: usize| cabling.modules[module].address;
        assert_eq!((of(address(0), 15), of(address(0), 8)), (1, 1 << 127));
        assert_eq!(of(address(2), 14), 1);
    }

    #[test]
    fn invalid_boards_are_reported() {
        let problem = |change: fn(&mut CabledBoard)| {
            let mut cabling = Cabling::regular(3);
            change(&mut cabling.components[1]);
            cabling.readout(Vec::new()).expect_err("senseless").to_string()
        };
        assert_eq!(problem(|board| board.feb_side.clear()), "components.0x1001 has not one CROB");
        let lists = problem(|board| board.feb_side[0].truncate(4));
        assert!(lists.contains("different lengths"), "{lists}");
        let module = problem(|board| board.feb_to_module[0][0] = 3);
        assert_eq!(module, "components.0x1001 has module 3 of 3");
        let febs = problem(|board| {
            board.feb_to_module[0].truncate(2);
            board.feb_side[0].truncate(2);
            board.feb_pulser[0].truncate(2);
        });
        assert!(febs.contains("has 2 FEBs"), "{febs}");
    }
}
