//! Reading files of each kind from the page cache, beside a copy of the same size in memory.

use std::path::{Path, PathBuf};
use std::time::Duration;
use std::{env, fs, process};

use algorithms_sts::sts_unpack::StsUnpack;
use algorithms_tpc::tpc_decode::TpcDecode;
use benches::shape;
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use generators_common::DataError;
use generators_common::io::Selection;
use generators_sts::io::{ArchiveShape, read_digis, read_raw_data, write_archive, write_digis};
use generators_sts::{Order, generate};
use tasks::algorithm::Algorithm;
use tasks::axis::Params;

/// A folder that is removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        let path = env::temp_dir().join(format!("recobench-reading-{}", process::id()));
        fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that stays is only untidy.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Benches a reader of a file; its rate is in bytes of the file.
fn bench<T>(criterion: &mut Criterion, path: &Path, read: impl Fn(&Path) -> Result<T, DataError>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let content = fs::read(path).expect("a file");
    let mut group = criterion.benchmark_group(format!("read/{name}"));
    group.throughput(Throughput::Bytes(content.len() as u64));
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    group.bench_function("read", |bencher| bencher.iter(|| read(path).expect("readable")));
    let mut copy = vec![0_u8; content.len()];
    group.bench_function("copy", |bencher| bencher.iter(|| copy.copy_from_slice(&content)));
    group.finish();
}

fn digis(criterion: &mut Criterion) {
    let folder = Folder::new();
    let digis = generate(&shape(24, 20_000_000, Order::Time), 1).expect("digis");
    for name in ["digis.bin", "digis.csv", "digis.parquet"] {
        let path = folder.path(name);
        write_digis(&path, &digis).expect("written");
        bench(criterion, &path, read_digis);
    }
}

fn raw_data(criterion: &mut Criterion) {
    let folder = Folder::new();
    let params: Params = [("preset", "mcbm-2024"), ("scale", "0.1")].into_iter().collect();
    let plan = StsUnpack.plan(params).expect("a point");
    let input = StsUnpack.generate(&plan.params, 1).expect("raw data");
    let blocks = folder.path("raw.ts.bin");
    StsUnpack.write(&input, &blocks).expect("written");
    let archives = [("raw.tsa", false), ("raw-zstd.tsa", true)].map(|(name, zstd)| {
        let path = folder.path(name);
        let shape = ArchiveShape { zstd, duration_ns: 0, timeslices_of_file: 1 };
        write_archive(&path, input.data(), shape).expect("written");
        path
    });
    for path in archives.into_iter().chain([blocks]) {
        bench(criterion, &path, |path| read_raw_data(&[path.to_owned()], &Selection::ALL));
    }
}

fn pages(criterion: &mut Criterion) {
    let folder = Folder::new();
    let params: Params = [("sectors", "4"), ("orbits", "4")].into_iter().collect();
    let plan = TpcDecode.plan(params).expect("a point");
    let frame = TpcDecode.generate(&plan.params, 1).expect("pages");
    let path = folder.path("tpc.pages");
    TpcDecode.write(&frame, &path).expect("written");
    bench(criterion, &path, |path| TpcDecode.read(&path.into(), &Params::default()));
}

criterion_group!(benches, digis, raw_data, pages);
criterion_main!(benches);
