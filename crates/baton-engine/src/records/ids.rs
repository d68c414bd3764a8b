//! The ids of handoffs: one for each in the project, never the same for two.
//!
//! A handoff that brings an id keeps it, unless another has it already; all others are numbered `HO-001` and so on. Ids
//! are given in a stream of their own, and a number is the place of its record there. An append says which record it
//! comes behind, so that of several writers one is first and the others look again; and it claims both the id and the
//! handoff, so that whatever was given stays given.

use std::collections::BTreeMap;

use baton_kernel::Millis;
use baton_ledger::{Append, Ledger, Limit, NewEvent, NewHead, ReadFrom, Record, Refused, digest};
use serde_json::{Value, json};

use crate::error::Error;

/// The stream in which ids are given.
pub const IDS: &str = "baton/ids";

const GIVEN: &str = "id_given";
/// A place whose number some handoff had brought as its own.
const PASSED_OVER: &str = "id_passed_over";

const PAGE: Limit = Limit(1_000);
/// Ids that one append gives; each makes two claims.
const BATCH: usize = 400;
/// How often others may be faster before something must be wrong.
const ATTEMPTS: usize = 10_000;
/// Bytes of an id that a handoff may bring: it becomes the name of a file.
const ID_BYTES_MAX: usize = 128;

/// A handoff, by the record that holds it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Its run.
    pub run: String,
    /// The sequence of its record in the run.
    pub seq: u64,
}

/// A handoff that needs an id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nameless {
    /// Where it is.
    pub place: Place,
    /// The id that it brings.
    pub own: Option<String>,
}

/// The id of a handoff.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
    /// Where the handoff is.
    pub place: Place,
    /// Its id.
    pub id: String,
    /// The id that it brought and could not keep.
    pub instead_of: Option<String>,
}

/// The ids of a project as far as they were read, in the order in which they were given.
#[derive(Clone, Debug, Default)]
pub struct Ids {
    seq: u64,
    given: Vec<Given>,
    by_place: BTreeMap<Place, usize>,
    by_id: BTreeMap<String, usize>,
}

impl Ids {
    /// All ids of a project.
    pub fn read(ledger: &dyn Ledger) -> Result<Self, Error> {
        let mut ids = Self::default();
        ids.refresh(ledger)?;
        Ok(ids)
    }

    /// The ids, in the order in which they were given.
    pub fn all(&self) -> &[Given] {
        &self.given
    }

    /// The id of a handoff, if it has one.
    pub fn of(&self, place: &Place) -> Option<&Given> {
        self.by_place.get(place).and_then(|at| self.given.get(*at))
    }

    /// The handoff that an id names, if it names one.
    pub fn find(&self, id: &str) -> Option<&Given> {
        self.by_id.get(id).and_then(|at| self.given.get(*at))
    }

    /// Gives each of some handoffs an id, the one that it has already if it has one.
    pub fn give(&mut self, ledger: &dyn Ledger, wanted: &[Nameless], now: Millis) -> Result<(), Error> {
        for _ in 0..ATTEMPTS {
            let missing = wanted.iter().filter(|wanted| self.of(&wanted.place).is_none());
            let missing: Vec<&Nameless> = missing.take(BATCH).collect();
            if missing.is_empty() {
                return Ok(());
            }
            let append = self.next(&missing, now);
            match ledger.append(vec![append])?.pop() {
                // Others were faster, or this is done: what stands there now is read either way.
                Some(Ok(_) | Err(Refused::WrongSequence { .. } | Refused::ClaimTaken { .. })) | None => {
                    let before = self.seq;
                    self.refresh(ledger)?;
                    if self.seq == before {
                        return Err(self.stuck("a claim is taken that no record makes"));
                    }
                }
                Some(Err(refused)) => return Err(self.stuck(&refused.to_string())),
            }
        }
        Err(self.stuck("others were always faster"))
    }

    /// Reads what was given since.
    fn refresh(&mut self, ledger: &dyn Ledger) -> Result<(), Error> {
        loop {
            let from = ReadFrom::Stream { stream: IDS.to_owned(), after: self.seq };
            let records = ledger.read(&from, PAGE)?;
            if records.is_empty() {
                return Ok(());
            }
            for record in records {
                self.seq = record.seq;
                // Other kinds are of a newer Baton; a number is a place, whatever stands there.
                if record.kind == GIVEN {
                    let given = decoded(&record)?;
                    self.add(given);
                }
            }
        }
    }

    fn add(&mut self, given: Given) {
        let at = self.given.len();
        self.by_place.insert(given.place.clone(), at);
        self.by_id.insert(given.id.clone(), at);
        self.given.push(given);
    }

    /// What gives ids to some handoffs, behind what was read.
    fn next(&self, missing: &[&Nameless], now: Millis) -> Append {
        let mut events = Vec::new();
        let mut claims: Vec<String> = Vec::new();
        let mut place = self.seq;
        let claim_of = |id: &str| format!("baton/id/{id}");
        for Nameless { place: handoff, own } in missing {
            let own = own.as_deref();
            let is_free =
                |id: &str, claims: &[String]| self.find(id).is_none() && !claims.contains(&claim_of(id));
            let kept = own.filter(|id| is_usable(id) && is_free(id, &claims));
            let id = match kept {
                Some(id) => id.to_owned(),
                None => loop {
                    let id = format!("HO-{:03}", place + 1);
                    if is_free(&id, &claims) {
                        break id;
                    }
                    events.push(NewEvent {
                        kind: PASSED_OVER.to_owned(),
                        body: b"{}".to_vec(),
                        payload: None,
                    });
                    place += 1;
                },
            };
            let instead_of = if kept.is_some() { None } else { own };
            let body = json!({ "id": id, "run": handoff.run, "seq": handoff.seq, "instead_of": instead_of });
            events.push(NewEvent { kind: GIVEN.to_owned(), body: body.to_string().into(), payload: None });
            place += 1;
            claims.push(claim_of(&id));
            let name = digest(format!("{}\0{}", handoff.run, handoff.seq).as_bytes());
            claims.push(format!("baton/id-of/{name}"));
        }
        let head = Some(NewHead { labels: vec![IDS.to_owned()], ..NewHead::default() });
        Append {
            stream: IDS.to_owned(),
            expected: self.seq,
            at: now,
            events,
            head,
            claims,
            ..Append::default()
        }
    }

    fn stuck(&self, what: &str) -> Error {
        Error::History { run: IDS.to_owned(), seq: self.seq, what: format!("no id could be given: {what}") }
    }
}

/// Whether an id can name a handoff: one line that can also name a file.
fn is_usable(id: &str) -> bool {
    !id.trim().is_empty() && id.len() <= ID_BYTES_MAX && !id.chars().any(char::is_control)
}

fn decoded(record: &Record) -> Result<Given, Error> {
    let body: Option<Value> = serde_json::from_slice(&record.body).ok();
    let given = body.as_ref().and_then(|body| {
        let text = |key: &str| body.get(key).and_then(Value::as_str).map(str::to_owned);
        let place = Place { run: text("run")?, seq: body.get("seq")?.as_u64()? };
        Some(Given { place, id: text("id")?, instead_of: text("instead_of") })
    });
    given.ok_or_else(|| Error::History {
        run: record.stream.clone(),
        seq: record.seq,
        what: format!("`{GIVEN}` does not say an id and a handoff"),
    })
}
