//! Quality of tracks, where the particles are known: ghosts, efficiencies by category, clones, purity
//! and hit efficiency, as the experiment defines them. `docs/velo.md` has the definitions.

use generators_lhcb::pixel::WITHOUT_FRACTIONS;
use generators_lhcb::truth::{Particle, Truth};
use tasks::algorithm::metric::GHOSTS;
use tasks::algorithm::{Better, MetricInfo, PartSum, Quality};

use crate::velo::model::Tracks;

/// Share of the hits of a track that a particle has at least, for the track to be its.
const MATCHED: f32 = 0.7;
/// Pseudorapidities of the particles that count.
const MIN_ETA: f32 = 2.0;
const MAX_ETA: f32 = 5.0;
/// Momentum of a fast particle in MeV.
const FAST: f32 = 5000.0;

/// Category of particles.
#[derive(Clone, Copy)]
struct Category {
    has: fn(&Particle) -> bool,
    efficiency: &'static MetricInfo,
}

const fn efficiency(name: &'static str, label: &'static str, meaning: &'static str) -> MetricInfo {
    MetricInfo::share(name, label, meaning, Better::Higher)
}

const VELO: MetricInfo = efficiency(
    "efficiency",
    "efficiency",
    "of the particles with hits in the VELO, 2 < eta < 5, without electrons, the share with a track",
);
const LONG: MetricInfo = efficiency(
    "long_efficiency",
    "efficiency, long",
    "of the particles that cross all trackers, 2 < eta < 5, without electrons, the share with a track",
);
const FAST_LONG: MetricInfo = efficiency(
    "fast_long_efficiency",
    "efficiency, long, p > 5 GeV",
    "of the fast particles that cross all trackers, without electrons, the share with a track",
);
const STRANGE: MetricInfo = efficiency(
    "strange_efficiency",
    "efficiency, long from strange",
    "of the particles from strange ones that cross all trackers, without electrons, the share with a track",
);
const ELECTRONS: MetricInfo = efficiency(
    "electron_efficiency",
    "efficiency, long electrons",
    "of the electrons that cross all trackers, 2 < eta < 5, the share with a track",
);
const CLONES: MetricInfo = MetricInfo::share(
    "clones",
    "clones",
    "of the tracks of particles with hits in the VELO, the share that is not the first of its particle",
    Better::Lower,
);
const PURITY: MetricInfo = MetricInfo::share(
    "purity",
    "purity",
    "mean share of the hits of a matched track that are its particle's",
    Better::Higher,
);
const HIT_EFFICIENCY: MetricInfo = MetricInfo::share(
    "hit_efficiency",
    "hit efficiency",
    "mean share of a particle's hits that are on its track",
    Better::Higher,
);

const CATEGORIES: [Category; 5] = [
    Category {
        has: |particle| particle.flags.has_velo && !particle.is_electron(),
        efficiency: &VELO,
    },
    Category { has: is_long, efficiency: &LONG },
    Category { has: |particle| is_long(particle) && particle.p > FAST, efficiency: &FAST_LONG },
    Category {
        has: |particle| is_long(particle) && particle.flags.from_strange,
        efficiency: &STRANGE,
    },
    Category {
        has: |particle| particle.flags.is_long && particle.is_electron(),
        efficiency: &ELECTRONS,
    },
];

/// All metrics.
pub const FIGURES: [MetricInfo; 9] =
    [GHOSTS, VELO, LONG, FAST_LONG, STRANGE, ELECTRONS, CLONES, PURITY, HIT_EFFICIENCY];

fn is_long(particle: &Particle) -> bool {
    particle.flags.is_long && !particle.is_electron()
}

/// Counts of a category.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Particles.
    pub particles: u64,
    /// Particles with a track.
    pub found: u64,
    /// Further tracks of these particles.
    pub clones: u64,
    /// Sums over their tracks of the shares of the track's hits, and of the particle's.
    pub purity: f64,
    /// Sum over their tracks of the shares of the particle's hits.
    pub hit_efficiency: f64,
}

/// Counts of all tracks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrackQuality {
    /// Tracks.
    pub tracks: u64,
    /// Tracks without particle.
    pub ghosts: u64,
    /// Particles by category: with hits in the VELO, long ones, fast ones, from strange ones, electrons.
    pub categories: [Counts; 5],
}

/// A track of a particle.
#[derive(Clone, Copy)]
struct Match {
    particle: usize,
    hits: usize,
    of_track: usize,
}

/// Counts the tracks of all events against their truth.
pub fn quality(tracks: &Tracks, truth: &[Truth]) -> TrackQuality {
    let of_events = quality_by_event(tracks, truth);
    of_events.iter().fold(TrackQuality::default(), |sum, event| sum.plus(event))
}

/// Counts the tracks of each event against its truth.
pub fn quality_by_event(tracks: &Tracks, truth: &[Truth]) -> Vec<TrackQuality> {
    let events: Vec<_> = tracks.of_events().zip(truth).collect();
    parallel::map_dynamic(events, |(of_event, truth)| {
        event_quality(of_event.map(|track| tracks.track_ids(track)), truth)
    })
}

/// The metrics of the results, with their counts by event; none where nothing is counted.
pub fn metrics(of_events: &[TrackQuality]) -> Vec<Quality> {
    let of_matched = |sum: fn(&Counts) -> f64| {
        of_events.iter().map(move |event| {
            let velo = &event.categories[0];
            PartSum { sum: sum(velo), count: velo.matched() }
        })
    };
    let efficiencies = CATEGORIES.iter().enumerate().map(|(index, category)| {
        Quality::share_of(category.efficiency, of_events, |event| {
            let counts = &event.categories[index];
            [counts.found, counts.particles]
        })
    });
    let clones = |event: &TrackQuality| {
        let velo = &event.categories[0];
        [velo.clones, velo.matched()]
    };
    let others = [
        Quality::share_of(&GHOSTS, of_events, |event| [event.ghosts, event.tracks]),
        Quality::share_of(&CLONES, of_events, clones),
        Quality::mean(&PURITY, of_matched(|velo| velo.purity)),
        Quality::mean(&HIT_EFFICIENCY, of_matched(|velo| velo.hit_efficiency)),
    ];
    efficiencies.chain(others).filter(|quality| quality.value().is_finite()).collect()
}

fn event_quality<'t>(
    tracks: impl Iterator<Item = &'t [u32]>,
    Truth { particles, .. }: &Truth,
) -> TrackQuality {
    let mut owners: Vec<(u32, usize)> = Vec::new();
    for (index, particle) in particles.iter().enumerate() {
        owners.extend(particle.velo_ids.iter().map(|id| (id & WITHOUT_FRACTIONS, index)));
    }
    owners.sort_unstable();
    let mut quality = TrackQuality::default();
    let mut matches = Vec::new();
    let mut of_hits = Vec::new();
    for ids in tracks {
        of_hits.clear();
        for id in ids.iter().map(|id| id & WITHOUT_FRACTIONS) {
            let first = owners.partition_point(|owner| owner.0 < id);
            let same = owners[first..].iter().take_while(|owner| owner.0 == id);
            of_hits.extend(same.map(|owner| owner.1));
        }
        of_hits.sort_unstable();
        let before = matches.len();
        for particle in of_hits.chunk_by(|a, b| a == b) {
            if particle.len() as f32 / ids.len() as f32 >= MATCHED {
                let hits = particle.len();
                matches.push(Match { particle: particle[0], hits, of_track: ids.len() });
            }
        }
        quality.tracks += 1;
        quality.ghosts += u64::from(matches.len() == before);
    }
    matches.sort_by_key(|each| each.particle);
    for (index, particle) in particles.iter().enumerate() {
        // As in the experiment: the ends do not count.
        if !(particle.eta > MIN_ETA && particle.eta < MAX_ETA) {
            continue;
        }
        let first = matches.partition_point(|each| each.particle < index);
        let own = matches[first..].iter().take_while(|each| each.particle == index);
        let counts = counts(particle, own);
        for (category, sum) in CATEGORIES.iter().zip(&mut quality.categories) {
            if (category.has)(particle) {
                *sum = sum.plus(&counts);
            }
        }
    }
    quality
}

/// Counts of a particle with these tracks.
fn counts<'m>(particle: &Particle, matches: impl Iterator<Item = &'m Match>) -> Counts {
    let mut counts = Counts { particles: 1, ..Counts::default() };
    for each in matches {
        counts.clones += counts.found;
        counts.found = 1;
        counts.purity += each.hits as f64 / each.of_track as f64;
        counts.hit_efficiency += each.hits as f64 / particle.velo_ids.len() as f64;
    }
    counts
}

impl Counts {
    fn plus(&self, other: &Counts) -> Counts {
        Counts {
            particles: self.particles + other.particles,
            found: self.found + other.found,
            clones: self.clones + other.clones,
            purity: self.purity + other.purity,
            hit_efficiency: self.hit_efficiency + other.hit_efficiency,
        }
    }

    /// Tracks of the particles.
    fn matched(&self) -> u64 {
        self.found + self.clones
    }
}

impl TrackQuality {
    fn plus(&self, other: &TrackQuality) -> TrackQuality {
        TrackQuality {
            tracks: self.tracks + other.tracks,
            ghosts: self.ghosts + other.ghosts,
            categories: std::array::from_fn(|index| {
                self.categories[index].plus(&other.categories[index])
            }),
        }
    }
}
