// Keeps the page live: asks for the same page again, and puts what is new in place. Without it the page is
// whole, and shows what was there when it was asked for.
"use strict";

const EVERY_MS = 1000;
const live = document.getElementById("live");
// What is on the page already: the first look replaces nothing that has not changed.
let known = document.getElementById("content").dataset.tag || "";

function say(text) {
    // A screen reader announces each change: so only what has changed is written.
    if (live.textContent !== text) live.textContent = text;
}

// What a reader has unfolded and moved, where the focus is, and what a followed link has marked outlive the change.
function replace(page) {
    const old = document.getElementById("content");
    const next = page.getElementById("content");
    // The first answer is usually the page that is here already.
    if (!next || next.isEqualNode(old)) return;
    const isOpen = old.querySelector("details[open]") !== null;
    const moved = [...old.querySelectorAll(".scroll")].map((box) => [box.getAttribute("aria-label"), box.scrollLeft]);
    const focused = document.activeElement;
    const inside = old.contains(focused);
    const [id, href, tag] = [focused.id, focused.getAttribute("href"), focused.localName];
    const marked = location.hash.length > 1 && old.querySelector(":target") !== null;
    old.replaceWith(document.adoptNode(next));
    if (isOpen) next.querySelectorAll("details").forEach((details) => { details.open = true; });
    for (const box of next.querySelectorAll(".scroll")) {
        const was = moved.find(([label]) => label === box.getAttribute("aria-label"));
        if (was) box.scrollLeft = was[1];
    }
    if (marked) mark();
    if (!inside) return;
    const again = (id && document.getElementById(id))
        || (href && [...next.querySelectorAll("a")].find((link) => link.getAttribute("href") === href))
        || (tag === "summary" && next.querySelector("summary"));
    if (again) again.focus({ preventScroll: true });
}

// Following the same link again marks the new element; where the reader is stays as it is.
function mark() {
    const [x, y] = [scrollX, scrollY];
    location.replace(location.hash);
    scrollTo({ left: x, top: y, behavior: "instant" });
}

async function look() {
    try {
        const headers = known ? { "If-None-Match": known } : {};
        const answer = await fetch(location.pathname + location.search, { headers, cache: "no-store" });
        if (answer.status === 200) {
            replace(new DOMParser().parseFromString(await answer.text(), "text/html"));
            known = answer.headers.get("ETag") || "";
            say("live");
        } else if (answer.status === 304) {
            say("live");
        } else {
            say(answer.status === 503 ? "Postgres is away; trying again" : "no answer; trying again");
        }
    } catch {
        say("the program that serves this page is away; trying again");
    }
}

// One after the other: a slow answer is waited for. A page that nobody sees does not ask.
async function go() {
    for (;;) {
        if (!document.hidden) await look();
        await new Promise((done) => setTimeout(done, EVERY_MS));
    }
}

go();
