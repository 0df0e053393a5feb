//! `bench unpack --digis`: what is unpacked from the raw data of a file.

use algorithms::sts_unpack::StsUnpack;
use generators::io::{check_raw_file, write_unpacked};
use reports::units::counted;
use text::Foreign;

use super::one_variant::made_of_file;
use crate::failure::{Exit, Failure};
use crate::request::UnpackRequest;

pub(super) fn run(request: &UnpackRequest) -> Result<Exit, Failure> {
    let out = &request.digis;
    check_raw_file(out)?;
    let (input, unpacked) = made_of_file(&StsUnpack, &request.measuring, "--digis")?;
    write_unpacked(out, &unpacked, input.rules())?;
    let digis = counted(unpacked.digis.len(), "digi");
    super::say(&format!("{digis} written to {}", out.shown()));
    Ok(Exit::Success)
}
