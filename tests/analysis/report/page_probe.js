// SPDX-License-Identifier: GPL-2.0-or-later
//
// Put into the HTML report by html_page_test.cpp, before and after the page's own
// scripts: uses the page as a reader would, and sends what it saw to the page around it.
"use strict";

const seen = { errors: [], alerts: 0 };
window.addEventListener("error", (event) => seen.errors.push(event.message));
window.addEventListener("unhandledrejection", (event) => seen.errors.push(String(event.reason)));
document.addEventListener("securitypolicyviolation", (event) => seen.errors.push(`CSP: ${event.blockedURI}`));
window.alert = () => { seen.alerts += 1; };

const textOf = (node) => node.textContent.replace(/\s+/g, " ").trim();
const all = (selector) => [...document.querySelectorAll(selector)];
const shownTrials = () => all("details.trial").filter((node) => !node.hidden).map((node) => Number(node.dataset.id));

function readTip(key) {
  const plot = document.querySelector(".panel svg[role=img]");
  plot.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  return all(".tip:not([hidden]) tr").map((row) => [...row.children].map(textOf));
}

// Changes a filter with the keyboard; says which control has the focus afterwards.
function choose(name, index) {
  const box = document.querySelector(`#filters [data-key=${name}]`);
  box.focus();
  box.selectedIndex = index;
  box.dispatchEvent(new Event("change"));
  return { trials: shownTrials(), focus: document.activeElement.dataset.key };
}

function clickAndRead(link) {
  link.click();
  return { trials: shownTrials(), lines: all(".lines button").map(textOf), squares: all(".square").length };
}

// The first timeline: what it shows, zoomed and panned with its button and the keyboard.
function readTimeline() {
  const holder = document.querySelector("[data-timeline]");
  if (!holder) return null;
  const details = holder.closest("details");
  details.open = true;
  details.dispatchEvent(new Event("toggle"));
  const texts = (selector) => [...holder.querySelectorAll(selector)].map(textOf);
  const late = () => Math.max(0, ...[...holder.querySelectorAll("rect.victim")].map((rect) => Number(rect.getAttribute("width"))));
  const press = (key) => holder.querySelector("svg").dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const shown = { rows: texts(".row-name"), names: texts(".block-name"), latency: texts(".latency-text"),
    segments: texts(".segment-name"), legend: texts(".timeline-legend span"), late: late() };
  holder.querySelector("button[aria-label='Zoom in']").click();
  shown.lateZoomed = late();
  for (let i = 0; i < 20; ++i) press("ArrowLeft");
  shown.latePanned = late();
  press("Home");
  shown.lateAgain = late();
  holder.querySelector("rect.block").dispatchEvent(new PointerEvent("pointermove", { clientX: 5, clientY: 5, bubbles: true }));
  shown.tip = textOf(holder.querySelector(".tip"));
  return shown;
}

function probe() {
  seen.width = window.innerWidth;
  seen.scrollWidth = document.documentElement.scrollWidth;
  seen.background = getComputedStyle(document.body).backgroundColor;
  seen.images = all("img").length;
  seen.scripts = all("script").length;
  seen.rows = all("table.cells tbody tr").map((row) => [...row.children].map(textOf));
  seen.panels = all(".panel h3").map(textOf);
  seen.lines = all(".lines button").map(textOf);
  seen.paths = all("path.histogram, path.tail").filter((path) => path.getBBox().width > 0).length;
  seen.badPaths = all("path").filter((path) => /NaN|Infinity|undefined/.test(path.getAttribute("d"))).length;
  seen.limits = all(".limit text").map(textOf);
  seen.squares = all(".square").map((node) => node.getAttribute("aria-label"));
  seen.outside = all("body *:not(.trial:nth-child(n + 12) *)").filter((node) => !node.closest(".scroll, pre") &&
    node.getBoundingClientRect().right > window.innerWidth + 1).map((node) => node.outerHTML.slice(0, 80));
  const cell = document.querySelector(".cell.measured a");
  if (cell) {
    seen.tip = readTip("ArrowRight");
    seen.tipAtEnd = readTip("End");
    seen.filtered = clickAndRead(cell);
    seen.again = clickAndRead(document.querySelector(".cell.measured a"));
    seen.failed = clickAndRead(document.querySelector("a.count.FAIL"));
    seen.unfailed = clickAndRead(document.querySelector("a.count.FAIL"));
    seen.chosen = choose("load", 2);
  }
  seen.timeline = readTimeline();
  window.parent.postMessage(seen, "*");
}
