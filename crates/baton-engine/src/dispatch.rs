//! A delivery that is owed into one that a courier can make: the handoff in the receiver's dialect.

use std::path::PathBuf;

use baton_courier::{Cause, Delivery, Failure, Key};
use baton_document::carrier::Look;
use baton_document::tree::Syntax;
use baton_document::{Checker, Input, Order, Scratch};
use baton_kernel::{Millis, OwedDelivery};

use crate::Setup;
use crate::run::Text;

/// What is delivered, where, and to whom.
pub(crate) struct Parcel<'p> {
    pub(crate) key: Key,
    pub(crate) owed: &'p OwedDelivery,
    pub(crate) receiver: &'p str,
    pub(crate) setup: &'p Setup,
    /// What is handed over: of a lane behind a join, what each branch ended with.
    pub(crate) texts: Vec<Text>,
    pub(crate) root: PathBuf,
    pub(crate) now: Millis,
}

/// Makes the delivery, or says why there can be none.
pub(crate) fn delivery(
    checker: &Checker,
    scratch: &mut Scratch,
    parcel: Parcel<'_>,
) -> Result<Delivery, Failure> {
    let Parcel { key, owed, receiver, setup, texts, root, now } = parcel;
    let now = moment(now);
    let mut handoff = Vec::new();
    for text in texts {
        if !handoff.is_empty() {
            handoff.push(b'\n');
        }
        if text.dialect.as_deref() == Some(&*setup.dialect) {
            handoff.extend_from_slice(&text.bytes);
        } else {
            handoff.extend(in_dialect(checker, scratch, &setup.dialect, &text.bytes, now.as_deref())?);
        }
    }
    let dialect = checker.dialects().find(&setup.dialect);
    let extension = dialect.map_or("txt", |dialect| match dialect.usual_syntax() {
        Syntax::Json => "json",
        Syntax::Yaml => "yaml",
        Syntax::Xml => "xml",
        Syntax::Toml => "toml",
    });
    Ok(Delivery {
        key,
        attempt: u32::from(owed.attempt),
        receiver: receiver.to_owned(),
        handoff,
        dialect: setup.dialect.clone(),
        extension: extension.to_owned(),
        prompt: setup.prompt.clone(),
        session: owed.session.clone(),
        limits: setup.limits,
        environment: setup.environment.clone(),
        directory: setup.directory.clone(),
        root,
    })
}

/// The text in the dialect of its receiver. What is no handoff goes as it is: an input, a question, an answer.
fn in_dialect(
    checker: &Checker,
    scratch: &mut Scratch,
    dialect: &str,
    text: &[u8],
    now: Option<&str>,
) -> Result<Vec<u8>, Failure> {
    let input = Input { path: None, bytes: text, dialect: None, look: Look::Prose, is_named: true };
    let order = Order { to: dialect, set: &[], now, wants_report: false };
    let converted = checker.convert(input, order, scratch).map_err(|error| {
        Failure::new(Cause::Impossible, format!("the handoff cannot be written as {dialect}: {error}"))
    })?;
    let Some(converted) = converted.filter(|converted| !converted.handoffs.is_empty()) else {
        return Ok(text.to_vec());
    };
    let gap = converted.handoffs.iter().flat_map(|handoff| &handoff.gaps).next();
    match gap {
        None => Ok(converted.text.into_bytes()),
        Some(gap) => Err(Failure::new(
            Cause::Impossible,
            format!("the handoff cannot be written as {dialect}: `{}` has no source", gap.path),
        )
        .with_hint("let the sender say it, or give the receiver another dialect")),
    }
}

/// A moment as handoffs write it.
fn moment(now: Millis) -> Option<String> {
    let now = i64::try_from(now.0).ok()?;
    jiff::Timestamp::from_millisecond(now).ok().map(|now| now.to_string())
}
