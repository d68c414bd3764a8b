//! Group commit: callers that come while a commit is under way share the next one.
//!
//! There is no thread that waits for work: the first caller does the work of all that came with it, and names the
//! first of those that came meanwhile to go on. A caller that is alone never waits for another thread to wake up.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Callers with jobs `J` that want answers `A`.
pub(super) struct Group<J, A> {
    queue: Mutex<Queue<J, A>>,
}

struct Queue<J, A> {
    waiting: Vec<(J, Arc<Seat<A>>)>,
    led: bool,
}

struct Seat<A> {
    word: Mutex<Option<Word<A>>>,
    bell: Condvar,
}

enum Word<A> {
    /// The work was done by another.
    Done(A),
    /// The work of all that wait is now this caller's.
    Lead,
}

impl<J, A> Group<J, A> {
    /// A group without callers.
    pub(super) fn new() -> Self {
        Self { queue: Mutex::new(Queue { waiting: Vec::new(), led: false }) }
    }

    /// Gets a job done, by `work` here or in the thread of another caller. `work` answers each job, in their order.
    pub(super) fn submit(&self, job: J, work: impl FnOnce(Vec<J>) -> Vec<A>) -> Option<A> {
        let seat = Arc::new(Seat { word: Mutex::new(None), bell: Condvar::new() });
        let mut queue = open(&self.queue);
        queue.waiting.push((job, Arc::clone(&seat)));
        if queue.led {
            drop(queue);
            match seat.listen() {
                Word::Done(answer) => return Some(answer),
                Word::Lead => queue = open(&self.queue),
            }
        } else {
            queue.led = true;
        }
        let (jobs, seats): (Vec<J>, Vec<Arc<Seat<A>>>) =
            std::mem::take(&mut queue.waiting).into_iter().unzip();
        drop(queue);

        let mut own = None;
        for (answer, other) in work(jobs).into_iter().zip(seats) {
            if Arc::ptr_eq(&seat, &other) {
                own = Some(answer);
            } else {
                other.say(Word::Done(answer));
            }
        }
        let mut queue = open(&self.queue);
        match queue.waiting.first() {
            Some((_, next)) => next.say(Word::Lead),
            None => queue.led = false,
        }
        own
    }
}

impl<A> Seat<A> {
    fn say(&self, word: Word<A>) {
        *open(&self.word) = Some(word);
        self.bell.notify_one();
    }

    fn listen(&self) -> Word<A> {
        let mut word = open(&self.word);
        loop {
            match word.take() {
                Some(said) => return said,
                None => word = self.bell.wait(word).unwrap_or_else(PoisonError::into_inner),
            }
        }
    }
}

/// Locks; what a thread that panicked left behind is judged by what it holds.
pub(super) fn open<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::thread;

    #[test]
    fn every_job_is_done_once_and_its_answer_comes_back() {
        let group = Group::new();
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for caller in 0..8_u64 {
                let (group, done) = (&group, &done);
                scope.spawn(move || {
                    for number in 0..500 {
                        let answer = group.submit(caller * 1000 + number, |jobs| {
                            done.fetch_add(jobs.len(), Ordering::Relaxed);
                            jobs.into_iter().map(|job| job + 1).collect()
                        });
                        assert_eq!(answer, Some(caller * 1000 + number + 1));
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 8 * 500);
    }
}
