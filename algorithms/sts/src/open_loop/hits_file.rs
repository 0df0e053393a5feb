//! Files with the hits of a timeslice (`docs/stream.md` describes the format).

use std::io::{self, Write};
use std::path::Path;

use crate::sts::{Hit, Partitioned, Product};

const MAGIC: [u8; 8] = *b"STSHITS1";

/// Writes the hits of a chain in their memory layout, module by module.
///
/// # Errors
/// If the file can't be written, or the hits are not those of the online reconstruction.
pub(super) fn write(path: &Path, products: &[Product]) -> io::Result<()> {
    let hits = products.iter().map(hits).collect::<Option<Vec<_>>>();
    let hits = hits.ok_or_else(|| io::Error::other("these hits have another format"))?;
    files::write_by(path, |file| {
        file.write_all(&MAGIC)?;
        hits.iter().try_for_each(|hits| write_module_by_module(file, hits))
    })
}

fn write_module_by_module(file: &mut dyn Write, hits: &Partitioned<Hit>) -> io::Result<()> {
    file.write_all(&(hits.segments() as u64).to_le_bytes())?;
    for length in hits.partition().lengths() {
        file.write_all(&(length as u64).to_le_bytes())?;
    }
    file.write_all(bytemuck::cast_slice(hits.items()))
}

fn hits(product: &Product) -> Option<&Partitioned<Hit>> {
    match product {
        Product::Both(_, found) => hits(found),
        Product::Hits(hits) | Product::Streams(hits) => Some(hits),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn hits_are_written_module_by_module() {
        let hit = |time| Hit { time, ..Hit::default() };
        let found = Partitioned::of_modules(&[vec![hit(1), hit(2)], vec![], vec![hit(3)]]);
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("0.hits.bin");
        write(&path, &[Product::Hits(found.clone())]).expect("written");
        let bytes = fs::read(&path).expect("there");
        assert_eq!(bytes.len(), 8 + 8 + 3 * 8 + 3 * 48);
        let (numbers, hits) = bytes[8..].split_at(4 * 8);
        let numbers: Vec<u64> =
            numbers.as_chunks().0.iter().map(|it| u64::from_le_bytes(*it)).collect();
        assert_eq!(numbers, [3, 2, 0, 1]);
        let hits = hits.chunks_exact(size_of::<Hit>()).map(bytemuck::pod_read_unaligned);
        let hits: Vec<Hit> = hits.collect();
        assert_eq!(hits, found.items());
        assert!(write(&path, &[Product::Nothing]).is_err());
    }
}
