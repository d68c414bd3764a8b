//! The loop: intake, drive, dispatch, views.
//!
//! Cannot: print, parse arguments, speak HTTP.
//! It is empty until flows are carried; its wall stands from the first day.
