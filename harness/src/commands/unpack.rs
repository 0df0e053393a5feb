//! `bench unpack --digis`: digis of one input's raw data, as a file.

use algorithms::device::Backend;
use algorithms::sts_unpack::StsUnpack;
use generators::io::{check_raw_file, write_unpacked};
use reports::units::counted;

use super::write_output::{OutputJob, VariantChoice};
use crate::failure::{Exit, Failure};
use crate::request::UnpackRequest;

pub(super) fn run(request: &UnpackRequest) -> Result<Exit, Failure> {
    let out = &request.digis;
    check_raw_file(out)?;
    let wanted = VariantChoice::One(published);
    let job = OutputJob::new(StsUnpack, &request.measuring, "--digis", wanted)?;
    let input = job.input(&job.origin()?)?;
    let unpacked = job.output(&input)?;
    input.remarks().sentences().iter().for_each(|remark| super::say(remark));
    write_unpacked(out, &unpacked, input.rules())?;
    job.report(&counted(unpacked.digis.len(), "digi"), out);
    Ok(Exit::Success)
}

/// The experiment's own way of unpacking.
fn published(backend: Backend) -> &'static str {
    match backend {
        Backend::Cpu => "published",
        Backend::Cuda | Backend::Wgpu => "epoch-parallel",
    }
}
