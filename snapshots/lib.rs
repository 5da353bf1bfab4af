//! A real recording of a .NET program by dotnet-trace, so that dotspot has something to open.

/// The name of the recording's file.
pub const NAME: &str = "js-ordered-consume.nettrace";

/// The recording: eight seconds of two threads, 2.3 MB, `.nettrace` version 4.
pub const RECORDING: &[u8] = include_bytes!("js-ordered-consume.nettrace");
