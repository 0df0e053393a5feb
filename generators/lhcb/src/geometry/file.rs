//! Geometry files: the text `module I BITS Z`, `column I X PITCH …`, `sensor I BITS[12] …` with the bits of
//! each number, or the experiment's binary file.

use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::read::GzDecoder;
use generators_common::DataError;
use generators_common::io::file::open;
use text::Untrusted;

use super::{COLUMNS, Geometry, MODULES, SENSORS, TRANSFORMATION};

/// Bytes of the binary file.
const BINARY_BYTES: usize = 16_376;
/// Bytes from which on a file can't be a geometry.
const MAX_BYTES: u64 = 1 << 20;

/// Reads a geometry, as text or binary, compressed or not.
///
/// # Errors
/// If it can't be read, or lacks a number.
pub fn read(path: &Path) -> Result<Geometry, DataError> {
    let mut bytes = Vec::new();
    let mut file = open(path)?.take(MAX_BYTES);
    file.read_to_end(&mut bytes).map_err(|source| DataError::io(path, source))?;
    let parsed = if bytes.len() == BINARY_BYTES { binary(&bytes) } else { text(&bytes) };
    parsed.map_err(|(location, problem)| DataError::format(path, location, problem))
}

/// The geometry of compressed text.
pub(super) fn parse(compressed: &[u8]) -> Result<Geometry, (String, String)> {
    let mut bytes = Vec::new();
    let read = GzDecoder::new(compressed).read_to_end(&mut bytes);
    read.map_err(|error| ("start".to_owned(), error.to_string()))?;
    text(&bytes)
}

fn empty() -> Geometry {
    Geometry {
        module_z: [f32::NAN; MODULES],
        column_x: [f32::NAN; COLUMNS],
        column_pitch: [f32::NAN; COLUMNS],
        sensors: [[f32::NAN; TRANSFORMATION]; SENSORS],
    }
}

fn text(bytes: &[u8]) -> Result<Geometry, (String, String)> {
    let mut geometry = empty();
    for (line, number) in BufReader::new(bytes).lines().zip(1..) {
        let at = |problem: String| (format!("line {number}"), problem);
        let line = line.map_err(|error| at(error.to_string()))?;
        record(&mut geometry, &line).map_err(at)?;
    }
    complete(geometry)
}

fn record(geometry: &mut Geometry, line: &str) -> Result<(), String> {
    let mut words = line.split_ascii_whitespace();
    let Some(record) = words.next() else { return Ok(()) };
    let index = words.next().and_then(|word| word.parse::<usize>().ok());
    let index = index.ok_or("there is no index")?;
    let mut next = || {
        let bits = words.next().and_then(|word| u32::from_str_radix(word, 16).ok());
        bits.map(f32::from_bits).ok_or("expected the bits of a number in hexadecimal")
    };
    let outside = || format!("there is no {} {index}", record.quoted());
    match record {
        "module" => *geometry.module_z.get_mut(index).ok_or_else(outside)? = next()?,
        "column" => {
            *geometry.column_x.get_mut(index).ok_or_else(outside)? = next()?;
            geometry.column_pitch[index] = next()?;
        }
        "sensor" => {
            for number in geometry.sensors.get_mut(index).ok_or_else(outside)? {
                *number = next()?;
            }
        }
        _ => {
            let record = record.quoted();
            return Err(format!("unknown record {record}; there are module, column, sensor"));
        }
    }
    Ok(())
}

fn complete(geometry: Geometry) -> Result<Geometry, (String, String)> {
    let missing =
        |record: &str, index| ("end".to_owned(), format!("there is no valid {record} {index}"));
    if let Some(index) = geometry.module_z.iter().position(|z| !z.is_finite()) {
        return Err(missing("module", index));
    }
    let columns = geometry.column_x.iter().zip(&geometry.column_pitch);
    if let Some(index) = { columns }.position(|(x, pitch)| !(x + pitch).is_finite()) {
        return Err(missing("column", index));
    }
    let is_invalid =
        |sensor: &[f32; TRANSFORMATION]| sensor.iter().any(|number| !number.is_finite());
    if let Some(index) = geometry.sensors.iter().position(is_invalid) {
        return Err(missing("sensor", index));
    }
    Ok(geometry)
}

/// The binary file: each array after its length, which is of 64 bits.
fn binary(bytes: &[u8]) -> Result<Geometry, (String, String)> {
    let mut geometry = empty();
    let mut rest = bytes;
    let mut offset = 0;
    let mut length = |rest: &mut &[u8], expected: usize, name: &str| {
        let Some((length, after)) = rest.split_first_chunk::<8>() else {
            return Err((format!("byte {offset}"), "the file ends here".to_owned()));
        };
        let length = u64::from_le_bytes(*length);
        if length != expected as u64 {
            let problem = format!("{length} {name}: expected {expected}");
            return Err((format!("byte {offset}"), problem));
        }
        *rest = after;
        offset += 8 + 4 * expected;
        Ok(())
    };
    length(&mut rest, MODULES, "modules")?;
    numbers(&mut rest, &mut geometry.module_z);
    length(&mut rest, COLUMNS, "columns")?;
    numbers(&mut rest, &mut geometry.column_x);
    length(&mut rest, COLUMNS, "widths of columns")?;
    numbers(&mut rest, &mut geometry.column_pitch);
    length(&mut rest, SENSORS, "sensors")?;
    length(&mut rest, TRANSFORMATION, "numbers of a sensor")?;
    numbers(&mut rest, geometry.sensors.as_flattened_mut());
    complete(geometry)
}

/// Fills the numbers from the bytes.
fn numbers(bytes: &mut &[u8], numbers: &mut [f32]) {
    for number in numbers {
        if let Some((word, rest)) = bytes.split_first_chunk::<4>() {
            *number = f32::from_le_bytes(*word);
            *bytes = rest;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to_binary(geometry: &Geometry) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut array = |lengths: &[usize], numbers: &[f32]| {
            bytes.extend(lengths.iter().flat_map(|length| (*length as u64).to_le_bytes()));
            bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        };
        array(&[MODULES], &geometry.module_z);
        array(&[COLUMNS], &geometry.column_x);
        array(&[COLUMNS], &geometry.column_pitch);
        array(&[SENSORS, TRANSFORMATION], geometry.sensors.as_flattened());
        bytes
    }

    #[test]
    fn nominal_geometry_is_that_of_the_experiment() {
        let geometry = Geometry::nominal();
        assert_eq!((geometry.module_z[0], geometry.module_z[15]), (-287.5, 0.0));
        let wide: Vec<_> =
            (0..COLUMNS).filter(|&column| geometry.column_pitch[column] > 0.06).collect();
        assert_eq!(wide, [254, 255, 256, 510, 511, 512]);
        assert!(geometry.sensors.iter().all(|sensor| sensor[6] == 0.0 && sensor[7] == 0.0));
    }

    #[test]
    fn binary_files_come_back() {
        let bytes = to_binary(Geometry::nominal());
        assert_eq!(bytes.len(), BINARY_BYTES);
        assert_eq!(binary(&bytes).as_ref(), Ok(Geometry::nominal()));
        let mut wrong = bytes;
        wrong[0] = 51;
        let (location, problem) = binary(&wrong).expect_err("51 modules");
        assert_eq!((location.as_str(), problem.as_str()), ("byte 0", "51 modules: expected 52"));
    }

    #[test]
    fn invalid_text_is_refused_with_its_line() {
        let problem = |content: &str| text(content.as_bytes()).expect_err("invalid");
        assert_eq!(problem("module 52 0").1, "there is no \"module\" 52");
        assert_eq!(problem("\nmodule 0 c38fc000\nhall 1").0, "line 3");
        assert_eq!(problem("module 0 c38fc000").1, "there is no valid module 1");
    }
}
