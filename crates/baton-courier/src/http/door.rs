//! Where receivers that answer later call back: a listener on the loopback.
//!
//! Invariant: whoever has no token of an attempt that is under way is turned away before a byte of their body is read,
//! and whoever has no secret before anything counts. A token is good for one answer.
//! Invariant: a guest has a bounded time for its head and for its body, says one thing, and there are boundedly many
//! (`guests.rs`).

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::carry::Event;
use super::guests::Guests;
use super::{Secrets, Stamp};

/// How long the head of a call may take, from the connection to its last byte.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// How long the body of a call may take.
const BODY_WITHIN: Duration = Duration::from_secs(30);
/// The bytes of the head of a call.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// The fields of the head of a call.
const FIELDS_MAX: usize = 64;
/// What stands before the token in the path of a callback.
const ANSWERS: &str = "/answers/";
/// What the id of a callback ends with that says that there will be no answer.
const FAILED: &str = "/failed";
const STACK_BYTES: usize = 256 * 1024;

/// How the answer to one attempt is handed in later.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Callback {
    /// Where it is posted to.
    pub(super) url: String,
    /// The id it must have.
    pub(super) id: String,
}

/// What somebody called to say.
pub(super) enum Call {
    Answer(Vec<u8>),
    Failure(Vec<u8>),
}

/// A listener for callbacks. It is closed when it is dropped.
pub(super) struct Door {
    address: SocketAddr,
    house: Arc<House>,
}

#[derive(Default)]
struct House {
    /// By their tokens.
    awaited: Mutex<HashMap<String, Awaited>>,
    guests: Guests,
    is_closed: AtomicBool,
}

#[derive(Clone)]
struct Awaited {
    id: String,
    secrets: Secrets,
    bytes_max: usize,
    events: Sender<Event>,
}

/// A callback that is awaited until this is dropped.
pub(super) struct Expected {
    pub(super) callback: Callback,
    token: String,
    house: Arc<House>,
}

impl Door {
    /// Begins to listen.
    pub(super) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let house = Arc::new(House::default());
        let inside = Arc::clone(&house);
        spawn("baton-door", move || stand_at(&listener, &inside))?;
        Ok(Self { address, house })
    }

    /// Awaits the answer to one attempt.
    pub(super) fn expect(
        &self,
        secrets: &Secrets,
        bytes_max: usize,
        events: Sender<Event>,
    ) -> io::Result<Expected> {
        let (token, id) = (unguessable()?, format!("answer_{}", unguessable()?));
        let awaited = Awaited { id: id.clone(), secrets: secrets.clone(), bytes_max, events };
        lock(&self.house.awaited).insert(token.clone(), awaited);
        let url = format!("http://{}{ANSWERS}{token}", self.address);
        Ok(Expected { callback: Callback { url, id }, token, house: Arc::clone(&self.house) })
    }
}

impl Drop for Door {
    fn drop(&mut self) {
        self.house.is_closed.store(true, Ordering::Release);
        lock(&self.house.awaited).clear();
        self.house.guests.close();
        // Whoever stands at the door looks up only when somebody knocks.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        lock(&self.house.awaited).remove(&self.token);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is whole, so that a thread that panicked left nothing half done.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(work).map(drop)
}

/// 256 bits that nobody can guess, in digits and letters.
fn unguessable() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Lets guests in, until the door is closed.
fn stand_at(listener: &TcpListener, house: &Arc<House>) {
    for (number, guest) in (0..).zip(listener.incoming()) {
        if house.is_closed.load(Ordering::Acquire) {
            return;
        }
        let Ok(guest) = guest else {
            // Out of files, mostly: those that are open will be closed.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        if !house.guests.admit(number, &guest) {
            continue;
        }
        let inside = Arc::clone(house);
        let welcomed = spawn("baton-guest", move || {
            welcome(&guest, number, &inside);
            inside.guests.leave(number);
        });
        if welcomed.is_err() {
            house.guests.leave(number);
        }
    }
}

/// Hears one guest out and says what came of it.
fn welcome(guest: &TcpStream, number: u64, house: &House) {
    let mut visit = Visit { guest, number, until: Instant::now() + HEAD_WITHIN, read: Vec::new() };
    let said = visit.hear(house);
    house.guests.answered(number);
    let (status, text) = match &said {
        Ok(()) => ("200 OK", "taken\n".to_owned()),
        Err(Turned { status, why }) => (*status, format!("{why}\n")),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{text}",
        text.len()
    );
    // It has been heard, whether or not it listens.
    let _ = visit.say(head.as_bytes());
    let _ = guest.shutdown(Shutdown::Write);
    visit.see_off();
}

/// Why a guest was turned away.
struct Turned {
    status: &'static str,
    why: String,
}

fn turned<T>(status: &'static str, why: impl Into<String>) -> Result<T, Turned> {
    Err(Turned { status, why: why.into() })
}

struct Visit<'a> {
    guest: &'a TcpStream,
    number: u64,
    until: Instant,
    read: Vec<u8>,
}

/// What the head of a call says.
struct Head {
    method: String,
    path: String,
    length: Option<usize>,
    is_coded: bool,
    waits: bool,
    id: String,
    time: String,
    signature: String,
    bytes: usize,
}

impl Visit<'_> {
    fn hear(&mut self, house: &House) -> Result<(), Turned> {
        let head = self.head()?;
        let token = head.path.strip_prefix(ANSWERS);
        let awaited = token.and_then(|token| lock(&house.awaited).get(token).cloned());
        let (Some(token), Some(awaited)) = (token, awaited) else {
            return turned("410 Gone", "nobody waits for an answer here, or not any more");
        };
        if head.method != "POST" {
            return turned("405 Method Not Allowed", "an answer is posted");
        }
        house.guests.know(self.number, token);
        self.until = Instant::now() + BODY_WITHIN;
        let is_failure = head.id.strip_suffix(FAILED) == Some(&awaited.id);
        if !is_failure && head.id != awaited.id {
            return turned("401 Unauthorized", "webhook-id is not the id of the callback in the delivery");
        }
        let now_s = now_s();
        let stamp = Stamp { id: &head.id, time: &head.time, signature: &head.signature };
        stamp.is_timely(now_s).or_else(|refused| turned("401 Unauthorized", refused.to_string()))?;
        let Some(length) = head.length.filter(|_| !head.is_coded) else {
            return turned("411 Length Required", "send Content-Length and no Transfer-Encoding");
        };
        if length > awaited.bytes_max {
            return turned(
                "413 Content Too Large",
                format!("an answer has at most {} bytes", awaited.bytes_max),
            );
        }
        if head.waits {
            self.say(b"HTTP/1.1 100 Continue\r\n\r\n").or_else(|error| turned("400", error.to_string()))?;
        }
        let body = self.body(head.bytes, length)?;
        let verified = awaited.secrets.verify(&stamp, &body, now_s);
        verified.or_else(|refused| turned("401 Unauthorized", refused.to_string()))?;
        // Whoever takes the token away is the one who is heard.
        if lock(&house.awaited).remove(token).is_none() {
            return turned("410 Gone", "somebody else has answered");
        }
        let call = if is_failure { Call::Failure(body) } else { Call::Answer(body) };
        if awaited.events.send(Event::Called(call)).is_err() {
            return turned("410 Gone", "nobody waits for an answer here any more");
        }
        Ok(())
    }

    fn head(&mut self) -> Result<Head, Turned> {
        let mut seen = 0;
        loop {
            // A head ends with a line: one that comes byte by byte is not read anew for each of them.
            let is_worth_it =
                seen == 0 || self.read[seen..].contains(&b'\n') || self.read.len() >= HEAD_BYTES_MAX;
            seen = self.read.len();
            if !is_worth_it {
                self.more(HEAD_BYTES_MAX)?;
                continue;
            }
            let mut fields = [httparse::EMPTY_HEADER; FIELDS_MAX];
            let mut request = httparse::Request::new(&mut fields);
            match request.parse(&self.read) {
                Ok(httparse::Status::Complete(bytes)) => return Head::of(&request, bytes),
                Ok(httparse::Status::Partial) if self.read.len() < HEAD_BYTES_MAX => {}
                Ok(httparse::Status::Partial) | Err(httparse::Error::TooManyHeaders) => {
                    return turned("431 Request Header Fields Too Large", "the head is too long");
                }
                Err(error) => return turned("400 Bad Request", error.to_string()),
            }
            self.more(HEAD_BYTES_MAX)?;
        }
    }

    /// What stands behind the head, all of it.
    fn body(&mut self, head_bytes: usize, length: usize) -> Result<Vec<u8>, Turned> {
        let end = head_bytes.saturating_add(length);
        while self.read.len() < end {
            self.more(end)?;
        }
        let mut body = std::mem::take(&mut self.read);
        body.truncate(end);
        body.drain(..head_bytes);
        Ok(body)
    }

    /// Reads on, up to so many bytes in all.
    fn more(&mut self, bytes_max: usize) -> Result<(), Turned> {
        let mut buffer = [0; 16 * 1024];
        let room = bytes_max.saturating_sub(self.read.len()).clamp(1, buffer.len());
        match self.next(&mut buffer[..room]) {
            Ok(0) => turned("400 Bad Request", "it was cut off"),
            Ok(bytes) => {
                self.read.extend_from_slice(&buffer[..bytes]);
                Ok(())
            }
            Err(_) => turned("408 Request Timeout", "it took too long, or was cut off"),
        }
    }

    fn next(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let mut guest = self.guest;
            guest.set_read_timeout(Some(left))?;
            match guest.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    fn say(&self, bytes: &[u8]) -> io::Result<()> {
        let mut guest = self.guest;
        guest.set_write_timeout(Some(Duration::from_secs(5)))?;
        guest.write_all(bytes)
    }

    /// Takes what a guest who was turned away still says, so that it hears why instead of a connection that broke.
    fn see_off(&mut self) {
        const LEFT_BYTES_MAX: usize = 1024 * 1024;
        self.until = self.until.min(Instant::now() + Duration::from_secs(2));
        let mut buffer = [0; 16 * 1024];
        let mut left = LEFT_BYTES_MAX;
        while let Ok(bytes @ 1..) = self.next(&mut buffer) {
            left = left.saturating_sub(bytes);
            if left == 0 {
                return;
            }
        }
    }
}

impl Head {
    fn of(request: &httparse::Request<'_, '_>, bytes: usize) -> Result<Self, Turned> {
        let mut head = Self {
            method: request.method.unwrap_or_default().to_owned(),
            path: request.path.unwrap_or_default().to_owned(),
            length: None,
            is_coded: false,
            waits: false,
            id: String::new(),
            time: String::new(),
            signature: String::new(),
            bytes,
        };
        for field in request.headers.iter() {
            let Ok(value) = str::from_utf8(field.value) else { continue };
            let once = |place: &mut String| {
                if !place.is_empty() {
                    return turned("400 Bad Request", format!("{} stands there twice", field.name));
                }
                value.clone_into(place);
                Ok(())
            };
            match field.name.to_ascii_lowercase().as_str() {
                "webhook-id" => once(&mut head.id)?,
                "webhook-timestamp" => once(&mut head.time)?,
                "webhook-signature" => once(&mut head.signature)?,
                "transfer-encoding" => head.is_coded = true,
                "expect" => head.waits = value.eq_ignore_ascii_case("100-continue"),
                "content-length" => {
                    let is_plain = value.bytes().all(|byte| byte.is_ascii_digit());
                    let length = value.parse().ok().filter(|_| is_plain && head.length.is_none());
                    let Some(length) = length else {
                        return turned(
                            "400 Bad Request",
                            "Content-Length is no length, or stands there twice",
                        );
                    };
                    head.length = Some(length);
                }
                _ => {}
            }
        }
        Ok(head)
    }
}

/// The seconds since 1970.
pub(super) fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    /// What is said to a callback.
    fn call(expected: &Expected, secrets: &Secrets, body: &str) -> io::Result<String> {
        let address = expected.callback.url.split('/').nth(2).unwrap_or_default();
        let (id, time_s, token) = (&expected.callback.id, now_s(), &expected.token);
        let signature = secrets.sign(id, time_s, body.as_bytes());
        let mut stream = TcpStream::connect(address)?;
        write!(
            stream,
            "POST {ANSWERS}{token} HTTP/1.1\r\nwebhook-id: {id}\r\nwebhook-timestamp: {time_s}\r\n\
             webhook-signature: {signature}\r\ncontent-length: {}\r\n\r\n{body}",
            body.len()
        )?;
        stream.shutdown(Shutdown::Write)?;
        let mut said = String::new();
        stream.read_to_string(&mut said)?;
        Ok(said.lines().next().unwrap_or_default().to_owned())
    }

    #[test]
    fn a_token_is_good_for_one_answer_even_while_the_attempt_goes_on() -> io::Result<()> {
        let secrets = Secrets::read(&format!("whsec_{}", "A".repeat(40))).expect("a secret");
        let (events, received) = mpsc::channel();
        let door = Door::open()?;
        let expected = door.expect(&secrets, 100, events)?;
        assert_eq!(call(&expected, &secrets, "one")?, "HTTP/1.1 200 OK");
        assert_eq!(call(&expected, &secrets, "one")?, "HTTP/1.1 410 Gone");
        assert_eq!(call(&expected, &secrets, "two")?, "HTTP/1.1 410 Gone");
        assert!(matches!(received.try_recv(), Ok(Event::Called(Call::Answer(body))) if body == b"one"));
        assert!(received.try_recv().is_err());
        Ok(())
    }
}
