//! Data of detectors.

use std::fs;
use std::io::Write;
use std::path::Path;

use flate2::Compression;
use flate2::write::GzEncoder;
use fuzz_readers::SEPARATOR;
use generators_common::DataError;
use generators_lhcb::io::write_events;
use generators_lhcb::simulate::{EventShape, Preset, simulate};
use generators_lhcb::{BankKind, Geometry};
use generators_sts::io::{
    ArchiveShape, write_archive, write_digis, write_raw_timeslices, write_readout, write_setup,
    write_unpacked,
};
use generators_sts::raw::{
    Cabling, Descriptor, MESSAGE_BYTES, Message, RawData, RawTimeslice, Readout, Rules, block_of,
};
use generators_sts::setup::Setup;
use generators_sts::{DigiShape, Order, SegmentedDigis, Skew};
use generators_tpc::charges::Labels;
use generators_tpc::clusters::ClusterShape;
use generators_tpc::encode::SectorEncoder;
use generators_tpc::io::{SectorLabels, write_clusters, write_labels, write_slice_tracks};
use generators_tpc::page::PAGE_BYTES;
use generators_tpc::pages::Framing;
use generators_tpc::slice_tracks::{Ids, TrackShape};
use generators_tpc::{Digit, PadId, PadMapping, ZsFormat, clusters, slice_tracks};

use super::Corpus;

pub fn corpora() -> Vec<Corpus> {
    let csv = of_digis("digis.csv");
    let bin = of_digis("digis.bin");
    let gz = vec![("csv", packed(&csv)), ("bin", packed(&bin)), ("members", in_members(&csv))];
    let setup = Setup::regular(2).expect("a setup");
    let slice_tracks = |name| {
        let shape = TrackShape { tracks: 30, ids: Ids::Shuffled };
        let tracks = slice_tracks::generate(&shape, 1).expect("tracks");
        written(name, |path| write_slice_tracks(path, &tracks))
    };
    let shape = ClusterShape { tracks: 4, min_clusters: 1, max_clusters: 5, row_clusters: 0 };
    let made = clusters::generate(&shape, 1).expect("clusters");
    vec![
        (
            "digi_csv",
            vec![("generated", csv), ("words", WORDS.into()), ("dialect", DIALECT.into())],
        ),
        ("digi_parquet", vec![("generated", of_digis("digis.parquet")), ("polars", POLARS.into())]),
        ("digi_bin", vec![("generated", bin)]),
        ("digi_gz", gz),
        ("setup", vec![("regular", written("s.json", |path| write_setup(path, &setup)))]),
        ("slice_tracks_csv", vec![("generated", slice_tracks("t.csv"))]),
        ("slice_tracks_bin", vec![("generated", slice_tracks("t.bin"))]),
        ("clusters", vec![("generated", written("c.bin", |path| write_clusters(path, &made)))]),
        ("charges", vec![("labels", LABELS.into()), ("results", RESULTS.into())]),
        (
            "page_labels",
            vec![("two sectors", written("f.labels", |path| write_labels(path, &labels())))],
        ),
        (
            "raw_timeslices",
            vec![("two", written("d.bin", |path| write_raw_timeslices(path, &raw())))],
        ),
        ("archives", archives()),
        ("raw_tables", vec![("regular", written("s.json", |path| write_readout(path, &tables())))]),
        ("raw_messages", vec![("all kinds", messages())]),
        ("unpacked", Rules::ALL.map(|rules| (rules.name(), unpacked(rules))).into()),
        ("pages", vec![("one", frame(1)), ("none", frame(0))]),
        ("tpc_files", vec![("raw", raw_file()), ("tf", time_frame_file()), ("dump", dump())]),
        ("page_index", vec![("sector", INDEX_OF_SECTOR.into()), ("all", INDEX_OF_ALL.into())]),
        ("decode", FORMATS.map(|(name, version)| (name, encoded(version))).into()),
        ("mapping", vec![("lines", MAPPING.into())]),
        (
            "mdf",
            vec![
                ("pairs of sensors", events("e.mdf", BankKind::SuperPixel, 4)),
                ("retina", events("e.mdf", BankKind::Retina, 3)),
                ("without checksum", without_checksum(events("e.mdf", BankKind::Retina, 4))),
            ],
        ),
        (
            "velo_cases",
            vec![
                ("incomplete", CASES.into()),
                ("generated", events("e.cases", BankKind::SuperPixel, 2)),
            ],
        ),
        ("velo_geometry", vec![("text", geometry_text()), ("binary", geometry_binary())]),
    ]
}

const WORDS: &str = "module,side,channel,time_ns,adc\n1,back,1,10,1\n0, front, 2,20,2\n";
const DIALECT: &str = "\u{feff},adc,time_ns,channel,side,module,event\r\n\
                       0,7.0,10500001230.5,5,n,0,1\r\n1,1.2e1,10500000001,6,p,2,\r\n";
const POLARS: &[u8] =
    include_bytes!("../../../../generators/sts/tests/golden/digis-polars.parquet");
const INDEX_OF_SECTOR: &[u8] = b"\x03endpoint,n_pages\n0,0\n7,0\n19,0\n";
const INDEX_OF_ALL: &[u8] = b"\x23sector,endpoint,n_pages\n0,0,0\n0,19,0\n35,3,0\n";
const MAPPING: &str = "0 0 0 0 0 0 0 0 0 0 0 0 0 0\n1 0 1 0 0 0 0 0 0 0 0 0 0 1\n\n\
                       2 62 3 0 0 0 0 0 0 14 0 0 4 31\n";
const LABELS: &str = "case a\nsector 7\nframe 9\nd 3 4 5 60 0 18446744073709551615\n\
                      d 3 4 6 70\nend\ncase b\nsector 0\nframe 262144\nend\n";
const RESULTS: &str = "case a\nsector 0\nframe 100\nfragment 40\nparam noise_eps 1\n\
                       param time_shift 0.5\nnoisy 0 1\nr 0 0 8 160 800 90\nr 151 137 99 16383\n\
                       p 0 0 9 1\ns 0 0 9 800 1\nc 0 0 576 0 20 50 66 8 77\nend\n";
const CASES: &str = "case a\nraw sp 2\nfull\nb 7 2 80010f01 40fff80\nh 1 2\nend\n\
                     case b\nraw retina 4\nb 103 3ff\nend\ncase c\nraw sp 9\nend\n";
const FORMATS: [(&str, u8); 5] =
    [("row10", 1), ("row12", 2), ("link", 3), ("dense", 4), ("dense2", 5)];

/// An event of few particles.
fn events(name: &str, kind: BankKind, bank_version: u8) -> Vec<u8> {
    let preset = EventShape::for_preset(Preset::MinBias, kind, 1);
    let shape = EventShape { interactions: 0.1, occupancy: 0.1, bank_version, ..preset };
    let events = simulate(&shape, 1).expect("events");
    written(name, |path| write_events(path, &events))
}

/// Removes the checksum of an event, so that its content may change.
fn without_checksum(mut event: Vec<u8>) -> Vec<u8> {
    event[12..16].fill(0);
    event
}

fn geometry_text() -> Vec<u8> {
    let Geometry { module_z, column_x, column_pitch, sensors } = Geometry::nominal();
    let bits = |numbers: &[f32]| {
        numbers.iter().map(|number| format!(" {:08x}", number.to_bits())).collect::<String>()
    };
    let mut text = String::new();
    for (index, z) in module_z.iter().enumerate() {
        text += &format!("module {index}{} {z}\n", bits(&[*z]));
    }
    for (index, (x, pitch)) in column_x.iter().zip(column_pitch).enumerate() {
        text += &format!("column {index}{}\n", bits(&[*x, *pitch]));
    }
    for (index, sensor) in sensors.iter().enumerate() {
        text += &format!("sensor {index}{}\n", bits(sensor));
    }
    text.into_bytes()
}

fn geometry_binary() -> Vec<u8> {
    let Geometry { module_z, column_x, column_pitch, sensors } = Geometry::nominal();
    let sensors_lengths = [sensors.len(), sensors[0].len()];
    let arrays: [(&[usize], &[f32]); 4] = [
        (&[module_z.len()], module_z),
        (&[column_x.len()], column_x),
        (&[column_pitch.len()], column_pitch),
        (&sensors_lengths, sensors.as_flattened()),
    ];
    let mut bytes = Vec::new();
    for (lengths, numbers) in arrays {
        bytes.extend(lengths.iter().flat_map(|length| (*length as u64).to_le_bytes()));
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    bytes
}

/// Labels of samples, some of them without any.
fn labels() -> Vec<SectorLabels> {
    let labels = Labels::from_parts(vec![0, 0, 2], vec![5, u64::MAX, 1 << 63]);
    let labels = labels.expect("lists of all labels");
    vec![SectorLabels { sector: 3, labels }, SectorLabels { sector: 35, labels: Labels::default() }]
}

/// Content of a file of that name after `write`.
fn written(name: &str, write: impl Fn(&Path) -> Result<(), DataError>) -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join(name);
    write(&path).expect("written");
    fs::read(path).expect("readable")
}

fn of_digis(name: &str) -> Vec<u8> {
    let shape = DigiShape {
        segments: 4,
        digis: 40,
        order: Order::Jitter(3),
        skew: Skew::Ratio(3.0),
        duplicates: 0.2,
        timeslice_ns: 1 << 31,
    };
    let digis: SegmentedDigis = generators_sts::generate(&shape, 1).expect("digis");
    written(name, |path| write_digis(path, &digis))
}

/// Start of the raw data, in ns of Unix time.
const START_NS: u64 = 1_700_000_000_000_000_000;

/// The messages of a microslice, after the time of its start.
fn messages() -> Vec<u8> {
    let epoch = Message::ts_msb((START_NS / 3200) as u32);
    let hits = (0..30).map(|index| Message::hit(index * 2, index, 1 + index % 9, 77));
    let first = [Message::epoch(0), epoch].into_iter();
    let all = first.chain(hits).chain([epoch, Message::status(5), Message::end()]);
    let words = all.flat_map(Message::to_bytes);
    START_NS.to_le_bytes().into_iter().chain(words).collect()
}

/// Two timeslices of a component of two microslices each.
fn raw() -> RawData {
    timeslices([0, 1])
}

/// Timeslices of those indices, the later ones of fewer messages.
fn timeslices(indices: [u64; 2]) -> RawData {
    let messages = messages();
    let mut data = RawData::default();
    for index in indices {
        let end = messages.len() - index as usize * MESSAGE_BYTES;
        let content = &messages[size_of_val(&START_NS)..end];
        data.push_timeslice(RawTimeslice { index, start_ns: START_NS, core_microslices: 1 });
        let microslice = (Descriptor::of_sts(0x1000, START_NS), content);
        let (count, block) = block_of([microslice; 2].into_iter());
        data.push_component(count, &block).expect("a component");
    }
    data
}

/// Archives of two timeslices each, which readers put in order.
fn archives() -> Vec<(&'static str, Vec<u8>)> {
    let archive = |zstd, indices| {
        let shape = ArchiveShape { zstd, duration_ns: 1_000_000, ..ArchiveShape::default() };
        written("d.tsa", |path| write_archive(path, &timeslices(indices), shape))
    };
    vec![
        ("plain", archive(false, [0, 1])),
        ("zstd", archive(true, [0, 1])),
        ("out of order", archive(false, [1, 0])),
    ]
}

fn tables() -> Readout {
    let mut cabling = Cabling::regular(1);
    cabling.masked.insert((0, 7));
    cabling.readout(Vec::new()).expect("sensible")
}

fn unpacked(rules: Rules) -> Vec<u8> {
    let unpacked = algorithms_sts::sts_unpack::unpack(&raw(), &tables(), rules);
    written("u.bin", |path| write_unpacked(path, &unpacked, rules))
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut packed = GzEncoder::new(Vec::new(), Compression::default());
    packed.write_all(bytes).expect("packed");
    packed.finish().expect("packed")
}

/// Compressed in two pieces, as parallel compressors do.
fn in_members(bytes: &[u8]) -> Vec<u8> {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    [packed(first), packed(second)].concat()
}

/// An index, and `pages` empty pages.
fn frame(pages: usize) -> Vec<u8> {
    let index = format!("sector,endpoint,n_pages\n2,5,{pages}\n");
    [index.as_bytes(), &[SEPARATOR], &vec![0; pages * PAGE_BYTES]].concat()
}

/// The pages of one stream, without the zeros at the end of the last.
fn encoded(version: u8) -> Vec<u8> {
    let encoder = SectorEncoder {
        format: ZsFormat::from_version(version).expect("a format"),
        mapping: &PadMapping::regular(),
        first_orbit: 0,
        orbits: 1,
        framing: Framing::Simulated,
    };
    let digit = |bin: u32| Digit::new(0, PadId::new((bin % 3) as u8, 5), bin, 77);
    let digits: Vec<_> = (0..60).map(digit).collect();
    let sector = encoder.encode(0, &digits).expect("digits");
    let (_, count) = sector.stream_lengths().next().expect("a stream");
    let bytes = sector.pages()[..count].concat();
    let end = bytes.iter().rposition(|&byte| byte != 0).expect("data");
    [&[version], &bytes[..=end]].concat()
}

/// The pages of one stream, whole, each with the offset to the next.
fn whole_pages() -> Vec<u8> {
    let mut bytes = encoded(4).split_off(1);
    bytes.resize(bytes.len().next_multiple_of(PAGE_BYTES), 0);
    bytes
}

/// Pages that are as long as they are used.
fn raw_file() -> Vec<u8> {
    let mut pages = whole_pages();
    pages.truncate(PAGE_BYTES);
    let used = u16::from_le_bytes([pages[10], pages[11]]);
    pages[8..10].copy_from_slice(&used.to_le_bytes());
    pages.truncate(used.into());
    pages.repeat(2)
}

/// A time frame of a header and pages.
fn time_frame_file() -> Vec<u8> {
    let pages = raw_file();
    let mut header = [0; 96];
    let mut put = |at: usize, part: &[u8]| header[at..at + part.len()].copy_from_slice(part);
    put(0, b"O2O2");
    put(4, &96_u32.to_le_bytes());
    put(12, &3_u32.to_le_bytes());
    put(32, b"RAWDATA");
    put(48, b"TPC");
    put(72, &(pages.len() as u64).to_le_bytes());
    [&header[..], &pages].concat()
}

/// A dump of one page.
fn dump() -> Vec<u8> {
    let mut page = whole_pages();
    page.truncate(PAGE_BYTES);
    let mut dump = b"CAv1".to_vec();
    dump.extend([2_u32, 14].map(u32::to_le_bytes).as_flattened());
    dump.extend((PAGE_BYTES as u64).to_le_bytes());
    dump.extend(page);
    dump.extend([1_u32].map(u32::to_le_bytes).as_flattened());
    dump.resize(dump.len() + (36 * 20 - 1) * size_of::<u32>(), 0);
    dump
}
