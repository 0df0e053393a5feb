//! The structs of the chain in `docs/plugin/recobench.h`.

use bytemuck::{Pod, Zeroable};

use tasks::plugin::abi::{Lists, structs};

structs! {
    "recobench_sts_side" #[derive(Clone, Copy, Pod, Zeroable)] Side {
        stereo: f64,
        lorentz: f64,
        tangent: f64,
        cosine: f64,
        tangent_single: f32,
        cosine_single: f32,
    }

    "recobench_sts_module" #[derive(Clone, Copy, Pod, Zeroable)] Module {
        height: f64,
        pitch: f64,
        front: Side,
        back: Side,
        rotation: [f64; 9],
        translation: [f64; 3],
        address: u64,
    }

    "recobench_sts_setup" #[derive(Zeroable)] Setup {
        size: usize,
        steps: u64,
        dynamic_range: f64,
        threshold: f64,
        noise: f64,
        time_resolution: f64,
        dead_time: f64,
        digi_cut: f64,
        digi_cut_deviations: f64,
        cluster_cut: f64,
        cluster_cut_deviations: f64,
        width_step: f64,
        widths: u64,
        width: *const f64,
        charges: [f32; 32],
        variances: [f32; 32],
        module: *const Module,
    }

    "recobench_sts" #[derive(Zeroable)] Sts {
        size: usize,
        timeslices: u64,
        modules: u64,
        semantics: u32,
        order: u32,
        setup: *const Setup,
        input: Lists,
        output: Lists,
        hits: Lists,
    }

    "recobench_cluster" #[derive(Clone, Copy, Pod, Zeroable)] Cluster {
        charge: f32,
        size: i32,
        position: f32,
        position_error: f32,
        time: u32,
        time_error: f32,
    }

    "recobench_hit" #[derive(Clone, Copy, Pod, Zeroable)] Hit {
        x: f32,
        y: f32,
        z: f32,
        time: u32,
        dx: f32,
        dy: f32,
        dz: f32,
        dxy: f32,
        time_error: f32,
        du: f32,
        dv: f32,
        address: u32,
    }

    "recobench_offline_digi" #[derive(Clone, Copy, Pod, Zeroable)] OfflineDigi {
        time: u64,
        address: u32,
        channel: u16,
        adc: u16,
    }

    "recobench_offline_cluster" #[derive(Clone, Copy, Pod, Zeroable)] OfflineCluster {
        charge: f64,
        position: f64,
        position_error: f64,
        time: f64,
        time_error: f64,
        size: u32,
        address: u32,
    }

    "recobench_offline_hit" #[derive(Clone, Copy, Pod, Zeroable)] OfflineHit {
        x: f64,
        y: f64,
        z: f64,
        dx: f64,
        dy: f64,
        dz: f64,
        dxy: f64,
        time: f64,
        time_error: f64,
        du: f64,
        dv: f64,
        address: u64,
    }
}
