//! A server for agents: the Model Context Protocol over standard input and output, with the queries of [`crate::query`]
//! as tools.
//!
//! It is read-only, restricted to the served folders, and starts no other program. Answers fit a token budget. Each
//! request runs on a thread, which stops if the request is cancelled while it reads a profile.

mod answers;
mod arguments;

mod folders;
pub(crate) mod messages;
mod profiles;

mod server;
mod tools;
mod wire;

pub use folders::Folders;
pub use tools::tools;

use profiles::OpenProfiles;
use rmcp::service::ServerInitializeError;
use server::Server;
use wire::Wire;

/// The default memory limit for open profiles, in megabytes.
pub const MEMORY_MB: u64 = 2_000;

/// Serves requests until standard input ends or standard output is closed. The error is a sentence without its full
/// stop.
pub fn serve(folders: Folders, memory_mb: u64) -> Result<(), String> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_time()
        // a request can be handled while another profile is read
        .max_blocking_threads(4)
        .build()
        .map_err(|error| messages::cant_start_server(&error))?;
    let profiles = OpenProfiles::new(folders, memory_mb.saturating_mul(1_000_000));
    let (wire, finish) = Wire::standard();
    let served = runtime.block_on(async {
        match rmcp::serve_server(Server::new(profiles), wire).await {
            Ok(running) => match running.waiting().await {
                Ok(_) => Ok(()),
                Err(error) => Err(messages::server_error(&error)),
            },
            Err(ServerInitializeError::ConnectionClosed(_)) => Ok(()),
            Err(error) => Err(messages::handshake_failed(&error)),
        }
    });
    // nobody needs the reads that are still running
    runtime.shutdown_background();
    finish();
    served
}
