//! The connections of the listener for callbacks, and which of them makes room for another.
//!
//! Invariant: there are boundedly many, each with one thread. One that has shown no token yet can be closed at any
//! time in favour of a new one, so that no peer, and no crowd of peers, keeps the others out by lingering.

use std::collections::BTreeMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Connections at the same time.
pub(super) const GUESTS_MAX: usize = 64;
/// Connections of one peer address at the same time.
pub(super) const PEER_GUESTS_MAX: usize = 48;
/// Connections that post to the same token at the same time.
const TOKEN_GUESTS_MAX: usize = 4;
/// How long a connection that was closed may take to give its place back.
const LEAVES_WITHIN: Duration = Duration::from_secs(1);

/// The open connections, by the order in which they came.
#[derive(Default)]
pub(super) struct Guests {
    all: Mutex<BTreeMap<u64, Guest>>,
    left: Condvar,
}

struct Guest {
    stream: TcpStream,
    peer: IpAddr,
    stage: Stage,
}

#[derive(PartialEq, Eq)]
enum Stage {
    /// Its head is not read yet, or it has been answered.
    Unknown,
    /// It has shown the token of a callback that is awaited.
    Known(String),
    /// It was closed in favour of another one.
    Leaving,
}

impl Guest {
    fn close(&mut self) {
        // One that is gone already needs no end.
        let _ = self.stream.shutdown(Shutdown::Both);
        self.stage = Stage::Leaving;
    }
}

impl Guests {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Guest>> {
        // Every change is whole, so that a thread that panicked left nothing half done.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a connection in, in the place of an older one if need be; says no if there is no place.
    pub(super) fn admit(&self, number: u64, stream: &TcpStream) -> bool {
        let (Ok(peer), Ok(handle)) = (stream.peer_addr(), stream.try_clone()) else { return false };
        let (peer, until) = (peer.ip(), Instant::now() + LEAVES_WITHIN);
        let mut all = self.lock();
        loop {
            let of_peer = count(&all, peer);
            if all.len() < GUESTS_MAX && of_peer < PEER_GUESTS_MAX {
                all.insert(number, Guest { stream: handle, peer, stage: Stage::Unknown });
                return true;
            }
            let only = (of_peer >= PEER_GUESTS_MAX).then_some(peer);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !make_room(&mut all, only) {
                return false;
            }
            all = self.left.wait_timeout(all, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Notes that a connection has shown the token of a callback; the oldest of too many with the same is closed.
    pub(super) fn know(&self, number: u64, token: &str) {
        let mut all = self.lock();
        let is_same = |guest: &Guest| matches!(&guest.stage, Stage::Known(other) if other == token);
        if all.values().filter(|guest| is_same(guest)).count() >= TOKEN_GUESTS_MAX
            && let Some(oldest) = all.values_mut().find(|guest| is_same(guest))
        {
            oldest.close();
        }
        if let Some(guest) = all.get_mut(&number).filter(|guest| guest.stage == Stage::Unknown) {
            guest.stage = Stage::Known(token.to_owned());
        }
    }

    /// Notes that a connection has been answered, so that it can make room.
    pub(super) fn answered(&self, number: u64) {
        if let Some(guest) = self.lock().get_mut(&number).filter(|guest| guest.stage != Stage::Leaving) {
            guest.stage = Stage::Unknown;
        }
    }

    /// Gives the place of a connection back.
    pub(super) fn leave(&self, number: u64) {
        self.lock().remove(&number);
        self.left.notify_all();
    }

    /// Closes all connections.
    pub(super) fn close(&self) {
        self.lock().values_mut().for_each(Guest::close);
    }
}

fn count(all: &BTreeMap<u64, Guest>, peer: IpAddr) -> usize {
    all.values().filter(|guest| guest.peer == peer).count()
}

/// Closes the oldest unknown connection of a peer, or of the peer that has most; says no if there is none to wait for.
fn make_room(all: &mut BTreeMap<u64, Guest>, only: Option<IpAddr>) -> bool {
    let is_candidate = |guest: &Guest| only.is_none_or(|only| guest.peer == only);
    if all.values().any(|guest| is_candidate(guest) && guest.stage == Stage::Leaving) {
        return true;
    }
    let unknown = all.iter().filter(|(_, guest)| is_candidate(guest) && guest.stage == Stage::Unknown);
    // Of those with the same number of connections the oldest comes first.
    let oldest = unknown.max_by_key(|(number, guest)| (count(all, guest.peer), std::cmp::Reverse(**number)));
    let Some(number) = oldest.map(|(number, _)| *number) else { return false };
    all.get_mut(&number).into_iter().for_each(Guest::close);
    true
}
