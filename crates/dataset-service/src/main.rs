//! The binary; everything is in the library, so that tests and examples start the very same program.

fn main() -> std::process::ExitCode {
    dataset_service::main()
}
