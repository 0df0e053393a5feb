//! Parameters of finding clusters.

use std::path::Path;

use generators_common::io::{FileName, is_standard_input};
use generators_common::{DataError, named};
use generators_tpc::PadMapping;
use generators_tpc::charges::{Charge, ChargeCase, Labels};
use generators_tpc::io::{index_of, is_tpc_file, read_charges};
use generators_tpc::simulate::{Mark, Marks, SectorTruth, TimeFrameGenerator, TrueCluster};

use super::input::Charges;
use super::labels::TruthKind;
use super::quality::Truth;
use super::{Settings, input, labels};
use crate::tpc_decode::charge_map::{Converter, Gains};
use crate::tpc_decode::checked_length;
use crate::{time_frame, tpc_decode, tpc_noisy_pads};
use tasks::algorithm::Plan;
use tasks::axis::{Flag, Params, axes};

/// Distribution of the gains of pads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum GainSpread {
    /// All gains are 1.
    Unit,
    /// Gains differ by up to a fifth.
    Spread,
}

named! { "gain", GainSpread { Unit = "unit", Spread = "spread" } }

axes! {
    /// The thresholds.
    pub(crate) SETTINGS {
        QMAX_CUTOFF: u8 = Flag::integer("qmax-cutoff").unit("ADC").or("3").of_algorithm() =>
            "A peak has more charge, in ADC units";
        INNER_THRESHOLD: u8 = Flag::integer("inner-threshold").unit("ADC").or("0").of_algorithm() =>
            "A cluster goes on behind a neighbour of its peak with more charge, in ADC units";
        NOISE_EPS: u8 = Flag::integer("noise-eps").unit("ADC").or("10").of_algorithm() =>
            "A valley between peaks is deeper, in ADC units";
        NOISE_EPS_REL: u8 = Flag::integer("noise-eps-rel").or("76").of_algorithm() =>
            "And deeper than this part of the smaller peak, in 255ths";
        QTOT_CUTOFF: u8 = Flag::integer("qtot-cutoff").unit("ADC").or("5").of_algorithm() =>
            "A cluster has more charge, in ADC units";
        QMAX_SINGLE_TIME: u8 = Flag::integer("qmax-single-time").unit("ADC").or("0").of_algorithm() =>
            "The peak of a cluster of one time bin has more charge, in ADC units";
        QMAX_SINGLE_PAD: u8 = Flag::integer("qmax-single-pad").unit("ADC").or("0").of_algorithm() =>
            "The peak of a cluster of one pad has more charge, in ADC units";
        MIN_SPLIT: u8 = Flag::integer("min-split").or("1") =>
            "Shared charges from which on a cluster is marked as split";
        TIME_SHIFT: f32 = Flag::number("time-shift").unit("time bins").or("0") =>
            "Subtracted from times of clusters, in time bins";
    }
}
axes! {
    pub(super) AXES {
        time_frame::PRESET;
        time_frame::ORBITS;
        time_frame::SECTORS.or("4");
        ..time_frame::SIGNALS;
        GAIN: GainSpread = Flag::choice("gain", GainSpread::NAMES).or("spread") =>
            "Gains of pads: spread (by up to a fifth, as those of a chamber) or unit";
        /// Time bins that are processed together.
        pub(crate) FRAGMENT: u32 = Flag::integer("fragment").unit("time bins").or("4000") =>
            "Time bins that are worked on together, 8 of overlap on either side included";
        /// Source of labels and true clusters.
        pub(crate) TRUTH: TruthKind = Flag::choice("truth", TruthKind::NAMES).or("none") =>
            "Labels of samples: none, tracks (the particles that left them) or made-up";
        /// Number of artificial labels for each digit.
        pub(crate) LABELS_PER_DIGIT: f32 = Flag::number("labels-per-digit").or("2.3") =>
            "Labels for each sample, if they are artificial";
        LABELS: LabelsFor = Flag::choice("labels", LabelsFor::NAMES).or("given") =>
            "Whether clusters get labels: none, or given (where samples have some)";
        ..SETTINGS;
    }
}

/// Maximum number of labels of a sample, as in files.
const MAX_LABELS_PER_DIGIT: f32 = 1000.0;

/// Labels of clusters: none, or those of the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LabelsFor {
    None,
    InputState,
}

named! { "labels", LabelsFor { None = "none", InputState = "given" } }

axes! {
    /// Parameters of files of pages; files of charges contain theirs.
    OF_PAGES {
        ..tpc_decode::OF_PAGES;
        FRAGMENT;
        ..SETTINGS;
    }
}
axes! {
    /// Parameters of files.
    pub(super) READING {
        LABELS;
        ..OF_PAGES;
    }
}

/// Bytes for each sample: itself, its copy by row, and an entry for a cluster in the output of a
/// variant on the host and of one on a GPU; positions and lists of published variants.
const BYTES_FOR_SAMPLE: u64 = 8 + 8 + 2 * 12 + 13 + BYTES_OF_TRUTH;
/// Bytes of true clusters for each sample: about ten samples are of one true cluster.
const BYTES_OF_TRUTH: u64 = size_of::<TrueCluster>() as u64 / 10 + 1;
/// Bytes for each cell of a sector in a fragment: maps of charges and peaks.
const BYTES_FOR_CELL: u64 = 3;
/// Cells of a time bin, margins included.
const CELLS_OF_TIME_BIN: u64 = 23_112;

/// Bytes for each byte of a page. Files of charges are text, with more bytes for a sample.
pub(super) const MEMORY_FOR_BYTE: u64 =
    tpc_decode::MEMORY_FOR_BYTE + BYTES_FOR_SAMPLE / tpc_decode::BYTES_OF_SAMPLE;

/// Fills in defaults, and estimates the memory that is needed.
pub(super) fn plan(mut params: Params) -> Result<Plan, DataError> {
    params.complete(AXES);
    let shape = time_frame::shape_of_some(&params)?;
    settings(&params)?;
    let fragment = fragment(&params)?;
    let generator = TimeFrameGenerator::new(&shape, &PadMapping::regular(), 1)?;
    let time_bins = tpc_noisy_pads::time_bins(&shape)?;
    let cells = CELLS_OF_TIME_BIN * u64::from(fragment.min(time_bins));
    let maps = shape.sectors as u64 * cells * BYTES_FOR_CELL;
    let samples = generator.estimate().digits;
    let of_labels = BYTES_OF_LABELS * expected_labels(&params, samples / shape.sectors as u64)?;
    let memory_bytes = samples * BYTES_FOR_SAMPLE + maps + (samples as f64 * of_labels) as u64;
    Ok(Plan { params, memory_bytes })
}

/// Expected labels of a sample, in a sector with `samples` samples.
pub(crate) fn expected_labels(params: &Params, samples: u64) -> Result<f64, DataError> {
    let made_up = f64::from(labels_per_digit(params)?);
    let expected = match TRUTH.value(params)? {
        TruthKind::None => 0.0,
        TruthKind::Tracks => MAX_TRACKS,
        TruthKind::MadeUp => made_up,
    };
    labels::fit(samples, expected)?;
    Ok(expected)
}

/// Bytes for each label of a sample: itself, and its copies in clusters of the reference and of a
/// variant.
const BYTES_OF_LABELS: f64 = 5.0 * 8.0;
/// Maximum average number of particles of a sample.
const MAX_TRACKS: f64 = 3.0;

fn labels_per_digit(params: &Params) -> Result<f32, DataError> {
    let labels = LABELS_PER_DIGIT.value(params)?;
    if (0.0..=MAX_LABELS_PER_DIGIT).contains(&labels) {
        return Ok(labels);
    }
    let max = MAX_LABELS_PER_DIGIT;
    Err(DataError::Shape(format!("--labels-per-digit {labels} is out of range; use 0 to {max}")))
}

/// The length of fragments.
pub(crate) fn fragment(params: &Params) -> Result<u32, DataError> {
    checked_length(FRAGMENT.value(params)?)
}

/// The thresholds.
pub(crate) fn settings(params: &Params) -> Result<Settings, DataError> {
    Ok(Settings {
        qmax_cutoff: QMAX_CUTOFF.value(params)?,
        inner_threshold: INNER_THRESHOLD.value(params)?,
        noise_eps: NOISE_EPS.value(params)?,
        noise_eps_rel: NOISE_EPS_REL.value(params)?,
        qtot_cutoff: QTOT_CUTOFF.value(params)?,
        qmax_single_time: QMAX_SINGLE_TIME.value(params)?,
        qmax_single_pad: QMAX_SINGLE_PAD.value(params)?,
        min_split: MIN_SPLIT.value(params)?,
        time_shift: TIME_SHIFT.value(params)?,
    })
}

/// Charges from complete parameters.
pub(super) fn generate(params: &Params, seed: u64) -> Result<Charges, DataError> {
    let shape = time_frame::shape_of_some(params)?;
    let generator = TimeFrameGenerator::new(&shape, &PadMapping::regular(), seed)?;
    let gains = match GAIN.value(params)? {
        GainSpread::Unit => Gains::unit(),
        GainSpread::Spread => Gains::spread(seed),
    };
    let settings = settings(params)?;
    let fragment = fragment(params)?;
    let time_bins = tpc_noisy_pads::time_bins(&shape)?;
    let labels = LabelSource::new(params, seed)?;
    let of_sector = |sector: usize| {
        let converter = Converter::new(&gains, sector as u8, shape.format);
        let gain = |pad| converter.gain(pad);
        let simulated = generator.digits_with_truth(sector, gain, labels.marks());
        let SectorTruth { digits, clusters, marks } = simulated;
        let noisy = tpc_noisy_pads::noisy_pads(&digits, time_bins, &gains, shape.format);
        let charges = input::charges(&digits, &converter);
        let labels = labels.labels_for(&charges, &marks, sector);
        let case = ChargeCase {
            name: format!("sector-{sector}"),
            sector: sector as u8,
            time_bins,
            fragment,
            settings,
            noisy,
            labels,
            charges,
        };
        (case, Truth::new(clusters))
    };
    let charges = Charges::with_truth(parallel::map(0..shape.sectors, of_sector));
    let charges = charges.with_made_up_labels(labels.kind == TruthKind::MadeUp);
    Ok(charges.with_labels(LABELS.value(params)? == LabelsFor::InputState))
}

/// Labels that generated samples get.
#[derive(Clone, Copy)]
pub(crate) struct LabelSource {
    kind: TruthKind,
    per_digit: f64,
    seed: u64,
}

impl LabelSource {
    /// From complete parameters.
    pub(crate) fn new(params: &Params, seed: u64) -> Result<Self, DataError> {
        let per_digit = labels_per_digit(params)?.into();
        Ok(LabelSource { kind: TRUTH.value(params)?, per_digit, seed })
    }

    /// True if samples get labels.
    pub(crate) fn are_wanted(self) -> bool {
        self.kind != TruthKind::None
    }

    /// Particle marks that the labels need.
    pub(crate) fn marks(self) -> Marks {
        if self.kind == TruthKind::Tracks { Marks::Wanted } else { Marks::Unused }
    }

    /// Labels of a sector's samples in the order of time and pad, if labels are wanted.
    pub(crate) fn labels_for(
        self,
        charges: &[Charge],
        marks: &[Mark],
        sector: usize,
    ) -> Option<Labels> {
        match self.kind {
            TruthKind::None => None,
            TruthKind::Tracks => Some(labels::of_tracks(charges, marks)),
            TruthKind::MadeUp => {
                Some(labels::made_up(charges, self.per_digit, self.seed ^ sector as u64))
            }
        }
    }
}

/// The cases of a file, or of pages.
pub(super) fn read(path: &Path, options: &Params) -> Result<(Charges, Params), DataError> {
    let mut options = options.clone();
    options.complete(&[LABELS.axis()]);
    let are_given = LABELS.value(&options)? == LabelsFor::InputState;
    let can_be_sniffed = path.is_file() || is_standard_input(path);
    let of_pages = index_of(path).is_ok() || can_be_sniffed && is_tpc_file(path)?;
    let charges = if of_pages {
        options.complete(&[FRAGMENT.axis()]);
        options.complete(SETTINGS);
        let settings = settings(&options)?;
        input::read(path, &options, settings, fragment(&options)?, are_given)?
    } else if let Some(axis) = OF_PAGES.iter().find(|axis| options.get(axis.name).is_some()) {
        let problem = format!("--{} is about pages; {} has its own", axis.name, FileName(path));
        return Err(DataError::Shape(problem));
    } else {
        Charges::new(read_charges(path)?)
    };
    let charges = charges.with_labels(are_given);
    let mut params = Params::for_file(path, charges.content());
    params.extend(options.only(&[LABELS.axis(), FRAGMENT.axis()]).iter());
    params.extend(options.only(SETTINGS).iter());
    Ok((charges, params))
}
