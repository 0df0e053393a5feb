//! A table as binary columns.
//!
//! Little endian: the magic `RECOTAB1`; the number of columns (32 bits) and of rows (64 bits); for
//! each column its type (1 byte: `B`, `H`, `I`, `Q` for unsigned numbers of 1, 2, 4 and 8 bytes,
//! `i`, `q` for signed ones of 4 and 8, `f`, `d` for floats of 4 and 8, as in Python's `struct`;
//! `t` for text), the length of its name (1 byte) and its name; then the columns, one after the
//! other. A text is a length (32 bits) and its bytes in UTF-8.

use std::io::{self, Write};

use super::{Table, Values};

const MAGIC: [u8; 8] = *b"RECOTAB1";

pub(super) fn write(sink: &mut impl Write, table: &Table) -> io::Result<()> {
    sink.write_all(&MAGIC)?;
    sink.write_all(&(table.columns.len() as u32).to_le_bytes())?;
    sink.write_all(&(table.rows as u64).to_le_bytes())?;
    for column in &table.columns {
        let length = u8::try_from(column.name.len()).map_err(io::Error::other)?;
        sink.write_all(&[type_of(&column.values), length])?;
        sink.write_all(column.name.as_bytes())?;
    }
    table.columns.iter().try_for_each(|column| write_values(sink, &column.values))
}

fn type_of(values: &Values) -> u8 {
    match values {
        Values::U8(_) => b'B',
        Values::U16(_) => b'H',
        Values::U32(_) => b'I',
        Values::U64(_) => b'Q',
        Values::I32(_) => b'i',
        Values::I64(_) => b'q',
        Values::F32(_) => b'f',
        Values::F64(_) => b'd',
        Values::Text(_) => b't',
    }
}

fn write_values(sink: &mut impl Write, values: &Values) -> io::Result<()> {
    macro_rules! numbers {
        ($values:ident) => {
            $values.iter().try_for_each(|value| sink.write_all(&value.to_le_bytes()))
        };
    }
    match values {
        Values::U8(values) => sink.write_all(values),
        Values::U16(values) => numbers!(values),
        Values::U32(values) => numbers!(values),
        Values::U64(values) => numbers!(values),
        Values::I32(values) => numbers!(values),
        Values::I64(values) => numbers!(values),
        Values::F32(values) => numbers!(values),
        Values::F64(values) => numbers!(values),
        Values::Text(values) => values.iter().try_for_each(|text| {
            let length = u32::try_from(text.len()).map_err(io::Error::other)?;
            sink.write_all(&length.to_le_bytes())?;
            sink.write_all(text.as_bytes())
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_follow_their_names() {
        let table = Table::new().with("adc", [7_u8, 8]).with("x_cm", [1.5_f32, -2.0]);
        let mut bytes = Vec::new();
        write(&mut bytes, &table).expect("memory takes all");
        let mut expected =
            b"RECOTAB1\x02\0\0\0\x02\0\0\0\0\0\0\0B\x03adcf\x04x_cm\x07\x08".to_vec();
        expected.extend([1.5_f32, -2.0].map(f32::to_le_bytes).as_flattened());
        assert_eq!(bytes, expected);
    }

    #[test]
    fn texts_have_a_length_each() {
        let mut bytes = Vec::new();
        let texts = Values::Text(vec!["ab".into(), "".into()]);
        write_values(&mut bytes, &texts).expect("memory takes all");
        assert_eq!(bytes, b"\x02\0\0\0ab\0\0\0\0");
    }
}
