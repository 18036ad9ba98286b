// Keeps the page live: asks for the same page again, and puts what is new in place. Without it the page is
// whole, and shows what was there when it was asked for.
"use strict";

const EVERY_MS = 1000;
const live = document.getElementById("live");
let known = "";

function say(text) {
    // A screen reader announces each change: so only what has changed is written.
    if (live.textContent !== text) live.textContent = text;
}

// What a reader has unfolded, and where the focus is, outlives the change.
function replace(page) {
    const old = document.getElementById("content");
    const next = page.getElementById("content");
    // The first answer is usually the page that is here already.
    if (!next || next.isEqualNode(old)) return;
    const isOpen = old.querySelector("details[open]") !== null;
    const focused = document.activeElement;
    const inside = old.contains(focused);
    const [id, href] = [focused.id, focused.getAttribute && focused.getAttribute("href")];
    old.replaceWith(document.adoptNode(next));
    if (isOpen) next.querySelectorAll("details").forEach((details) => { details.open = true; });
    if (!inside) return;
    const again = (id && document.getElementById(id))
        || (href && [...next.querySelectorAll("a")].find((link) => link.getAttribute("href") === href));
    if (again) again.focus({ preventScroll: true });
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
