//! Timeslice archives of FLESnet.

use std::path::{Path, PathBuf};

use generators_common::DataError;
use generators_common::io::{Selection, with_content_limit};
use generators_sts::io::{ArchiveShape, read_raw_data, write_archive, write_raw_timeslices};
use generators_sts::raw::{Descriptor, RawData, RawTimeslice, block_of};
use tempfile::TempDir;

fn timeslices(count: u64) -> RawData {
    let mut data = RawData::default();
    for index in 0..count {
        let start_ns = 1_700_000_000_000_000_000 + 1_000_000 * index;
        data.push_timeslice(RawTimeslice { index, start_ns, core_microslices: 2 });
        for board in 0..3 {
            let content = vec![board as u8; 8 * (index as usize + 1)];
            let microslices = (0..2).map(|number| {
                let begin = start_ns + 500_000 * number;
                (Descriptor::of_sts(board, begin), &content[..])
            });
            let (count, block) = block_of(microslices);
            data.push_component(count, &block).expect("well-formed");
        }
    }
    data
}

fn read(inputs: &[&Path]) -> Result<(RawData, Vec<String>), String> {
    read_selected(inputs, &Selection::default())
}

fn read_selected(
    inputs: &[&Path],
    selection: &Selection,
) -> Result<(RawData, Vec<String>), String> {
    let inputs: Vec<PathBuf> = inputs.iter().map(|&path| path.to_owned()).collect();
    let (data, remarks) = read_raw_data(&inputs, selection).map_err(|error| error.to_string())?;
    Ok((data, remarks.sentences()))
}

fn indices(data: &RawData) -> Vec<u64> {
    data.timeslices().map(|(timeslice, _)| timeslice.index).collect()
}

#[test]
fn archives_come_back_plain_and_compressed() {
    let folder = TempDir::new().expect("a folder");
    for zstd in [false, true] {
        let path = folder.path().join("d.tsa");
        let data = timeslices(5);
        let shape = ArchiveShape { zstd, duration_ns: 1_000_000, ..ArchiveShape::default() };
        write_archive(&path, &data, shape).expect("written");
        assert_eq!(read(&[&path]), Ok((data, Vec::new())));
    }
}

#[test]
fn sequences_and_inputs_are_one_run_in_order_of_indices() {
    let folder = TempDir::new().expect("a folder");
    let sequence = folder.path().join("run_%n.tsa");
    let data = timeslices(5);
    let shape = ArchiveShape { timeslices_of_file: 2, ..ArchiveShape::default() };
    write_archive(&sequence, &data, shape).expect("written");
    let (read_back, _) = read(&[&sequence]).expect("a sequence");
    assert_eq!(indices(&read_back), [0, 1, 2, 3, 4]);
    assert_eq!(read_back.messages(), data.messages());
    let file = |number| folder.path().join(format!("run_{number:04}.tsa"));
    let (read_back, _) = read(&[&file(2), &file(0), &file(1)]).expect("three inputs");
    assert_eq!(indices(&read_back), [0, 1, 2, 3, 4]);
    let contents = |data: &RawData| -> Vec<Vec<u8>> {
        data.timeslices().flat_map(|(_, all)| all.map(|one| one.block().to_vec())).collect()
    };
    assert_eq!(contents(&read_back), contents(&data));
    let selected = |indices, skip, take| {
        let (data, _) = read_selected(&[&sequence], &Selection { indices, skip, take })?;
        Ok::<_, String>(self::indices(&data))
    };
    assert_eq!(selected(Some(1..4), 0, None), Ok(vec![1, 2, 3]));
    assert_eq!(selected(None, 3, None), Ok(vec![3, 4]));
    assert_eq!(selected(Some(1..5), 1, Some(2)), Ok(vec![2, 3]));
    assert!(selected(None, 9, None).expect_err("none is left").contains("no timeslice"));
    let missing = read(&[&folder.path().join("other_%n.tsa")]).expect_err("there is none");
    assert!(missing.contains("other_0000.tsa"), "{missing}");
}

#[test]
fn memory_is_bounded_by_what_is_selected() {
    let folder = TempDir::new().expect("a folder");
    let path = |name| folder.path().join(name);
    let data = timeslices(40);
    let zstd = ArchiveShape { zstd: true, ..ArchiveShape::default() };
    write_archive(&path("d.tsa"), &data, ArchiveShape::default()).expect("written");
    write_archive(&path("z.tsa"), &data, zstd).expect("written");
    write_raw_timeslices(&path("d.ts.bin"), &data).expect("written");
    let largest = data.each().map(|timeslice| timeslice.bytes().len()).max().expect("forty");
    let max_bytes = 2 * largest as u64;
    assert!(5 * max_bytes < data.bytes().len() as u64);
    for name in ["d.tsa", "z.tsa", "d.ts.bin"] {
        let read = |indices, skip, take| {
            let selection = Selection { indices, skip, take };
            with_content_limit(max_bytes, || read_raw_data(&[path(name)], &selection))
        };
        for selected in [read(Some(37..39), 0, None), read(None, 37, Some(2))] {
            let (selected, _) = selected.expect("two timeslices fit");
            assert_eq!(indices(&selected), [37, 38], "{name}");
            assert!(selected.bytes().len() as u64 <= max_bytes);
        }
        for too_large in [read(None, 0, None), read(None, 0, Some(39))] {
            let error = too_large.expect_err("too large");
            assert!(matches!(error, DataError::TooLarge { .. }), "{name}: {error}");
        }
    }
}

#[test]
fn cut_archives_give_their_whole_timeslices() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("d.tsa");
    write_archive(&path, &timeslices(4), ArchiveShape::default()).expect("written");
    let whole = std::fs::read(&path).expect("read");
    let starts: Vec<usize> = (1..=4)
        .map(|count| {
            write_archive(&path, &timeslices(count), ArchiveShape::default()).expect("written");
            std::fs::read(&path).expect("read").len()
        })
        .collect();
    for length in 0..whole.len() {
        std::fs::write(&path, &whole[..length]).expect("written");
        let read = read(&[&path]);
        let there = starts.iter().filter(|&&end| end <= length).count();
        match read {
            Ok((data, remarks)) => {
                assert_eq!(data.len(), there, "{length}");
                let at_end = starts.contains(&length);
                assert_eq!(remarks.is_empty(), at_end, "{length}: {remarks:?}");
                if !at_end {
                    let byte = starts[there - 1];
                    let were = if there == 1 { " was" } else { "s were" };
                    let expected = format!(
                        "{there} whole timeslice{were} read, the next begins at byte {byte}"
                    );
                    assert!(remarks[0].contains(&expected), "{remarks:?}");
                }
            }
            Err(error) => {
                assert_eq!(there, 0, "{length}: {error}");
                assert!(error.contains("d.tsa"), "{error}");
            }
        }
    }
}

#[test]
fn wrong_bytes_never_panic_and_name_file_and_byte() {
    let folder = TempDir::new().expect("a folder");
    let path = folder.path().join("d.tsa");
    write_archive(&path, &timeslices(2), ArchiveShape::default()).expect("written");
    let whole = std::fs::read(&path).expect("read");
    let mut refused = 0;
    for offset in 0..whole.len() {
        for value in [0x00, 0x7f, 0xff] {
            let mut damaged = whole.clone();
            damaged[offset] = value;
            std::fs::write(&path, &damaged).expect("written");
            if let Err(error) = read(&[&path]) {
                refused += 1;
                assert!(error.contains("d.tsa") && error.contains("byte"), "{offset}: {error}");
            }
        }
    }
    assert!(refused > 100, "{refused}");
}
