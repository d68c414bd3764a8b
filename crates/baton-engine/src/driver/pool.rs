//! Threads for work that waits for git or the disk. The driver hands work over, goes on, and hears what came of it.
//!
//! Invariant: bounded threads, started when there is work for them. A run with work here stays with its driver.

use std::collections::BTreeMap;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use baton_courier::{Key, Report, What};

use super::deliver::Prepared;
use super::examine::Examined;

/// How many pieces of work are under way at once.
const THREADS_MAX: usize = 4;
/// How long a driver that ends waits for what is being tidied.
const TIDY_TIME_MAX: Duration = Duration::from_secs(10);

/// Something to be done for a run.
type Work = Box<dyn FnOnce() -> Done + Send>;

/// Result of a piece of work.
pub(super) enum Done {
    /// A delivery that can go out, or the reason why it cannot.
    Prepared(Box<Prepared>),
    /// The evidence of an answer, and the protected files, as they were found.
    Examined(Box<Examined>),
    /// Something was tidied up.
    Tidied,
}

/// The threads and their queue.
pub(super) struct Pool {
    work: Sender<(String, Work)>,
    queue: Arc<Mutex<Receiver<(String, Work)>>>,
    done: Receiver<(String, Done)>,
    results: Sender<(String, Done)>,
    /// Wakes the driver, which waits for reports.
    reports: Sender<Report>,
    threads: usize,
    /// Pieces of work of each run that the driver has not heard of yet.
    under_way: BTreeMap<String, usize>,
    tidying: usize,
}

impl Pool {
    /// A pool without threads that wakes a driver by its channel of reports.
    pub(super) fn new(reports: Sender<Report>) -> Self {
        let (work, queue) = channel();
        let (results, done) = channel();
        let queue = Arc::new(Mutex::new(queue));
        Self { work, queue, done, results, reports, threads: 0, under_way: BTreeMap::new(), tidying: 0 }
    }

    /// Does something for a run.
    pub(super) fn run(&mut self, run: &str, work: impl FnOnce() -> Done + Send + 'static) {
        *self.under_way.entry(run.to_owned()).or_default() += 1;
        self.queue(run, Box::new(work));
    }

    /// Tidies something up that no run waits for.
    pub(super) fn tidy(&mut self, work: impl FnOnce() + Send + 'static) {
        self.tidying += 1;
        self.queue(
            "",
            Box::new(move || {
                work();
                Done::Tidied
            }),
        );
    }

    /// Whether work of a run is under way.
    pub(super) fn is_busy_for(&self, run: &str) -> bool {
        self.under_way.contains_key(run)
    }

    /// The next result, if there is one.
    pub(super) fn next(&mut self) -> Option<(String, Done)> {
        loop {
            let (run, done) = self.done.try_recv().ok()?;
            match done {
                Done::Tidied => self.tidying -= 1,
                Done::Prepared(_) | Done::Examined(_) => {
                    self.heard(&run);
                    return Some((run, done));
                }
            }
        }
    }

    fn heard(&mut self, run: &str) {
        if let Some(count) = self.under_way.get_mut(run) {
            *count -= 1;
            if *count == 0 {
                self.under_way.remove(run);
            }
        }
    }

    fn queue(&mut self, run: &str, work: Work) {
        let waiting = self.tidying + self.under_way.values().sum::<usize>();
        if self.threads < waiting.min(THREADS_MAX) {
            self.threads += 1;
            let (queue, results, reports) =
                (Arc::clone(&self.queue), self.results.clone(), self.reports.clone());
            thread::spawn(move || serve(&queue, &results, &reports));
        }
        // The queue lives as long as the pool.
        let _ = self.work.send((run.to_owned(), work));
    }
}

/// Does work until the pool is gone.
fn serve(
    queue: &Mutex<Receiver<(String, Work)>>,
    results: &Sender<(String, Done)>,
    reports: &Sender<Report>,
) {
    loop {
        let next = queue.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((run, work)) = next else { return };
        let done = work();
        if results.send((run, done)).is_err() {
            return;
        }
        // A report about no delivery wakes the driver, which then looks for results.
        let _ = reports.send(Report { key: Key::from(""), attempt: 0, what: What::Progress(Vec::new()) });
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let start = Instant::now();
        while self.tidying > 0 {
            let left = TIDY_TIME_MAX.saturating_sub(start.elapsed());
            match self.done.recv_timeout(left) {
                Ok((_, Done::Tidied)) => self.tidying -= 1,
                Ok((_, Done::Prepared(_) | Done::Examined(_))) => {}
                Err(_) => return,
            }
        }
    }
}
