//! What the README shows is what the program prints. `BLESS=1 cargo test -p ledger-console` writes it anew; read the
//! difference before you commit it.

use std::path::Path;

use promises::permit;
use regex::Regex;

use crate::support::Stage;

/// Before the transcript.
const BEGIN: &str = "<!-- ledger refusals -->\n```text\n";
/// Behind it.
const END: &str = "```\n";

#[tokio::test]
async fn the_readme_shows_what_refusals_prints() {
    let stage = Stage::new().await;
    let alice = stage.world.account("user:7", 10).await;
    let late = stage.come_late("user:7:dataset:42", &alice, 3).await;
    stage.client.close(&late.rightful).await;
    let mut session = stage.world.session().await;
    session.admit(&[late.rightful.permit()]).await.unwrap();
    session
        .admit(&[&permit("user:8:dataset:42", 5)])
        .await
        .unwrap();
    let answer = stage.ask(&["refusals"]).await;
    assert_eq!((answer.code, answer.stderr.as_str()), (Some(0), ""));
    let text = without_numbers_of_the_run(&answer.stdout, &stage.world.refusals().await);

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = readme
        .split_once(BEGIN)
        .expect("the README has a place for it");
    let (shown, behind) = rest.split_once(END).expect("it has an end");
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, [before, BEGIN, &text, END, behind].concat()).unwrap();
        return;
    }
    assert_eq!(shown, text, "BLESS=1 writes it anew");
}

/// Times and holders differ from run to run; each gets one that does not, as wide as it was.
fn without_numbers_of_the_run(text: &str, rows: &[fence_guard::RefusalRow]) -> String {
    let time = Regex::new(r"(?m)^\d\d-\d\d \d\d:\d\d:\d\d").unwrap();
    let mut text = time.replace_all(text, "12-01 09:30:00").into_owned();
    let holders = rows
        .iter()
        .flat_map(|row| [Some(row.presented_holder), row.observed_holder]);
    let mut known = Vec::new();
    for holder in holders.flatten() {
        let short = holder.to_string()[..8].to_owned();
        if !known.contains(&short) {
            known.push(short);
        }
    }
    for (number, short) in known.iter().enumerate() {
        text = text.replace(
            short,
            &format!("{:08x}", 0xa000_0000_u32 + number as u32 + 1),
        );
    }
    text
}
