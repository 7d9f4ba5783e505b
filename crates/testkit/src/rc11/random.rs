//! Random programs of atomics of all orders, waits, locks, and data that is not atomic.

use super::{Op, Order, Program, REGISTERS};
use crate::rng::Rng;

impl Program {
    /// Of two or three threads, some eight operations in all.
    pub fn random(rng: &mut Rng) -> Program {
        let places = 1 + rng.below(2) + usize::from(rng.chance(20));
        let threads = 2 + usize::from(rng.chance(40));
        let most = if threads == 2 { 4 } else { 3 };
        // Programs of strong orders and of weak ones: a mixture is hardly ever robust.
        let strong = [10, 40, 80][rng.below(3)];
        let mut writer = Writer { rng, places, strong, nodes: 0, has_data: false };
        writer.has_data = writer.rng.chance(50);
        let threads = (0..threads).map(|_| writer.thread(most)).collect();
        Program { threads, places }
    }
}

struct Writer<'r> {
    rng: &'r mut Rng,
    /// Atomic ones; the last is what spin locks take.
    places: usize,
    /// In a hundred.
    strong: u32,
    has_data: bool,
    nodes: usize,
}

impl Writer<'_> {
    fn thread(&mut self, most: usize) -> Vec<Op> {
        let mut ops = Vec::new();
        for _ in 0..2 + self.rng.below(most - 1) {
            let group = self.group();
            if self.rng.chance(15) && !ops.is_empty() {
                let (register, value) = (self.rng.below(REGISTERS), self.rng.below(2) as i32);
                ops.push(Op::Unless { register, value, skip: group.len() });
            }
            ops.extend(group);
        }
        ops
    }

    /// One operation, or some that belong together.
    fn group(&mut self) -> Vec<Op> {
        match self.rng.below(16) {
            0 => vec![Op::Lock, self.op(), Op::Unlock],
            1 => {
                let order = self.rng.pick(&[Order::Relaxed, Order::Acquire]);
                vec![Op::Await { place: self.rng.below(self.places), value: 1, order }]
            }
            2 => {
                let (place, order) = (self.places - 1, self.rng.pick(&[Order::Relaxed, Order::Acquire]));
                let release = self.rng.pick(&[Order::Relaxed, Order::Release]);
                vec![Op::Take { place, order }, self.op(), Op::Store { place, value: 0, order: release }]
            }
            3..6 if self.has_data => self.data(),
            _ => vec![self.op()],
        }
    }

    fn op(&mut self) -> Op {
        let (to, place, value) = (self.register(), self.rng.below(self.places), self.value());
        let (load, store) =
            (self.order(&[Order::Relaxed, Order::Acquire]), self.order(&[Order::Relaxed, Order::Release]));
        let update = self.order(&[Order::Relaxed, Order::Acquire, Order::Release, Order::AcqRel]);
        let fence = self.order(&[Order::Acquire, Order::Release, Order::AcqRel]);
        match self.rng.below(12) {
            0..4 => Op::Load { to, place, order: load },
            4..8 => Op::Store { place, value, order: store },
            8 => Op::Exchange { to, place, value, order: update },
            9 => Op::Add { to, place, value: 1, order: update },
            10 => {
                let expected = self.rng.below(2) as i32;
                let failure = if update.acquires() { load } else { Order::Relaxed };
                let failure =
                    if update == Order::SeqCst || failure != Order::SeqCst { failure } else { Order::Acquire };
                Op::Compare { to, place, expected, value, success: update, failure }
            }
            _ => Op::Fence(fence),
        }
    }

    /// Operations on what is not atomic, in the ways in which programs come to share it; now and then with an order that does not do.
    fn data(&mut self) -> Vec<Op> {
        let (place, lock) = (self.rng.below(self.places), self.places - 1);
        let (release, acquire) = (self.mostly(Order::Release), self.mostly(Order::Acquire));
        let touch = match self.rng.below(2) {
            0 => Op::Peek { to: self.register() },
            _ => Op::Poke { value: self.value() },
        };
        match self.rng.below(7) {
            0 => vec![Op::Lock, touch, Op::Unlock],
            1 => {
                let taken = Op::Take { place: lock, order: acquire };
                vec![taken, touch, Op::Store { place: lock, value: 0, order: release }]
            }
            2 => vec![touch, Op::Store { place, value: 1, order: release }],
            3 => {
                let to = self.register();
                vec![Op::Load { to, place, order: acquire }, Op::Unless { register: to, value: 1, skip: 1 }, touch]
            }
            4 | 5 => {
                self.nodes += 1;
                let node = self.nodes - 1;
                let mut ops = vec![Op::Make { node, value: self.value() }];
                if self.rng.chance(20) {
                    ops.push(self.op());
                }
                ops.push(Op::Hand { node, order: release });
                ops
            }
            _ => {
                let follow = match self.rng.below(4) {
                    0 => Op::Change { value: 2 },
                    _ => Op::Follow { to: self.register() },
                };
                vec![Op::LookUp { order: acquire }, follow]
            }
        }
    }

    fn register(&mut self) -> usize {
        self.rng.below(REGISTERS)
    }

    fn value(&mut self) -> i32 {
        1 + self.rng.below(2) as i32
    }

    fn order(&mut self, weak: &[Order]) -> Order {
        if self.rng.chance(self.strong) { Order::SeqCst } else { self.rng.pick(weak) }
    }

    fn mostly(&mut self, order: Order) -> Order {
        if self.rng.chance(80) { order } else { Order::Relaxed }
    }
}
