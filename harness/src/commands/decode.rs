//! `bench decode --digits`, `--strict`: pages of a file, before or instead of measuring.

use std::io::{self, Write};
use std::path::Path;

use algorithms::algorithm::Algorithm;
use algorithms::device::{Target, Team};
use algorithms::tpc_decode::{Decoded, TimeFrame, TpcDecode, summary_of};
use generators::tpc::Digit;
use text::Foreign;

use crate::failure::{Exit, Failure};
use crate::platform::usable_threads;
use crate::request::{DamagePolicy, DecodeRequest, Source};

/// Damaged pages that are listed one by one.
const LISTED: usize = 10;

pub(super) fn run(request: &DecodeRequest) -> Result<Exit, Failure> {
    let Source::File { path, options } = &request.measuring.source else {
        return Err(Failure::Usage("--digits and --strict need --input".into()));
    };
    let options = options.combinations().into_iter().next().unwrap_or_default();
    let (frame, _) = TpcDecode.read(path, &options)?;
    let decoded = frame.digits();
    if request.pages.damage == DamagePolicy::Refuse {
        refuse_damage(path, &decoded)?;
    }
    let Some(out) = &request.pages.digits else {
        return super::measure::run(&request.measuring);
    };
    refuse_several_sectors(path, &frame)?;
    check_variants(&frame, &decoded, &request.measuring.settings.variants)?;
    report_damage(&frame, &decoded);
    write(out, &decoded.digits)?;
    let (count, out) = (decoded.digits.len(), out.shown());
    super::say(&format!("{count} digits written to {out}"));
    Ok(Exit::Success)
}

/// The columns of a list of digits do not say the sector.
fn refuse_several_sectors(path: &Path, frame: &TimeFrame) -> Result<(), Failure> {
    match frame.sector_numbers().len() {
        0 | 1 => Ok(()),
        count => Err(Failure::Usage(format!(
            "{}: pages of {count} sectors; a list of digits is of one: choose it with --sector",
            path.shown()
        ))),
    }
}

fn refuse_damage(path: &Path, decoded: &Decoded) -> Result<(), Failure> {
    decoded.damaged.first().map_or(Ok(()), |damaged| {
        Err(Failure::DamagedPage { path: path.to_owned(), damaged: *damaged })
    })
}

fn report_damage(frame: &TimeFrame, decoded: &Decoded) {
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

/// Each of the variants must find the same digits as the reference.
fn check_variants(frame: &TimeFrame, expected: &Decoded, names: &[String]) -> Result<(), Failure> {
    let team = Team::new(usable_threads())?;
    let here = Target::host(&team);
    for variant in super::variants_of_host(&TpcDecode, names)? {
        let checked = variant.checked_output(&TpcDecode, frame, &here, Some(expected));
        let wrong = |problem| Failure::WrongOutput(format!("{}: {problem}", variant.name));
        checked.map_err(wrong)?;
    }
    Ok(())
}

/// Writes digits by row, pad and time bin.
fn write(out: &Path, digits: &[Digit]) -> Result<(), Failure> {
    let mut sorted = digits.to_vec();
    sorted.sort_unstable_by_key(|digit| (digit.pad_id(), digit.time_bin()));
    files::write_by(out, |file| write_csv(file, &sorted)).map_err(Failure::writing(out))
}

fn write_csv(file: &mut dyn Write, digits: &[Digit]) -> io::Result<()> {
    writeln!(file, "row,pad,time_bin,adc")?;
    for digit in digits {
        let (row, pad, adc) = (digit.row(), digit.pad(), digit.adc());
        writeln!(file, "{row},{pad},{},{adc}", digit.time_bin())?;
    }
    Ok(())
}
