//! Maps are complete and identical, whatever the initial content of the buffers.

use super::*;
use crate::device::Poison;
use crate::tpc_decode::charge_map::TILE;
use crate::tpc_decode::cpu::levels::Level;
use crate::tpc_decode::hard_inputs;
use crate::tpc_decode::input::Output;

fn runner<'a>(frame: &'a TimeFrame, arena: &'a Arena) -> TilesRunner<'a> {
    let decode = Level::best().decoder().expect("there is always one");
    TilesRunner::new(frame, arena, DecodeWorkers::for_one_team(frame, 1), 1, decode)
}

/// The frames that are decoded to maps.
fn frames() -> impl Iterator<Item = (String, TimeFrame)> {
    let all = hard_inputs::all(5).into_iter();
    all.filter(|(_, frame)| frame.settings.output == Output::ChargeMap)
}

#[test]
fn a_run_writes_all_of_a_map_but_margins() {
    for (name, frame) in frames() {
        let arena = Arena::default();
        let mut runner = runner(&frame, &arena);
        let mut buffers = runner.allocate().expect("on the host");
        let maps = [0_u16, u16::POISON, u16::MAX].map(|before| {
            buffers.maps.fill(Tile([before; TILE]));
            runner.load(&mut buffers).expect("on the host");
            runner.run(&mut buffers).expect("on the host");
            buffers.maps.to_vec()
        });
        assert!(maps.iter().all(|map| *map == maps[0]), "{name}");
    }
}

#[test]
fn margins_are_all_that_a_run_does_not_write() {
    let (_, frame) = frames().next().expect("there are some");
    let arena = Arena::default();
    let mut runner = runner(&frame, &arena);
    let mut buffers = runner.allocate().expect("on the host");
    runner.load(&mut buffers).expect("on the host");
    buffers.maps.fill(Tile::POISON);
    runner.run(&mut buffers).expect("on the host");
    let shape = runner.shape;
    for map in buffers.maps.chunks_mut(shape.tiles()) {
        let mut margins = vec![Tile([1; TILE]); shape.tiles()];
        shape.clear_margins(&mut margins);
        for (tile, margin) in map.iter().zip(&margins) {
            let is_margin = *margin == Tile::default();
            assert_eq!(*tile == Tile::POISON, is_margin);
        }
    }
}

#[test]
fn out_of_order_pages_are_in_the_map() {
    let late = frames().filter(|(name, _)| name.contains("back to front"));
    let mut found = 0;
    for (name, frame) in late {
        let arena = Arena::default();
        let mut runner = runner(&frame, &arena);
        let mut buffers = runner.allocate().expect("on the host");
        runner.load(&mut buffers).expect("on the host");
        runner.run(&mut buffers).expect("on the host");
        let right = crate::tpc_decode::reference::decode(&frame);
        let problem =
            crate::tpc_decode::check::same(&frame, &right, &runner.output(&buffers), true);
        assert_eq!(problem, Ok(()), "{name}");
        found += right.positions.len();
    }
    assert!(found > 10_000, "{found}");
}
