//! A table as text: a header, then a line for each row.

use std::io::{self, Write};

use super::{Table, Values};

/// Significant digits that distinguish all single-precision numbers.
const SINGLE_DIGITS: i32 = 9;

/// Writes all rows. Numbers have all digits that distinguish them from others of
/// their type.
pub(super) fn write(sink: &mut impl Write, table: &Table) -> io::Result<()> {
    let mut file = csv::Writer::from_writer(sink);
    file.write_record(table.columns.iter().map(|column| column.name))?;
    let mut field = Vec::new();
    for row in 0..table.rows {
        for column in &table.columns {
            field.clear();
            write_value(&mut field, &column.values, row)?;
            file.write_field(&field)?;
        }
        file.write_record(None::<&[u8]>)?;
    }
    file.flush()
}

fn write_value(field: &mut Vec<u8>, values: &Values, row: usize) -> io::Result<()> {
    match values {
        Values::U8(values) => write!(field, "{}", values[row]),
        Values::U16(values) => write!(field, "{}", values[row]),
        Values::U32(values) => write!(field, "{}", values[row]),
        Values::U64(values) => write!(field, "{}", values[row]),
        Values::I32(values) => write!(field, "{}", values[row]),
        Values::I64(values) => write!(field, "{}", values[row]),
        Values::F32(values) => write_single(field, values[row]),
        Values::F64(values) => write!(field, "{}", values[row]),
        Values::Text(values) => field.write_all(values[row].as_bytes()),
    }
}

/// Writes all digits that distinguish a number, with trailing zeros.
fn write_single(field: &mut Vec<u8>, value: f32) -> io::Result<()> {
    if value == 0.0 {
        return write!(field, "0");
    }
    let magnitude = value.abs().log10().floor() as i32;
    let decimals = (SINGLE_DIGITS - 1).saturating_sub(magnitude).max(0) as usize;
    write!(field, "{value:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::super::tests::table;
    use super::*;

    #[test]
    fn numbers_can_be_read_back_exactly() {
        let mut text = Vec::new();
        write(&mut text, &table()).expect("memory takes all");
        let text = String::from_utf8(text).expect("ASCII");
        let expected = "module,side,adc,channel,label,size,track,x_cm,y_cm\n\
            0,front,1,0,0,-1,-1,0.100000001,0.1\n\
            0,back,31,1023,1,0,0,-0.00000000099999997,0.3333333333333333\n\
            4000000000,front,255,65535,18446744073709551615,1,1099511627776,1.50000000,0\n";
        assert_eq!(text, expected);
    }
}
