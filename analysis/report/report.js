// SPDX-License-Identifier: GPL-2.0-or-later
//
// The page: one filter for everything, and the plots that follow it. The trials and
// their numbers are in the markup already; the data holds the histograms.
"use strict";

(() => {
  const { number, html } = Plots;
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const MOST_LINES = 24; // in one plot

  const factors = data.factors.map((factor, index) => ({ ...factor, index }));
  const varied = factors.filter((factor) => factor.levels.length > 1);
  const loadFactor = factors.find((factor) => factor.name === "load");
  const usable = (trial) => trial.verdict === "PASS" || trial.verdict === "FAIL";

  // In the plan's order: of clocks, of levels, of repetitions.
  const ordered = [...data.trials].sort((a, b) =>
    a.clock.localeCompare(b.clock) ||
    a.levels.map((level, f) => level - b.levels[f]).find((d) => d !== 0) ||
    a.repetition - b.repetition);
  const clocks = [...new Set(ordered.map((trial) => trial.clock))];
  const configurations = new Set(ordered.filter(usable).map((trial) => trial.name)).size;
  const firstFactor = varied.find((factor) => factor !== loadFactor);

  // More lines than colours only when asked for; the loads where nothing else varies.
  function firstLines() {
    if (!firstFactor && loadFactor && varied.includes(loadFactor)) return String(loadFactor.index);
    return configurations > Plots.COLOURS && firstFactor ? String(firstFactor.index) : "configuration";
  }

  const state = {
    levels: new Map(), // factor index -> level index
    verdict: "",
    // "configuration", "trial", or the index of a factor
    lines: firstLines(),
    panels: loadFactor && firstFactor && varied.includes(loadFactor) ? loadFactor.index : -1,
    perCpu: false,
    log: null, // of the latency axis; null: by the data
    metric: "max",
    order: "measured",
    hidden: new Set(),
  };

  const matches = (trial) =>
    [...state.levels].every(([factor, level]) => trial.levels[factor] === level) &&
    (state.verdict === "" || trial.verdict === state.verdict);

  const levelName = (factor, trial) => {
    const level = trial.levels[factor];
    return level < 0 ? `no ${factors[factor].name}` : factors[factor].levels[level];
  };

  // --- controls -------------------------------------------------------------------

  // [[value, text], ...]; `changed` gets the value.
  function select(label, options, value, changed) {
    const box = html("select", { "data-key": label }, ...options.map(([v, text]) =>
      html("option", { value: v, selected: String(v) === String(value) }, text)));
    box.addEventListener("change", () => changed(box.value));
    return html("label", {}, html("span", {}, label), box);
  }

  function button(text, pressed) {
    const made = html("button", { type: "button" }, text);
    made.addEventListener("click", pressed);
    return made;
  }

  // What is redrawn keeps the keyboard's focus: it is found again by its key.
  function keepingFocus(redraw) {
    const key = document.activeElement && document.activeElement.dataset.key;
    redraw();
    if (key) document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus({ preventScroll: true });
  }

  function setFilter(levels, verdict) {
    state.levels = levels;
    state.verdict = verdict;
    keepingFocus(update);
  }

  function drawFilters() {
    const form = byId("filters");
    const boxes = varied.map((factor) => {
      const options = [["", "all"], ...factor.levels.map((level, i) => [i, level])];
      return select(factor.name, options, state.levels.get(factor.index) ?? "", (value) => {
        const levels = new Map(state.levels);
        if (value === "") levels.delete(factor.index);
        else levels.set(factor.index, Number(value));
        setFilter(levels, state.verdict);
      });
    });
    const verdicts = ["PASS", "FAIL", "INVALID", "ERROR"].map((verdict) => [verdict, verdict]);
    boxes.push(select("verdict", [["", "all"], ...verdicts], state.verdict,
      (value) => setFilter(state.levels, value)));
    const set = state.levels.size > 0 || state.verdict !== "";
    const clear = set ? button("Show all", () => setFilter(new Map(), "")) : null;
    form.classList.toggle("set", set);
    form.replaceChildren(html("b", {}, "Filter"), ...boxes, ...(clear ? [clear] : []));
    form.hidden = false;
  }

  // --- lines of the plots -----------------------------------------------------------

  function lineName(trial) {
    if (state.lines === "configuration") return trial.name;
    if (state.lines === "trial") return `#${trial.id} ${trial.name}`;
    return levelName(Number(state.lines), trial);
  }

  function lineNames(trial) {
    const name = lineName(trial);
    return trial.cpus.map((cpu) => (state.perCpu ? `${name}, CPU ${cpu.cpu}` : name));
  }

  // Colours stay with their lines while the filter changes.
  function styles() {
    const names = [...new Set(ordered.filter(usable).flatMap(lineNames))];
    return new Map(names.map((name, i) => [name, {
      colour: i % Plots.COLOURS,
      dash: Plots.DASHES[Math.floor(i / Plots.COLOURS) % Plots.DASHES.length],
    }]));
  }

  // One panel for each level of the panel factor and each clock: real and virtual time
  // never share one.
  function panelsOf(trials) {
    const panels = new Map();
    for (const trial of trials) {
      const level = state.panels < 0 ? "" : levelName(state.panels, trial);
      const key = `${trial.clock} ${level}`;
      if (!panels.has(key)) panels.set(key, { level, clock: trial.clock, trials: [] });
      panels.get(key).trials.push(trial);
    }
    return [...panels.values()];
  }

  // --- distributions ------------------------------------------------------------------

  function plotNote(all, shown) {
    const left = all.filter((trial) => !usable(trial)).length;
    const pooled = state.lines === "trial" ? "each line is one trial" : "each line pools the trials of its name in that panel";
    return `${number(shown.length)} ${shown.length === 1 ? "trial" : "trials"}; ${state.perCpu ? "one line for each CPU" : "all CPUs together"}; ${pooled}.` +
      (left > 0 ? ` Left out: ${number(left)} trials that are INVALID or ERROR.` : "");
  }

  function legendEntry(line, panel, key) {
    const swatch = Plots.svg("svg", { width: 22, height: 10, "aria-hidden": "true" },
      Plots.svg("line", { x1: 1, x2: 21, y1: 5, y2: 5, style: `--c:var(--s${line.colour})`, "stroke-dasharray": line.dash || null }));
    const facts = `max ${line.max === null ? "unknown" : number(line.max)}` +
      (line.overflows > 0 ? `, ${number(line.overflows)} past ${number(line.end)}` : "") +
      `, n ${number(line.samples)}` + (line.trials.size > 1 ? ` in ${line.trials.size} trials` : "");
    const entry = html("button", { type: "button", "data-key": `${key} ${line.key}`, "aria-pressed": state.hidden.has(line.key) ? "false" : "true" },
      swatch, html("b", {}, line.key), html("span", {}, facts));
    const emphasise = (on) => panel.querySelectorAll("[data-line]").forEach((path) =>
      path.classList.toggle("faint", on && path.dataset.line !== line.key));
    for (const name of ["pointerenter", "focus"]) entry.addEventListener(name, () => emphasise(true));
    for (const name of ["pointerleave", "blur"]) entry.addEventListener(name, () => emphasise(false));
    entry.addEventListener("click", () => {
      if (!state.hidden.delete(line.key)) state.hidden.add(line.key);
      keepingFocus(drawPlots);
    });
    return entry;
  }

  function fillTip(tip, lines, us) {
    const rows = lines.map((line) => {
      const { here, above, share, exact } = Lines.readingOf(line, us);
      const bound = exact ? "" : "≤ ";
      return html("tr", { style: `--c:var(--s${line.colour})` }, html("th", { scope: "row" }, line.key),
        html("td", {}, exact ? number(here) : "unknown"), html("td", {}, bound + number(above)),
        html("td", {}, bound + Lines.shareText(share)));
    });
    tip.replaceChildren(html("table", {},
      html("thead", {}, html("tr", {}, html("th", {}, `${number(us)} µs`), html("th", {}, "here"),
        html("th", {}, "at or above"), html("th", {}, "share"))),
      html("tbody", {}, ...rows)));
  }

  // One cursor in both plots of a panel, by pointer or by the arrow keys.
  function addCursor(panel, tip, plots, lines, view) {
    const range = [view.log ? Math.max(1, view.least) : 0, view.most];
    let now = null;
    const move = (us, near) => {
      now = us === null ? null : Math.round(Math.min(range[1], Math.max(range[0], us)));
      plots.forEach((plot) => plot.show(now));
      tip.hidden = now === null;
      if (now === null) return;
      fillTip(tip, lines, now);
      const box = near.root.getBoundingClientRect();
      const frame = panel.getBoundingClientRect();
      const right = box.left - frame.left + near.x(now) + 14;
      const left = right - 28 - tip.offsetWidth;
      const fits = right + tip.offsetWidth <= frame.width;
      tip.style.left = `${Math.max(0, fits ? right : left)}px`;
      tip.style.top = `${box.top - frame.top + 24}px`;
    };
    const steps = { ArrowLeft: -1, ArrowRight: 1, Home: -Infinity, End: Infinity };
    for (const plot of plots) {
      plot.root.addEventListener("pointermove", (event) =>
        move(plot.x.invert(event.clientX - plot.root.getBoundingClientRect().left), plot));
      plot.root.addEventListener("pointerleave", () => move(null));
      plot.root.addEventListener("blur", () => move(null));
      plot.root.addEventListener("keydown", (event) => {
        if (event.key === "Escape") move(null);
        if (!(event.key in steps)) return;
        event.preventDefault();
        const wide = event.shiftKey ? 10 : 1;
        move((now ?? lines[0].counts[0]?.[0] ?? range[0]) + steps[event.key] * wide, plot);
      });
    }
  }

  function drawPanel(panel, style, extent, width) {
    let lines = Lines.linesOf(panel.trials, lineNames, style);
    const all = lines.length;
    if (all > MOST_LINES) lines = lines.sort((a, b) => b.max - a.max).slice(0, MOST_LINES);
    const shown = lines.filter((line) => !state.hidden.has(line.key));
    const both = width >= 760;
    const view = { ...extent, name: panel.level, width: both ? Math.floor((width - 24) / 2) : width, height: both ? 250 : 220, limits: Lines.limitsOf(panel.trials) };
    const box = html("article", { class: "panel" });
    const tip = html("div", { class: "tip", hidden: true, "aria-live": "polite" });
    const plots = [Plots.histogram(shown, view), Plots.tail(shown, view)];
    box.append(
      html("h3", {}, panel.level || "All trials", " ", html("span", { class: `clock ${panel.clock}` }, `${panel.clock} time`)),
      html("div", { class: "lines" }, ...lines.map((line) => legendEntry(line, box, `${panel.clock} ${panel.level}`))),
      ...(all > lines.length ? [html("p", { class: "note" }, `The worst ${lines.length} of ${all} lines: filter to see the others.`)] : []),
      html("div", { class: "pair" }, ...plots.map((plot) => plot.root)), tip);
    if (shown.length > 0) addCursor(box, tip, plots, shown, view);
    return box;
  }

  function drawPlots() {
    const all = ordered.filter(matches);
    const trials = all.filter((trial) => usable(trial) && trial.cpus.length > 0);
    byId("plot-note").textContent = trials.length === 0 ? "No trial with usable numbers is selected." : plotNote(all, trials);
    const width = byId("plots").clientWidth;
    const style = styles();
    // All panels of one clock share the latency axis, so that they compare by eye.
    const extents = new Map(clocks.map((clock) => {
      const extent = Lines.extentOf(trials.filter((trial) => trial.clock === clock));
      return [clock, { ...extent, log: state.log ?? extent.wide }];
    }));
    drawPlotControls([...extents.values()].some((extent) => extent.log));
    byId("plots").replaceChildren(...panelsOf(trials).map((panel) => drawPanel(panel, style, extents.get(panel.clock), width)));
  }

  function drawPlotControls(log) {
    const manyCpus = data.trials.some((trial) => trial.cpus.length > 1);
    const names = varied.map((factor) => [factor.index, factor.name]);
    const set = (name, convert) => (value) => {
      state[name] = convert(value);
      state.hidden.clear();
      keepingFocus(drawPlots);
    };
    const controls = [
      select("Lines", [["configuration", "configuration"], ...names, ["trial", "trial"]], state.lines, set("lines", String)),
      select("Panels", [[-1, "none"], ...names], state.panels, set("panels", Number)),
      select("Latency axis", [["log", "logarithmic"], ["linear", "linear"]], log ? "log" : "linear", set("log", (v) => v === "log")),
    ];
    if (manyCpus) controls.push(select("CPUs", [["", "together"], ["each", "each"]], state.perCpu ? "each" : "", set("perCpu", Boolean)));
    byId("plot-controls").replaceChildren(...controls);
  }

  // --- heat map -------------------------------------------------------------------------

  const METRICS = [["max", "max"], ["p99.99", "p99.99"], ["p99.9", "p99.9"], ["p99", "p99"], ["p50", "p50"], ["avg", "avg"]];

  function metricOf(trial) {
    if (!usable(trial)) return null;
    if (state.metric === "avg") return trial.avg === null ? null : Math.round(trial.avg);
    return state.metric === "max" ? trial.max : trial.quantiles[state.metric];
  }

  function squareOf(trial, extent) {
    const value = metricOf(trial);
    const log = (v) => Math.log(Math.max(1, v));
    const range = Math.max(log(extent[1]) - log(extent[0]), Math.log(4)); // as in the table
    const word = trial.unfinished ? "unfinished" : trial.verdict;
    const load = loadFactor ? `, ${levelName(loadFactor.index, trial)}` : "";
    return {
      id: trial.id, value, sign: usable(trial) ? "?" : word[0],
      class: trial.verdict,
      heat: value === null ? 0 : (log(value) - log(extent[0])) / range,
      title: `#${trial.id} ${trial.name}${load}, repetition ${trial.repetition}: ${word}` +
        (usable(trial) ? `, ${state.metric} ${value === null ? "unknown" : `${number(value)} µs`}` : ""),
    };
  }

  function heatOf(clock, width) {
    const trials = ordered.filter((trial) => trial.clock === clock && matches(trial));
    const values = trials.map(metricOf).filter((value) => value !== null);
    const extent = [Math.min(...values), Math.max(...values)];
    const load = (trial) => (loadFactor ? levelName(loadFactor.index, trial) : "all");
    const columns = [...new Set(trials.map(load))];
    if (loadFactor) columns.sort((a, b) => loadFactor.levels.indexOf(a) - loadFactor.levels.indexOf(b));
    const rows = [...new Set(trials.map((trial) => trial.name))].map((label) => ({
      label,
      cells: columns.map((column) => trials.filter((t) => t.name === label && load(t) === column).map((t) => squareOf(t, extent))),
    }));
    return [
      html("p", { class: "label" }, `${state.metric} in µs, one square for each trial `, html("span", { class: `clock ${clock}` }, `${clock} time`)),
      rows.length > 0 ? Plots.heatMap(columns, rows, width) : html("p", { class: "note" }, "No trial is selected."),
    ];
  }

  function drawHeat() {
    byId("heat-controls").replaceChildren(select("Colour", METRICS, state.metric, (value) => {
      state.metric = value;
      keepingFocus(drawHeat);
    }));
    const width = byId("heat-map").clientWidth;
    byId("heat-map").replaceChildren(...clocks.flatMap((clock) => heatOf(clock, width)));
  }

  // --- trials ---------------------------------------------------------------------------

  const trialById = new Map(data.trials.map((trial) => [trial.id, trial]));
  const measured = [...document.querySelectorAll("details.trial")];

  const ORDERS = {
    measured: ["order of measurement", () => 0],
    worst: ["worst first", (a, b) => (usable(b) ? b.max ?? 0 : -1) - (usable(a) ? a.max ?? 0 : -1)],
    plan: ["by cell", (a, b) => ordered.indexOf(a) - ordered.indexOf(b)],
  };

  function drawTrials() {
    const compare = ORDERS[state.order][1];
    const trialOf = (node) => trialById.get(Number(node.dataset.id));
    const nodes = [...measured].sort((a, b) => compare(trialOf(a), trialOf(b)));
    let shown = 0;
    for (const node of nodes) {
      node.hidden = !matches(trialOf(node));
      shown += node.hidden ? 0 : 1;
    }
    byId("trial-list").replaceChildren(...nodes);
    const order = select("Order", Object.entries(ORDERS).map(([key, [text]]) => [key, text]), state.order, (value) => {
      state.order = value;
      keepingFocus(drawTrials);
    });
    byId("trial-note").replaceChildren(html("span", {}, shown === measured.length ? `All ${number(shown)}` : `${number(shown)} of ${number(measured.length)}`), " ", order);
  }

  // Opens the trial that the address names, also when the filter hides it.
  function openTarget() {
    const node = location.hash.startsWith("#trial-") ? byId(location.hash.slice(1)) : null;
    if (!node) return;
    if (node.hidden) setFilter(new Map(), "");
    node.open = true;
    node.scrollIntoView({ block: "start" });
  }

  // --- everything -------------------------------------------------------------------------

  function markCells() {
    for (const link of document.querySelectorAll("[data-filter]")) {
      const wanted = link.dataset.filter.split(",").filter(Boolean).map((part) => part.split(":").map(Number));
      const on = state.levels.size > 0 && wanted.length > 0 && wanted.every(([f, level]) => state.levels.get(f) === level);
      link.toggleAttribute("aria-current", on);
    }
  }

  function update() {
    drawFilters();
    markCells();
    drawPlots();
    drawHeat();
    drawTrials();
  }

  // A second click on the same cell, level or load takes the filter off again.
  function followLink(event) {
    const link = event.target.closest("[data-filter], [data-verdict]");
    if (!link) {
      // A link to the trial that the address names already changes no address.
      if (event.target.closest("a[href^='#trial-']")?.getAttribute("href") === location.hash) openTarget();
      return;
    }
    event.preventDefault();
    if (link.dataset.verdict) {
      setFilter(state.levels, state.verdict === link.dataset.verdict ? "" : link.dataset.verdict);
      return;
    }
    const parts = link.dataset.filter.split(",").filter(Boolean).map((part) => part.split(":").map(Number));
    const wanted = parts.filter(([factor]) => factors[factor].levels.length > 1);
    const on = wanted.every(([factor, level]) => state.levels.get(factor) === level);
    const levels = new Map(state.levels);
    for (const [factor, level] of wanted) {
      if (on) levels.delete(factor);
      else levels.set(factor, level);
    }
    setFilter(levels, state.verdict);
  }

  let drawnWidth = 0;
  function redrawWhenResized() {
    if (document.body.clientWidth === drawnWidth) return;
    drawnWidth = document.body.clientWidth;
    drawPlots();
    drawHeat();
  }

  for (const form of document.forms) form.addEventListener("submit", (event) => event.preventDefault());
  for (const id of ["distributions", "heat"]) byId(id).hidden = data.trials.length === 0;
  document.addEventListener("click", followLink);
  window.addEventListener("hashchange", openTarget);
  window.addEventListener("resize", redrawWhenResized);
  drawnWidth = document.body.clientWidth;
  if (data.trials.length > 0) update();
  Timelines.attach(data.timelines);
  openTarget();
})();
