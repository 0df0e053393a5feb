//! The input: waveforms of one length, generated or read from a file.

use std::io::{Read, Write};
use std::ops::{Range, RangeInclusive};
use std::path::Path;

use recobench::data::DataError;
use recobench::data::io::file;
use recobench::data::random::{Normal, hash};
use recobench::parallel::par_map;
use recobench::tasks::axis::{Flag, Params, axes};

axes! {
    pub AXES {
        pub WAVEFORMS: usize = Flag::count("waveforms").or("200k").small(2e3) =>
            "Waveforms, one for each trigger and channel";
        pub LENGTH: usize = Flag::integer("length").or("128") =>
            "Samples of a waveform: 32 to 4096";
        pub NOISE: f64 = Flag::number("noise").unit("ADC units").or("4") =>
            "Standard deviation of the noise, in ADC units";
        pub THRESHOLD: u32 = Flag::integer("threshold").unit("ADC units").or("40") =>
            "Height from which on a pulse counts, in ADC units";
    }
}

axes! {
    /// Those that an input from a file needs too.
    pub FILE_AXES { THRESHOLD; }
}

/// Samples of a waveform; a kernel has 16 bits for the index of one.
const LENGTHS: RangeInclusive<usize> = 32..=4096;
/// Largest value of a sample: the ADC has 12 bits.
const MAX_SAMPLE: f64 = 4095.0;
const BASELINE: f64 = 200.0;
/// Heights of pulses, in ADC units.
const HEIGHTS: Range<f64> = 50.0..3000.0;
/// Samples in which a pulse rises and falls.
const RISE: f64 = 4.0;
const FALL: f64 = 16.0;
/// Share of waveforms with a pulse.
const WITH_PULSE: f64 = 0.8;
/// Of a file, before the number of samples of a waveform (`u32`) and all samples (`u16`), in little
/// endian.
const MAGIC: &[u8; 8] = b"WAVES\0\0\x01";

/// Parameters of generated waveforms.
pub struct Shape {
    pub waveforms: usize,
    pub length: usize,
    pub noise: f64,
    pub threshold: u32,
}

impl Shape {
    /// The shape that complete parameters describe.
    pub fn from_params(params: &Params) -> Result<Self, DataError> {
        let shape = Shape {
            waveforms: WAVEFORMS.value(params)?,
            length: LENGTH.value(params)?,
            noise: NOISE.value(params)?,
            threshold: THRESHOLD.value(params)?,
        };
        if !LENGTHS.contains(&shape.length) {
            return Err(DataError::Shape(format!("--length {} is not 32 to 4096", shape.length)));
        }
        if !(0.0..=1000.0).contains(&shape.noise) {
            return Err(DataError::Shape(format!("--noise {} is not 0 to 1000", shape.noise)));
        }
        Ok(shape)
    }

    /// The input, a copy of a variant, and the pulses of a variant, of the reference and of a check.
    pub fn memory_bytes(&self) -> u64 {
        let samples = 2 * 2 * self.length as u64;
        (samples + 4 * 12).saturating_mul(self.waveforms as u64)
    }
}

/// Waveforms of one length, one after the other.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Waveforms {
    samples: Vec<u16>,
    length: usize,
    threshold: u32,
    /// Time of each true pulse in samples, where it is known.
    truth: Option<Vec<Option<f64>>>,
}

impl Waveforms {
    /// Waveforms of unknown truth; `length` samples each.
    pub fn new(samples: Vec<u16>, length: usize, threshold: u32) -> Self {
        Waveforms { samples, length, threshold, truth: None }
    }

    /// All samples.
    pub fn samples(&self) -> &[u16] {
        &self.samples
    }

    /// Samples of a waveform.
    pub fn length(&self) -> usize {
        self.length
    }

    /// Height from which on a pulse counts.
    pub fn threshold(&self) -> u32 {
        self.threshold
    }

    /// Time of the pulse of each waveform, if it is known.
    pub fn truth(&self) -> Option<&[Option<f64>]> {
        self.truth.as_deref()
    }

    /// Number of waveforms.
    pub fn count(&self) -> usize {
        self.samples.len() / self.length.max(1)
    }

    /// Each waveform.
    pub fn each(&self) -> impl Iterator<Item = &[u16]> {
        self.samples.chunks_exact(self.length.max(1))
    }

    /// All but these.
    pub fn without(&self, gone: Range<usize>) -> Self {
        let samples = gone.start * self.length..gone.end * self.length;
        let kept = [&self.samples[..samples.start], &self.samples[samples.end..]].concat();
        let truth = self.truth.as_ref();
        let truth = truth.map(|all| [&all[..gone.start], &all[gone.end..]].concat());
        Waveforms { samples: kept, truth, ..*self }
    }
}

/// Generates waveforms. Each number is a hash of its position, so the threads don't matter.
pub fn generate(shape: &Shape, seed: u64) -> Waveforms {
    let noise = Normal::new();
    let indices: Vec<u64> = (0..shape.waveforms as u64).collect();
    let made = par_map(&indices, |&index| {
        waveform(shape, |number| hash(seed, [index, number]) as u32, &noise)
    });
    let (samples, truth): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    Waveforms {
        samples: samples.concat(),
        length: shape.length,
        threshold: shape.threshold,
        truth: Some(truth),
    }
}

/// The samples of a waveform, and the time at which its pulse has half of its height. `random`
/// returns the random bits of a number.
fn waveform(shape: &Shape, random: impl Fn(u64) -> u32, noise: &Normal) -> (Vec<u16>, Option<f64>) {
    let length = shape.length as u64;
    let uniform = |number: u64| f64::from(random(length + number)) / 4_294_967_296.0;
    let has_pulse = uniform(0) < WITH_PULSE;
    let height = HEIGHTS.start + (HEIGHTS.end - HEIGHTS.start) * uniform(1) * uniform(1);
    let start = 8.0 + (length as f64 - 28.0) * uniform(2);
    let pulse = |at: f64| {
        let after = at - start;
        let part = if after < RISE { after / RISE } else { 1.0 - (after - RISE) / FALL };
        if has_pulse { height * part.max(0.0) } else { 0.0 }
    };
    let sample = |at: u64| {
        let noise = shape.noise * f64::from(noise.deviate(random(at)));
        (BASELINE + pulse(at as f64) + noise).round().clamp(0.0, MAX_SAMPLE) as u16
    };
    ((0..length).map(sample).collect(), has_pulse.then_some(start + RISE / 2.0))
}

/// Reads a file that [`write`] has written, compressed or not.
pub fn read(path: &Path, threshold: u32) -> Result<Waveforms, DataError> {
    let wrong = |location: &str, problem: &str| DataError::format(path, location, problem);
    let mut bytes = Vec::new();
    file::open(path)?.read_to_end(&mut bytes).map_err(|error| DataError::io(path, error))?;
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("byte 0", "no waveforms follow"))?;
    let (length, samples) =
        rest.split_first_chunk().ok_or_else(|| wrong("byte 8", "the length is missing"))?;
    let length = u32::from_le_bytes(*length) as usize;
    if !LENGTHS.contains(&length) {
        return Err(wrong("byte 8", &format!("waveforms of {length} samples, not 32 to 4096")));
    }
    let (samples, odd) = samples.as_chunks();
    if !odd.is_empty() || samples.len() % length != 0 {
        return Err(wrong("end of the file", "the last waveform is not complete"));
    }
    let samples = samples.iter().map(|sample| u16::from_le_bytes(*sample)).collect();
    Ok(Waveforms::new(samples, length, threshold))
}

/// Writes waveforms to a file.
pub fn write(waves: &Waveforms, path: &Path) -> Result<(), DataError> {
    file::write_file(path, |sink| {
        sink.write_all(MAGIC)?;
        sink.write_all(&(waves.length as u32).to_le_bytes())?;
        file::write_numbers(sink, waves.samples.iter().map(|sample| sample.to_le_bytes()))
    })
}
