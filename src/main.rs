use std::process::ExitCode;

fn main() -> ExitCode {
    dotspot::cli::main()
}
