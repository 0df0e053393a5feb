//! Running variants of the chain.

use algorithms::algorithm::{Algorithm, Promise, Semantics};
use algorithms::device::emulator::{self, Config, Lanes};
use algorithms::device::{Target, Team};
use algorithms::sts::task::{STS, Timeslices};
use algorithms::sts::{Cluster, Hit, Partitioned, Product};

/// What each variant with these semantics finds on the host, by its name.
pub fn found_by_all(
    input: &Timeslices,
    semantics: Semantics,
    threads: usize,
) -> Vec<(&'static str, Vec<Product>)> {
    let team = Team::new(threads).expect("threads");
    found_at(input, semantics, &Target::host(&team))
}

/// Only timeslices that follow each other are told apart by it.
const SAME_KERNELS: &str = "-overlapped";

/// The same on the emulator, in warps of so many lanes; nothing where a build has none.
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

/// Whether the kernels of a variant run for this input by another name.
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

/// What a chain should leave.
pub fn both(clusters: Partitioned<Cluster>, hits: Partitioned<Hit>) -> Product {
    let (clusters, hits) = (Product::Clusters(clusters), Product::Hits(hits));
    Product::Both(Box::new(clusters), Box::new(hits))
}

/// Whether something found is what is expected, to the last bit.
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
