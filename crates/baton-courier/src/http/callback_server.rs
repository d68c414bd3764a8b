//! Listener on the loopback for callbacks of receivers that answer later.
//!
//! Invariant: a request without the token of an attempt in flight is rejected before its body is read, and one without a valid
//! signature before its body counts. A token is good for one answer.
//! Invariant: the time for head and body, the requests per connection and the connections (`connections.rs`) are bounded.

use std::collections::HashMap;
use std::io::{self, Read as _, Write as _};
use std::net::{Ipv4Addr, Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use super::connections::Connections;
use super::event::{Call, Callback, Event};
use super::{Secrets, Stamp};

/// Time limit of the head of a request, from the connection on.
const HEAD_WITHIN: Duration = Duration::from_secs(5);
/// Time limit of the body of a request.
const BODY_WITHIN: Duration = Duration::from_secs(30);
/// Limit of the head of a request.
const HEAD_BYTES_MAX: usize = 16 * 1024;
/// Limit of the header fields.
const FIELDS_MAX: usize = 64;
/// Path of callbacks, before the token.
const ANSWERS: &str = "/answers/";
/// Suffix of the id of a callback that reports a failure.
const FAILED: &str = "/failed";
const STACK_BYTES: usize = 256 * 1024;

/// Listener for callbacks, closed when it is dropped.
pub(super) struct CallbackServer {
    address: SocketAddr,
    state: Arc<ServerState>,
}

#[derive(Default)]
struct ServerState {
    /// Expected answers by token.
    awaited: Mutex<HashMap<String, ExpectedAnswer>>,
    connections: Connections,
    is_closed: AtomicBool,
}

#[derive(Clone)]
struct ExpectedAnswer {
    id: String,
    secrets: Secrets,
    bytes_max: usize,
    events: Sender<Event>,
}

/// A callback, expected until this is dropped.
pub(super) struct Expected {
    pub(super) callback: Callback,
    token: String,
    state: Arc<ServerState>,
}

impl CallbackServer {
    /// Starts to listen.
    pub(super) fn open() -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let state = Arc::new(ServerState::default());
        let inside = Arc::clone(&state);
        spawn("baton-listener", move || accept_all(&listener, &inside))?;
        Ok(Self { address, state })
    }

    /// Expects the answer to one attempt.
    pub(super) fn expect(
        &self,
        secrets: &Secrets,
        bytes_max: usize,
        events: Sender<Event>,
    ) -> io::Result<Expected> {
        let (token, id) = (random_token()?, format!("answer_{}", random_token()?));
        let awaited = ExpectedAnswer { id: id.clone(), secrets: secrets.clone(), bytes_max, events };
        lock(&self.state.awaited).insert(token.clone(), awaited);
        let url = format!("http://{}{ANSWERS}{token}", self.address);
        Ok(Expected { callback: Callback { url, id }, token, state: Arc::clone(&self.state) })
    }
}

impl Drop for CallbackServer {
    fn drop(&mut self) {
        self.state.is_closed.store(true, Ordering::Release);
        lock(&self.state.awaited).clear();
        self.state.connections.close();
        // The thread that accepts connections wakes only for one.
        let _ = TcpStream::connect_timeout(&self.address, Duration::from_secs(1));
    }
}

impl Drop for Expected {
    fn drop(&mut self) {
        lock(&self.state.awaited).remove(&self.token);
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Every change is complete, so a panic leaves the map consistent.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) -> io::Result<()> {
    thread::Builder::new().name(name.to_owned()).stack_size(STACK_BYTES).spawn(work).map(drop)
}

/// 256 random bits in hexadecimal.
fn random_token() -> io::Result<String> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(io::Error::other)?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

/// Accepts connections until the server is closed.
fn accept_all(listener: &TcpListener, state: &Arc<ServerState>) {
    for (number, peer) in (0..).zip(listener.incoming()) {
        if state.is_closed.load(Ordering::Acquire) {
            return;
        }
        let Ok(peer) = peer else {
            // Out of files, mostly: those that are open will be closed.
            thread::sleep(Duration::from_millis(50));
            continue;
        };
        if !state.connections.admit(number, &peer) {
            continue;
        }
        let inside = Arc::clone(state);
        let started = spawn("baton-peer", move || {
            serve(&peer, number, &inside);
            inside.connections.leave(number);
        });
        if started.is_err() {
            state.connections.leave(number);
        }
    }
}

/// Reads one request and answers it.
fn serve(peer: &TcpStream, number: u64, state: &ServerState) {
    let mut exchange = Exchange { peer, number, until: Instant::now() + HEAD_WITHIN, read: Vec::new() };
    let said = exchange.hear(state);
    state.connections.answered(number);
    let (status, text) = match &said {
        Ok(()) => ("200 OK", "taken\n".to_owned()),
        Err(Rejection { status, why }) => (*status, format!("{why}\n")),
    };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: {}\r\n\
         connection: close\r\n\r\n{text}",
        text.len()
    );
    // The request counts even if the response is not read.
    let _ = exchange.say(head.as_bytes());
    let _ = peer.shutdown(Shutdown::Write);
    exchange.see_off();
}

/// Status and reason of a rejected request.
struct Rejection {
    status: &'static str,
    why: String,
}

fn reject<T>(status: &'static str, why: impl Into<String>) -> Result<T, Rejection> {
    Err(Rejection { status, why: why.into() })
}

struct Exchange<'a> {
    peer: &'a TcpStream,
    number: u64,
    until: Instant,
    read: Vec<u8>,
}

/// Head of a request.
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

impl Exchange<'_> {
    fn hear(&mut self, state: &ServerState) -> Result<(), Rejection> {
        let head = self.head()?;
        let token = head.path.strip_prefix(ANSWERS);
        let awaited = token.and_then(|token| lock(&state.awaited).get(token).cloned());
        let (Some(token), Some(awaited)) = (token, awaited) else {
            return reject("410 Gone", "nobody waits for an answer here, or not any more");
        };
        if head.method != "POST" {
            return reject("405 Method Not Allowed", "an answer is posted");
        }
        state.connections.know(self.number, token);
        self.until = Instant::now() + BODY_WITHIN;
        let is_failure = head.id.strip_suffix(FAILED) == Some(&awaited.id);
        if !is_failure && head.id != awaited.id {
            return reject("401 Unauthorized", "webhook-id is not the id of the callback in the delivery");
        }
        let now_s = now_s();
        let stamp = Stamp { id: &head.id, time: &head.time, signature: &head.signature };
        stamp.is_timely(now_s).or_else(|refused| reject("401 Unauthorized", refused.to_string()))?;
        let Some(length) = head.length.filter(|_| !head.is_coded) else {
            return reject("411 Length Required", "send Content-Length and no Transfer-Encoding");
        };
        if length > awaited.bytes_max {
            return reject(
                "413 Content Too Large",
                format!("an answer has at most {} bytes", awaited.bytes_max),
            );
        }
        if head.waits {
            self.say(b"HTTP/1.1 100 Continue\r\n\r\n").or_else(|error| reject("400", error.to_string()))?;
        }
        let body = self.body(head.bytes, length)?;
        let verified = awaited.secrets.verify(&stamp, &body, now_s);
        verified.or_else(|refused| reject("401 Unauthorized", refused.to_string()))?;
        // Only the request that takes the token counts.
        if lock(&state.awaited).remove(token).is_none() {
            return reject("410 Gone", "somebody else has answered");
        }
        let call = if is_failure { Call::Failure(body) } else { Call::Answer(body) };
        if awaited.events.send(Event::Called(call)).is_err() {
            return reject("410 Gone", "nobody waits for an answer here any more");
        }
        Ok(())
    }

    fn head(&mut self) -> Result<Head, Rejection> {
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
                    return reject("431 Request Header Fields Too Large", "the head is too long");
                }
                Err(error) => return reject("400 Bad Request", error.to_string()),
            }
            self.more(HEAD_BYTES_MAX)?;
        }
    }

    /// The whole body, after the head.
    fn body(&mut self, head_bytes: usize, length: usize) -> Result<Vec<u8>, Rejection> {
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
    fn more(&mut self, bytes_max: usize) -> Result<(), Rejection> {
        let mut buffer = [0; 16 * 1024];
        let room = bytes_max.saturating_sub(self.read.len()).clamp(1, buffer.len());
        match self.next(&mut buffer[..room]) {
            Ok(0) => reject("400 Bad Request", "it was cut off"),
            Ok(bytes) => {
                self.read.extend_from_slice(&buffer[..bytes]);
                Ok(())
            }
            Err(_) => reject("408 Request Timeout", "it took too long, or was cut off"),
        }
    }

    fn next(&self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            let left = self.until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(io::ErrorKind::TimedOut.into());
            }
            let mut peer = self.peer;
            peer.set_read_timeout(Some(left))?;
            match peer.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                read => return read,
            }
        }
    }

    fn say(&self, bytes: &[u8]) -> io::Result<()> {
        let mut peer = self.peer;
        peer.set_write_timeout(Some(Duration::from_secs(5)))?;
        peer.write_all(bytes)
    }

    /// Reads what a rejected peer still sends, so that it gets the response and no broken connection.
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
    fn of(request: &httparse::Request<'_, '_>, bytes: usize) -> Result<Self, Rejection> {
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
                    return reject("400 Bad Request", format!("{} stands there twice", field.name));
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
                        return reject(
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

    /// Response to a callback.
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
        let server = CallbackServer::open()?;
        let expected = server.expect(&secrets, 100, events)?;
        assert_eq!(call(&expected, &secrets, "one")?, "HTTP/1.1 200 OK");
        assert_eq!(call(&expected, &secrets, "one")?, "HTTP/1.1 410 Gone");
        assert_eq!(call(&expected, &secrets, "two")?, "HTTP/1.1 410 Gone");
        assert!(matches!(received.try_recv(), Ok(Event::Called(Call::Answer(body))) if body == b"one"));
        assert!(received.try_recv().is_err());
        Ok(())
    }
}
