//! Effort of the scan of one file, so that no file costs more than it is worth.
//!
//! Invariant: where looking stopped is known, and nothing behind it is taken for clean or shown.

/// Cost of the closer looks at a file, in bytes that a pattern may read: some tenths of a second.
const WORK_MAX: usize = 40_000_000;
/// Cost of trying a pattern, and of judging its match, before any byte is read.
pub(crate) const TRY: usize = 64;
pub(crate) const JUDGE: usize = 512;
/// Cost of looking for instructions around one word.
pub(crate) const WINDOW: usize = 512;
/// Cost of finding the place of an instruction, and whether it is only spoken of.
pub(crate) const PLACE: usize = 8 * 1024;

/// Remaining effort for one file.
#[derive(Debug)]
pub(crate) struct Effort {
    /// The secrets that are still looked for.
    secrets: usize,
    secret_work: usize,
    instruction_work: usize,
}

impl Effort {
    /// Enough for any file that is no attack, and for so many secrets.
    pub(crate) fn for_file(secrets_max: usize) -> Self {
        Self { secrets: secrets_max, secret_work: WORK_MAX, instruction_work: WORK_MAX }
    }

    /// As much as it takes.
    pub(crate) fn any() -> Self {
        Self { secrets: usize::MAX, secret_work: usize::MAX, instruction_work: usize::MAX }
    }

    /// Counts a secret.
    pub(crate) fn found_secret(&mut self) {
        self.secrets = self.secrets.saturating_sub(1);
    }

    /// Counts work on secrets.
    pub(crate) fn spend(&mut self, work: usize) {
        self.secret_work = self.secret_work.saturating_sub(work);
    }

    /// Counts work on instructions.
    pub(crate) fn spend_on_instructions(&mut self, work: usize) {
        self.instruction_work = self.instruction_work.saturating_sub(work);
    }

    /// Tells whether no more secrets are looked for.
    pub(crate) fn is_spent(&self) -> bool {
        self.secrets == 0 || self.secret_work == 0
    }

    /// Tells whether no more instructions are looked for.
    pub(crate) fn is_spent_on_instructions(&self) -> bool {
        self.instruction_work == 0
    }
}
