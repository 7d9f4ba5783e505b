//! A small seeded generator (xoshiro256**, seeded by splitmix64; Blackman & Vigna, TOMS 2021).
//!
//! Guarantee: the same seed gives the same numbers on every machine and in every version of this crate,
//! so a failing case is named by its seed alone.
//! Not promised: statistical quality beyond what picking test cases needs (small ranges are taken modulo).

/// A deterministic stream of choices.
#[derive(Clone, Debug)]
pub struct Rng {
    state: [u64; 4],
}

impl Rng {
    pub fn new(seed: u64) -> Rng {
        let mut mix = seed;
        Rng { state: std::array::from_fn(|_| splitmix64(&mut mix)) }
    }

    pub fn next_u64(&mut self) -> u64 {
        let [s0, s1, s2, s3] = &mut self.state;
        let result = s1.wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let shifted = *s1 << 17;
        *s2 ^= *s0;
        *s3 ^= *s1;
        *s1 ^= *s2;
        *s0 ^= *s3;
        *s2 ^= shifted;
        *s3 = s3.rotate_left(45);
        result
    }

    /// A number in `0..bound`. `bound` must not be zero.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next_u64() % bound as u64) as usize
    }

    /// A number in `low..=high`.
    pub fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as usize) as i64
    }

    /// True in `percent` of 100 cases.
    pub fn chance(&mut self, percent: u32) -> bool {
        self.below(100) < percent as usize
    }

    /// One of `items`, which must not be empty.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// One of `items`, each in proportion to its weight; the weights must not all be zero.
    pub fn weighted<T: Copy>(&mut self, items: &[(usize, T)]) -> T {
        let mut left = self.below(items.iter().map(|(weight, _)| weight).sum());
        for &(weight, item) in items {
            if left < weight {
                return item;
            }
            left -= weight;
        }
        unreachable!("`left` starts below the sum of the weights")
    }
}

fn splitmix64(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splitmix64_gives_its_published_first_values() {
        let mut state = 1_234_567;
        let values: Vec<u64> = (0..3).map(|_| splitmix64(&mut state)).collect();
        assert_eq!(values, [6457827717110365317, 3203168211198807973, 9817491932198370423]);
    }

    #[test]
    fn every_value_of_a_range_comes_up() {
        let mut rng = Rng::new(7);
        let mut seen = [0u32; 6];
        for _ in 0..600 {
            seen[(rng.between(-2, 3) + 2) as usize] += 1;
        }
        assert!(seen.iter().all(|&count| count > 60), "{seen:?}");
    }

    #[test]
    fn weights_are_respected() {
        let mut rng = Rng::new(7);
        let heavy = (0..1000).filter(|_| rng.weighted(&[(9, true), (1, false), (0, false)])).count();
        assert!((850..950).contains(&heavy), "{heavy}");
    }
}
