//! A request that concerns several resources carries a line for each: all of them hold, or nothing is written.

use fence_guard::http::{
    FENCE_PERMIT, FencePermit, FencePermits, FieldError, MAX_PERMITS, NotCarried, Problem,
    ProblemType, carry_all,
};
use fence_guard::{OpenPermit, Reason, Resource};
use hyper::HeaderMap;
use promises::{permit, resource};

use crate::service::{ServiceB, notes, world};
use crate::support::{HOLDER, WRITTEN, lines, payload};

/// Openings of these resources.
fn openings(names: &[&str]) -> Vec<OpenPermit> {
    let payloads = names.iter().map(|name| payload(name, "7"));
    let opens = payloads.map(|payload| serde_json::from_value(payload).unwrap());
    opens.collect()
}

fn headers_of_all(opens: &[OpenPermit]) -> HeaderMap {
    let mut headers = lines(&[b"old", b"older"]);
    carry_all(opens, &mut headers);
    headers
}

fn names(permits: &FencePermits) -> Vec<&str> {
    permits.resources().map(Resource::as_str).collect()
}

fn wrong(headers: &HeaderMap) -> FieldError {
    FencePermits::from_headers(headers).unwrap_err()
}

#[test]
fn each_opening_is_a_line_and_all_are_read_in_their_order() {
    let opens = openings(&["b", "user:7:dataset:42", "a"]);
    let headers = headers_of_all(&opens);
    assert_eq!(
        headers.get_all(FENCE_PERMIT).iter().nth(1).unwrap(),
        WRITTEN
    );
    let permits = FencePermits::from_headers(&headers).unwrap();
    assert_eq!(names(&permits), ["b", "user:7:dataset:42", "a"]);
    let read = permits.into_opens();
    let pairs = opens.iter().zip(&read);
    assert!(
        pairs
            .into_iter()
            .all(|(sent, read)| sent.permit() == read.permit())
    );

    // One line is one permit to either; and several are none to whoever takes one.
    let one = headers_of_all(&opens[..1]);
    assert_eq!(names(&FencePermits::from_headers(&one).unwrap()), ["b"]);
    FencePermit::from_headers(&one).unwrap();
    let several = FencePermit::from_headers(&headers).unwrap_err();
    assert_eq!(several, FieldError::Repeated { lines: 3 });
    assert!(headers_of_all(&[]).is_empty());
}

#[test]
fn as_many_lines_are_read_as_one_transaction_is_admitted_with() {
    let names: Vec<String> = (0..=MAX_PERMITS).map(|n| format!("r{n}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let opens = openings(&names);
    let most = headers_of_all(&opens[1..]);
    let read = FencePermits::from_headers(&most).unwrap().into_opens();
    assert_eq!(read.len(), MAX_PERMITS);
    let lines = MAX_PERMITS + 1;
    assert_eq!(
        wrong(&headers_of_all(&opens)),
        FieldError::TooMany { lines }
    );
    // Told before any of them is parsed.
    let nonsense = crate::support::lines(&vec![&b"nonsense"[..]; lines]);
    assert_eq!(wrong(&nonsense), FieldError::TooMany { lines });
}

#[test]
fn one_wrong_line_makes_all_of_them_wrong() {
    let missing = wrong(&HeaderMap::new());
    assert_eq!(Problem::from(missing).kind(), ProblemType::PermitMissing);
    let other = WRITTEN.replace("dataset:42", "dataset:43");
    let spaced = format!("{other} ");
    let spelled = wrong(&lines(&[WRITTEN.as_bytes(), spaced.as_bytes()]));
    assert_eq!(spelled, FieldError::Spelling);
    // What a hop makes of two lines.
    let joined = wrong(&lines(&[format!("{WRITTEN}, {other}").as_bytes()]));
    assert!(matches!(joined, FieldError::Syntax { .. }), "{joined:?}");
    // The same opening twice, and a newer one of the same resource.
    for twin in [
        WRITTEN.to_owned(),
        WRITTEN.replace(r#"fence="7""#, r#"fence="8""#),
    ] {
        let twice = wrong(&lines(&[
            WRITTEN.as_bytes(),
            other.as_bytes(),
            twin.as_bytes(),
        ]));
        let resource = resource("user:7:dataset:42");
        assert_eq!(twice, FieldError::SameResource { resource });
        let problem = Problem::from(twice);
        assert_eq!(problem.kind(), ProblemType::PermitMalformed);
        // Which resource, it says: that line could be read, and a name is no secret.
        let detail = problem.detail();
        assert!(detail.contains("user:7:dataset:42"), "{problem}");
        assert!(!detail.contains(HOLDER), "{problem}");
    }
}

#[test]
fn the_permits_of_what_a_request_is_about_are_picked_and_none_may_be_missing() {
    let permits = FencePermits::from_headers(&headers_of_all(&openings(&["a", "b", "c"]))).unwrap();
    let (a, c, d) = (resource("a"), resource("c"), resource("d"));
    let picked = permits.opens_for(&[&c, &a, &c]).unwrap();
    let picked: Vec<_> = picked.iter().map(|open| open.permit().resource()).collect();
    assert_eq!(picked, [&c, &a]);
    let missing: NotCarried = permits.opens_for(&[&a, &d]).unwrap_err();
    assert_eq!(missing.wanted(), &d);
    let problem = Problem::from(missing);
    assert_eq!(problem.kind(), ProblemType::OtherResource);
    assert_eq!(
        problem.detail(),
        "the request is about d, and none of its fence-permits is; send the permit of d"
    );
    assert!(!format!("{permits:?}").contains(HOLDER));
    assert_eq!(format!("{permits:?}").matches("Fence").count(), 3);
}

#[tokio::test]
async fn an_endpoint_that_needs_no_permits_takes_any_number_and_refuses_what_cannot_be_read() {
    let b = ServiceB::start(world().await.client().await.guard).await;
    for (opens, told) in [(openings(&[]), "anybody"), (openings(&["a", "b"]), "2")] {
        let answer = b.put("/reads/a", &headers_of_all(&opens), "").await;
        assert_eq!((answer.status, &*answer.body), (200, told));
    }
    let answer = b.put_lines("/reads/a", &[WRITTEN, WRITTEN]).await;
    answer.must_be(ProblemType::PermitMalformed);
}

#[tokio::test]
async fn b_moves_notes_between_two_resources_while_both_openings_hold() {
    let world = world().await;
    let (a, successor) = (world.client().await, world.client().await);
    let b = ServiceB::start(world.client().await.guard).await;
    let from = a.open(&permit("from", 3)).await;
    let to = a.open(&permit("to", 5)).await;
    assert_eq!(b.note(&from, "a note").await.status, 200);

    let mut headers = HeaderMap::new();
    carry_all([&*to, &*from], &mut headers);
    let moved = b.put("/moves/from/to", &headers, "").await;
    assert_eq!(moved.status, 200, "{}", moved.body);
    assert_eq!(notes(&world, "to").await, ["a note"]);

    // With one of the two it is not done, and neither when one was overtaken.
    let mut one = HeaderMap::new();
    carry_all([&*to], &mut one);
    let missing = b.put("/moves/to/from", &one, "").await;
    missing.must_be(ProblemType::OtherResource);
    let unread = b.put("/moves/to/from", &HeaderMap::new(), "").await;
    unread.must_be(ProblemType::PermitMissing);
    successor.open(&permit("from", 4)).await;
    let late = b.put("/moves/to/from", &headers, "").await;
    let problem = late.must_be(ProblemType::Refused(Reason::Stale));
    assert_eq!(
        (&problem["resource"], &problem["observed_fence"]),
        (&"from".into(), &"4".into())
    );
    assert_eq!(notes(&world, "to").await, ["a note"]);
    assert!(notes(&world, "from").await.is_empty());
}
