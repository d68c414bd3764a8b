//! Work on several threads whose results come back in the order of the tasks.
//!
//! Invariant: at most [`WINDOW_PER_WORKER`] groups of [`GROUP`] tasks per worker are under way, so memory does not grow with their
//! number, however slow one of them or the receiver is.

use std::collections::BTreeMap;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};

/// The groups of tasks under way for each worker.
const WINDOW_PER_WORKER: usize = 4;

/// The tasks that are handed over at once: one alone is done faster than a thread wakes up.
const GROUP: usize = 16;

/// Does every task and hands the results on in order; stops early when the receiver does.
pub(crate) fn run<Task, Done, Stopped, Worker>(
    tasks: impl Iterator<Item = Task> + Send,
    workers: usize,
    worker: impl Fn() -> Worker + Sync,
    mut receive: impl FnMut(Done) -> Result<(), Stopped>,
) -> Result<(), Stopped>
where
    Task: Send,
    Done: Send,
    Worker: FnMut(Task) -> Done,
{
    let window = workers * WINDOW_PER_WORKER;
    let (task_sender, task_receiver) = bounded(window);
    let (done_sender, done_receiver) = bounded(window);
    let (ticket_sender, ticket_receiver) = bounded(window);
    for _ in 0..window {
        ticket_sender.send(()).expect("the channel holds a ticket for every task under way");
    }
    thread::scope(|scope| {
        scope.spawn(move || hand_out(tasks, &ticket_receiver, &task_sender));
        for _ in 0..workers {
            let (task_receiver, done_sender) = (task_receiver.clone(), done_sender.clone());
            let worker = &worker;
            scope.spawn(move || {
                let mut work = worker();
                for (at, group) in task_receiver {
                    let done: Vec<Done> = group.into_iter().map(&mut work).collect();
                    if done_sender.send((at, done)).is_err() {
                        return;
                    }
                }
            });
        }
        // The threads hold their own ends; when theirs are gone, so is the work.
        drop((task_receiver, done_sender));
        let mut waiting = BTreeMap::new();
        let mut next = 0_u64;
        for (at, done) in &done_receiver {
            waiting.insert(at, done);
            while let Some(done) = waiting.remove(&next) {
                next += 1;
                if let Err(stopped) = done.into_iter().try_for_each(&mut receive) {
                    drop((done_receiver, ticket_sender));
                    return Err(stopped);
                }
                // Nobody takes a ticket once all tasks are handed out.
                let _ = ticket_sender.try_send(());
            }
        }
        Ok(())
    })
}

fn hand_out<Task>(
    mut tasks: impl Iterator<Item = Task>,
    tickets: &Receiver<()>,
    sender: &Sender<(u64, Vec<Task>)>,
) {
    for number in 0_u64.. {
        let group: Vec<Task> = tasks.by_ref().take(GROUP).collect();
        if group.is_empty() || tickets.recv().is_err() || sender.send((number, group)).is_err() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
