//! `bench devices`
//!
//! | module | does |
//! |---|---|
//! | `ceilings` | measures the bandwidth limits of the machine |
//! | `describe` | prints devices and measurements |

mod ceilings;
mod describe;

use reports::charts;
use reports::record::CeilingsRecord;
use reports::store::{claim_ceilings, write_ceilings};
use text::Untrusted;

use crate::failure::{Exit, Failure};
use crate::platform::Topology;
use crate::request::{DescriptionFormat, DevicesRequest};

pub(super) fn run(request: &DevicesRequest) -> Result<Exit, Failure> {
    let topology = Topology::this_machine();
    let printed = request.format.stdout;
    // At once: measuring takes its time.
    if printed == DescriptionFormat::Table {
        super::print(&describe::machine(&topology))?;
    }
    let mut record = ceilings::nothing(&topology);
    if request.measure {
        super::refuse_development_build()?;
        request.out.as_deref().map_or(Ok(()), claim_ceilings)?;
        ceilings::measure(&topology, &mut record)?;
    }
    keep(request, &record)?;
    super::write_files(&request.format, |format| match format {
        DescriptionFormat::Table => Ok(describe::machine(&topology) + &describe::measured(&record)),
        DescriptionFormat::Json => json(&record),
    })?;
    match printed {
        DescriptionFormat::Table => super::print(&describe::measured(&record))?,
        DescriptionFormat::Json => super::print(&json(&record)?)?,
    }
    Ok(Exit::Success)
}

fn json(record: &CeilingsRecord) -> Result<String, Failure> {
    let text = serde_json::to_string_pretty(record).map_err(std::io::Error::from)?;
    Ok(text + "\n")
}

fn keep(request: &DevicesRequest, record: &CeilingsRecord) -> Result<(), Failure> {
    let Some(folder) = &request.out else {
        return Ok(());
    };
    write_ceilings(folder, record)?;
    charts::write(folder, &charts::draw_links(record)?)?;
    super::say(&format!("ceilings: {}", folder.escaped()));
    Ok(())
}
