//! A program as an agent, which answers at once.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};

use super::{Idle, project, run, stand_in};

const TURNS: usize = 5;
/// Deliveries in a turn.
const STEPS: usize = 40;

pub(super) fn measure(baton: &Path) -> Result<Idle> {
    let mut idle = Idle::default();
    for _ in 0..TURNS {
        let place = project()?;
        let (bare, through) = (place.path().join("bare"), place.path().join("through"));
        let words = stand_in::words(&["--agent", &through.display().to_string()])?;
        let steps: String = (0..STEPS).map(|step| format!("  - s{step}: ada\n")).collect();
        let flow = format!(
            "flow: bench\nagents:\n  ada: {{ dialect: envelope, run: {words:?}, restart: safe }}\ncaps: {{ handoffs: 1000, pair: 1000 }}\nsteps:\n{steps}"
        );
        std::fs::write(place.path().join("flows/bench.yaml"), flow)?;
        let words = stand_in::words(&["--agent", &bare.display().to_string()])?;
        for _ in 0..STEPS {
            let mut child = Command::new(&words[0])
                .args(&words[1..])
                .stdin(Stdio::piped())
                .stdout(Stdio::piped())
                .spawn()
                .context("failed to start the agent")?;
            child.stdin.take().context("it has a pipe")?.write_all(b"go")?;
            child.wait_with_output().context("failed to wait for the agent")?;
        }
        run(baton, place.path(), "turn", &[])?;
        for (path, idle) in [(&bare, &mut idle.bare), (&through, &mut idle.through)] {
            let notes = stand_in::notes(path)?;
            idle.extend(notes.windows(2).map(|pair| pair[1].began - pair[0].ended));
        }
    }
    Ok(idle)
}
