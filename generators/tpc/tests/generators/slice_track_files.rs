//! Round trips of slice track files, and errors for damaged ones.

use std::fs;
use std::path::Path;

use generators_tpc::io::{read_slice_tracks, write_slice_tracks};
use generators_tpc::slice_tracks::{
    Ids, NONE, Relations, SliceTrack, SliceTracks, TrackShape, generate,
};

const HEADER: &str = "q_over_pt,zt_min,zt_max,n_clusters,segment_prev,segment_next,\
                      neighbour_lower,neighbour_upper,link";

fn made() -> SliceTracks {
    let shape = TrackShape { tracks: 3000, ids: Ids::Shuffled };
    generate(&shape, 1).expect("a sensible shape")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn error_of(path: &Path, content: &[u8]) -> String {
    fs::write(path, content).expect("written");
    read_slice_tracks(path).expect_err("damaged").to_string()
}

fn error_of_rows(rows: &str) -> String {
    let folder = folder();
    let text = format!("{HEADER}\n{rows}");
    error_of(&folder.path().join("t.csv"), text.as_bytes())
}

#[test]
fn written_files_are_read_back() {
    let folder = folder();
    for name in ["t.csv", "t.bin", "t.csv.gz", "t.bin.gz"] {
        let path = folder.path().join(name);
        write_slice_tracks(&path, &made()).expect("written");
        assert_eq!(read_slice_tracks(&path).expect("read"), made(), "{name}");
    }
}

#[test]
fn columns_are_as_documented() {
    let track = SliceTrack { q_over_pt: -0.25, zt_min: 1.5, zt_max: 2.0, n_clusters: 70 };
    let mut relations = [Relations::ALONE; 3];
    relations[0].segment_next = 1;
    relations[1].segment_prev = 0;
    relations[0].neighbours[1] = 2;
    relations[2].neighbours[0] = 0;
    let tracks = SliceTracks::new(vec![track; 3], relations.to_vec(), vec![2, NONE, 1]);
    let folder = folder();
    let path = folder.path().join("t.csv");
    write_slice_tracks(&path, &tracks.expect("sound")).expect("written");
    let text = fs::read_to_string(&path).expect("read");
    let lines: Vec<_> = text.lines().collect();
    assert_eq!(lines[0], HEADER);
    assert_eq!(lines[1], "-0.25,1.5,2,70,-1,1,-1,2,2");
    assert_eq!(lines[2], "-0.25,1.5,2,70,0,-1,-1,-1,-1");
    assert_eq!(lines[3], "-0.25,1.5,2,70,-1,-1,0,-1,1");
}

#[test]
fn invalid_fields_are_reported_with_their_line() {
    let error = error_of_rows("x,0,1,5,-1,-1,-1,-1,-1\n");
    assert!(error.contains("line 2: q_over_pt \"x\" is not"), "{error}");
    let error = error_of_rows("1,0,1,5,-1,-1,-1,-1,-1\n1,0,1,5,-1,-1,-1,-1,-2\n");
    assert!(error.contains("line 3: link \"-2\" is not"), "{error}");
    let error = error_of_rows("1,0,1,5,-1,-1,-1,-1\n");
    assert!(error.contains("8 fields instead of 9"), "{error}");
    let error = error_of_rows("1,0,1,5,-1,-1,-1,-1,4294967295\n");
    assert!(error.contains("link 4294967295 is too large"), "{error}");
}

#[test]
fn invalid_relations_are_reported_with_their_slice_track() {
    let error = error_of_rows("1,0,1,5,-1,-1,-1,-1,7\n");
    assert!(error.contains("slice track 0: link 7 is none of the 1"), "{error}");
    let error = error_of_rows("1,0,1,5,-1,1,-1,-1,-1\n1,0,1,5,-1,-1,-1,-1,-1\n");
    assert!(error.contains("slice track 0: segment_next is 1, but"), "{error}");
    let error = error_of_rows("1,NaN,1,5,-1,-1,-1,-1,-1\n");
    assert!(error.contains("slice track 0: q_over_pt"), "{error}");
    assert!(error_of_rows("").contains("holds no slice tracks"));
}

#[test]
fn binary_files_are_as_long_as_they_say() {
    let folder = folder();
    let path = folder.path().join("t.bin");
    write_slice_tracks(&path, &made()).expect("written");
    let whole = fs::read(&path).expect("read");
    let damaged = folder.path().join("d.bin");
    let cut = |bytes: &[u8]| error_of(&damaged, bytes);
    assert!(cut(&whole[..whole.len() - 1]).contains("the file ends here"));
    assert!(cut(&whole[..12]).contains("within its header"));
    assert!(cut(&[&whole[..], b"x"].concat()).contains("more data after the last column"));
    assert!(cut(b"TPCTRKS2").contains("the magic is"));
    let huge = [&b"TPCTRKS1"[..], &u64::MAX.to_le_bytes()].concat();
    assert!(cut(&huge).contains("more than the"));
    let claims = [&b"TPCTRKS1"[..], &2_000_000_000_u64.to_le_bytes()].concat();
    assert!(cut(&claims).contains("the file ends here"));
}
