//! Connections of the callback server, and the choice of the one that makes room for another.
//!
//! Invariant: connections are bounded, each with one thread. One without a token yet can be closed in favour of a new one, so
//! that no peer, and no crowd of peers, keeps others out by lingering.

use std::collections::BTreeMap;
use std::net::{IpAddr, Shutdown, TcpStream};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Connections at the same time.
pub(super) const CONNECTIONS_MAX: usize = 64;
/// Connections of one peer address at the same time.
pub(super) const PEER_CONNECTIONS_MAX: usize = 48;
/// Connections that post to the same token at the same time.
const TOKEN_CONNECTIONS_MAX: usize = 4;
/// Time limit for a closed connection to free its place.
const LEAVES_WITHIN: Duration = Duration::from_secs(1);

/// Open connections, in order of arrival.
#[derive(Default)]
pub(super) struct Connections {
    all: Mutex<BTreeMap<u64, Connection>>,
    left: Condvar,
}

struct Connection {
    stream: TcpStream,
    peer: IpAddr,
    stage: Stage,
}

#[derive(PartialEq, Eq)]
enum Stage {
    /// Its head is not read yet, or it has been answered.
    Unknown,
    /// It has shown the token of an expected callback.
    Known(String),
    /// It was closed in favour of another.
    Leaving,
}

impl Connection {
    fn close(&mut self) {
        // The peer may have closed it.
        let _ = self.stream.shutdown(Shutdown::Both);
        self.stage = Stage::Leaving;
    }
}

impl Connections {
    fn lock(&self) -> MutexGuard<'_, BTreeMap<u64, Connection>> {
        // Every change of the map is complete, so a panic leaves it consistent.
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Admits a connection, in the place of an older one if need be; `false` without a place.
    pub(super) fn admit(&self, number: u64, stream: &TcpStream) -> bool {
        let (Ok(peer), Ok(handle)) = (stream.peer_addr(), stream.try_clone()) else { return false };
        let (peer, until) = (peer.ip(), Instant::now() + LEAVES_WITHIN);
        let mut all = self.lock();
        loop {
            let of_peer = count(&all, peer);
            if all.len() < CONNECTIONS_MAX && of_peer < PEER_CONNECTIONS_MAX {
                all.insert(number, Connection { stream: handle, peer, stage: Stage::Unknown });
                return true;
            }
            let only = (of_peer >= PEER_CONNECTIONS_MAX).then_some(peer);
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() || !make_room(&mut all, only) {
                return false;
            }
            all = self.left.wait_timeout(all, left).unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Marks a connection that has shown a token; of too many with the same token the oldest is closed.
    pub(super) fn know(&self, number: u64, token: &str) {
        let mut all = self.lock();
        let is_same = |one: &Connection| matches!(&one.stage, Stage::Known(other) if other == token);
        if all.values().filter(|one| is_same(one)).count() >= TOKEN_CONNECTIONS_MAX
            && let Some(oldest) = all.values_mut().find(|one| is_same(one))
        {
            oldest.close();
        }
        if let Some(one) = all.get_mut(&number).filter(|one| one.stage == Stage::Unknown) {
            one.stage = Stage::Known(token.to_owned());
        }
    }

    /// Marks an answered connection, which can make room.
    pub(super) fn answered(&self, number: u64) {
        if let Some(one) = self.lock().get_mut(&number).filter(|one| one.stage != Stage::Leaving) {
            one.stage = Stage::Unknown;
        }
    }

    /// Frees the place of a connection.
    pub(super) fn leave(&self, number: u64) {
        self.lock().remove(&number);
        self.left.notify_all();
    }

    /// Closes all connections.
    pub(super) fn close(&self) {
        self.lock().values_mut().for_each(Connection::close);
    }
}

fn count(all: &BTreeMap<u64, Connection>, peer: IpAddr) -> usize {
    all.values().filter(|connection| connection.peer == peer).count()
}

/// Closes the oldest unknown connection of a peer, or of the peer with the most; `false` if none will leave.
fn make_room(all: &mut BTreeMap<u64, Connection>, only: Option<IpAddr>) -> bool {
    let is_candidate = |one: &Connection| only.is_none_or(|only| one.peer == only);
    if all.values().any(|one| is_candidate(one) && one.stage == Stage::Leaving) {
        return true;
    }
    let unknown = all.iter().filter(|(_, one)| is_candidate(one) && one.stage == Stage::Unknown);
    // Of those with the same number of connections the oldest comes first.
    let oldest = unknown.max_by_key(|(number, one)| (count(all, one.peer), std::cmp::Reverse(**number)));
    let Some(number) = oldest.map(|(number, _)| *number) else { return false };
    all.get_mut(&number).into_iter().for_each(Connection::close);
    true
}
