//! Converts the handoffs of a file: each by itself first, and again where one is not to be converted as if it were alone.
//!
//! Invariant: a text that is given out holds as many handoffs as the file.

use super::{Beside, Converted, Gathering, Order, SetError, join, place};
use crate::check::{Candidate, Checker, Input, Scratch};
use crate::dialect::Carrier;
use crate::tree::Tree;

impl Checker {
    /// The handoffs of a file in another dialect; nothing where something could not be read, or was said twice.
    ///
    /// Values that are given replace those of a handoff. Where there are several and any of them changes its
    /// dialect, it only fills what one does not say: it is meant for those that lack it, and the others keep theirs.
    pub fn convert(
        &self,
        input: Input<'_>,
        order: Order<'_>,
        scratch: &mut Scratch,
    ) -> Result<Option<Converted>, SetError> {
        let first = self.gathered(Gathering::new(self, order)?, input, scratch)?;
        let (gathering, Some(text)) = first else { return Ok(None) };
        let (is_moved, has_stayed) = (gathering.is_moved(), gathering.stayed > 0);
        let is_given = !order.set.is_empty();
        let count = gathering.handoffs.len();
        let beside = Beside {
            count,
            fills_only: is_given && is_moved && count > 1,
            is_joined: is_moved && has_stayed,
        };
        // Only where a handoff stays in its dialect is the file changed, and read again.
        let changes = is_given && has_stayed;
        if !(changes || beside.fills_only || beside.is_joined) {
            return gathering.finish(text).map(Some);
        }
        let given = (order.set, beside.fills_only);
        let changed = match changes {
            true => place::changed(self, input, gathering.target, given, scratch)?,
            false => place::Changed::default(),
        };
        let bytes = changed.text.as_deref().map_or(input.bytes, str::as_bytes);
        let again = Gathering { beside, puts: changed.puts, ..Gathering::new(self, order)? };
        let (mut again, text) = self.gathered(again, Input { bytes, ..input }, scratch)?;
        // What was set may have moved them.
        for (one, before) in again.handoffs.iter_mut().zip(&gathering.handoffs) {
            one.start = before.start;
        }
        text.map(|text| again.finish(text)).transpose()
    }

    /// Converts the handoffs of a file; gives its text too, unless something could not be read.
    fn gathered<'g, 'i>(
        &self,
        mut gathering: Gathering<'g>,
        input: Input<'i>,
        scratch: &mut Scratch,
    ) -> Result<(Gathering<'g>, Option<&'i str>), SetError> {
        let mut refused = None;
        let mut pool = std::mem::take(&mut scratch.pool);
        let mut convert = |tree: &Tree<'_>, candidate: &Candidate| {
            if refused.is_none() {
                refused = gathering.add(tree, candidate, &pool).err();
                pool.clear();
            }
        };
        let text = self.visit_wholly(input, scratch, &mut convert);
        scratch.pool = pool;
        refused.map_or(Ok((gathering, text)), Err)
    }
}

impl Gathering<'_> {
    /// All of them together; `text` is the text of the file.
    fn finish(self, text: &str) -> Result<Converted, SetError> {
        let count = self.handoffs.len();
        if self.beside.fills_only {
            let is_put = |path: &String| self.handoffs.iter().any(|handoff| handoff.given.contains(path));
            if let Some((path, _)) = self.order.set.iter().find(|(path, _)| !is_put(path)) {
                return Err(SetError::NoGap { path: path.clone(), count });
            }
        }
        if !self.is_moved() {
            return Ok(Converted { text: text.to_owned(), handoffs: self.handoffs });
        }
        let dialect = &self.checker.dialects().handoffs[self.target];
        let text = join::joined(&self.handoffs, dialect.usual_carrier());
        // What lacks something is not given out, and may not be read either.
        let is_whole = self.handoffs.iter().all(|handoff| handoff.gaps.is_empty());
        let is_for_one = dialect.usual_carrier() == Carrier::FrontMatter;
        let holds_all = || !is_whole || join::holds(self.checker, dialect, &text, count);
        if count > 1 && (is_for_one || !holds_all()) {
            return Err(self.too_many());
        }
        Ok(Converted { text, handoffs: self.handoffs })
    }

    /// The handoffs do not fit into one text of their dialect.
    pub(super) fn too_many(&self) -> SetError {
        let count = self.beside.count.max(self.handoffs.len());
        SetError::TooMany { dialect: self.order.to.to_owned(), count }
    }
}
