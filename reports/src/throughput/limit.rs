//! Limits of a point: resources that are almost fully used.

use super::row::ThroughputRow;
use crate::units::percent;

/// Share from which on a resource counts as a limit.
pub const LIMITED: f64 = 0.8;

/// The known shares of a row, with their resources.
pub fn shares(row: &ThroughputRow) -> Vec<(&'static str, f64)> {
    let of_gpu = row.backend != "cpu";
    let memory = if of_gpu { "memory bandwidth of the GPU" } else { "copy bandwidth" };
    let link = if row.devices() > 1 { "links, all at once" } else { "link" };
    let all = [
        ("kernels", row.kernels_share),
        (link, row.link_share),
        (memory, row.copy_share),
        ("cores", row.cores_share),
    ];
    all.into_iter().filter_map(|(name, share)| Some((name, share?))).collect()
}

/// `limited by the cores (98 %)`, or the resources that do not limit; empty if no share is known.
///
/// Cores that wait for a GPU are busy without limiting anything: cores count for work on the host
/// only.
pub fn what_limits(row: &ThroughputRow) -> String {
    let phrases = |(name, share): &(&str, f64)| format!("{name} {}", percent(*share));
    let shares = shares(row);
    let counts = |name: &str| row.backend == "cpu" || name != "cores";
    let limits: Vec<String> = shares
        .iter()
        .filter(|(name, share)| *share >= LIMITED && counts(name))
        .map(|(name, share)| format!("the {name} ({})", percent(*share)))
        .collect();
    match (limits.as_slice(), shares.as_slice()) {
        (_, []) => String::new(),
        ([], shares) => {
            let all: Vec<String> = shares.iter().map(phrases).collect();
            format!("not by these: {}", all.join(", "))
        }
        (limits, _) => format!("limited by {}", limits.join(" and ")),
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::row;
    use super::*;

    #[test]
    fn almost_fully_used_resources_are_limits() {
        let busy = ThroughputRow { cores_share: Some(0.98), copy_share: Some(0.1), ..row(2, 1e6) };
        assert_eq!(what_limits(&busy), "limited by the cores (98 %)");
        let both = ThroughputRow { copy_share: Some(0.85), ..busy.clone() };
        assert!(what_limits(&both).contains("the copy bandwidth (85 %) and the cores (98 %)"));
        let idle = ThroughputRow { cores_share: Some(0.5), ..busy };
        assert_eq!(what_limits(&idle), "not by these: copy bandwidth 10 %, cores 50 %");
        assert_eq!(what_limits(&ThroughputRow::default()), "");
    }

    #[test]
    fn cores_that_wait_for_a_gpu_limit_nothing() {
        let row = ThroughputRow {
            backend: "cuda".into(),
            cores_share: Some(1.0),
            link_share: Some(0.3),
            ..row(2, 1e6)
        };
        assert!(what_limits(&row).starts_with("not by these: link 30 %"));
        let full = ThroughputRow { link_share: Some(0.9), ..row };
        assert_eq!(what_limits(&full), "limited by the link (90 %)");
        let several = ThroughputRow { device: "cuda:0+cuda:1".into(), ..full };
        assert_eq!(what_limits(&several), "limited by the links, all at once (90 %)");
    }
}
