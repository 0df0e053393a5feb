//! Runs variants of the chain.

use algorithms::algorithm::{Algorithm, Promise, Semantics};
use algorithms::device::emulator::{self, Config, Lanes};
use algorithms::device::{Target, Team};
use algorithms::sts::task::{STS, Timeslices};
use algorithms::sts::{Cluster, Hit, Partitioned, Product};

/// Returns the output of each CPU variant with these semantics, by its name.
pub fn found_by_all(
    input: &Timeslices,
    semantics: Semantics,
    threads: usize,
) -> Vec<(&'static str, Vec<Product>)> {
    let team = Team::new(threads).expect("threads");
    found_at(input, semantics, &Target::host(&team))
}

/// Variants with this suffix differ from others only for several timeslices.
const SAME_KERNELS: &str = "-overlapped";

/// Returns the outputs of the kernels on the emulator, with warps of `lanes` lanes; nothing if the
/// build has no emulator.
pub fn found_by_kernels(
    input: &Timeslices,
    semantics: Semantics,
    lanes: Lanes,
) -> Vec<(&'static str, Vec<Product>)> {
    let gpu = emulator::gpu_for_tests(Config { lanes, ..Config::default() });
    let Some(gpu) = gpu else { return Vec::new() };
    let team = Team::new(1).expect("a thread");
    found_at(input, semantics, &Target::emulated(gpu, &team))
}

/// True if another variant has the same kernels for this input.
fn is_double(name: &str, input: &Timeslices) -> bool {
    name.ends_with(SAME_KERNELS) && input.0.len() == 1
}

fn found_at(
    input: &Timeslices,
    semantics: Semantics,
    target: &Target<'_>,
) -> Vec<(&'static str, Vec<Product>)> {
    let variants = STS.variants().into_iter();
    let variants = variants.filter(|variant| variant.backend == target.device.backend());
    let variants = variants.filter(|variant| (variant.semantics)(input) == semantics);
    let variants = variants.filter(|variant| !is_double(variant.name, input));
    let found = variants.map(|variant| {
        let output = variant.output(&STS, input, target);
        (variant.name, output.expect("any input"))
    });
    found.collect()
}

/// The output of a chain.
pub fn both(clusters: Partitioned<Cluster>, hits: Partitioned<Hit>) -> Product {
    let clusters = Product::Clusters(clusters);
    let hits = Product::Hits(hits);
    Product::Both(Box::new(clusters), Box::new(hits))
}

/// Asserts that all outputs are equal to the expected one, to the last bit.
pub fn assert_same(input: &Timeslices, expected: &Product, found: &[Product], context: &str) {
    let promise = Promise {
        stable: false,
        content: algorithms::algorithm::Content::Whole,
        semantics: Semantics::Exact,
    };
    let expected = vec![expected.clone()];
    let checked = STS.check(input, Some(&expected), &found.to_vec(), promise);
    checked.unwrap_or_else(|error| panic!("{context}: {error}"));
}
