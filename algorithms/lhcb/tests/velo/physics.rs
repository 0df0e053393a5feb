//! Efficiencies and ghosts of the simulated events, to the last count, as the experiment's definitions give
//! them.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use algorithms_lhcb::velo::physics::{TrackQuality, quality};
use algorithms_lhcb::velo::{Stage, VeloInput};
use flate2::read::GzDecoder;
use generators_lhcb::Geometry;
use generators_lhcb::truth::{Particle, ParticleFlags, Truth};
use tasks::algorithm::Semantics;

use crate::expected::{fixture, load};

/// Words of a particle before its identifiers.
const BEFORE_IDS: usize = 22;

/// Truth of all events of a file.
fn truth(path: &Path) -> Vec<Truth> {
    let file = BufReader::new(GzDecoder::new(File::open(path).expect("opened")));
    let mut events = Vec::new();
    for line in file.lines() {
        let line = line.expect("text");
        let words: Vec<_> = line.split_ascii_whitespace().collect();
        match words[0] {
            "event" => events.push(Truth::default()),
            "mc" => events.last_mut().expect("an event").particles.push(particle(&words)),
            _ => {}
        }
    }
    events
}

fn particle(words: &[&str]) -> Particle {
    let number = |index: usize| words[index].parse::<f32>().expect("a number");
    let flag = |index: usize| words[10].as_bytes()[index] == b'1';
    Particle {
        pid: words[2].parse().expect("a number"),
        p: number(3),
        eta: number(5),
        flags: ParticleFlags {
            is_long: flag(0),
            has_velo: flag(2),
            from_strange: flag(7),
            ..ParticleFlags::default()
        },
        velo_ids: words[BEFORE_IDS..]
            .iter()
            .map(|id| u32::from_str_radix(id, 16).expect("hexadecimal"))
            .collect(),
        ..Particle::default()
    }
}

/// Quality of the expected tracks of a file.
fn found(name: &str) -> Option<TrackQuality> {
    let truth = truth(&fixture("truth.txt.gz")?);
    let (events, _) = load(name)?;
    let input = VeloInput::new(events, Arc::new(Geometry::nominal().clone()), 10);
    Some(quality(&input.expected(Stage::Chain, Semantics::Exact).tracks, &truth))
}

/// Particles, those found, and the share of clones in hundredths of a percent.
fn counts(quality: &TrackQuality) -> Vec<[u64; 3]> {
    let of_category = quality.categories.iter().map(|counts| {
        let tracks = (counts.found + counts.clones) as f64;
        [counts.found, counts.particles, (1e4 * counts.clones as f64 / tracks).round() as u64]
    });
    of_category.collect()
}

/// Checks particles found and all of each category, and clones of three of them.
fn check(quality: &TrackQuality, found: [[u64; 2]; 5], clones: [u64; 3]) {
    let counts = counts(quality);
    assert_eq!(counts.iter().map(|it| [it[0], it[1]]).collect::<Vec<_>>(), found);
    assert_eq!([0, 1, 4].map(|category| counts[category][2]), clones);
}

#[test]
fn super_pixels() {
    let Some(found) = found("minbias-sp.cases.gz") else { return };
    assert_eq!((found.ghosts, found.tracks), (17, 2701));
    let velo = &found.categories[0];
    let tracks = (velo.found + velo.clones) as f64;
    assert_eq!((1e4 * velo.purity / tracks).round(), 9980.0);
    assert_eq!((1e4 * velo.hit_efficiency / tracks).round(), 9701.0);
    check(&found, [[1107, 1125], [631, 634], [416, 416], [19, 19], [50, 50]], [204, 156, 385]);
}

#[test]
fn clusters_of_the_readout() {
    let Some(found) = found("minbias-retina.cases.gz") else { return };
    assert_eq!((found.ghosts, found.tracks), (19, 2706));
    check(&found, [[1106, 1125], [631, 634], [416, 416], [19, 19], [50, 50]], [195, 141, 566]);
}
