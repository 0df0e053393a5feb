//! `bench decode --digits`, `--strict`: pages, before or instead of measuring.

use std::io::{self, Write};
use std::path::Path;

use algorithms::axis::Params;
use algorithms::tpc_decode::{Decoded, TimeFrame, TpcDecode, summary_of};
use generators::DataError;
use generators::tpc::Digit;
use reports::units::counted;
use text::Untrusted;

use super::write_output::{InputOrigin, OutputJob, VariantChoice};
use crate::failure::{Exit, Failure};
use crate::plan::read_within_memory;
use crate::request::{DamagePolicy, DecodeRequest, MeasureRequest, Source};

/// Damaged pages that are listed one by one.
const LISTED: usize = 10;
/// The axis of generated data that a list of digits depends on.
const SECTORS: &str = "sectors";

pub(super) fn run(request: &mut DecodeRequest) -> Result<Exit, Failure> {
    let DecodeRequest { measuring, pages } = request;
    if let Some(out) = &pages.digits {
        return write_digits(out, measuring, pages.damage);
    }
    if let (DamagePolicy::Refuse, Source::File { files, options }) =
        (pages.damage, &measuring.source)
    {
        for options in options.combinations() {
            let (frame, _) = read_within_memory(&TpcDecode, files, &options)?;
            refuse_damage(files.first(), &frame)?;
        }
    }
    measuring.choose_devices();
    super::measure::run(measuring)
}

/// Writes the digits that all selected variants find.
fn write_digits(
    out: &Path,
    measuring: &MeasureRequest,
    damage: DamagePolicy,
) -> Result<Exit, Failure> {
    let job = OutputJob::new(TpcDecode, measuring, "--digits", VariantChoice::All)?;
    let origin = job.origin()?;
    if let InputOrigin::Generated(params) = &origin {
        refuse_generated_sectors(params)?;
    }
    let frame = job.input(&origin)?;
    if let (DamagePolicy::Refuse, InputOrigin::File(files, _)) = (damage, &origin) {
        refuse_damage(files.first(), &frame)?;
    }
    if let InputOrigin::File(files, _) = &origin {
        refuse_several_sectors(files.first(), &frame)?;
    }
    let decoded = job.output(&frame)?;
    report_damage(&frame, &decoded);
    write(out, &decoded.digits)?;
    job.report(&counted(decoded.digits.len(), "digit"), out);
    Ok(Exit::Success)
}

/// Refuses data of several sectors before they are generated, as [`refuse_several_sectors`] does
/// once a file is read.
fn refuse_generated_sectors(params: &Params) -> Result<(), Failure> {
    match params.get(SECTORS).expect("a complete point has all axes") {
        "1" => Ok(()),
        count => Err(Failure::Usage(format!(
            "pages of {count} sectors; a list of digits is of one: add --sectors 1"
        ))),
    }
}

/// Rejects frames of several sectors, because lists of digits have no column for the sector.
fn refuse_several_sectors(path: &Path, frame: &TimeFrame) -> Result<(), Failure> {
    match frame.sector_numbers().len() {
        0 | 1 => Ok(()),
        count => Err(Failure::Usage(format!(
            "{}: pages of {count} sectors; a list of digits is of one: choose it with --sector",
            path.escaped()
        ))),
    }
}

/// Refuses files that are cut or miss pages, and damaged pages.
fn refuse_damage(path: &Path, frame: &TimeFrame) -> Result<(), Failure> {
    let remarks = frame.remarks();
    if remarks.is_cut || remarks.missing > 0 {
        let found = remarks.sentences().join("; ");
        let problem = format!("{found}; without --strict, the pages that are there are read");
        return Err(DataError::incomplete(path, problem).into());
    }
    frame.digits().damaged.first().map_or(Ok(()), |damaged| {
        Err(Failure::DamagedPage { path: path.to_owned(), damaged: *damaged })
    })
}

fn report_damage(frame: &TimeFrame, decoded: &Decoded) {
    frame.remarks().sentences().iter().for_each(|remark| super::say(remark));
    let damaged = &decoded.damaged;
    for page in damaged.iter().take(LISTED) {
        super::say(&page.to_string());
    }
    if damaged.len() > LISTED {
        super::say(&format!("and {} more", damaged.len() - LISTED));
    }
    if !damaged.is_empty() {
        super::say(&summary_of(damaged, frame.pages().pages().len()));
    }
}

/// Writes digits by row, pad and time bin, then by ADC value, so that the order does not depend on
/// the variant.
fn write(out: &Path, digits: &[Digit]) -> Result<(), Failure> {
    let mut sorted = digits.to_vec();
    sorted.sort_unstable_by_key(|digit| (digit.pad_id(), digit.time_bin(), digit.adc()));
    files::write_by(out, |file| write_csv(file, &sorted)).map_err(Failure::writing(out))
}

fn write_csv(file: &mut dyn Write, digits: &[Digit]) -> io::Result<()> {
    writeln!(file, "row,pad,time_bin,adc")?;
    for digit in digits {
        let row = digit.row();
        let pad = digit.pad();
        let adc = digit.adc();
        writeln!(file, "{row},{pad},{},{adc}", digit.time_bin())?;
    }
    Ok(())
}
