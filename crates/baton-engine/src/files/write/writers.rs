//! Which programs can still write into a file, as the system tells.
//!
//! Cannot: see programs of other users, of another machine, or outside the process namespace.

use std::fs::File;
use std::io;

/// Whether a program has the file open for writing, or mapped so that it can write; `file` itself does not count.
#[cfg(not(target_os = "linux"))]
pub(crate) fn has_writer(_file: &File) -> io::Result<bool> {
    // No such list is kept here: the time that is waited after an exchange must do.
    Ok(false)
}

/// Whether a program has the file open for writing, or mapped so that it can write; `file` itself does not count.
#[cfg(target_os = "linux")]
pub(crate) fn has_writer(file: &File) -> io::Result<bool> {
    linux::has_writer(file)
}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::{self, File, Metadata};
    use std::io::{self, Read as _};
    use std::os::fd::AsRawFd as _;
    use std::os::unix::fs::MetadataExt as _;
    use std::path::Path;

    use rustix::fs::{major, minor};

    const PROCESSES: &str = "/proc";
    /// The bytes of one list of mappings that are read: ten times as many as large programs have.
    const MAPPINGS_BYTES_MAX: u64 = 16 * 1024 * 1024;
    /// `O_ACCMODE`: the bits of the flags that say for what a file is open.
    const ACCESS: u32 = 0o3;

    pub(super) fn has_writer(file: &File) -> io::Result<bool> {
        let there = file.metadata()?;
        let own = fs::read_link(Path::new(PROCESSES).join("self"))?;
        for entry in fs::read_dir(PROCESSES)?.flatten() {
            let is_process =
                entry.file_name().to_str().is_some_and(|name| name.bytes().all(|b| b.is_ascii_digit()));
            if !is_process {
                continue;
            }
            let process = entry.path();
            let except = (Path::new(&entry.file_name()) == own).then(|| file.as_raw_fd().to_string());
            if has_open(&process, &there, except.as_deref()) || has_mapped(&process, &there) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Whether a process has the file open for writing. One of another user, or one that ended, tells nothing.
    fn has_open(process: &Path, there: &Metadata, except: Option<&str>) -> bool {
        let handles = fs::read_dir(process.join("fd")).into_iter().flatten().flatten();
        handles.filter(|handle| Some(handle.file_name().as_os_str()) != except.map(AsRef::as_ref)).any(
            |handle| {
                let is_it = fs::metadata(handle.path()).is_ok_and(|open| is_same(&open, there));
                is_it && is_for_writing(&process.join("fdinfo").join(handle.file_name()))
            },
        )
    }

    fn is_same(one: &Metadata, other: &Metadata) -> bool {
        (one.ino(), one.dev()) == (other.ino(), other.dev())
    }

    /// Whether a handle is open for writing; one that cannot be told may be, unless it is gone.
    fn is_for_writing(info: &Path) -> bool {
        let text = match fs::read_to_string(info) {
            Ok(text) => text,
            Err(error) => return error.kind() != io::ErrorKind::NotFound,
        };
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
        let flags = flags.and_then(|flags| u32::from_str_radix(flags.trim(), 8).ok());
        flags.is_none_or(|flags| flags & ACCESS != 0)
    }

    /// Whether a process has the file mapped so that what it writes to memory is written to the file.
    fn has_mapped(process: &Path, there: &Metadata) -> bool {
        let mut text = String::new();
        let read = File::open(process.join("maps"))
            .and_then(|file| file.take(MAPPINGS_BYTES_MAX).read_to_string(&mut text));
        let device = format!("{:02x}:{:02x}", major(there.dev()), minor(there.dev()));
        let number = there.ino().to_string();
        read.is_ok()
            && text.lines().any(|line| {
                // Addresses, rights, offset, device, number of the file, its name.
                let mut fields = line.split_ascii_whitespace().skip(1);
                let is_shared =
                    fields.next().is_some_and(|rights| rights.ends_with('s') && rights.contains('w'));
                is_shared && fields.nth(1) == Some(&device) && fields.next() == Some(&number)
            })
    }
}
