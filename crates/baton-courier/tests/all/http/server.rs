//! A receiver of webhooks in the process of the test: each request goes to a function that speaks bytes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use baton_courier::http::{Hook, HttpCourier, Secrets};
use baton_courier::{Courier as _, Delivery, Report};
use serde_json::Value;

use crate::bench::{PATIENCE, Told};

/// A secret, in parts, since no file holds a whole one.
pub(crate) fn secret() -> String {
    format!("whsec_{}", "c2VjcmV0".repeat(5))
}

pub(crate) fn secrets() -> Secrets {
    Secrets::read(&secret()).unwrap()
}

pub(crate) fn now_s() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// A request as it came in, with the connection that it came on.
pub(crate) struct Request {
    pub(crate) path: String,
    fields: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
    pub(crate) stream: TcpStream,
}

impl Request {
    fn read(stream: TcpStream) -> Option<Self> {
        let mut reader = BufReader::new(stream.try_clone().ok()?);
        let mut line = String::new();
        reader.read_line(&mut line).ok()?;
        let path = line.split(' ').nth(1)?.to_owned();
        let mut fields = Vec::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).ok()?;
            let Some((name, value)) = line.trim().split_once(':') else { break };
            fields.push((name.to_ascii_lowercase(), value.trim().to_owned()));
        }
        let mut request = Self { path, fields, body: Vec::new(), stream };
        request.body.resize(request.field("content-length").parse().ok()?, 0);
        reader.read_exact(&mut request.body).ok()?;
        Some(request)
    }

    pub(crate) fn field(&self, name: &str) -> &str {
        self.fields.iter().find(|(other, _)| other == name).map_or("", |(_, value)| value)
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        self.json()[name].as_str().unwrap().to_owned()
    }

    /// The URL and the id of the callback.
    pub(crate) fn callback(&self) -> (String, String) {
        let callback = &self.json()["callback"];
        let text = |name: &str| callback[name].as_str().unwrap().to_owned();
        (text("url"), text("id"))
    }

    pub(crate) fn say(&self, bytes: &[u8]) {
        // The client may have closed the connection.
        let _ = (&self.stream).write_all(bytes);
    }

    pub(crate) fn answer(&self, status: &str, body: &[u8]) {
        let mut bytes = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n\r\n", body.len()).into_bytes();
        bytes.extend_from_slice(body);
        self.say(&bytes);
    }

    pub(crate) fn cut(&self) {
        let _ = self.stream.shutdown(Shutdown::Both);
    }

    /// Waits until the other side has closed the connection.
    pub(crate) fn until_closed(&self) {
        let mut buffer = [0; 64];
        while matches!((&self.stream).read(&mut buffer), Ok(1..)) {}
    }
}

/// A server; it goes on until the test ends.
pub(crate) struct Server(SocketAddr);

impl Server {
    pub(crate) fn start(hear: impl Fn(Request) + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let hear = Arc::new(hear);
        thread::spawn(move || {
            for stream in listener.incoming() {
                let (Ok(stream), hear) = (stream, Arc::clone(&hear)) else { continue };
                thread::spawn(move || Request::read(stream).map(|request| hear(request)));
            }
        });
        Self(address)
    }

    /// A server that hands its requests to the test.
    pub(crate) fn with_requests() -> (Self, Receiver<Request>) {
        let (sender, requests) = mpsc::channel();
        let server = Self::start(move |request| {
            // The test may have seen enough.
            let _ = sender.send(request);
        });
        (server, requests)
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}/hook?key=hunter2", self.0)
    }

    pub(crate) fn courier(&self) -> HttpCourier {
        courier(&self.url())
    }

    /// End of a delivery.
    pub(crate) fn deliver(&self, delivery: Delivery) -> Told {
        Told::all(&started(&self.courier(), delivery))
    }
}

pub(crate) fn courier(url: &str) -> HttpCourier {
    HttpCourier::new(Hook::new(url, "HOOK_SECRET", Some(&secret())).unwrap())
}

/// Starts a delivery, of which the reports are then received.
pub(crate) fn started(courier: &HttpCourier, delivery: Delivery) -> Receiver<Report> {
    let (reports, received) = mpsc::channel();
    courier.start(delivery, reports);
    received
}

pub(crate) fn next_request(requests: &Receiver<Request>) -> Request {
    requests.recv_timeout(PATIENCE).unwrap()
}

/// A callback as a receiver makes it; each part can be made wrong.
#[derive(Clone)]
pub(crate) struct Calling {
    pub(crate) url: String,
    pub(crate) id: String,
    pub(crate) time: String,
    pub(crate) signature: String,
    pub(crate) body: Vec<u8>,
    pub(crate) method: &'static str,
    /// Fields in place of the length of the body.
    pub(crate) length: Option<String>,
}

impl Calling {
    pub(crate) fn new((url, id): (String, String), body: &[u8]) -> Self {
        let calling = Self {
            url,
            id,
            time: now_s().to_string(),
            signature: String::new(),
            body: body.to_vec(),
            method: "POST",
            length: None,
        };
        calling.signed(&secrets())
    }

    /// The same with a signature for what it says now.
    pub(crate) fn signed(mut self, secrets: &Secrets) -> Self {
        self.signature = secrets.sign(&self.id, self.time.parse().unwrap_or(0), &self.body);
        self
    }

    fn connect(&self) -> Option<(TcpStream, String)> {
        let (address, path) = self.url.strip_prefix("http://")?.split_once('/')?;
        Some((TcpStream::connect(address).ok()?, format!("/{path}")))
    }

    pub(crate) fn head(&self) -> String {
        let length = self.length.clone();
        let length = length.unwrap_or_else(|| format!("Content-Length: {}", self.body.len()));
        let path = self.url.splitn(4, '/').nth(3).unwrap_or_default();
        format!(
            "{} /{path} HTTP/1.1\r\nHost: localhost\r\nWebhook-Id: {}\r\nWebhook-Timestamp: {}\r\n\
             Webhook-Signature: {}\r\n{length}\r\n\r\n",
            self.method, self.id, self.time, self.signature
        )
    }

    /// Calls, and gives the status; 0 without a server.
    pub(crate) fn call(&self) -> u16 {
        let mut bytes = self.head().into_bytes();
        bytes.extend_from_slice(&self.body);
        self.call_raw(&bytes)
    }

    /// Says these bytes, and no more.
    pub(crate) fn call_raw(&self, bytes: &[u8]) -> u16 {
        let Some((mut stream, _)) = self.connect() else { return 0 };
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        // One that is turned away early need not be heard out.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let answer = String::from_utf8_lossy(&answer).into_owned();
        let last = answer.rsplit("HTTP/1.1 ").next().unwrap_or_default();
        last.get(..3).and_then(|status| status.parse().ok()).unwrap_or(0)
    }
}
