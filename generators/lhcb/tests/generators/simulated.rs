//! Simulated events.

use std::collections::{BTreeMap, BTreeSet};

use generators_lhcb::io::mdf;
use generators_lhcb::pixel::WITHOUT_FRACTIONS;
use generators_lhcb::simulate::{EventShape, Preset, simulate};
use generators_lhcb::words::sensor_of;
use generators_lhcb::{BankKind, ClusterWord, Event, Events, Pixel, SuperPixel};
use rayon::ThreadPoolBuilder;
use tempfile::tempdir;

const SEED: u64 = 3;

fn shape(kind: BankKind, events: u64) -> EventShape {
    EventShape::for_preset(Preset::MinBias, kind, events)
}

fn simulated(shape: &EventShape) -> Events {
    simulate(shape, SEED).expect("a valid shape")
}

/// The words of an event, by sensor.
fn words_by_sensor(event: Event<'_>) -> BTreeMap<u16, Vec<u32>> {
    let mut words = BTreeMap::<_, Vec<_>>::new();
    for &bank in event.banks {
        for &word in event.words(bank) {
            let is_second = match event.format.kind {
                BankKind::SuperPixel => SuperPixel::decode(word).is_second_sensor,
                BankKind::Retina => {
                    ClusterWord::decode(word, event.format.version).expect("not 0").is_second_sensor
                }
            };
            let sensor = sensor_of(event.format, bank.source, is_second);
            words.entry(sensor).or_default().push(word);
        }
    }
    words
}

/// The super-pixels of an event, by sensor, column and row.
fn super_pixels(event: Event<'_>) -> BTreeMap<(u16, u16, u16), SuperPixel> {
    let mut found = BTreeMap::new();
    for (sensor, words) in words_by_sensor(event) {
        for pixel in words.into_iter().map(SuperPixel::decode) {
            assert_ne!(pixel.pattern, 0);
            let repeated = found.insert((sensor, pixel.column, pixel.row), pixel);
            assert!(repeated.is_none(), "two super-pixels at one address");
        }
    }
    found
}

/// Clusters of an event: sensor, column and row, each with its fractions in quarters or eighths.
fn clusters(event: Event<'_>) -> BTreeSet<(u16, [u16; 2], [u8; 2])> {
    let of_sensor = |(sensor, words): (u16, Vec<u32>)| {
        words.into_iter().map(move |word| {
            let cluster = ClusterWord::decode(word, event.format.version).expect("not 0");
            let fractions = [cluster.column_fraction, cluster.row_fraction];
            (sensor, [cluster.column, cluster.row], fractions)
        })
    };
    words_by_sensor(event).into_iter().flat_map(of_sensor).collect()
}

fn wrong_flags(event: Event<'_>) -> usize {
    let found = super_pixels(event);
    let is_wrong = |(address, pixel): &(&(u16, u16, u16), &SuperPixel)| {
        let &(sensor, column, row) = *address;
        let near = |center: u16| center.saturating_sub(1)..=center + 1;
        let area = near(column).flat_map(|column| near(row).map(move |row| (sensor, column, row)));
        let count = area.filter(|address| found.contains_key(address)).count();
        pixel.is_isolated != (count == 1)
    };
    found.iter().filter(is_wrong).count()
}

#[test]
fn averages_are_those_of_the_full_simulation() {
    let events = simulated(&shape(BankKind::SuperPixel, 60));
    let per_event = |sum: usize| sum as f64 / events.len() as f64;
    let words = per_event(events.iter().map(|event| event.word_count()).sum());
    assert!((2100.0..3500.0).contains(&words), "{words} super-pixels");
    let all: Vec<_> = events.iter().flat_map(|event| super_pixels(event).into_values()).collect();
    let isolated = all.iter().filter(|pixel| pixel.is_isolated).count() as f64 / all.len() as f64;
    assert!((0.47..0.59).contains(&isolated), "{isolated} isolated");
    let pixels = all.iter().map(|pixel| pixel.pattern.count_ones()).sum::<u32>();
    let pixels = f64::from(pixels) / all.len() as f64;
    assert!((1.4..1.6).contains(&pixels), "{pixels} pixels of a super-pixel");
    let truth = events.truth().expect("known");
    let in_velo = truth.iter().flat_map(|truth| &truth.particles);
    let in_velo = per_event(in_velo.filter(|particle| particle.flags.has_velo).count());
    assert!((220.0..360.0).contains(&in_velo), "{in_velo} particles");
}

#[test]
fn events_are_a_function_of_seed_and_number() {
    let all = simulated(&shape(BankKind::Retina, 8));
    let last = EventShape { first_event: 5, ..shape(BankKind::Retina, 3) };
    assert!(simulated(&last) == all.selected(5..8));
    assert_eq!(all.names()[5], "1-5");
    let other = simulate(&last, SEED + 1).expect("valid");
    assert!(other.words() != simulated(&last).words());
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let shape = shape(BankKind::SuperPixel, 6);
    let with_threads = |threads| {
        let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| simulated(&shape))
    };
    assert!(with_threads(1) == with_threads(3));
}

#[test]
fn versions_have_the_same_content() {
    let of_version = |kind, bank_version| simulated(&EventShape { bank_version, ..shape(kind, 2) });
    let pixels = |version| {
        let events = of_version(BankKind::SuperPixel, version);
        let without_sensor =
            |(address, pixel)| (address, SuperPixel { is_second_sensor: false, ..pixel });
        let pixels = super_pixels(events.event(1)).into_iter().map(without_sensor);
        pixels.collect::<Vec<_>>()
    };
    assert_eq!(pixels(2), pixels(3));
    assert_eq!(pixels(2), pixels(4));
    let centres = |version| clusters(of_version(BankKind::Retina, version).event(1));
    assert_eq!(centres(3), centres(4));
    let in_quarters = |(sensor, centre, fractions): &(u16, [u16; 2], [u8; 2])| {
        (*sensor, *centre, fractions.map(|fraction| fraction / 2))
    };
    assert!(centres(2).iter().map(in_quarters).collect::<BTreeSet<_>>().is_superset(&centres(3)));
}

#[test]
fn truth_has_the_identifiers_of_the_clusters() {
    let events = simulated(&shape(BankKind::Retina, 3));
    for (event, truth) in events.iter().zip(events.truth().expect("known")) {
        let id = |&(sensor, [column, row], fractions): &(u16, [u16; 2], [u8; 2])| {
            Pixel { sensor, column, row }.id_with_fractions(fractions[0] != 0, fractions[1] != 0)
        };
        let words = clusters(event);
        let ids: BTreeSet<_> = words.iter().map(id).collect();
        assert_eq!(ids.len(), event.word_count(), "an identifier is there twice");
        let of_particles: BTreeSet<_> =
            truth.particles.iter().flat_map(|particle| &particle.velo_ids).copied().collect();
        assert_eq!(ids, of_particles);
    }
}

#[test]
fn super_pixels_have_the_truth_of_clusters() {
    let truth = |kind| simulated(&shape(kind, 3)).truth().expect("known").to_vec();
    assert_eq!(truth(BankKind::SuperPixel), truth(BankKind::Retina));
}

#[test]
fn flags_are_right_but_for_those_that_are_to_be_wrong() {
    let shape = shape(BankKind::SuperPixel, 4);
    let events = simulated(&shape);
    assert_eq!(events.iter().map(wrong_flags).sum::<usize>(), 0);
    let events = simulated(&EventShape { wrong_flags: 0.1, ..shape });
    let wrong = events.iter().map(wrong_flags).sum::<usize>();
    let all = events.iter().map(|event| event.word_count()).sum::<usize>();
    let share = wrong as f64 / all as f64;
    assert!((0.08..0.12).contains(&share), "{share}");
}

#[test]
fn noise_comes_on_top() {
    let shape = shape(BankKind::SuperPixel, 6);
    let pixels = |events: &Events| -> BTreeSet<_> {
        let of_event = |(index, event): (usize, Event<'_>)| {
            super_pixels(event).into_iter().flat_map(move |(address, pixel)| {
                let bits = (0..8).filter(move |bit| pixel.pattern >> bit & 1 != 0);
                bits.map(move |bit| (index, address, bit))
            })
        };
        events.iter().enumerate().flat_map(of_event).collect()
    };
    let quiet = pixels(&simulated(&shape));
    let noisy = pixels(&simulated(&EventShape { noise: 300.0, ..shape.clone() }));
    assert!(noisy.is_superset(&quiet));
    let added = (noisy.len() - quiet.len()) as f64 / 6.0;
    assert!((270.0..330.0).contains(&added), "{added}");
    let ghosts = pixels(&simulated(&EventShape { ghosts: 1.0, ..shape }));
    assert!(ghosts.is_superset(&quiet));
    let factor = ghosts.len() as f64 / quiet.len() as f64;
    assert!((1.7..2.1).contains(&factor), "{factor}");
}

#[test]
fn occupancy_scales_the_particles() {
    let particles = |occupancy| {
        let events = simulated(&EventShape { occupancy, ..shape(BankKind::Retina, 12) });
        events.truth().expect("known").iter().map(|truth| truth.particles.len()).sum::<usize>()
    };
    let factor = particles(3.0) as f64 / particles(1.0) as f64;
    assert!((2.4..3.6).contains(&factor), "{factor}");
}

#[test]
fn events_have_fewer_clusters_than_indices_of_16_bits() {
    let shape = EventShape { occupancy: 100.0, interactions: 1.0, ..shape(BankKind::Retina, 1) };
    let words = simulated(&EventShape { first_event: 3, ..shape.clone() }).event(0).word_count();
    assert!((20_000..60_000).contains(&words), "{words}");
    let error = simulate(&EventShape { first_event: 3, ghosts: 2.0, ..shape }, SEED);
    let error = error.expect_err("too many clusters").to_string();
    assert!(error.contains("more than 60000; lower the occupancy"), "{error}");
}

#[test]
fn signal_is_marked() {
    let shape = EventShape::for_preset(Preset::BsPhiPhi, BankKind::Retina, 20);
    let events = simulated(&shape);
    let particles = events.truth().expect("known").iter().flat_map(|truth| &truth.particles);
    let signal: Vec<_> = particles.filter(|particle| particle.flags.from_signal).collect();
    assert!((55..=80).contains(&signal.len()), "{}", signal.len());
    assert!(signal.iter().all(|kaon| kaon.pid.abs() == 321 && kaon.flags.from_beauty));
}

#[test]
fn simulated_events_come_back_from_files() {
    let events = simulated(&shape(BankKind::SuperPixel, 3));
    let folder = tempdir().expect("a folder");
    let path = folder.path().join("events.mdf");
    mdf::write(&path, &events).expect("written");
    assert!(mdf::read(&path).expect("read") == events);
}

#[test]
fn clusters_of_particles_are_at_super_pixels() {
    let events = simulated(&shape(BankKind::SuperPixel, 1));
    let truth = &events.truth().expect("known")[0];
    let ids = truth.particles.iter().flat_map(|particle| &particle.velo_ids);
    let found = super_pixels(events.event(0));
    // The centre of a small cluster is one of its pixels, or a neighbour of one.
    let is_near = |id: &&u32| {
        let Pixel { sensor, column, row } = Pixel::of_id(**id & WITHOUT_FRACTIONS);
        found.contains_key(&(sensor, column / 2, row / 4))
    };
    let count = ids.clone().count();
    let near = ids.filter(is_near).count();
    assert!(near * 100 > count * 95, "{near} of {count}");
}
