//! Tables of unpackers: the module that an e-link reads, and the corrections of its hits.

use std::collections::{BTreeMap, BTreeSet};
use std::iter::zip;

use serde::{Deserialize, Serialize};

use super::Rules;
use super::elink::{ASICS, Elink, Elink2023, Tables};
use crate::Address;

/// Number of e-links that messages can address.
pub const ELINKS: usize = 64;
/// Maximum absolute value of a correction of a time. (Those of the experiment are below 100 ns.)
pub const MAX_WALK_NS: f64 = 1e12;

/// The tables of all boards.
///
/// They are validated: see [`Readout::new`].
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "Tables", into = "Tables")]
pub struct Readout {
    boards: BTreeMap<u16, Vec<Elink>>,
    boards_2023: Option<BTreeMap<u16, Vec<Elink2023>>>,
    walk_tables: Vec<Vec<f64>>,
}

/// An e-link by some rules.
#[derive(Clone, Debug, PartialEq)]
pub struct Link<'a> {
    /// Module and corrections.
    pub elink: Elink,
    /// Corrections added to times, in ns, for ADC values from 1 on; none for larger ones.
    pub walk_ns: &'a [f64],
}

/// An invalid table.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{location} {problem}")]
pub struct ReadoutProblem {
    location: String,
    problem: String,
}

impl Readout {
    /// Validates the tables of boards by their equipment ids, and those of the code of 2023, if
    /// known.
    ///
    /// # Errors
    /// If a board has more e-links than messages can address; if an e-link has an unknown ASIC or
    /// table, or charges beyond 16 bits; if a correction of times is not a number or too large; if
    /// the tables of 2023 are of other boards or e-links.
    pub fn new(
        boards: BTreeMap<u16, Vec<Elink>>,
        boards_2023: Option<BTreeMap<u16, Vec<Elink2023>>>,
        walk_tables: Vec<Vec<f64>>,
    ) -> Result<Self, ReadoutProblem> {
        for (index, table) in walk_tables.iter().enumerate() {
            let is_allowed = |walk: &f64| walk.abs() <= MAX_WALK_NS;
            if let Some(walk) = table.iter().find(|walk| !is_allowed(walk)) {
                let problem = format!("has {walk} ns; the maximum is ±{MAX_WALK_NS}");
                return Err(ReadoutProblem { location: format!("walk_tables[{index}]"), problem });
            }
        }
        for (&board, elinks) in &boards {
            check_count(elinks.len())
                .map_err(|it| ReadoutProblem::from_board("elinks", board, it))?;
            for (elink, fields) in elinks.iter().enumerate() {
                check(fields, walk_tables.len()).map_err(|problem| {
                    ReadoutProblem::from_elink("elinks", board, elink, problem)
                })?;
            }
        }
        for (&board, elinks) in boards_2023.iter().flatten() {
            if boards.get(&board).is_none_or(|own| own.len() != elinks.len()) {
                let problem = "is not a board with the same number of e-links in elinks".to_owned();
                return Err(ReadoutProblem::from_board("elinks2023", board, problem));
            }
            for (elink, fields) in elinks.iter().enumerate() {
                check_asic(fields.asic).map_err(|problem| {
                    ReadoutProblem::from_elink("elinks2023", board, elink, problem)
                })?;
            }
        }
        Ok(Readout { boards, boards_2023, walk_tables })
    }

    /// Returns the tables with modules numbered from 0 in the order of [`Address::module`], each
    /// with the address of its number, and the number of modules: for chains that index modules.
    /// Channels of e-links that nothing is connected to are masked. Tables of 2023 are left out.
    pub fn numbered(&self) -> (Readout, usize) {
        let connected = |elink: &&Elink| elink.address != 0;
        let module = |elink: &Elink| Address::of_full(elink.address).module();
        let elinks = self.boards.values().flatten().filter(connected);
        let modules: BTreeSet<usize> = elinks.map(module).collect();
        let numbers: BTreeMap<usize, usize> = zip(modules, 0..).collect();
        let number = |elink: &Elink| match numbers.get(&module(elink)) {
            Some(&module) if elink.address != 0 => {
                Elink { address: Address::of_module(module).full(), ..elink.clone() }
            }
            _ => Elink { masked: u128::MAX, ..elink.clone() },
        };
        let boards = self.boards.iter();
        let boards = boards.map(|(&board, elinks)| (board, elinks.iter().map(number).collect()));
        let walk_tables = self.walk_tables.clone();
        (Readout { boards: boards.collect(), boards_2023: None, walk_tables }, numbers.len())
    }

    /// The e-links of each board, by equipment ids.
    pub fn boards(&self) -> &BTreeMap<u16, Vec<Elink>> {
        &self.boards
    }

    /// The e-links in the code of 2023, if known.
    pub fn boards_2023(&self) -> Option<&BTreeMap<u16, Vec<Elink2023>>> {
        self.boards_2023.as_ref()
    }

    /// All tables of corrections of times, in ns, for ADC values from 1 on.
    pub fn walk_tables(&self) -> &[Vec<f64>] {
        &self.walk_tables
    }

    /// The e-links of a board by these rules, if it is known. The code of 2023 uses offsets and
    /// gains of the newer tables, and nothing else.
    pub fn links(&self, rules: Rules, board: u16) -> Option<Vec<Link<'_>>> {
        let elinks = self.boards.get(&board)?;
        let current = |elink: &Elink| Link {
            elink: elink.clone(),
            walk_ns: &self.walk_tables[elink.walk_table],
        };
        let of_2023 = |(elink, old): (&Elink, &Elink2023)| Link {
            elink: Elink {
                address: old.address,
                asic: old.asic,
                adc_min_cut: 0,
                masked: 0,
                ..elink.clone()
            },
            walk_ns: &[],
        };
        Some(match rules {
            Rules::Current => elinks.iter().map(current).collect(),
            Rules::Of2023 => {
                zip(elinks, self.boards_2023.as_ref()?.get(&board)?).map(of_2023).collect()
            }
        })
    }
}

fn check_count(elinks: usize) -> Result<(), String> {
    if elinks <= ELINKS {
        return Ok(());
    }
    Err(format!("has {elinks} e-links; messages can address {ELINKS}"))
}

fn check_asic(asic: u8) -> Result<(), String> {
    if asic < ASICS {
        return Ok(());
    }
    Err(format!("has ASIC {asic}; a module has 0 to {}", ASICS - 1))
}

fn check(elink: &Elink, tables: usize) -> Result<(), String> {
    check_asic(elink.asic)?;
    if elink.walk_table >= tables {
        return Err(format!("has walk table {}; there are {tables}", elink.walk_table));
    }
    let is_charge = |charge: f64| charge > -1.0 && charge < 65_536.0;
    if [1, 31].iter().all(|&adc| is_charge(elink.exact_charge(adc))) {
        return Ok(());
    }
    let offset = elink.adc_offset;
    let gain = elink.adc_gain;
    Err(format!("has charges outside of 0 to 65535: ADC offset {offset}, gain {gain}"))
}

impl ReadoutProblem {
    pub(super) fn from_board(table: &str, board: u16, problem: String) -> Self {
        ReadoutProblem { location: format!("{table}.{board:#x}"), problem }
    }

    fn from_elink(table: &str, board: u16, elink: usize, problem: String) -> Self {
        ReadoutProblem { location: format!("{table}.{board:#x}[{elink}]"), problem }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn readout(change: impl Fn(&mut Elink)) -> Result<Readout, ReadoutProblem> {
        let mut elinks = vec![Elink::UNCONNECTED; 3];
        change(&mut elinks[1]);
        let old = vec![Elink2023::UNCONNECTED; 3];
        let tables = vec![vec![], vec![-1.5, 2.0]];
        Readout::new([(0x1002, elinks)].into(), Some([(0x1002, old)].into()), tables)
    }

    fn problem(change: impl Fn(&mut Elink)) -> String {
        readout(change).expect_err("senseless").to_string()
    }

    #[test]
    fn a_problem_names_the_table_the_board_and_the_elink() {
        assert!(readout(|elink| elink.adc_min_cut = 200).is_ok());
        assert_eq!(
            problem(|elink| elink.asic = 16),
            "elinks.0x1002[1] has ASIC 16; a module has 0 to 15"
        );
        let table = "elinks.0x1002[1] has walk table 2; there are 2";
        assert_eq!(problem(|elink| elink.walk_table = 2), table);
        for (offset, gain) in [(-1.0, 1.0), (1.0, -0.1), (1.0, 3000.0), (f64::NAN, 1.0)] {
            let refusal = problem(|elink| (elink.adc_offset, elink.adc_gain) = (offset, gain));
            assert!(refusal.contains("charges outside"), "{refusal}");
        }
    }

    #[test]
    fn invalid_tables_are_refused() {
        let of = |boards: &[(u16, usize)], old: &[(u16, usize)], walk: f64| {
            let elinks = |&(board, count)| (board, vec![Elink::UNCONNECTED; count]);
            let boards = boards.iter().map(elinks).collect();
            let elinks = |&(board, count)| (board, vec![Elink2023::UNCONNECTED; count]);
            let old = old.iter().map(elinks).collect();
            Readout::new(boards, Some(old), vec![vec![walk]]).map_err(|problem| problem.to_string())
        };
        assert!(of(&[(1, 64), (2, 0)], &[(1, 64)], 0.0).is_ok());
        let refusal = of(&[(1, 65)], &[], 0.0).expect_err("too many");
        assert_eq!(refusal, "elinks.0x1 has 65 e-links; messages can address 64");
        for old in [[(3, 1)], [(1, 3)]] {
            assert!(of(&[(1, 2)], &old, 0.0).expect_err("others").starts_with("elinks2023"));
        }
        for walk in [f64::NAN, 2e12, -2e12] {
            assert!(of(&[(1, 2)], &[], walk).expect_err("no time").starts_with("walk_tables[0]"));
        }
    }

    #[test]
    fn the_old_code_knows_no_masks_cuts_and_walks() {
        let known = readout(|elink| {
            *elink = Elink {
                adc_min_cut: 4,
                masked: 7,
                time_offset_ns: -970,
                address: 9,
                walk_table: 1,
                ..elink.clone()
            };
        });
        let known = known.expect("sensible");
        let links = |rules| known.links(rules, 0x1002).expect("known");
        let current = &links(Rules::Current)[1];
        let old = &links(Rules::Of2023)[1];
        assert_eq!((current.elink.masked, current.walk_ns), (7, &[-1.5, 2.0][..]));
        assert_eq!((old.elink.masked, old.elink.adc_min_cut, old.walk_ns), (0, 0, &[][..]));
        assert_eq!((old.elink.time_offset_ns, old.elink.address), (-970, u32::MAX));
        assert_eq!(known.links(Rules::Current, 7), None);
    }

    #[test]
    fn modules_are_numbered_by_their_addresses() {
        let full = |module| Address::of_module(module).full();
        let elinks = [7, 900, 7].map(|module| Elink {
            address: full(module),
            masked: 5,
            adc_min_cut: 2,
            ..Elink::UNCONNECTED
        });
        let unconnected = vec![Elink::UNCONNECTED];
        let old = vec![Elink2023::UNCONNECTED; 3];
        let boards = [(0x1002, elinks.to_vec()), (0x1001, unconnected)].into();
        let readout = Readout::new(boards, Some([(0x1002, old)].into()), vec![vec![]]);
        let (numbered, modules) = readout.expect("sensible").numbered();
        assert_eq!(modules, 2);
        let fields = |board: u16| -> Vec<_> {
            let elinks = numbered.boards()[&board].iter();
            elinks.map(|elink| (elink.address, elink.masked, elink.adc_min_cut)).collect()
        };
        assert_eq!(fields(0x1002), [(full(0), 5, 2), (full(1), 5, 2), (full(0), 5, 2)]);
        assert_eq!(fields(0x1001)[0].1, u128::MAX);
        assert!(numbered.boards_2023().is_none());
    }
}
