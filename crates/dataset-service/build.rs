//! Builds again when a migration is added: a macro that reads a folder does not tell cargo of new files.

fn main() {
    println!("cargo:rerun-if-changed=migrations");
}
