//! Arithmetic that shaders implement themselves, because drivers need not be exact.

use super::super::probe;
use super::*;
use crate::engine::FIRST_QUEUE;
use crate::image::{Access, Parameter, Shader};

const ARITHMETIC: &str = include_str!("../../../build/include/arithmetic.wgsl");
const PARAMETERS: &[Parameter] = &[
    Parameter::Buffer(Access::Read),
    Parameter::Buffer(Access::Read),
    Parameter::Buffer(Access::Write),
    Parameter::Value(4),
];
const THREADS: u32 = 64;
/// Results for a pair of numbers: their quotient, the root of the first, and a sum with a product.
const RESULTS: usize = 3;
const ENTRY: &str = "
struct Arguments { blocks: u32, count: u32 }
var<immediate> arguments: Arguments;
@group(0) @binding(0) var<storage, read> left: array<f32>;
@group(0) @binding(1) var<storage, read> right: array<f32>;
@group(0) @binding(2) var<storage, read_write> results: array<f32>;

@compute @workgroup_size(64)
fn arithmetic(invocation: InBlock) {
    enter(invocation);
    let own = block * 64u + thread;
    if own >= arguments.count { return; }
    results[3u * own] = quotient(left[own], right[own]);
    results[3u * own + 1u] = root(left[own]);
    results[3u * own + 2u] = sum(product(left[own], right[own]), left[own]);
}
";

/// Numbers of all magnitudes whose significands are random or at either end.
fn numbers(seed: u64) -> Vec<f32> {
    let number = |i: u64| {
        let random = generators_common::random::hash(seed, [i]);
        let fraction = match random % 4 {
            0 => (random >> 8) as u32 % 4,
            1 => !0 - (random >> 8) as u32 % 4,
            _ => (random >> 8) as u32,
        };
        let exponent = 127 - 30 + (random >> 40) as u32 % 60;
        let size = f32::from_bits(exponent << 23 | (fraction & 0x7f_ffff));
        if random >> 63 == 0 { size } else { -size }
    };
    [0.0, 1.0, 2.0, 3.0].into_iter().chain((0..20_000).map(number)).collect()
}

/// Results of the first GPU for pairs of numbers.
fn computed(left: &[f32], right: &[f32], code: &str) -> Option<Vec<f32>> {
    let found = probe::adapters().ok()?.first()?;
    let engine = WebGpuEngine::new(found, Checks::None).ok()?;
    let text = Box::leak([ENTRY, code].concat().into_boxed_str());
    let shader = Box::leak(Box::new(Shader { kernel: "arithmetic", parameters: PARAMETERS, text }));
    let mut results = vec![0.0; RESULTS * left.len()];
    let word = |bits: u64, bytes| Argument::Word { bits, bytes };
    let at = |numbers: &[f32]| {
        engine.allocate(MemoryKind::Device, size_of_val(numbers)).expect("memory")
    };
    let [a, b, to] = [left, right, &results].map(at);
    let arguments = [word(a, 8), word(b, 8), word(to, 8), word(left.len() as u64, 4)];
    let blocks = (left.len() as u32).div_ceil(THREADS);
    let start = |transfer| {
        // SAFETY: buffers and slices on both sides hold all numbers.
        unsafe { engine.start(FIRST_QUEUE, transfer) }.expect("copied");
    };
    for (to, from) in [(a, left), (b, right)] {
        let bytes = size_of_val(from);
        start(Transfer::Upload { to, from: from.as_ptr().cast(), bytes });
    }
    let shape = Shape {
        blocks,
        threads: THREADS,
        grid: [blocks, 1, 1],
        block: [THREADS, 1, 1],
        shared_bytes: 0,
        bytes: 0,
    };
    let grid = Grid::new(&shape, engine.max_blocks_in_row).expect("a line");
    engine.dispatch(&mut engine.work(), shader, grid, &arguments).expect("started");
    let bytes = size_of_val(&*results);
    start(Transfer::Download { to: results.as_mut_ptr().cast(), from: to, bytes });
    Some(results)
}

fn check(code: &str) {
    let left = numbers(1);
    let right = numbers(2);
    let Some(results) = computed(&left, &right, code) else { return };
    for ((a, b), results) in left.iter().zip(&right).zip(results.chunks(RESULTS)) {
        let expected = [a / b, a.sqrt(), a * b + a];
        for (&expected, &result) in expected.iter().zip(results) {
            let is_right = expected.to_bits() == result.to_bits() || expected.is_nan();
            assert!(is_right, "{a:e} and {b:e}: {result:e} instead of {expected:e}");
        }
    }
}

#[test]
fn arithmetic_is_correctly_rounded() {
    check(ARITHMETIC);
}

#[test]
fn quotients_and_roots_of_inexact_drivers_are_corrected() {
    let divide = "f32(dividend) / f32(divisor)";
    let root = "sqrt(f32(square) / UNITS)";
    assert!(ARITHMETIC.contains(divide) && ARITHMETIC.contains(root));
    for factor in ["0.9999997", "1.0000003"] {
        let inexact = |exact: &str| format!("{exact} * {factor}");
        let code = ARITHMETIC.replace(divide, &inexact(divide));
        check(&code.replace(root, &inexact(root)));
    }
}
