//! Points that differ in their streams only, and the limit of a point: the resources that are
//! almost fully used.

use statistics::{Growth, Interval, Rate, growth};

use super::ThroughputRow;
use crate::grouped::grouped;
use crate::units::{self, percent};

/// Share of the yield of a core with one stream below which it is mentioned.
const LESS: f64 = 0.9;

/// Share of the CPUs used by other processes from which on they disturb the result.
pub const DISTURBED: f64 = 0.05;

/// Throughput of a variant over streams, on one device, at one setting.
#[derive(Clone, Debug)]
pub struct Curve<'a> {
    /// The valid points, by ascending streams.
    pub rows: Vec<&'a ThroughputRow>,
    /// Saturation of the throughput.
    pub growth: Growth,
}

/// The curves of one task, in the order of the run; without points that are not valid.
pub fn curves<'a>(rows: impl IntoIterator<Item = &'a ThroughputRow>) -> Vec<Curve<'a>> {
    let valid = rows.into_iter().filter(|row| row.rate().is_some());
    let key = |row: &&ThroughputRow| {
        let subject = (row.algorithm.clone(), row.variant.clone(), row.device.clone());
        (subject, row.threads, row.processes, row.setting())
    };
    grouped(valid, key).into_iter().map(|(_, rows)| Curve::new(rows)).collect()
}

impl<'a> Curve<'a> {
    fn new(mut rows: Vec<&'a ThroughputRow>) -> Self {
        rows.sort_by_key(|row| row.streams);
        let rates: Vec<Rate> = rows.iter().filter_map(|row| rate(row)).collect();
        Curve { growth: growth(&rates), rows }
    }

    /// Throughput of a row over `streams` times that of one stream, if one stream was measured.
    pub fn of_ideal(&self, row: &ThroughputRow) -> Option<f64> {
        let one = self.rows.first().filter(|first| first.streams == 1)?;
        Some(row.rate()? / (row.streams as f64 * one.rate()?))
    }

    /// Description of the processes that drive it; `None` for a single one.
    pub fn processes(&self) -> Option<String> {
        let processes = self.rows.first()?.processes;
        (processes > 1).then(|| format!("{processes} processes"))
    }

    /// The first point of the plateau.
    pub fn plateau(&self) -> Option<&'a ThroughputRow> {
        match &self.growth {
            Growth::Level(plateau) => self.rows.get(plateau.first).copied(),
            _ => None,
        }
    }

    /// The point with the highest rate.
    pub fn best(&self) -> Option<&'a ThroughputRow> {
        let rate = |row: &&&ThroughputRow| row.rate().unwrap_or_default();
        self.rows.iter().max_by(|a, b| rate(a).total_cmp(&rate(b))).copied()
    }

    /// Describes the growth.
    pub fn growth_in_words(&self) -> String {
        match &self.rows[..] {
            [one, two] => self.growth_of_two(one, two),
            _ => self.growth_of_many(),
        }
    }

    fn growth_of_many(&self) -> String {
        match &self.growth {
            Growth::TooFew => {
                "plateau not judged; measure at least two numbers of streams".to_owned()
            }
            Growth::Rising { doubling } => {
                format!("no plateau: doubling the streams gives {}", units::times(*doubling))
            }
            Growth::Unclear => "plateau not clear: rates vary too much; try --duration".to_owned(),
            Growth::Level(plateau) => {
                let level = units::rate(plateau.level);
                match plateau.first {
                    0 => format!("saturated at {level} from the first point on"),
                    _ => format!("plateau of {level} from {} on", from(plateau.knee)),
                }
            }
        }
    }

    /// Describes the growth from one number of streams to a second one, which shows less than more
    /// of them, and how sure that is.
    fn growth_of_two(&self, one: &ThroughputRow, two: &ThroughputRow) -> String {
        let Some((first, second)) = one.rate().zip(two.rate()) else {
            return self.growth_of_many();
        };
        let ratio = units::times(second / first);
        let growth = match &self.growth {
            Growth::Level(plateau) => {
                let level = units::rate(plateau.level);
                format!(
                    "plateau of {level} with {}: {} give {ratio} that",
                    streams(one),
                    streams(two)
                )
            }
            Growth::Rising { .. } => {
                let rate = units::rate(second);
                let streams = streams(two);
                format!(
                    "plateau of at least {rate}, still rising with {streams}: {ratio} the rate of {}",
                    one.streams
                )
            }
            Growth::Unclear => {
                return format!(
                    "plateau of at least {}, not clear if {} give more: {ratio} that, but rates vary \
                     too much; try --duration",
                    units::rate(first.min(second)),
                    streams(two),
                );
            }
            Growth::TooFew => return self.growth_of_many(),
        };
        let has_errors = one.rate_interval().is_some() && two.rate_interval().is_some();
        let confidence = if has_errors { "95 % confidence" } else { "unknown confidence" };
        format!("{growth} (two points, {confidence})")
    }

    /// Describes the growth, and the limit at its end.
    pub fn words(&self) -> String {
        let phrases = self.growth_in_words();
        let Some(row) = self.plateau().or_else(|| self.best()) else { return phrases };
        let further = [
            at(row),
            self.core_yield(row).unwrap_or_default(),
            self.disturbed().unwrap_or_default(),
        ];
        std::iter::once(phrases)
            .chain(further)
            .filter(|it| !it.is_empty())
            .collect::<Vec<_>>()
            .join("; ")
    }

    /// Note on other processes, whose share of the CPUs is not available to streams.
    fn disturbed(&self) -> Option<String> {
        let others = self.rows.iter().filter_map(|row| row.others_share);
        let max = others.reduce(f64::max).filter(|&max| max >= DISTURBED)?;
        let percent = units::percent(max);
        Some(format!(
            "other processes used up to {percent} of the CPUs; measure on an idle machine"
        ))
    }

    /// Note on cores that yield less than with one stream because they wait for shared resources.
    fn core_yield(&self, row: &ThroughputRow) -> Option<String> {
        let one = self.rows.first().filter(|first| first.streams == 1 && row.backend == "cpu")?;
        let share = row.items_per_cpu_share()? / one.items_per_cpu_share()?;
        (share < LESS).then(|| {
            let percent = units::percent(share);
            format!(
                "a core yields {percent} of its rate with one stream: memory, caches or clocks \
                 are shared"
            )
        })
    }
}

fn from(knee: f64) -> String {
    format!("{} streams", units::significant(knee, 2))
}

fn streams(row: &ThroughputRow) -> String {
    units::counted(row.streams, "stream")
}

fn at(row: &ThroughputRow) -> String {
    let limits = what_limits(row);
    let streams = streams(row);
    if limits.is_empty() { limits } else { format!("with {streams} {limits}") }
}

fn rate(row: &ThroughputRow) -> Option<Rate> {
    let interval = row.rate_interval().map(|(low, high)| Interval { low, high });
    Some(Rate { streams: row.streams as f64, value: row.rate()?, interval })
}

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
    use crate::record::YesNo;

    fn two_cores() -> Vec<ThroughputRow> {
        let busy = |row: ThroughputRow| ThroughputRow { cores_share: Some(0.97), ..row };
        vec![busy(row(4, 19.2e6)), row(1, 10e6), busy(row(2, 19e6))]
    }

    #[test]
    fn points_are_in_order_and_those_that_are_not_valid_are_left_out() {
        let mut rows = two_cores();
        rows.push(ThroughputRow { valid: YesNo::No, ..row(8, 1.0) });
        let all = curves(&rows);
        let [curve] = &all[..] else { panic!("{}", all.len()) };
        let streams: Vec<usize> = curve.rows.iter().map(|row| row.streams).collect();
        assert_eq!(streams, [1, 2, 4]);
        assert_eq!(curve.plateau().map(|row| row.streams), Some(2));
        assert_eq!(curve.best().map(|row| row.streams), Some(4));
        assert!((curve.of_ideal(curve.rows[1]).expect("one stream") - 0.95).abs() < 1e-9);
    }

    #[test]
    fn a_plateau_says_what_limits_it() {
        let words = curves(&two_cores())[0].words();
        assert!(
            words.starts_with("plateau of 19.1 M/s from 1.9 streams on; with 2 streams"),
            "{words}"
        );
        assert!(words.ends_with("limited by the cores (97 %)"), "{words}");
    }

    #[test]
    fn cores_that_yield_less_than_alone_are_noted() {
        let mut rows = two_cores();
        for row in rows.iter_mut().filter(|row| row.streams > 1) {
            row.items_per_s = Some(14e6);
        }
        let words = curves(&rows)[0].words();
        assert!(words.contains("a core yields 72 % of its rate with one stream"), "{words}");
    }

    #[test]
    fn other_processes_are_noted() {
        let mut rows = two_cores();
        rows[1].others_share = Some(0.02);
        assert!(!curves(&rows)[0].words().contains("other processes"));
        rows[2].others_share = Some(0.4);
        let words = curves(&rows)[0].words();
        assert!(words.contains("other processes used up to 40 % of the CPUs"), "{words}");
    }

    #[test]
    fn one_point_is_not_judged() {
        let words = curves(&[row(1, 10e6)])[0].words();
        assert!(words.starts_with("plateau not judged; measure at least two"), "{words}");
    }

    #[test]
    fn two_points_that_do_not_grow_have_their_plateau_at_the_first() {
        let rows = [row(1, 10e6), row(2, 10.1e6)];
        let curve = &curves(&rows)[0];
        assert_eq!(curve.plateau().map(|row| row.streams), Some(1));
        let words = curve.words();
        assert!(
            words.starts_with(
                "plateau of 10 M/s with 1 stream: 2 streams give 1.01 × that (two points"
            ),
            "{words}"
        );
    }

    #[test]
    fn two_points_that_grow_are_a_lower_bound_of_the_plateau() {
        let words = curves(&two_cores()[..2])[0].words();
        assert!(
            words.starts_with("plateau of at least 19.2 M/s, still rising with 4 streams: 1.92 ×"),
            "{words}"
        );
        assert!(words.contains("limited by the cores (97 %)"), "{words}");
    }

    #[test]
    fn the_confidence_of_two_points_is_known_with_their_intervals_only() {
        let known = |rate: f64| ThroughputRow {
            items_per_s_low: Some(0.99 * rate),
            items_per_s_high: Some(1.01 * rate),
            ..row(1, rate)
        };
        let sure = [known(10e6), ThroughputRow { streams: 2, ..known(19e6) }];
        let words = curves(&sure)[0].words();
        assert!(words.contains("1.90 × the rate of 1 (two points, 95 % confidence)"), "{words}");
        let wide = |row: &ThroughputRow| ThroughputRow {
            items_per_s_low: Some(1e6),
            items_per_s_high: Some(1e8),
            ..row.clone()
        };
        let words = curves(&sure.each_ref().map(wide))[0].words();
        let bound = "plateau of at least 10 M/s, not clear if 2 streams give more: 1.90 × that";
        assert!(words.starts_with(bound), "{words}");
        let unknown = |row: &ThroughputRow| ThroughputRow {
            items_per_s_low: None,
            items_per_s_high: None,
            ..row.clone()
        };
        let words = curves(&sure.each_ref().map(unknown))[0].words();
        assert!(words.contains("unknown confidence"), "{words}");
    }

    #[test]
    fn threads_and_devices_have_curves_of_their_own() {
        let wide = ThroughputRow { threads: 2, ..row(1, 10e6) };
        let gpus = ThroughputRow { device: "cuda:0+cuda:1".into(), ..row(1, 10e6) };
        let apart = ThroughputRow { processes: 2, ..gpus.clone() };
        let rows = [row(1, 10e6), wide, gpus, apart];
        let curves = curves(&rows);
        assert_eq!(curves.len(), 4);
        assert_eq!(curves[2].processes(), None);
        assert_eq!(curves[3].processes().as_deref(), Some("2 processes"));
    }

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
