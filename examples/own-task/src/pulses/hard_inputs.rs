//! Small inputs that are hard in some respect.

use recobench::data::random::hash;

use super::waveforms::{Shape, Waveforms, generate};

/// All of them, with their names.
pub fn all(seed: u64) -> Vec<(String, Waveforms)> {
    let shape = Shape { waveforms: 300, length: 128, noise: 4.0, threshold: 40 };
    let lists: [(&str, Waveforms); 8] = [
        ("simulated", generate(&shape, seed)),
        ("short", generate(&Shape { length: 32, ..shape }, seed)),
        ("of odd length", generate(&Shape { length: 99, ..shape }, seed)),
        ("long", generate(&Shape { waveforms: 9, length: 4096, ..shape }, seed)),
        ("without a threshold", Waveforms::new(random(seed, 64 * 50, 4095), 64, 0)),
        // Of equal samples the first one is the peak.
        ("of few values", Waveforms::new(random(seed, 64 * 200, 3), 64, 1)),
        ("at the limits", Waveforms::new(limits(64), 64, 1)),
        ("a single one", Waveforms::new(random(seed, 32, 4095), 32, 40)),
    ];
    lists.map(|(name, waves)| (name.to_owned(), waves)).into()
}

fn random(seed: u64, samples: u64, max: u64) -> Vec<u16> {
    (0..samples).map(|i| (hash(seed, [i]) % (max + 1)) as u16).collect()
}

/// The largest value at each index in turn: also at the start, in the baseline, and at the end.
fn limits(length: usize) -> Vec<u16> {
    let waveform = |peak: usize| (0..length).map(move |i| if i == peak { 4095 } else { 0 });
    (0..length).flat_map(waveform).collect()
}
