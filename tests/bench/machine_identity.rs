//! Identity of a machine: its CPU runs are one series, whatever its GPUs; GPU properties are
//! recorded and noted.

use crate::common::stub_gpu::StubGpu;
use crate::common::{Folder, measuring};

const SORT: &str = "sort --segments 24 --digis 2k --samples 3..3 --threads 1 --variant std-stable \
                    --no-charts -q --out";

fn set() -> Option<(Folder, StubGpu)> {
    Some((measuring()?, StubGpu::new()?))
}

#[test]
fn neither_driver_nor_visible_devices_make_another_machine_of_cpu_runs() {
    let Some((folder, gpu)) = set() else { return };
    let of = |name: &str, variables: &[(&str, &str)]| {
        gpu.bench(&folder, &format!("{SORT} {name}"), variables).exits(0);
        folder.record(name)
    };
    let old = of("old", &[]);
    let updated = of("updated", &[("STUB_DRIVER", "999.1")]);
    let hidden = of("hidden", &[("CUDA_VISIBLE_DEVICES", "")]);
    gpu.spoil_management_library();
    let contained = of("contained", &[]);
    for other in [&updated, &hidden, &contained] {
        assert_eq!(other.machine_key, old.machine_key);
    }
    let card = &old.machine.gpus[0];
    assert_eq!((card.model.as_str(), card.driver.as_str()), ("NVIDIA H100 80GB HBM3", "580.65.06"));
    assert_eq!(card.pci_address.as_deref(), Some("00000000:65:00.0"));
    assert_eq!(card.uuid.as_deref(), Some("GPU-11111111-2222-3333-4444-555555555555"));
    assert_eq!((card.ecc, card.power_limit_w), (Some(true), Some(700.0)));
    assert_eq!((card.application_clock_mhz, card.is_instance), (Some(1980), false));
    assert_eq!(updated.machine.gpus[0].driver, "999.1");
    assert!(hidden.machine.gpus.is_empty());
    assert_eq!(hidden.environment.visible_devices.as_deref(), Some(""));
    assert_eq!(contained.machine.gpus[0].driver, "CUDA 13.0");
    let compared = folder.bench("compare old updated");
    compared.prints("the driver changed from 580.65.06 to 999.1");
    assert!(!compared.stderr.contains("another machine"), "{}", compared.story());
}

#[test]
fn devices_shows_which_card_it_is_and_instances_are_known() {
    let Some((folder, gpu)) = set() else { return };
    let devices = gpu.bench(&folder, "devices", &[]).exits(0);
    devices.prints("cuda:0, NVIDIA H100 80GB HBM3").prints("00000000:65:00.0");
    devices.prints("GPU-11111111-2222-3333-4444-555555555555").prints("1755 MHz now");
    let instance = [("STUB_NAME", "NVIDIA H100 80GB HBM3 MIG 1g.10gb")];
    gpu.bench(&folder, &format!("{SORT} mig"), &instance).exits(0);
    let card = &folder.record("mig").machine.gpus[0];
    assert!(card.is_instance && card.model.ends_with("MIG 1g.10gb"), "{card:?}");
}
