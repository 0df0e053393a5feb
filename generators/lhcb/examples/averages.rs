//! Averages of simulated events, and how fast they are made: `averages [PRESET] [EVENTS] [OCCUPANCY]`.

use std::collections::BTreeMap;
use std::time::Instant;

use generators_common::DataError;
use generators_lhcb::geometry::MODULE_PAIRS;
use generators_lhcb::simulate::{EventShape, Preset, simulate};
use generators_lhcb::{BankKind, ClusterWord, Events, SuperPixel};

fn main() -> Result<(), DataError> {
    let mut arguments = std::env::args().skip(1);
    let preset = arguments.next().map_or(Ok(Preset::MinBias), |name| name.parse())?;
    let mut number =
        |default: f64| arguments.next().and_then(|text| text.parse().ok()).unwrap_or(default);
    let events = number(1000.0) as u64;
    let occupancy = number(1.0);
    for kind in BankKind::ALL {
        let shape = EventShape { occupancy, ..EventShape::for_preset(preset, kind, events) };
        let start = Instant::now();
        let events = simulate(&shape, 1)?;
        let seconds = start.elapsed().as_secs_f64();
        println!("{preset}, {kind}: {:.0} events a second", events.len() as f64 / seconds);
        print_banks(&events);
        if kind == BankKind::SuperPixel {
            print_truth(&events);
        }
    }
    Ok(())
}

/// Mean, minimum and maximum.
fn print(name: &str, values: impl Iterator<Item = f64>) {
    let values: Vec<_> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let min = values.iter().copied().fold(f64::INFINITY, f64::min);
    let max = values.iter().copied().fold(0.0, f64::max);
    println!("  {name:<32} {mean:>9.2} {min:>8.0} {max:>8.0}");
}

fn print_banks(events: &Events) {
    let words = events.iter().map(|event| event.word_count() as f64);
    print("words", words);
    let bytes = events
        .iter()
        .map(|event| event.bank_words().map(|bank| 8.0 + 4.0 * bank.words.len() as f64).sum());
    print("bytes", bytes);
    let mut pairs = vec![[0.0; MODULE_PAIRS]; events.len()];
    let mut isolated = 0.0;
    let mut pixels = 0.0;
    let mut total = 0.0;
    for (index, event) in events.iter().enumerate() {
        for &bank in event.banks {
            let words = event.words(bank);
            pairs[index][usize::from(bank.source) / 8] += words.len() as f64;
            total += words.len() as f64;
            if event.format.kind == BankKind::SuperPixel {
                for word in words.iter().map(|word| SuperPixel::decode(*word)) {
                    isolated += f64::from(word.is_isolated);
                    pixels += f64::from(word.pattern.count_ones());
                }
            } else {
                assert!(words.iter().all(|word| ClusterWord::decode(*word, 3).is_some()));
            }
        }
    }
    let max_pairs: Vec<_> =
        pairs.iter().map(|pair| pair.iter().copied().fold(0.0, f64::max)).collect();
    print("most words of a module pair", max_pairs.iter().copied());
    let mean_pair =
        |pair: usize| pairs.iter().map(|pairs| pairs[pair]).sum::<f64>() / pairs.len() as f64;
    let means: Vec<_> = (0..MODULE_PAIRS).map(|pair| format!("{:.0}", mean_pair(pair))).collect();
    println!("  words of module pairs: {}", means.join(" "));
    if isolated > 0.0 {
        println!(
            "  isolated {:.3}, pixels of a super-pixel {:.3}",
            isolated / total,
            pixels / total
        );
        print_components(events);
    }
}

fn print_components(events: &Events) {
    let mut sizes = BTreeMap::new();
    for event in events.iter() {
        for &bank in event.banks {
            let mut pixels = std::collections::BTreeSet::new();
            for word in event.words(bank).iter().map(|word| SuperPixel::decode(*word)) {
                for bit in (0..8).filter(|bit| word.pattern >> bit & 1 != 0) {
                    pixels.insert((
                        2 * i32::from(word.column) + bit / 4,
                        4 * i32::from(word.row) + bit % 4,
                    ));
                }
            }
            while let Some(first) = pixels.pop_first() {
                let mut size = 0;
                let mut stack = vec![first];
                while let Some((column, row)) = stack.pop() {
                    size += 1;
                    for near in (-1..=1).flat_map(|c| (-1..=1).map(move |r| (column + c, row + r)))
                    {
                        if pixels.remove(&near) {
                            stack.push(near);
                        }
                    }
                }
                *sizes.entry(size).or_insert(0) += 1;
            }
        }
    }
    let total: i32 = sizes.values().sum();
    let share =
        |sizes: &[&i32]| 100.0 * sizes.iter().copied().sum::<i32>() as f64 / f64::from(total);
    let from = |low: i32, high: i32| {
        share(&sizes.range(low..high).map(|(_, count)| count).collect::<Vec<_>>())
    };
    println!("  clusters an event: {:.1}", f64::from(total) / events.len() as f64);
    println!(
        "  sizes in %: 1: {:.1}, 2: {:.1}, 3: {:.1}, 4: {:.1}, more: {:.1}, 10+: {:.2}, 20+: {:.2}, 40+: {:.2}, largest {}",
        from(1, 2),
        from(2, 3),
        from(3, 4),
        from(4, 5),
        from(5, 9999),
        from(10, 9999),
        from(20, 9999),
        from(40, 9999),
        sizes.keys().last().copied().unwrap_or(0)
    );
}

fn print_truth(events: &Events) {
    let truth = events.truth().unwrap_or_default();
    let per_event = |keep: &dyn Fn(&generators_lhcb::truth::Particle) -> bool| -> Vec<f64> {
        truth
            .iter()
            .map(|truth| truth.particles.iter().filter(|p| keep(p)).count() as f64)
            .collect()
    };
    print("particles", per_event(&|_| true).into_iter());
    print("in the VELO", per_event(&|p| p.flags.has_velo).into_iter());
    print(
        "in the VELO, from vertices",
        per_event(&|p| p.flags.has_velo && p.origin[0].hypot(p.origin[1]) < 0.2).into_iter(),
    );
    print(
        "velo, 2 < eta < 5, no electrons",
        per_event(&|p| p.flags.has_velo && (2.0..5.0).contains(&p.eta) && !p.is_electron())
            .into_iter(),
    );
    print("long", per_event(&|p| p.flags.is_long).into_iter());
    print("long, p > 5 GeV", per_event(&|p| p.flags.is_long && p.p > 5000.0).into_iter());
    print("electrons", per_event(&|p| p.is_electron()).into_iter());
    print("electrons in the VELO", per_event(&|p| p.is_electron() && p.flags.has_velo).into_iter());
    print("from strange", per_event(&|p| p.flags.from_strange).into_iter());
    print("vertices", truth.iter().map(|truth| truth.vertices.len() as f64));
    let hits = |p: &generators_lhcb::truth::Particle| p.velo_ids.len() as f64;
    print("hits of particles", truth.iter().flat_map(|truth| &truth.particles).map(hits));
    let mut etas = BTreeMap::new();
    let mut counts = BTreeMap::new();
    for p in truth.iter().flat_map(|truth| &truth.particles) {
        *counts.entry(p.velo_ids.len().min(15)).or_insert(0) += 1;
        if p.flags.has_velo && p.origin[0].hypot(p.origin[1]) < 0.2 {
            *etas.entry((2.0 * p.eta).round() as i32).or_insert(0) += 1;
        }
    }
    let scale = 10.0 / truth.len() as f64;
    let list = |counts: &BTreeMap<i32, i32>| {
        counts
            .iter()
            .map(|(bin, count)| format!("{bin}:{:.0}", f64::from(*count) * scale))
            .collect::<Vec<_>>()
            .join(" ")
    };
    println!("  2 eta, of 10 events: {}", list(&etas));
    println!(
        "  particles by hits, of 10 events: {}",
        list(&counts.into_iter().map(|(n, c)| (n as i32, c)).collect())
    );
}
