//! Time of a store, by which its leases are compared.
//!
//! Cannot: read a clock. The opener of a store gives it one: the system's in the program, a simulated one in tests.

use std::fmt;
use std::sync::Arc;

use baton_kernel::Millis;

/// Clock that a store asks whenever leases are compared.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> Millis + Send + Sync>);

impl Clock {
    /// Clock that says what a function says.
    pub fn new(now: impl Fn() -> Millis + Send + Sync + 'static) -> Self {
        Self(Arc::new(now))
    }

    /// Clock that stands still.
    pub fn stopped(at: Millis) -> Self {
        Self::new(move || at)
    }

    /// The moment.
    pub fn now(&self) -> Millis {
        (self.0)()
    }
}

impl fmt::Debug for Clock {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "Clock({})", self.now().0)
    }
}
