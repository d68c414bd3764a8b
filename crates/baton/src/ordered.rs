//! Work on several threads whose results come back in the order of the tasks.
//!
//! Every thread does all there is to do: it takes the next tasks, does them, and hands on their results when it is
//! their turn. So no thread only waits for others, and what a thread allocated it frees itself: memory that
//! changes hands makes threads wait for each other in the allocator.
//!
//! Invariant: beside the group that it is at, a worker keeps at most [`KEPT`] groups of [`GROUP`] results, and at most
//! [`HELD_MAX`] bytes and one result in all, so memory does not grow with their number or their size, however slow
//! one of them or the receiver is.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

/// The groups of results that a worker keeps before it waits for their turn.
const KEPT: usize = 2;

/// The tasks that are taken at once: most files of a folder, so that those who take them seldom meet.
const GROUP: usize = 64;

/// The bytes of results that a worker holds before it waits for their turn.
const HELD_MAX: usize = 4 * 1024 * 1024;

/// A result that knows how many bytes it holds, more or less.
pub(crate) trait Held {
    /// The bytes it holds.
    fn bytes(&self) -> usize;
}

/// Does every task and hands the results on in order; stops early when the receiver does.
pub(crate) fn run<Task, Done, Stopped, Worker>(
    tasks: impl Iterator<Item = Task> + Send,
    workers: usize,
    worker: impl Fn() -> Worker + Sync,
    receive: impl FnMut(Done) -> Result<(), Stopped> + Send,
) -> Result<(), Stopped>
where
    Done: Held,
    Stopped: Send,
    Worker: FnMut(Task) -> Done,
{
    let tasks = Mutex::new((0_u64.., tasks));
    let line = Line {
        turn: Mutex::new(Turn { next: 0, stopped: None, is_broken: false }),
        moved: Condvar::new(),
        receive: Mutex::new(receive),
    };
    let work = || {
        let _leaving = Leaving(&line);
        let mut work = worker();
        let mut kept = VecDeque::new();
        let mut held = 0;
        loop {
            let (number, group) = {
                let (numbers, tasks) = &mut *lock(&tasks);
                (numbers.next(), tasks.take(GROUP).collect::<Vec<Task>>())
            };
            let Some(number) = number.filter(|_| !group.is_empty()) else { break };
            let mut part = Part { number, done: Vec::with_capacity(group.len()), is_last: false };
            for task in group {
                let done = work(task);
                held += done.bytes();
                part.done.push(done);
                if held > HELD_MAX {
                    let rest = Part { number, done: Vec::new(), is_last: false };
                    kept.push_back(std::mem::replace(&mut part, rest));
                    if !line.hand_on(&mut kept, 0) {
                        return;
                    }
                    held = 0;
                }
            }
            part.is_last = true;
            kept.push_back(part);
            if !line.hand_on(&mut kept, KEPT) {
                return;
            }
            if kept.is_empty() {
                held = 0;
            }
        }
        line.hand_on(&mut kept, 0);
    };
    thread::scope(|scope| {
        for _ in 1..workers {
            scope.spawn(work);
        }
        work();
    });
    let turn = line.turn.into_inner().unwrap_or_else(PoisonError::into_inner);
    turn.stopped.map_or(Ok(()), Err)
}

/// Results of one group, all or some of them.
struct Part<Done> {
    number: u64,
    done: Vec<Done>,
    /// Whether nothing of the group comes after it.
    is_last: bool,
}

/// Where groups of results stand in line for the receiver.
struct Line<Stopped, Receive> {
    turn: Mutex<Turn<Stopped>>,
    /// Told when it is another group's turn.
    moved: Condvar,
    /// Only whoever has the turn asks for it.
    receive: Mutex<Receive>,
}

struct Turn<Stopped> {
    /// The group whose turn it is.
    next: u64,
    /// What the receiver said when it had enough.
    stopped: Option<Stopped>,
    /// Whether a worker broke off, so that its group never has its turn.
    is_broken: bool,
}

/// Tells the others when a worker breaks off: they would wait for it for ever.
struct Leaving<'l, Stopped, Receive>(&'l Line<Stopped, Receive>);

impl<Stopped, Receive> Drop for Leaving<'_, Stopped, Receive> {
    fn drop(&mut self) {
        if thread::panicking() {
            lock(&self.0.turn).is_broken = true;
            self.0.moved.notify_all();
        }
    }
}

impl<Stopped, Receive> Line<Stopped, Receive> {
    /// Hands on what has its turn, and waits until so many parts are left; says whether to go on.
    ///
    /// Whoever has the group whose turn it is has it in front or is at it, and so never waits.
    fn hand_on<Done>(&self, kept: &mut VecDeque<Part<Done>>, left: usize) -> bool
    where
        Receive: FnMut(Done) -> Result<(), Stopped>,
    {
        while let Some(&Part { number, is_last, .. }) = kept.front() {
            let is_over = |turn: &Turn<_>| turn.stopped.is_some() || turn.is_broken;
            let is_waiting = |turn: &mut Turn<_>| kept.len() > left && turn.next != number && !is_over(turn);
            let turn = self.moved.wait_while(lock(&self.turn), is_waiting);
            let turn = turn.unwrap_or_else(PoisonError::into_inner);
            if is_over(&turn) || turn.next != number {
                return !is_over(&turn);
            }
            drop(turn);
            let done = kept.pop_front().into_iter().flat_map(|part| part.done);
            let stopped = done.map(&mut *lock(&self.receive)).find_map(Result::err);
            let mut turn = lock(&self.turn);
            turn.next += u64::from(is_last);
            turn.stopped = stopped;
            drop(turn);
            self.moved.notify_all();
        }
        true
    }
}

fn lock<T>(of: &Mutex<T>) -> MutexGuard<'_, T> {
    of.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    impl Held for u64 {
        fn bytes(&self) -> usize {
            0
        }
    }

    struct Heavy;

    impl Held for Heavy {
        fn bytes(&self) -> usize {
            HELD_MAX / 2
        }
    }

    #[test]
    fn few_results_that_hold_much_are_kept_at_once() {
        const WORKERS: usize = 3;
        let (kept, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let worker = || {
            |_| {
                most.fetch_max(kept.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                Heavy
            }
        };
        let mut count = 0;
        let result: Result<(), ()> = run(0..1_000, WORKERS, worker, |_| {
            kept.fetch_sub(1, Ordering::SeqCst);
            count += 1;
            Ok(())
        });
        assert_eq!((result, count), (Ok(()), 1_000));
        assert!(most.into_inner() <= WORKERS * 3, "each holds two and the one that is too much");
    }

    #[test]
    fn results_come_in_the_order_of_the_tasks() {
        let mut got = Vec::new();
        let slow_first = || {
            |task: u64| {
                if task.is_multiple_of(16) {
                    thread::yield_now();
                }
                task * 2
            }
        };
        let result: Result<(), ()> = run(0..1_000, 4, slow_first, |done| {
            got.push(done);
            Ok(())
        });
        assert_eq!(result, Ok(()));
        assert_eq!(got, (0..1_000).map(|task| task * 2).collect::<Vec<u64>>());
    }

    #[test]
    fn a_worker_that_breaks_off_leaves_nobody_waiting() {
        let breaks = || |task: u64| if task == 100 { panic!("broken off on purpose") } else { task };
        let all = || run(0..10_000, 3, breaks, |_| Ok::<(), ()>(()));
        assert!(std::panic::catch_unwind(all).is_err());
    }

    #[test]
    fn a_receiver_that_stops_ends_the_work_on_endless_tasks() {
        let mut count = 0;
        let result = run(
            0_u64..,
            3,
            || |task| task,
            |_| {
                count += 1;
                if count == 100 { Err("enough") } else { Ok(()) }
            },
        );
        assert_eq!((result, count), (Err("enough"), 100));
    }
}
