//! Clusters as a file.

use std::borrow::Cow;
use std::path::Path;

use generators::DataError;
use generators::io::{Table, write_table};

use super::{Charges, Clusters, RowCluster};

/// Writes clusters in the order of cases, rows and their own, with their labels in one field;
/// returns their number.
///
/// # Errors
/// If the file can't be written.
pub(super) fn write(charges: &Charges, found: &Clusters, path: &Path) -> Result<usize, DataError> {
    let case = |cluster: &RowCluster| &charges.cases()[cluster.case as usize];
    let names = found.iter().map(|cluster| Cow::Owned(case(cluster).name.clone()));
    let labels = (0..found.len()).map(|number| {
        let labels = found.labels.as_ref().map_or(&[][..], |labels| labels.list(number));
        let labels: Vec<_> = labels.iter().map(u64::to_string).collect();
        Cow::Owned(labels.join(" "))
    });
    let table = with_clusters(Table::new().with("case", names), found).with("labels", labels);
    write_table(path, &table)?;
    Ok(table.rows())
}

/// A row for each cluster, with the number of its sector.
pub(crate) fn cluster_table(sectors: &[u8], found: &[RowCluster]) -> Table {
    let sectors = found.iter().map(|cluster| sectors[cluster.case as usize]);
    with_clusters(Table::new().with("sector", sectors), found)
}

/// Adds the fields of clusters, in their own units.
fn with_clusters(table: Table, found: &[RowCluster]) -> Table {
    let clusters = || found.iter().map(|found| &found.cluster);
    table
        .with("row", found.iter().map(|found| found.row))
        .with("pad", clusters().map(|cluster| cluster.pad))
        .with("time", clusters().map(|cluster| cluster.time()))
        .with("sigma_pad", clusters().map(|cluster| cluster.sigma_pad))
        .with("sigma_time", clusters().map(|cluster| cluster.sigma_time))
        .with("q_max", clusters().map(|cluster| cluster.qmax))
        .with("q_tot", clusters().map(|cluster| cluster.qtot))
        .with("flags", clusters().map(|cluster| cluster.flags()))
}
