//! `crates/README.md` says which test holds which rule and case, and what is absent from which crate. Here
//! that page is held against the sources: a test that was renamed, or a word that crept in, fails.

use std::path::{Path, PathBuf};

const PAGE: &str = include_str!("../crates/README.md");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .expect("tests lie in the repository")
        .to_owned()
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The rows of the map: rule or case, and the cell that names its tests.
fn rows() -> Vec<(String, String)> {
    let map = PAGE
        .split("## Rule → test")
        .nth(1)
        .expect("the page has a map");
    let rows = map
        .lines()
        .filter(|line| line.starts_with("| S") || line.starts_with("| C"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        (cells[0].to_owned(), cells[2].to_owned())
    })
    .collect()
}

#[test]
fn every_rule_and_every_case_is_in_the_map() {
    let listed: Vec<String> = rows().into_iter().map(|(rule, _)| rule).collect();
    let rules = (1..=10).map(|n| format!("S{n}"));
    let cases = (1..=48).map(|n| format!("C{n}"));
    assert_eq!(listed, rules.chain(cases).collect::<Vec<_>>());
}

#[test]
fn every_test_that_the_map_names_exists() {
    let mut named = 0;
    for (rule, cell) in rows() {
        if cell.starts_with("comes with ") {
            continue;
        }
        let mut source = None;
        for word in cell.split('`').skip(1).step_by(2) {
            if word.ends_with(".rs") {
                source = Some((word, text(&root().join(word))));
                continue;
            }
            let (file, source) = source.as_ref().expect("a file stands before its tests");
            assert!(has_test(source, word), "{rule}: no test {word} in {file}");
            named += 1;
        }
    }
    assert!(named > 80, "the map names only {named} tests");
}

/// Whether a source has a test of this name that runs: a function right below a test attribute, and not
/// ignored.
fn has_test(source: &str, name: &str) -> bool {
    let lines: Vec<&str> = source.lines().map(str::trim).collect();
    let heads = [format!("fn {name}("), format!("async fn {name}(")];
    let is_head = |line: &str| heads.iter().any(|head| line.starts_with(head));
    lines.iter().enumerate().any(|(at, line)| {
        let above = lines[..at].iter().rev();
        let attributes: Vec<&&str> = above
            .take_while(|line| line.starts_with("#[") || line.starts_with("//"))
            .collect();
        let has = |start: &str| attributes.iter().any(|line| line.starts_with(start));
        is_head(line) && (has("#[test]") || has("#[tokio::test")) && !has("#[ignore")
    })
}

#[test]
fn a_function_is_a_test_below_a_test_attribute_only_and_not_when_ignored() {
    for test in [
        "#[test]\nfn it() {}",
        "#[tokio::test]\nasync fn it() {}",
        "    #[tokio::test(flavor = \"multi_thread\")]\n    // Why.\n    async fn it() {}",
    ] {
        assert!(has_test(test, "it"), "{test}");
    }
    for none in [
        "fn it() {}",
        "async fn it() {}",
        "#[test]\nfn other() {}\nfn it() {}",
        "#[test]\n#[ignore]\nfn it() {}",
        "#[ignore = \"slow\"]\n#[tokio::test]\nasync fn it() {}",
        "#[test]\n// fn it() {}",
        "#[test]\nfn it_too() {}",
    ] {
        assert!(!has_test(none, "it"), "{none}");
    }
}

/// Every source file of a folder.
fn sources(folder: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![root().join(folder)];
    while let Some(next) = folders.pop() {
        for entry in std::fs::read_dir(&next)
            .expect("the folder is there")
            .flatten()
        {
            match entry.path() {
                path if path.is_dir() => folders.push(path),
                path => found.push(path),
            }
        }
    }
    assert!(!found.is_empty(), "nothing in {folder}");
    found
}

/// That none of the words stands in any file of the folder.
#[track_caller]
fn absent(folder: &str, words: &[&str]) {
    for path in sources(folder) {
        let text = text(&path).to_lowercase();
        for word in words {
            assert!(!text.contains(word), "{word:?} in {}", path.display());
        }
    }
}

#[test]
fn the_vocabulary_does_no_io_and_reads_no_clock() {
    absent(
        "crates/fence/src",
        &[
            "async fn",
            "tokio",
            "std::net",
            "std::fs",
            "instant",
            "systemtime",
        ],
    );
}

#[test]
fn the_lease_names_nothing_of_postgres_and_the_guard_nothing_of_redis() {
    absent("crates/lease-lock/src", &["sqlx", "postgres"]);
    absent("crates/lease-lock/lua", &["postgres"]);
    absent("crates/fence-guard/src", &["redis::", "lease_lock"]);
}

#[test]
fn the_guard_does_not_know_what_a_credit_is() {
    absent("sql/guard", &["credit", "account", "balance"]);
    absent("crates/fence-guard/src", &["credit.", "account"]);
}

#[test]
fn the_servers_know_nothing_of_leases_and_fences() {
    absent("crates/testbed/src", &["fence", "permit", "lease_lock"]);
}

#[test]
fn a_changed_set_of_functions_has_a_version_of_its_own() {
    let expected = [fence_guard::SCHEMA, credit_ledger::SCHEMA].map(|schema| {
        let (name, version) = (schema.name, schema.functions_version);
        format!("{name} {version} {}\n", schema.functions_digest())
    });
    let path = root().join("sql/functions.lock");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, expected.concat()).expect("the file can be written");
    }
    let why = "raise functions_version of what was released, then run this with BLESS=1";
    assert_eq!(text(&path), expected.concat(), "{why}");
}
