//! Tables of boards as JSON has them: by equipment ids in hexadecimal.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use text::Untrusted;

use super::{Elink, Elink2023, Readout, ReadoutProblem};

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
