//! Settings by their names.

use text::Untrusted;

use super::words::Words;
use crate::DataError;
use crate::tpc::charges::ClusterSettings;

/// A setting of one byte.
type Byte = fn(&mut ClusterSettings) -> &mut u8;

const BYTES: [(&str, Byte); 8] = [
    ("qmax_cutoff", |settings| &mut settings.qmax_cutoff),
    ("inner_threshold", |settings| &mut settings.inner_threshold),
    ("noise_eps", |settings| &mut settings.noise_eps),
    ("noise_eps_rel", |settings| &mut settings.noise_eps_rel),
    ("qtot_cutoff", |settings| &mut settings.qtot_cutoff),
    ("qmax_single_time", |settings| &mut settings.qmax_single_time),
    ("qmax_single_pad", |settings| &mut settings.qmax_single_pad),
    ("min_split", |settings| &mut settings.min_split),
];
const TIME_SHIFT: &str = "time_shift";

/// Takes over a name and its value; returns the name.
pub(super) fn set(
    settings: &mut ClusterSettings,
    words: &mut Words,
) -> Result<&'static str, String> {
    let name = words.word("name")?;
    if name == TIME_SHIFT {
        settings.time_shift = finite(words.word("value")?)?;
        return Ok(TIME_SHIFT);
    }
    let known = BYTES.iter().find(|(known, _)| *known == name);
    let &(name, byte) = known.ok_or_else(|| unknown(name))?;
    *byte(settings) = words.number(name, 0..=u8::MAX)?;
    Ok(name)
}

fn finite(word: &str) -> Result<f32, String> {
    let value = word.parse().ok().filter(|value: &f32| value.is_finite());
    value.ok_or_else(|| format!("{TIME_SHIFT} {} is not a finite number", word.quoted()))
}

fn unknown(name: &str) -> String {
    let known: Vec<_> = BYTES.iter().map(|(name, _)| *name).chain([TIME_SHIFT]).collect();
    DataError::unknown("param", name, &known).to_string()
}

/// Names and values of the settings that differ from the defaults.
pub(super) fn changed(mut settings: ClusterSettings) -> Vec<(&'static str, String)> {
    let mut default = ClusterSettings::default();
    let bytes = BYTES.map(|(name, byte)| (name, *byte(&mut settings), *byte(&mut default)));
    let changed = bytes.iter().filter(|(_, value, default)| value != default);
    let mut changed: Vec<_> = changed.map(|(name, value, _)| (*name, value.to_string())).collect();
    if settings.time_shift != default.time_shift {
        changed.push((TIME_SHIFT, settings.time_shift.to_string()));
    }
    changed
}
