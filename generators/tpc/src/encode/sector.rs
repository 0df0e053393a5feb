//! All digits of a sector.

use std::collections::BTreeMap;

use generators_common::DataError;

use super::{FrameInfo, Sample, TimeBin, encode_frame};
use crate::geometry::{Cru, ENDPOINTS, Endpoint, Region, SECTORS};
use crate::mapping::pad_number;
use crate::page::{Page, TriggerWord};
use crate::pages::{Framing, SectorFrames, SectorPages};
use crate::time::time_bins_of;
use crate::{Digit, Layout, PadMapping, ZsFormat};

/// The samples of one endpoint, by time bin.
type TimeBins = BTreeMap<u32, Vec<Sample>>;

/// Encoder of the digits of a sector.
#[derive(Clone, Debug)]
pub struct SectorEncoder<'a> {
    /// The format.
    pub format: ZsFormat,
    /// Mapping of pads to channels.
    pub mapping: &'a PadMapping,
    /// The orbit of the first heartbeat frame.
    pub first_orbit: u32,
    /// Heartbeat frames in the time frame.
    pub orbits: u32,
    /// Header-only pages in addition to those with data.
    pub framing: Framing,
}

impl SectorEncoder<'_> {
    /// The pages of a sector for these digits, which may come in any order. Their
    /// ADC values are the integers of the format.
    ///
    /// # Errors
    /// If a digit is of another sector, on no pad, too large for the format or
    /// after the last heartbeat frame, or if two have the same pad and time bin.
    pub fn encode(&self, sector: usize, digits: &[Digit]) -> Result<SectorPages, DataError> {
        let region_zero = Region::new(0).and_then(|region| Cru::for_region(sector, region));
        if region_zero.is_none() {
            let problem = format!("there is no sector {sector}; use 0 to {}", SECTORS - 1);
            return Err(DataError::shape(problem));
        }
        let samples = self.samples(sector, digits)?;
        let frames = (0..self.orbits).map(|frame| self.frame(sector, frame, &samples));
        let pages = SectorFrames {
            format: self.format,
            sector,
            first_orbit: self.first_orbit,
            frames: frames.collect(),
        };
        Ok(pages.assemble(self.framing))
    }

    /// The digits of each endpoint and time bin as sorted samples.
    fn samples(&self, sector: usize, digits: &[Digit]) -> Result<Vec<TimeBins>, DataError> {
        let mut samples = vec![TimeBins::new(); ENDPOINTS];
        for digit in digits {
            self.check(sector, *digit)?;
            let (endpoint, index) = self.locate(*digit).ok_or_else(|| refusal(*digit, NO_PAD))?;
            let time_bins = &mut samples[endpoint.number()];
            let time_bin = time_bins.entry(digit.time_bin()).or_default();
            time_bin.push(Sample::new(index, digit.adc()));
        }
        for (number, time_bin) in samples.iter_mut().flatten() {
            time_bin.sort_unstable();
            check_unique(*number, time_bin)?;
        }
        Ok(samples)
    }

    fn check(&self, sector: usize, digit: Digit) -> Result<(), DataError> {
        if usize::from(digit.sector()) != sector {
            return Err(refusal(digit, &format!("is not in sector {sector}")));
        }
        if digit.adc() > self.format.max_adc() {
            let problem = format!("does not fit {}-bit samples", self.format.sample_bits());
            return Err(refusal(digit, &problem));
        }
        let end = self.orbits.checked_sub(1).map_or(0, |last| time_bins_of(last).end);
        if digit.time_bin() >= end {
            let problem = format!("is not before time bin {end}, the end of the time frame");
            return Err(refusal(digit, &problem));
        }
        Ok(())
    }

    /// The endpoint that sends a digit, and the digit's index in the pages.
    fn locate(&self, digit: Digit) -> Option<(Endpoint, u16)> {
        let pad = digit.pad_id();
        match self.format.layout() {
            Layout::Row => {
                pad_number(pad)?;
                Some((endpoint_of_row(digit.row())?, pad.bits()))
            }
            Layout::Link | Layout::DenseLink => {
                let channel = self.mapping.channel(pad)?;
                Some((channel.endpoint(), channel.index() as u16))
            }
        }
    }

    fn frame(&self, sector: usize, frame: u32, samples: &[TimeBins]) -> Vec<Vec<Page>> {
        let encode = |endpoint: Endpoint| {
            let mut pages = Vec::new();
            if let Some(cru) = Cru::for_region(sector, endpoint.region()) {
                let info = FrameInfo {
                    format: self.format,
                    cru,
                    endpoint,
                    orbit: self.first_orbit.wrapping_add(frame),
                    triggers: TriggerWord::default(),
                };
                let samples = of_frame(&samples[endpoint.number()], frame);
                encode_frame(&info, samples, &mut pages);
            }
            pages
        };
        Endpoint::all().map(encode).collect()
    }
}

const NO_PAD: &str = "is on no pad";

fn refusal(digit: Digit, problem: &str) -> DataError {
    DataError::shape(format!("{digit:?} {problem}"))
}

fn check_unique(number: u32, samples: &[Sample]) -> Result<(), DataError> {
    let is_twice = |pair: &[Sample]| pair[0].index() == pair[1].index();
    if samples.windows(2).any(is_twice) {
        return Err(DataError::shape(format!(
            "two digits in time bin {number} are on the same pad; a pad has one value"
        )));
    }
    Ok(())
}

fn endpoint_of_row(row: u8) -> Option<Endpoint> {
    Endpoint::all().find(|endpoint| endpoint.rows().contains(&usize::from(row)))
}

fn of_frame(samples: &TimeBins, frame: u32) -> impl Iterator<Item = TimeBin<'_>> {
    let time_bins = samples.range(time_bins_of(frame));
    time_bins.map(|(number, samples)| TimeBin { number: *number, samples })
}
