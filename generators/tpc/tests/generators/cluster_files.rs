//! Round trips of cluster files, and errors for damaged ones.

use std::fs;
use std::path::Path;

use generators_tpc::clusters::{ClusterShape, Clusters, generate};
use generators_tpc::io::{read_clusters, write_clusters};

const HEADER_BYTES: usize = 40;

fn made() -> Clusters {
    let shape = ClusterShape { tracks: 30, min_clusters: 1, max_clusters: 9, row_clusters: 3 };
    generate(&shape, 1).expect("a sensible shape")
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

fn error_of(path: &Path, content: &[u8]) -> String {
    fs::write(path, content).expect("written");
    read_clusters(path).expect_err("damaged").to_string()
}

/// Compares clusters without the unused bytes between arrays, which files do not keep.
fn same(one: &Clusters, other: &Clusters) -> bool {
    let length = one.bytes().len();
    let layout = one.layout();
    let arrays = |clusters: &Clusters| -> Vec<Vec<u8>> {
        let fields = 0..generators_tpc::clusters::FIELDS.len();
        fields.map(|field| clusters.bytes()[layout.range(field)].to_vec()).collect()
    };
    one.tracks() == other.tracks()
        && one.rows() == other.rows()
        && other.bytes().len() == length
        && arrays(one) == arrays(other)
}

#[test]
fn written_files_are_read_back() {
    let folder = folder();
    for name in ["c.bin", "c.bin.gz"] {
        let path = folder.path().join(name);
        write_clusters(&path, &made()).expect("written");
        let read = read_clusters(&path).expect("read");
        assert!(same(&made(), &read), "{name}");
    }
}

#[test]
fn text_is_refused_with_the_fix() {
    let error = write_clusters(Path::new("c.csv"), &made()).expect_err("refused");
    assert!(error.to_string().contains("use .bin"), "{error}");
}

#[test]
fn files_are_as_long_as_they_say() {
    let folder = folder();
    let path = folder.path().join("c.bin");
    write_clusters(&path, &made()).expect("written");
    let whole = fs::read(&path).expect("read");
    let damaged = folder.path().join("d.bin");
    let cut = |bytes: &[u8]| error_of(&damaged, bytes);
    assert!(cut(&whole[..whole.len() - 1]).contains("within its unattached_sigma_time"));
    assert!(cut(&whole[..HEADER_BYTES + 7]).contains("byte 47: the file ends here"));
    assert!(cut(&whole[..12]).contains("within its header"));
    assert!(cut(&[&whole[..], b"x"].concat()).contains("more data after the last array"));
    let other = [&b"TPCCLUS2"[..], &whole[8..]].concat();
    assert!(cut(&other).contains("the magic is"));
}

#[test]
fn invalid_slots_are_reported() {
    let folder = folder();
    let path = folder.path().join("c.bin");
    let header = |numbers: [u64; 4]| {
        let numbers = numbers.map(u64::to_le_bytes).concat();
        error_of(&path, &[&b"TPCCLUS1"[..], &numbers].concat())
    };
    assert!(header([0, 0, 0, 0]).contains("there are no tracks"));
    assert!(header([1, u64::MAX, 1, 1]).contains("are too many"));
    assert!(header([1, 1, u64::MAX, u64::MAX]).contains("are too many"));
    let claims = header([1 << 29, 1 << 29, 1, 1]);
    assert!(claims.contains("the file ends here, within its starts"), "{claims}");
}

#[test]
fn invalid_pieces_are_reported() {
    let folder = folder();
    let path = folder.path().join("c.bin");
    write_clusters(&path, &made()).expect("written");
    let whole = fs::read(&path).expect("read");
    let damaged = folder.path().join("d.bin");
    let with = |at: usize, bytes: &[u8]| {
        let mut damage = whole.clone();
        damage[at..at + bytes.len()].copy_from_slice(bytes);
        error_of(&damaged, &damage)
    };
    let second = &whole[HEADER_BYTES + 4..HEADER_BYTES + 8];
    assert!(with(HEADER_BYTES, second).contains("overlap at slot"));
    let beyond = with(HEADER_BYTES, &u32::MAX.to_le_bytes());
    assert!(beyond.contains("its pieces: track 0: "), "{beyond}");
    let rows = HEADER_BYTES + 4 * made().tracks().len();
    assert!(with(rows, &7_u32.to_le_bytes()).contains("row 0 has 7 clusters, but a capacity of 6"));
}
