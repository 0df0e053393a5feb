//! An e-link of a board: the ASIC at its end, the corrections of its hits, and the tables
//! of boards as JSON has them: by equipment ids in hexadecimal.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use text::Untrusted;

use super::{Readout, ReadoutProblem};

/// ASICs of a module, both sides together.
pub const ASICS: u8 = 16;
/// Channels of an ASIC.
pub const ASIC_CHANNELS: u8 = 128;
/// Module and corrections of an e-link.
#[derive(Clone, Debug, PartialEq, Deserialize, Serialize)]
#[serde(try_from = "ElinkFields", into = "ElinkFields")]
pub struct Elink {
    /// The full address of the module; 0 if nothing is connected.
    pub address: u32,
    /// Number of the ASIC in its module, 0 to 15.
    pub asic: u8,
    /// Nonzero for pulses of known charge: stored, but not used.
    pub pulser: u8,
    /// Subtracted from times, in ns.
    pub time_offset_ns: i32,
    /// Charges up to this are dropped.
    pub adc_min_cut: u8,
    /// The charge of ADC value 1.
    pub adc_offset: f64,
    /// The charge from one ADC value to the next.
    pub adc_gain: f64,
    /// Bit mask of the channels of the ASIC whose hits are dropped.
    pub masked: u128,
    /// Index of the table of corrections of times, for ADC values from 1 on.
    pub walk_table: usize,
}

/// An e-link in the code of 2023.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(from = "(i64, u8)", into = "(i64, u8)")]
pub struct Elink2023 {
    /// The full address of the module; all bits if nothing is connected.
    pub address: u32,
    /// Number of the ASIC in its module, 0 to 15.
    pub asic: u8,
}

/// The fields of an e-link in the order of files.
type ElinkFields = (u32, u8, u8, i32, u8, f64, f64, Vec<u8>, usize);

impl TryFrom<ElinkFields> for Elink {
    type Error = String;

    fn try_from(fields: ElinkFields) -> Result<Self, String> {
        let bit = |&channel: &u8| {
            let bit = 1_u128.checked_shl(channel.into());
            bit.ok_or_else(|| format!("an ASIC has no channel {channel}; use 0 to 127"))
        };
        let masked =
            fields.7.iter().map(bit).try_fold(0, |all, bit| Ok::<_, String>(all | bit?))?;
        Ok(Elink {
            address: fields.0,
            asic: fields.1,
            pulser: fields.2,
            time_offset_ns: fields.3,
            adc_min_cut: fields.4,
            adc_offset: fields.5,
            adc_gain: fields.6,
            masked,
            walk_table: fields.8,
        })
    }
}

impl From<Elink> for ElinkFields {
    fn from(it: Elink) -> Self {
        let masked = (0..ASIC_CHANNELS).filter(|&channel| it.is_masked(channel)).collect();
        let offset = it.adc_offset;
        let gain = it.adc_gain;
        let cut = it.adc_min_cut;
        let walk = it.walk_table;
        (it.address, it.asic, it.pulser, it.time_offset_ns, cut, offset, gain, masked, walk)
    }
}

impl From<(i64, u8)> for Elink2023 {
    fn from((address, asic): (i64, u8)) -> Self {
        Elink2023 { address: address as u32, asic }
    }
}

impl From<Elink2023> for (i64, u8) {
    fn from(elink: Elink2023) -> Self {
        let address = if elink.address == u32::MAX { -1 } else { elink.address.into() };
        (address, elink.asic)
    }
}

impl Elink {
    /// An e-link that nothing is connected to.
    pub const UNCONNECTED: Elink = Elink {
        address: 0,
        asic: 0,
        pulser: 0,
        time_offset_ns: 0,
        adc_min_cut: 0,
        adc_offset: 1.0,
        adc_gain: 1.0,
        masked: 0,
        walk_table: 0,
    };

    /// True if hits of a channel are dropped.
    #[inline]
    pub fn is_masked(&self, channel: u8) -> bool {
        self.masked >> channel & 1 == 1
    }

    /// The charge of an ADC value from 1 to 31.
    #[inline]
    pub fn charge(&self, adc: u8) -> u16 {
        self.exact_charge(adc) as u16
    }

    /// The charge of an ADC value before it is cut to an integer.
    pub(super) fn exact_charge(&self, adc: u8) -> f64 {
        self.adc_offset + (f64::from(adc) - 1.0) * self.adc_gain
    }
}

impl Elink2023 {
    /// An e-link that nothing is connected to.
    pub const UNCONNECTED: Elink2023 = Elink2023 { address: u32::MAX, asic: 0 };
}

/// The keys of a file.
#[derive(Deserialize, Serialize)]
pub(super) struct Tables {
    walk_tables: Vec<Vec<f64>>,
    elinks: Boards<Elink>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    elinks2023: Option<Boards<Elink2023>>,
}

/// The e-links of each board.
struct Boards<T>(BTreeMap<u16, Vec<T>>);

impl TryFrom<Tables> for Readout {
    type Error = ReadoutProblem;

    fn try_from(tables: Tables) -> Result<Self, ReadoutProblem> {
        let Tables { walk_tables, elinks, elinks2023 } = tables;
        Readout::new(elinks.0, elinks2023.map(|boards| boards.0), walk_tables)
    }
}

impl From<Readout> for Tables {
    fn from(readout: Readout) -> Self {
        Tables {
            walk_tables: readout.walk_tables().to_vec(),
            elinks: Boards(readout.boards().clone()),
            elinks2023: readout.boards_2023().cloned().map(Boards),
        }
    }
}

impl<T: Serialize> Serialize for Boards<T> {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(self.0.iter().map(|(board, elinks)| (format!("{board:#x}"), elinks)))
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Boards<T> {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(ByEquipment(PhantomData))
    }
}

struct ByEquipment<T>(PhantomData<T>);

impl<'de, T: Deserialize<'de>> Visitor<'de> for ByEquipment<T> {
    type Value = Boards<T>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("e-links by equipment ids")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Boards<T>, M::Error> {
        let mut boards = BTreeMap::new();
        while let Some(key) = map.next_key::<String>()? {
            let board = equipment(&key).map_err(de::Error::custom)?;
            if boards.insert(board, map.next_value()?).is_some() {
                return Err(de::Error::custom(format!("board {board:#x} is there twice")));
            }
        }
        Ok(Boards(boards))
    }
}

/// A number of 32 bits in hexadecimal, such as 0x1002.
pub(super) fn hexadecimal<'de, D: Deserializer<'de>>(from: D) -> Result<u32, D::Error> {
    let text = String::deserialize(from)?;
    let number = text.strip_prefix("0x").and_then(|digits| u32::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| {
        de::Error::custom(format!("{} is not a number such as 0x1002", text.quoted()))
    })
}

fn equipment(key: &str) -> Result<u16, String> {
    let digits = key.strip_prefix("0x").filter(|digits| !digits.starts_with('+'));
    let number = digits.and_then(|digits| u16::from_str_radix(digits, 16).ok());
    number.ok_or_else(|| format!("{} is not an equipment id such as 0x1002", key.quoted()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOARD: &str = "[[268469250,8,1,-970,2,1.0,0.5,[0,127],1]]";

    fn read(elinks: &str) -> Result<Readout, String> {
        let text = format!(r#"{{"walk_tables":[[],[-0.8999999999999999]],"elinks":{{{elinks}}}}}"#);
        serde_json::from_str(&text).map_err(|error| error.to_string())
    }

    #[test]
    fn tables_come_back_to_the_last_bit() {
        let readout = read(&format!(r#""0x1002":{BOARD}"#)).expect("well-formed");
        let elink = &readout.boards()[&0x1002][0];
        assert_eq!((elink.address, elink.masked), (268_469_250, 1 | 1 << 127));
        let text = serde_json::to_string(&readout).expect("written");
        assert_eq!(serde_json::from_str::<Readout>(&text).expect("read"), readout);
    }

    #[test]
    fn boards_have_names_of_their_own() {
        let twice = read(&format!(r#""0x1002":{BOARD},"0x01002":{BOARD}"#));
        assert!(twice.expect_err("twice").contains("board 0x1002 is there twice"));
        for key in ["1002", "0x", "0x+1", "0x10000", "0X1", ""] {
            let error = read(&format!(r#""{key}":{BOARD}"#)).expect_err("no id");
            assert!(error.contains("not an equipment id"), "{error}");
        }
    }

    #[test]
    fn channels_that_an_asic_has_not_are_refused() {
        let error = read(r#""0x1":[[0,0,0,0,0,1,1,[128],0]]"#).expect_err("no channel");
        assert!(error.contains("no channel 128"), "{error}");
    }
}
