//! The keys that dialects name, numbered, so that documents are compared with numbers and not with text.

use super::Symbol;
use crate::span::offset;

/// The keys that dialects name, each with its symbol.
#[derive(Clone, Debug, Default)]
pub struct Keys {
    texts: Vec<Box<str>>,
    /// Entries by the hash of their key, with empty ones between them; its length is a power of two.
    table: Vec<Entry>,
}

/// A key in the table: what it looks like from both ends, so that most need no look at their text.
#[derive(Clone, Copy, Debug)]
struct Entry {
    ends: Ends,
    symbol: Symbol,
}

/// The first and the last eight bytes of a key, and its length: all of it up to sixteen bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Ends {
    first: u64,
    last: u64,
    length: u32,
}

impl Ends {
    #[inline(always)]
    fn of(bytes: &[u8]) -> Self {
        let (first, last) = if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            (u64::from_le_bytes(*first), u64::from_le_bytes(*last))
        } else if let (Some(first), Some(last)) = (bytes.first_chunk(), bytes.last_chunk()) {
            (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last)))
        } else {
            (bytes.iter().fold(0, |all, byte| all << 8 | u64::from(*byte)), 0)
        };
        Self { first, last, length: offset(bytes.len()) }
    }

    /// Mixes all of it; any bits of the result will do.
    #[inline(always)]
    fn hash(self) -> usize {
        let mixed = (self.first ^ self.last.rotate_left(29)).wrapping_add(u64::from(self.length));
        (mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32) as usize
    }
}

/// For documents whose keys are never compared.
static NO_KEYS: Keys = Keys { texts: Vec::new(), table: Vec::new() };

impl Keys {
    /// No keys: every key of a document stays unknown.
    pub fn none() -> &'static Keys {
        &NO_KEYS
    }

    /// These keys, numbered in their order.
    pub(crate) fn of(keys: impl Iterator<Item = &'static str> + Clone) -> Self {
        let mut made = Self::default();
        made.make_room(keys.clone().count());
        keys.for_each(|key| {
            made.intern(key);
        });
        made
    }

    /// All of them, in the order of their symbols.
    pub fn texts(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().map(|text| &**text)
    }

    /// Number of them.
    pub fn count(&self) -> usize {
        self.texts.len()
    }

    /// The symbol of a key, new if need be.
    pub fn intern(&mut self, key: &str) -> Symbol {
        let known = self.symbol(key);
        let next = u16::try_from(self.texts.len()).ok().filter(|next| *next < Symbol::UNKNOWN.0);
        let Some(next) = next.filter(|_| known == Symbol::UNKNOWN) else { return known };
        // A quarter full at most, so that a search ends at once.
        let count = self.texts.len() + 1;
        if count * 4 > self.table.len() {
            self.make_room(count);
        }
        self.texts.push(key.into());
        self.place(Symbol(next));
        Symbol(next)
    }

    /// Makes the table large enough for so many keys, and more.
    fn make_room(&mut self, count: usize) {
        let empty = Entry { ends: Ends::default(), symbol: Symbol::UNKNOWN };
        self.table = vec![empty; (count * 8).next_power_of_two()];
        for at in 0..offset(self.texts.len()) {
            self.place(Symbol(u16::try_from(at).unwrap_or(Symbol::UNKNOWN.0)));
        }
    }

    fn place(&mut self, symbol: Symbol) {
        let ends = Ends::of(self.texts[usize::from(symbol.0)].as_bytes());
        let mask = self.table.len() - 1;
        let mut at = ends.hash() & mask;
        while self.table[at].symbol != Symbol::UNKNOWN {
            at = (at + 1) & mask;
        }
        self.table[at] = Entry { ends, symbol };
    }

    /// The symbol of a key that a dialect names.
    #[inline(always)]
    pub fn symbol(&self, key: &str) -> Symbol {
        self.symbol_of(key.as_bytes())
    }

    /// The symbol of a key, given its bytes.
    #[inline(always)]
    pub(crate) fn symbol_of(&self, key: &[u8]) -> Symbol {
        let ends = Ends::of(key);
        // Nearly every key is found at its first place.
        match self.table.get(ends.hash() & self.table.len().wrapping_sub(1)) {
            Some(entry) if entry.ends == ends && self.is_text(entry.symbol, key) => entry.symbol,
            Some(_) => self.search(key),
            None => Symbol::UNKNOWN,
        }
    }

    /// Tells whether a key with the ends of a symbol's text is that text; up to sixteen bytes the ends are all of it.
    #[inline(always)]
    fn is_text(&self, symbol: Symbol, key: &[u8]) -> bool {
        key.len() <= 16 || self.texts[usize::from(symbol.0)].as_bytes() == key
    }

    /// The symbol of a key that is looked for from its first place on.
    #[inline(never)]
    fn search(&self, key: &[u8]) -> Symbol {
        // Made again, so that no other caller needs a place in memory for it.
        let ends = Ends::of(key);
        let mask = self.table.len() - 1;
        let mut at = ends.hash() & mask;
        loop {
            let entry = &self.table[at & mask];
            let is_same = entry.ends == ends && self.is_text(entry.symbol, key);
            if is_same || entry.symbol == Symbol::UNKNOWN {
                return entry.symbol;
            }
            at += 1;
        }
    }
}
