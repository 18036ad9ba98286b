//! The header has one spelling. Everything else is told by its own name, and none of it is repeated.

use fence::{InvalidHolder, InvalidResource};
use fence_guard::http::{
    FENCE_PERMIT, FencePermit, FieldError, MAX_BYTES, Problem, ProblemType, carry,
};
use hyper::HeaderMap;

use crate::support::{HOLDER, WRITTEN, headers_of, lines, opening, wrong_with};

#[test]
fn an_opening_is_written_as_documented() {
    let headers = headers_of(&opening());
    assert_eq!(headers.len(), 1);
    assert_eq!(headers[FENCE_PERMIT], WRITTEN);
}

#[test]
fn what_is_written_is_read() {
    let permit = FencePermit::from_headers(&lines(&[WRITTEN.as_bytes()])).unwrap();
    assert_eq!(
        (permit.resource().as_str(), permit.fence().get()),
        ("user:7:dataset:42", 7)
    );
    let (read, sent) = (permit.into_open(), opening());
    assert_eq!(read.permit(), sent.permit());
    assert_eq!((read.seq(), read.is_takeover()), (19, false));
    assert_eq!(read.valid_until(), sent.valid_until());
}

#[test]
fn an_opening_takes_the_place_of_the_one_that_was_in_the_headers() {
    let mut headers = lines(&[b"old", b"older"]);
    carry(&opening(), &mut headers);
    assert_eq!(headers.get_all(FENCE_PERMIT).iter().count(), 1);
    assert_eq!(headers[FENCE_PERMIT], WRITTEN);
}

#[test]
fn exactly_one_line_is_read() {
    let none = FencePermit::from_headers(&HeaderMap::new()).unwrap_err();
    assert_eq!(none, FieldError::Missing);
    let same_twice = lines(&[WRITTEN.as_bytes(), WRITTEN.as_bytes()]);
    let twice = FencePermit::from_headers(&same_twice).unwrap_err();
    assert_eq!(twice, FieldError::Repeated { lines: 2 });
    // What a proxy makes of two lines.
    let joined = wrong_with(&format!("{WRITTEN}, {WRITTEN}"));
    assert!(matches!(joined, FieldError::Syntax { .. }), "{joined:?}");
}

#[test]
fn a_header_is_bounded_before_it_is_parsed() {
    let longest = "%".repeat(MAX_BYTES);
    assert!(matches!(wrong_with(&longest), FieldError::Syntax { .. }));
    let longer = "%".repeat(MAX_BYTES + 1);
    assert_eq!(
        wrong_with(&longer),
        FieldError::TooLong {
            bytes: MAX_BYTES + 1
        }
    );
}

#[test]
fn what_is_no_structured_item_is_a_syntax_error() {
    for text in [
        "",
        "%",
        "%\"a",
        "%\"%e9\"",
        "%\"%C3%A9\"",
        "%\"%zz\"",
        "(%\"a\")",
    ] {
        let wrong = wrong_with(text);
        assert!(
            matches!(wrong, FieldError::Syntax { .. }),
            "{text}: {wrong:?}"
        );
    }
    // Raw UTF-8 is no structured field.
    let raw = FencePermit::from_headers(&lines(&["%\"café\"".as_bytes()])).unwrap_err();
    assert!(matches!(raw, FieldError::Syntax { .. }), "{raw:?}");
}

#[test]
fn a_parameter_too_many_too_few_or_of_another_type_is_told_by_its_name() {
    let unknown = FieldError::UnknownParameter {
        name: "ttl".to_owned(),
    };
    assert_eq!(wrong_with(&format!("{WRITTEN};ttl=30")), unknown);
    for (name, part) in [
        ("fence", r#";fence="7""#.to_owned()),
        ("holder", format!(r#";holder="{HOLDER}""#)),
        ("opening", r#";opening="19""#.to_owned()),
        (
            "valid_until_us",
            r#";valid_until_us="1793491200123456""#.to_owned(),
        ),
        ("takeover", ";takeover=?0".to_owned()),
    ] {
        assert!(WRITTEN.contains(&part), "{part}");
        let missing = wrong_with(&WRITTEN.replace(&part, ""));
        assert_eq!(missing, FieldError::MissingParameter { name });
        // Also where both say the same, and where the last one would be right.
        let twice = wrong_with(&format!("{WRITTEN}{part}"));
        assert_eq!(twice, FieldError::DuplicateParameter { name });
        let token = wrong_with(&WRITTEN.replace(&part, &format!(";{name}=seven")));
        assert_eq!(token, FieldError::WrongType { name });
    }
    // A number that fits into an sf-integer is not taken either: one spelling.
    let number = WRITTEN.replace(r#"fence="7""#, "fence=7");
    assert_eq!(wrong_with(&number), FieldError::WrongType { name: "fence" });
    let token = WRITTEN.replace(r#"%"user:7:dataset:42""#, "user:7:dataset:42");
    assert_eq!(wrong_with(&token), FieldError::NoResource);
    let string = WRITTEN.replacen('%', "", 1);
    assert_eq!(wrong_with(&string), FieldError::NoResource);
}

/// C19: what makes no resource in code makes none in a header.
#[test]
fn c19_a_name_that_is_none_is_told() {
    let named = |name: &str| wrong_with(&WRITTEN.replace("user:7:dataset:42", name));
    assert_eq!(named(""), InvalidResource::Empty.into());
    assert_eq!(
        named("a%00"),
        InvalidResource::ControlCharacter { at: 1 }.into()
    );
    assert_eq!(
        named("a%0ab"),
        InvalidResource::ControlCharacter { at: 1 }.into()
    );
    assert_eq!(
        named("%c2%85"),
        InvalidResource::ControlCharacter { at: 0 }.into()
    );
    assert_eq!(
        named(&"x".repeat(513)),
        InvalidResource::TooLong { bytes: 513 }.into()
    );
}

#[test]
fn a_number_out_of_range_or_in_another_spelling_is_told_by_its_name() {
    for fence in [
        "0",
        "007",
        "-7",
        "+7",
        "7.0",
        "",
        " 7",
        "4611686018427387904",
    ] {
        let wrong = wrong_with(&WRITTEN.replace(r#"fence="7""#, &format!(r#"fence="{fence}""#)));
        assert!(matches!(wrong, FieldError::Fence(_)), "{fence}: {wrong:?}");
    }
    for opening in ["0", "-1", "019", "+19", "9223372036854775808"] {
        let text = WRITTEN.replace(r#"opening="19""#, &format!(r#"opening="{opening}""#));
        assert_eq!(
            wrong_with(&text),
            FieldError::Number { name: "opening" },
            "{opening}"
        );
    }
    for until in ["-0", "1e15", "9223372036854775807", "-9223372036854775808"] {
        let text = WRITTEN.replace("1793491200123456", until);
        assert_eq!(
            wrong_with(&text),
            FieldError::Number {
                name: "valid_until_us"
            },
            "{until}"
        );
    }
}

#[test]
fn what_means_the_same_in_another_spelling_is_refused() {
    let reordered = WRITTEN
        .replace(";takeover=?0", "")
        .replace(";fence", ";takeover=?0;fence");
    for text in [
        format!("{WRITTEN} "),
        format!(" {WRITTEN}"),
        WRITTEN.replace(";fence", "; fence"),
        // %75 is "u", which needs no encoding.
        WRITTEN.replace("user", "%75ser"),
        WRITTEN.replace("takeover=?0", "takeover=?1"),
        reordered,
    ] {
        assert_eq!(wrong_with(&text), FieldError::Spelling, "{text}");
    }
    let upper = WRITTEN.replace(HOLDER, &HOLDER.to_uppercase());
    assert_eq!(wrong_with(&upper), FieldError::Holder(InvalidHolder));
}

#[test]
fn nothing_that_is_printed_of_a_header_shows_its_holder() {
    let headers = headers_of(&opening());
    assert!(!format!("{headers:?}").contains(HOLDER));
    let permit = FencePermit::from_headers(&headers).unwrap();
    let debug = format!("{permit:?}");
    assert!(
        !debug.contains(HOLDER) && debug.contains("user:7:dataset:42"),
        "{debug}"
    );
    for wrong in [
        WRITTEN.replace(HOLDER, &HOLDER.to_uppercase()),
        format!("{WRITTEN} "),
        format!("{WRITTEN};holder=\"{HOLDER}\""),
        WRITTEN.replace(&format!("\"{HOLDER}\""), &format!("x{HOLDER}")),
        WRITTEN.replace(HOLDER, &format!("{HOLDER}\\")),
    ] {
        let error = wrong_with(&wrong);
        let printed = format!("{error:?} {error}").to_lowercase();
        assert!(!printed.contains(HOLDER), "{printed}");
    }
}

#[test]
fn a_missing_header_and_a_wrong_one_are_two_problems() {
    let missing = Problem::from(FieldError::Missing);
    assert_eq!(
        (missing.kind(), missing.status().as_u16()),
        (ProblemType::PermitMissing, 428)
    );
    let spelled = Problem::from(FieldError::Spelling);
    assert_eq!(
        (spelled.kind(), spelled.status().as_u16()),
        (ProblemType::PermitMalformed, 400)
    );
}
