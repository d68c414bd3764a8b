//! Tidiness: what every file of this repository keeps, each thing in one file with its own planted fault.

mod attributes;
mod forgotten;
mod functions;
mod heads;
mod lengths;
mod manifests;
mod names;
mod pages;
mod paths;
mod retired;
mod whitespace;
