//! Rate at which events are simulated: `rate [EVENTS] [KIND] [REPETITIONS]`.

use std::time::Instant;

use generators_common::DataError;
use generators_lhcb::BankKind;
use generators_lhcb::simulate::{EventShape, Preset, simulate};

fn main() -> Result<(), DataError> {
    let mut arguments = std::env::args().skip(1);
    let events = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let kind = arguments.next().map_or(Ok(BankKind::SuperPixel), |name| name.parse())?;
    let repetitions = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(3);
    let shape = EventShape::for_preset(Preset::MinBias, kind, events);
    for seed in 0..repetitions {
        let start = Instant::now();
        let events = simulate(&shape, seed)?;
        let rate = events.len() as f64 / start.elapsed().as_secs_f64();
        println!("{kind}: {rate:.0} events a second, {} threads", rayon::current_num_threads());
    }
    Ok(())
}
