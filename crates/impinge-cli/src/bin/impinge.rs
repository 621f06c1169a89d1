//! The `impinge` command.

fn main() {
    impinge_cli::main()
}
