//! An attempt in flight: its order, and the pipe that wakes its thread.

use std::io::{self, PipeReader, PipeWriter, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Mutex, PoisonError};

use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

use crate::Delivery;
use crate::process_lock::{Assignment, ProcessLock};

/// Order to the thread of an attempt; a later one is never milder.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Order {
    GoOn,
    Stop,
    Kill,
}

/// An attempt in flight.
pub(crate) struct Attempt {
    order: AtomicU8,
    wake: PipeWriter,
    /// Lock of the delivery, with a note of its process.
    lock: Mutex<Option<ProcessLock>>,
    assignment: Assignment,
}

impl Attempt {
    /// An attempt, and the pipe that wakes its thread.
    pub(super) fn new(delivery: &Delivery) -> io::Result<(Self, PipeReader)> {
        let (reader, wake) = io::pipe()?;
        set_nonblocking(wake.as_fd())?;
        let attempt = Self {
            order: AtomicU8::new(0),
            wake,
            lock: Mutex::default(),
            assignment: Assignment {
                root: delivery.root.to_string_lossy().into_owned(),
                key: delivery.key.to_string(),
                agent: delivery.receiver.clone(),
            },
        };
        Ok((attempt, reader))
    }

    /// The current order.
    pub(crate) fn order(&self) -> Order {
        match self.order.load(Ordering::Acquire) {
            0 => Order::GoOn,
            1 => Order::Stop,
            _ => Order::Kill,
        }
    }

    /// Records the process at work in the lock of the delivery.
    pub(super) fn note(&self, leader: u32) {
        if let Some(lock) = &*self.lock.lock().unwrap_or_else(PoisonError::into_inner) {
            lock.note(leader, Some(&self.assignment));
        }
    }

    /// Keeps the lock of the delivery, or releases it.
    pub(super) fn hold(&self, lock: Option<ProcessLock>) {
        *self.lock.lock().unwrap_or_else(PoisonError::into_inner) = lock;
    }

    /// Wakes the thread of the attempt.
    pub(super) fn wake(&self) {
        // A full pipe wakes as well as one more byte would.
        let _ = (&self.wake).write(&[0]);
    }

    /// Gives an order, and wakes the thread.
    pub(super) fn give(&self, order: Order) {
        let number = match order {
            Order::GoOn => 0,
            Order::Stop => 1,
            Order::Kill => 2,
        };
        self.order.fetch_max(number, Ordering::AcqRel);
        self.wake();
    }
}

/// Makes reads and writes of a pipe return at once.
pub(super) fn set_nonblocking(fd: BorrowedFd<'_>) -> io::Result<()> {
    let flags = fcntl_getfl(fd)?;
    Ok(fcntl_setfl(fd, flags | OFlags::NONBLOCK)?)
}
