//! Looks at the files of a ledger before the database opens them: are they whole?
//!
//! SQLite takes a write-ahead log up to the first frame that does not fit, and drops the rest without a word. After
//! a crash that is right for the one commit that was not yet on the disk. For anything more it would lose what was
//! acknowledged. Each commit is on the disk before the next one begins, so a frame behind the commit that fails
//! proves damage; and the shared index, where it is left from a process that was killed, says how many frames were
//! committed.
//!
//! Cannot: write. It reads while no other process has the ledger open.

use std::collections::HashSet;
use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::Path;

const WAL_HEADER_BYTES: usize = 32;
const FRAME_HEADER_BYTES: usize = 24;
const SHM_BYTES: usize = 136;
const MAGIC: u32 = 0x377f_0682;

/// First page of a database.
pub(super) struct Header {
    pub(super) application: u32,
    pub(super) format: u32,
    page_bytes: u64,
    pages: u64,
}

const HEADER_BYTES: usize = 100;

impl Header {
    /// Reads the beginning of a database; the error says what else it is.
    pub(super) fn read(file: &mut impl Read) -> std::io::Result<Result<Self, &'static str>> {
        let mut bytes = Vec::new();
        file.take(HEADER_BYTES as u64).read_to_end(&mut bytes)?;
        Ok(Self::of(&bytes))
    }

    fn of(bytes: &[u8]) -> Result<Self, &'static str> {
        if bytes.is_empty() {
            return Err("it is empty");
        }
        if !bytes.starts_with(b"SQLite format 3\0") || bytes.len() < HEADER_BYTES {
            return Err("it is no SQLite database");
        }
        let page_bytes = match u64::from(bytes[16]) << 8 | u64::from(bytes[17]) {
            1 => 65_536,
            other => other,
        };
        if !page_bytes.is_power_of_two() || page_bytes < 512 {
            return Err("its pages have no size that SQLite knows");
        }
        let pages = u64::from(number(bytes, 28));
        Ok(Self { application: number(bytes, 68), format: number(bytes, 60), page_bytes, pages })
    }
}

/// Gives what the first page says with the log behind it, or says what is missing or changed.
///
/// Commits that were not yet copied are only in the log, the format after a migration too.
pub(super) fn whole(path: &Path, header: Header) -> std::io::Result<Result<Header, String>> {
    let beside = |end: &str| {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        name
    };
    let file_bytes = std::fs::metadata(path)?.len();
    let file_pages = file_bytes / header.page_bytes;
    let index = index(Path::new(&beside("-shm")))?;
    let wal = match File::open(beside("-wal")) {
        Ok(file) => Some(file),
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    let log = match wal {
        None => Log::default(),
        Some(file) => match Log::read(file, header.page_bytes, file_pages)? {
            Ok(log) => log,
            Err(what) => return Ok(Err(what)),
        },
    };
    if let Some(index) = index
        && index.frames > index.copied
        && (log.salt == Some(index.salt) || log.salt.is_none())
        && log.frames < index.frames
    {
        return Ok(Err(format!(
            "{} of {} frames of its write-ahead log (-wal) are there",
            log.frames, index.frames
        )));
    }
    let pages = if log.frames > 0 { log.pages } else { header.pages };
    let missing = (file_pages + 1..=pages).find(|page| !log.beyond.contains(page));
    if let Some(page) = missing {
        let bytes = pages * header.page_bytes;
        return Ok(Err(format!("it ends after {file_bytes} of {bytes} bytes, and page {page} is nowhere")));
    }
    Ok(match log.first {
        None => Ok(header),
        Some(first) => Header::of(&first).map_err(|what| format!("by its write-ahead log (-wal) {what}")),
    })
}

/// Content of the write-ahead log.
#[derive(Default)]
struct Log {
    salt: Option<[u8; 8]>,
    /// Frames up to the last whole commit.
    frames: u64,
    /// Pages of the database after it.
    pages: u64,
    /// The pages among them that the database file is too short for.
    beyond: HashSet<u64>,
    /// The beginning of the first page after it, if that is among the frames.
    first: Option<Vec<u8>>,
}

impl Log {
    fn read(file: File, page_bytes: u64, file_pages: u64) -> std::io::Result<Result<Self, String>> {
        let mut file = BufReader::with_capacity(1 << 20, file);
        let mut header = [0; WAL_HEADER_BYTES];
        if !fill(&mut file, &mut header)? {
            return Ok(Ok(Self::default()));
        }
        let mut frame = vec![0; FRAME_HEADER_BYTES + usize::try_from(page_bytes).unwrap_or(0)];
        let magic = number(&header, 0);
        let mut sum = Sum { is_big: magic & 1 == 1, parts: (0, 0) };
        sum.add(&header[..24]);
        if magic & !1 != MAGIC || !sum.is(&header[24..]) || u64::from(number(&header, 8)) != page_bytes {
            // The header is on the disk before the first frame is written.
            return Ok(if fill(&mut file, &mut frame)? {
                Err("the header of its write-ahead log (-wal) is not what was written".to_owned())
            } else {
                Ok(Self::default())
            });
        }
        let salt = &header[16..24];
        let mut log = Self { salt: salt.try_into().ok(), ..Self::default() };
        let mut beyond = Vec::new();
        let mut first = None;
        let mut count = 0_u64;
        let mut broken = false;
        let mut commits_behind = 0;
        while fill(&mut file, &mut frame)? {
            count += 1;
            let is_current = frame[8..16] == *salt;
            let pages = u64::from(number(&frame, 4));
            if !broken {
                let (head, page) = frame.split_at(FRAME_HEADER_BYTES);
                sum.add(&head[..8]);
                sum.add(page);
                broken = !is_current || !sum.is(&head[16..]);
            }
            if broken {
                // Behind the commit that a crash cut, no frame of this log can be.
                if is_current && commits_behind > 0 {
                    let whole = log.frames;
                    return Ok(Err(format!("its write-ahead log (-wal) is changed behind frame {whole}")));
                }
                commits_behind += u32::from(is_current && pages > 0);
                continue;
            }
            beyond.extend(Some(u64::from(number(&frame, 0))).filter(|&page| page > file_pages));
            if number(&frame, 0) == 1 {
                first = Some(frame[FRAME_HEADER_BYTES..][..HEADER_BYTES].to_vec());
            }
            if pages > 0 {
                log.first = first.take().or(log.first);
                log.frames = count;
                log.pages = pages;
                log.beyond.extend(beyond.drain(..));
            }
        }
        Ok(Ok(log))
    }
}

/// Index that processes share about a write-ahead log.
struct Index {
    salt: [u8; 8],
    frames: u64,
    copied: u64,
}

/// Reads the shared index, if it is there and agrees with itself.
fn index(path: &Path) -> std::io::Result<Option<Index>> {
    let mut bytes = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(SHM_BYTES as u64).read_to_end(&mut bytes)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    if bytes.len() < SHM_BYTES || bytes[..48] != bytes[48..96] || bytes[12] == 0 {
        return Ok(None);
    }
    let native = |at: usize| u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let mut sum = Sum { is_big: cfg!(target_endian = "big"), parts: (0, 0) };
    sum.add(&bytes[..40]);
    if sum.parts != (native(40), native(44)) {
        return Ok(None);
    }
    let salt = bytes[32..40].try_into().unwrap_or_default();
    Ok(Some(Index { salt, frames: u64::from(native(16)), copied: u64::from(native(96)) }))
}

/// The sum that SQLite writes into its write-ahead log.
struct Sum {
    is_big: bool,
    parts: (u32, u32),
}

impl Sum {
    fn add(&mut self, bytes: &[u8]) {
        let (mut one, mut two) = self.parts;
        let word = |bytes: [u8; 4]| {
            if self.is_big { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) }
        };
        for &[a, b, c, d, e, f, g, h] in bytes.as_chunks::<8>().0 {
            one = one.wrapping_add(word([a, b, c, d])).wrapping_add(two);
            two = two.wrapping_add(word([e, f, g, h])).wrapping_add(one);
        }
        self.parts = (one, two);
    }

    fn is(&self, stored: &[u8]) -> bool {
        (number(stored, 0), number(stored, 4)) == self.parts
    }
}

fn number(bytes: &[u8], at: usize) -> u32 {
    u32::from_be_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Fills a buffer whole; a part of one at the end of a file is none.
fn fill(file: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<bool> {
    match file.read_exact(buffer) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(false),
        Err(error) => Err(error),
    }
}
