//! 128-bit fingerprints.
//!
//! Two independent 64-bit lanes of multiply-xor mixing. At a million states the chance that two different ones collide is
//! about 2^-88; a collision would only prune a state, and the bound is stated with the claim's other assumptions.

use serde::{Deserialize, Serialize};
use std::hash::{Hash, Hasher};

/// A fingerprint. Addition is order-independent, so a set's fingerprint is the sum of its elements'.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Serialize, Deserialize)]
pub struct Fingerprint(pub u128);

impl Fingerprint {
    /// The fingerprint of one hashable value.
    pub fn of(value: impl Hash) -> Self {
        let mut mixer = Mixer::default();
        value.hash(&mut mixer);
        mixer.fingerprint()
    }

    /// Half of it.
    pub fn word(self) -> u64 {
        self.0 as u64
    }

    pub fn add(&mut self, other: Fingerprint) {
        self.0 = self.0.wrapping_add(other.0);
    }

    pub fn remove(&mut self, other: Fingerprint) {
        self.0 = self.0.wrapping_sub(other.0);
    }
}

/// Mixes a sequence into a fingerprint. As a [`Hasher`] it accepts any `Hash` type.
#[derive(Clone, Debug)]
pub struct Mixer {
    low: u64,
    high: u64,
}

impl Default for Mixer {
    fn default() -> Self {
        Mixer { low: 0x243f_6a88_85a3_08d3, high: 0x1319_8a2e_0370_7344 }
    }
}

impl Mixer {
    pub fn word(&mut self, word: u64) {
        self.low = fold(self.low ^ word, 0x9e37_79b9_7f4a_7c15);
        self.high = fold(self.high.wrapping_add(word) ^ self.low.rotate_left(23), 0xc2b2_ae3d_27d4_eb4f);
    }

    pub fn fingerprint(&self) -> Fingerprint {
        let low = fold(self.low ^ self.high, 0xff51_afd7_ed55_8ccd);
        let high = fold(self.high.wrapping_add(self.low.rotate_left(31)), 0xc4ce_b9fe_1a85_ec53);
        Fingerprint(u128::from(high) << 64 | u128::from(low))
    }
}

impl Hasher for Mixer {
    fn finish(&self) -> u64 {
        self.fingerprint().0 as u64
    }

    fn write(&mut self, bytes: &[u8]) {
        for chunk in bytes.chunks(8) {
            let mut word = [0; 8];
            word[..chunk.len()].copy_from_slice(chunk);
            self.word(u64::from_le_bytes(word));
        }
        self.word(bytes.len() as u64);
    }

    fn write_u8(&mut self, i: u8) {
        self.word(u64::from(i));
    }

    fn write_u32(&mut self, i: u32) {
        self.word(u64::from(i));
    }

    fn write_u64(&mut self, i: u64) {
        self.word(i);
    }

    fn write_usize(&mut self, i: usize) {
        self.word(i as u64);
    }
}

fn fold(a: u64, b: u64) -> u64 {
    let wide = u128::from(a) * u128::from(b);
    (wide as u64) ^ ((wide >> 64) as u64) ^ a.rotate_left(17)
}
