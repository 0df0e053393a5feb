//! What one variant makes of a file, to be written: nothing is measured.

use algorithms::algorithm::{Algorithm, Variant};
use algorithms::device::{Device, Team};
use text::Foreign;

use crate::failure::Failure;
use crate::platform::gpus::{Gpus, problem_of, usable_devices};
use crate::request::{MeasureRequest, Settings, Source};

/// Who does it if nobody is named.
const DEFAULT_VARIANT: &str = "published";

/// The input in a file, and the output of the one variant that is asked for, once it is found
/// right. `flag` is the one that asks for it.
pub(super) fn made_of_file<A: Algorithm>(
    algorithm: &A,
    request: &MeasureRequest,
    flag: &str,
) -> Result<(A::Input, A::Output), Failure> {
    let settings = &request.settings;
    let Source::File { path, options } = &request.source else {
        return Err(Failure::Usage(format!("{flag} needs --input")));
    };
    let (device, variant) = choice(algorithm, settings, flag)?;
    let options = options.combinations();
    if options.len() > 1 {
        let count = options.len();
        let problem = format!("{flag} is of one input; what is said of the file makes {count}");
        return Err(Failure::Usage(problem));
    }
    let (input, _) = algorithm.read(path, &options.into_iter().next().unwrap_or_default())?;
    let team = Team::new(settings.thread_counts()[0].all)?;
    let gpus = Gpus::default();
    let place = gpus.place(device, &team).map_err(|problem| {
        Failure::NothingMeasured(format!("{device} can't be used: {problem}"))
    })?;
    let made = variant.checked_output(algorithm, &input, &place, None);
    let made =
        made.map_err(|problem| Failure::WrongOutput(format!("{}: {problem}", variant.name)))?;
    Ok((input, made))
}

/// The one variant that is asked for, and where it runs: on the first of the devices that has it.
fn choice<A: Algorithm>(
    algorithm: &A,
    settings: &Settings,
    flag: &str,
) -> Result<(Device, Variant<A>), Failure> {
    let names = match settings.variants.as_slice() {
        [] => vec![DEFAULT_VARIANT.to_owned()],
        names => names.to_vec(),
    };
    let devices = match settings.devices.as_slice() {
        [] => usable_devices(),
        devices => devices.to_vec(),
    };
    for &device in &devices {
        if let Some(reason) = problem_of(device) {
            return Err(Failure::NothingMeasured(format!("{device} can't be used: {reason}")));
        }
        match *super::variants_on(device.backend(), algorithm, &names)? {
            [] => {}
            [variant] => return Ok((device, variant)),
            ref several => {
                return Err(Failure::Usage(format!(
                    "{flag} is written by one variant; --variant {} names {} on {device}",
                    names.join(",").shown(),
                    several.len()
                )));
            }
        }
    }
    let devices: Vec<_> = devices.iter().map(Device::to_string).collect();
    Err(Failure::Usage(format!(
        "--variant {} names none on {}; say where it runs with --device",
        names.join(",").shown(),
        devices.join(", ")
    )))
}
