//! `bench sts --clusters`, `--hits`: what is found in the digis of a file.

mod table;

use std::path::Path;

use algorithms::algorithm::{Algorithm, Variant};
use algorithms::device::{Target, Team};
use algorithms::sts::Product;
use algorithms::sts::task::{STS, StsTask, Timeslices};

use crate::failure::{Exit, Failure};
use crate::request::{ReconstructRequest, Source};
use table::Rows;
use text::Foreign;

/// Who reconstructs if nobody is named.
const DEFAULT_VARIANT: &str = "online";

pub(super) fn run(request: &ReconstructRequest) -> Result<Exit, Failure> {
    let measuring = &request.measuring;
    let Source::File { path, options } = &measuring.source else {
        return Err(Failure::Usage("--clusters and --hits need --input".into()));
    };
    let variant = variant(&measuring.settings.variants)?;
    let mut options = options.combinations();
    let (Some(options), true) = (options.pop(), options.is_empty()) else {
        let problem =
            "--clusters and --hits are of one reconstruction; give one value to each flag";
        return Err(Failure::Usage(problem.to_owned()));
    };
    let (input, _) = STS.read(path, &options)?;
    let team = Team::new(measuring.settings.thread_counts()[0].all)?;
    for product in reconstruct(variant, &input, &team)? {
        let Product::Both(clusters, hits) = product else {
            continue;
        };
        write(request.found.clusters.as_deref(), "clusters", &clusters)?;
        write(request.found.hits.as_deref(), "hits", &hits)?;
    }
    Ok(Exit::Success)
}

/// The one variant that is asked for.
fn variant(names: &[String]) -> Result<Variant<StsTask>, Failure> {
    let default = [DEFAULT_VARIANT.to_owned()];
    let names = if names.is_empty() { &default } else { names };
    let variants = super::variants_of_host(&STS, names)?;
    match *variants {
        [variant] => Ok(variant),
        _ => Err(Failure::Usage(format!(
            "--clusters and --hits are written by one variant; --variant {} names {} on the CPU",
            names.join(","),
            variants.len()
        ))),
    }
}

/// Runs a variant, and makes sure that it finds what the reference finds.
fn reconstruct(
    variant: Variant<StsTask>,
    input: &Timeslices,
    team: &Team,
) -> Result<Vec<Product>, Failure> {
    let expected = team.run(|| STS.reference(input, variant.promise(input).semantics));
    let found = variant.checked_output(&STS, input, &Target::host(team), expected.as_ref());
    found.map_err(|problem| Failure::WrongOutput(format!("{}: {problem}", variant.name)))
}

fn write(out: Option<&Path>, what: &str, product: &Product) -> Result<(), Failure> {
    let Some(out) = out else { return Ok(()) };
    let rows = Rows::of(product);
    files::write_by(out, |file| rows.write(file)).map_err(Failure::writing(out))?;
    super::say(&format!("{} {what} written to {}", rows.len(), out.shown()));
    Ok(())
}
