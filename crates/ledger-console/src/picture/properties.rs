//! Whatever a story's names are, and whatever happened when: a browser's parser finds the same elements in
//! the picture, no error, and the names as text.

use proptest::prelude::*;
use scraper::{Html, Node};

use super::*;

const MARKS: [MarkKind; 13] = [
    MarkKind::Acquired,
    MarkKind::KeptOut,
    MarkKind::Opened,
    MarkKind::Read,
    MarkKind::Entry,
    MarkKind::Replayed,
    MarkKind::Refused,
    MarkKind::Frozen,
    MarkKind::Woken,
    MarkKind::Expired,
    MarkKind::Closed,
    MarkKind::Released,
    MarkKind::Note,
];

/// Any text, and text that has broken pages.
fn text() -> impl Strategy<Value = String> {
    let known = [
        "</title><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onfocus='alert(1)",
        "]]><!--",
        "</svg></foreignObject><style>*{}",
        "&lt;&#0;&amp",
        "javascript:alert(1)",
        "\u{202e}txet\0\u{ffff}\r\n",
        "",
    ];
    prop_oneof![2 => any::<String>(), 1 => prop::sample::select(known.to_vec()).prop_map(String::from)]
}

fn mark(lane: u64) -> impl Strategy<Value = Mark> {
    let kind = prop::sample::select(MARKS.to_vec());
    let by = prop::option::of(0..60_u64);
    (0..20_u64, any::<i64>(), kind, text(), by).prop_map(move |(id, at, kind, text, by)| {
        let mut mark = Mark::new(MarkId(lane * 20 + id), Moment::from_micros(at), kind, text);
        mark.refused_by = by.map(MarkId);
        mark
    })
}

fn bar() -> impl Strategy<Value = Bar> {
    let kind = prop::sample::select(BarKind::ALL.to_vec());
    let (from, to) = (any::<i64>(), prop::option::of(any::<i64>()));
    (kind, from, to, text()).prop_map(|(kind, from, to, text)| Bar {
        kind,
        from: Moment::from_micros(from),
        to: to.map(Moment::from_micros),
        text,
    })
}

fn lane(number: u64) -> impl Strategy<Value = Lane> {
    let (bars, marks) = (
        prop::collection::vec(bar(), 0..4),
        prop::collection::vec(mark(number), 0..6),
    );
    (text(), text(), bars, marks).prop_map(|(name, detail, bars, marks)| Lane {
        name,
        detail,
        bars,
        marks,
    })
}

fn story() -> impl Strategy<Value = Story> {
    let lanes = (0..4_u64).prop_flat_map(|count| (0..count).map(lane).collect::<Vec<_>>());
    let times = prop::sample::select(vec![Times::SinceBegin, Times::Utc]);
    (text(), text(), times, lanes, any::<bool>()).prop_map(
        |(anchor, title, times, lanes, unfolded)| Story {
            unfolded,
            ..Story::new(Anchor::new(&anchor), title, times, lanes)
        },
    )
}

/// The story with every text of strangers replaced by a letter.
fn harmless(story: &Story) -> Story {
    let mut story = story.clone();
    story.title = "x".to_owned();
    for lane in &mut story.lanes {
        (lane.name, lane.detail) = ("x".to_owned(), "x".to_owned());
        lane.bars
            .iter_mut()
            .for_each(|bar| bar.text = "x".to_owned());
        lane.marks
            .iter_mut()
            .for_each(|mark| mark.text = "x".to_owned());
    }
    story
}

fn parsed(story: &Story) -> Html {
    let body = story.draw().into_string();
    Html::parse_document(&format!(
        "<!DOCTYPE html><html lang=\"en\"><head><title>t</title></head><body>{body}</body></html>"
    ))
}

/// Every element with the names of its attributes, in the order of the document.
fn elements(page: &Html) -> Vec<String> {
    let elements = page
        .tree
        .nodes()
        .filter_map(|node| node.value().as_element());
    elements
        .map(|element| {
            let mut names: Vec<&str> = element.attrs().map(|(name, _)| name).collect();
            names.sort_unstable();
            format!("{} {names:?}", element.name())
        })
        .collect()
}

fn all_text(page: &Html) -> String {
    let texts = page.tree.nodes().filter_map(|node| match node.value() {
        Node::Text(text) => Some(&**text),
        _ => None,
    });
    texts.collect()
}

/// A fourth of the usual number of cases: each is a page that is parsed.
fn fewer() -> ProptestConfig {
    let usual = ProptestConfig::default();
    let cases = usual.cases / 4;
    ProptestConfig { cases, ..usual }
}

proptest! {
    #![proptest_config(fewer())]

    #[test]
    fn no_name_changes_what_the_picture_is_made_of(story in story()) {
        let page = parsed(&story);
        prop_assert!(page.errors.is_empty(), "{:?}", page.errors);
        prop_assert_eq!(elements(&page), elements(&parsed(&harmless(&story))));
    }

    #[test]
    fn every_name_is_there_as_text(story in story()) {
        let text = all_text(&parsed(&story));
        prop_assert!(text.contains(&*shown(&story.title)), "{text:?}");
        for lane in &story.lanes {
            prop_assert!(text.contains(&*shown(&lane.name)), "{text:?}");
            for mark in &lane.marks {
                prop_assert!(text.contains(&*shown(&mark.text)), "{text:?}");
            }
        }
    }

    /// Nothing is fetched, run or styled in place, so the strictest policy does not break it.
    #[test]
    fn nothing_is_fetched_run_or_styled_in_place(story in story()) {
        for element in parsed(&story).tree.nodes().filter_map(|node| node.value().as_element()) {
            prop_assert!(!["script", "style", "link", "img", "iframe", "base"].contains(&element.name()));
            for (name, value) in element.attrs() {
                prop_assert!(!name.starts_with("on") && name != "style" && name != "src", "{name}");
                prop_assert!(name != "href" || value.starts_with('#'), "{name}={value}");
                let is_reference = ["fill", "marker-end"].contains(&name);
                prop_assert!(!is_reference || value.starts_with("url(#"), "{name}={value}");
            }
        }
    }
}

fn many(lanes: usize, marks: usize) -> Story {
    let lane = |lane: usize| {
        let mut drawn = Lane::new(format!("holder {lane}"), "");
        drawn.marks = (0..marks)
            .map(|mark| {
                let (id, at) = ((lane * marks + mark) as u64, (lane * 1000 + mark) as i64);
                Mark::new(
                    MarkId(id),
                    Moment::from_micros(at),
                    MarkKind::Entry,
                    "an entry",
                )
            })
            .collect();
        drawn
    };
    Story::new(
        Anchor::new("s"),
        "many",
        Times::SinceBegin,
        (0..lanes).map(lane).collect(),
    )
}

#[test]
fn a_picture_is_bounded_and_says_what_it_leaves_out() {
    let page = parsed(&many(100, 100));
    let marks = elements(&page)
        .iter()
        .filter(|name| name.contains("data-kind"))
        .count();
    assert_eq!(marks, LANES_AT_MOST * MARKS_AT_MOST);
    let text = all_text(&page);
    assert!(text.contains("40 more lanes are not drawn"), "{text}");
    assert!(
        text.contains("3600 more steps of these lanes are not drawn"),
        "{text}"
    );
}

#[test]
fn a_refused_write_has_a_line_to_the_opening_that_refused_it_and_leads_there() {
    let (mut a, mut b) = (Lane::new("A", ""), Lane::new("B", ""));
    let at = Moment::from_micros;
    b.marks
        .push(Mark::new(MarkId(7), at(10), MarkKind::Opened, "opens"));
    let refused = Mark::new(MarkId(9), at(20), MarkKind::Refused, "is refused");
    a.marks.push(Mark {
        refused_by: Some(MarkId(7)),
        ..refused
    });
    let page = parsed(&Story::new(
        Anchor::new("s"),
        "refused",
        Times::SinceBegin,
        vec![a, b],
    ));
    let chosen = |selector: &str| {
        let selector = scraper::Selector::parse(selector).expect("it is a selector");
        page.select(&selector)
            .map(|found| found.html())
            .collect::<Vec<_>>()
    };
    assert_eq!(chosen("line.refused-by").len(), 1);
    assert_eq!(chosen("a[data-kind=refused][href='#s-mark-7']").len(), 1);
    assert_eq!(chosen("#s-mark-7[data-kind=opens]").len(), 1);
    assert_eq!(chosen("tr#s-step-9 a[href='#s-step-7']").len(), 1);
}
