//! Chance from one seed: the same seed throws the same dice.

/// A stream of numbers (splitmix64, which has no bad seeds).
#[derive(Clone, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Any number.
    pub(crate) fn any(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut number = self.0;
        number = (number ^ (number >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        number = (number ^ (number >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        number ^ (number >> 31)
    }

    /// A number below `count`, 0 where that is 0.
    pub(crate) fn below(&mut self, count: usize) -> usize {
        usize::try_from(self.any() % (count.max(1) as u64)).expect("it is below a usize")
    }

    /// True once in so many times.
    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of these.
    pub(crate) fn pick<'p, T>(&mut self, of: &'p [T]) -> &'p T {
        &of[self.below(of.len())]
    }
}
