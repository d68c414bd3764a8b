//! Makes the views again from the log.
//!
//! Invariant: one transaction, which reads the log and never writes it, and which is taken back unless the views then say
//! what the log says. It runs while no other process has the ledger open: another one would keep the old views in
//! memory.

use rusqlite::Connection;

use super::examine;
use super::failure::Failure;
use super::key_index::Segments;
use super::unflushed::{Unflushed, furthest};
use super::views::{TABLES, keep_up};

/// Makes all views again, or changes nothing.
pub(super) fn all(db: &Connection) -> Result<(), Failure> {
    db.execute_batch("BEGIN IMMEDIATE")?;
    let made = remake(db).and_then(|()| examine::all(db)).and_then(|()| Ok(db.execute_batch("COMMIT")?));
    if made.is_err() && !db.is_autocommit() {
        // Whatever comes of it: what is not committed is gone when the connection is.
        let _ = db.execute_batch("ROLLBACK");
    }
    made
}

fn remake(db: &Connection) -> Result<(), Failure> {
    let known = furthest(db);
    for table in TABLES {
        db.execute(&format!("DELETE FROM {table}"), [])?;
    }
    if db.execute("UPDATE state SET viewed = 0", [])? != 1 {
        return Err(Failure::stored("table state has no row"));
    }
    let mut unflushed = Unflushed::default();
    let mut segments = Segments::default();
    let mut rows = db.prepare("SELECT position, data FROM entry ORDER BY position")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        unflushed.next(db, row).map_err(|failure| of_log(failure, unflushed.end + 1))?;
        keep_up(db, &mut unflushed, &mut segments)?;
    }
    // The only trace of what was cut off the end of the log: rebuilding without it would hide the loss.
    if known > unflushed.end {
        let what = format!("it is missing, and so is all up to {known}");
        return Err(Failure::at(unflushed.end + 1, &what));
    }
    Ok(())
}

/// With views that were just made, what does not fit them is the log.
fn of_log(failure: Failure, position: u64) -> Failure {
    match failure {
        Failure::View(what) => Failure::at(position, &what),
        Failure::Sql(_) | Failure::Damaged { .. } | Failure::Gone(_) => failure,
    }
}
