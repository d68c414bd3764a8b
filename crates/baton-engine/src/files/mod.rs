//! Files of a project: read within bounds, replaced without losing what others write, kept private.

pub(crate) mod private;
pub mod read;
pub(crate) mod stale_tempfiles;
pub mod write;
