//! Files that are no text, or too much of it.

use super::{Hostile, LARGE, alone, filled};

/// Beyond the size that is read.
const TOO_LARGE: usize = 17 * 1024 * 1024;

const TEXT: &str = "{\"task_id\":\"a\",\"phase\":\"write\",\"instructions\":\"x\"}";

pub(super) const FILES: &[Hostile] = &[
    alone("bytes: invalid UTF-8", "a.json", || vec![0xc3; LARGE]),
    alone("bytes: invalid UTF-8 at the end of 15 MB", "a.json", || {
        let mut bytes = filled(LARGE, "[", "1,", "");
        bytes.push(0xff);
        bytes
    }),
    alone("bytes: 15 MB of NUL", "a.json", || vec![0; LARGE]),
    alone("bytes: NUL at the end of 15 MB", "meta/handoff.yaml", || {
        filled(LARGE, "version: 1\n", "# \n", "\0")
    }),
    alone("bytes: UTF-16 with its mark", "a.json", || {
        let units = std::iter::once(0xfeff).chain(TEXT.encode_utf16());
        units.flat_map(u16::to_le_bytes).collect()
    }),
    alone("bytes: UTF-16 without its mark", "a.json", || {
        TEXT.encode_utf16().flat_map(u16::to_be_bytes).collect()
    }),
    alone("bytes: 17 MB", "a.json", || vec![b' '; TOO_LARGE]),
    alone("bytes: 17 MB of Markdown", "a.md", || vec![b'{'; TOO_LARGE]),
    alone("bytes: nothing", "a.json", Vec::new),
];
