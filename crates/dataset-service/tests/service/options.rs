//! Bad options, and servers that are not there.

use std::process::{Command, Output};

use crate::stage::program;

fn serve(options: &[&str]) -> Output {
    let mut command = Command::new(program());
    for variable in ["DATABASE_URL", "REDIS_URL", "QUERIES_URL"] {
        command.env_remove(variable);
    }
    command
        .arg("serve")
        .args(["--listen", "127.0.0.1:0", "--ops-listen", "127.0.0.1:0"])
        .args(options);
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

const URLS: [&str; 4] = [
    "--database-url",
    "postgres://user:secret@127.0.0.1:1/x",
    "--redis-url",
    "redis://:secret@127.0.0.1:1/",
];

#[test]
fn bad_options_end_it_with_two_and_the_option_that_is_to_be_changed() {
    let cases: [(&[&str], &str); 5] = [
        (&[], "--redis-url"),
        (&["--ttl-ms", "30s"], "--ttl-ms"),
        (
            &["--query-limit-ms", "9999"],
            "lower the one to 9000, or raise the other to 11110",
        ),
        (&["--hold-ms", "5000"], "raise --hold-ms"),
        (&["--log", "dataset_service=loud"], "--log"),
    ];
    for (options, part) in cases {
        let urls: &[&str] = if options.is_empty() { &[] } else { &URLS };
        let output = serve(&[urls, options].concat());
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        assert!(said(&output).contains(part), "{}", said(&output));
    }
}

/// Each server in its turn, those before it being there; the log is looked at as well.
#[tokio::test(flavor = "multi_thread")]
async fn without_a_server_it_says_which_and_no_password() {
    let database = testbed::database("passwords").await;
    let (postgres, redis) = (database.url(), testbed::shared().redis_url());
    let no_postgres = "postgres://user:secret@127.0.0.1:1/x";
    let cases = [
        ("DATABASE_URL", no_postgres, redis, postgres),
        ("DATABASE_URL", "postgres:secret@:x/", redis, postgres),
        ("REDIS_URL", postgres, "redis://:secret@h:x/", postgres),
        ("QUERIES_URL", postgres, redis, no_postgres),
        ("QUERIES_URL", postgres, redis, "postgres:secret@:x/"),
    ];
    for (missing, postgres, redis, queries) in cases {
        let output = serve(&[
            "--database-url",
            postgres,
            "--redis-url",
            redis,
            "--queries-url",
            queries,
            "--log",
            "debug",
        ]);
        assert_eq!(output.status.code(), Some(1), "{}", said(&output));
        assert!(said(&output).contains(missing), "{}", said(&output));
        let refused = said(&output).matches("Connection refused").count();
        assert!(refused <= 1, "{}", said(&output));
        let logged = String::from_utf8_lossy(&output.stdout);
        for text in [logged.as_ref(), said(&output).as_str()] {
            assert!(!text.contains("secret"), "{text}");
        }
    }
}
