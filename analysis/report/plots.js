// SPDX-License-Identifier: GPL-2.0-or-later
//
// The drawing of the report's plots: values in, SVG elements out. Knows nothing of the
// page around them. Text reaches the page as text nodes only.
"use strict";

const Plots = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const COLOURS = 8; // --s0 to --s7 in report.css
  const DASHES = ["", "7 3", "2 3", "9 3 2 3"];

  const number = (n) => n.toLocaleString("en-US");

  function build(node, attributes, children) {
    for (const [name, value] of Object.entries(attributes || {})) {
      if (value === null || value === undefined || value === false) continue;
      node.setAttribute(name, value === true ? "" : value);
    }
    node.append(...children.filter((child) => child !== null && child !== undefined));
    return node;
  }
  const svg = (name, attributes, ...children) =>
    build(document.createElementNS(SVG, name), attributes, children);
  const html = (name, attributes, ...children) =>
    build(document.createElement(name), attributes, children);

  // --- scales ---------------------------------------------------------------------

  function linearScale(from, to, left, right) {
    const scale = (value) => left + ((value - from) / (to - from)) * (right - left);
    scale.invert = (pixel) => from + ((pixel - left) / (right - left)) * (to - from);
    scale.ticks = (count) => {
      const raw = (to - from) / Math.max(1, count);
      const power = 10 ** Math.floor(Math.log10(raw));
      const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
      const ticks = [];
      for (let v = Math.ceil(from / step) * step; v <= to; v += step) ticks.push(v);
      return ticks.map((v) => ({ value: Math.round(v * 1e6) / 1e6, label: true }));
    };
    return scale;
  }

  function logScale(from, to, left, right) {
    const low = Math.log10(from);
    const high = Math.log10(to);
    const scale = (value) =>
      left + ((Math.log10(Math.max(value, from)) - low) / (high - low)) * (right - left);
    scale.invert = (pixel) => 10 ** (low + ((pixel - left) / (right - left)) * (high - low));
    scale.ticks = () => {
      const decades = high - low;
      const labelled = decades > 2.5 ? [1] : decades > 1.2 ? [1, 2, 5] : [1, 1.5, 2, 3, 4, 5, 7];
      const ticks = [];
      for (let power = Math.floor(low); power <= high; ++power) {
        for (const m of new Set([...labelled, 1, 2, 3, 4, 5, 6, 7, 8, 9])) {
          const value = m * 10 ** power;
          if (value >= from * 0.999 && value <= to * 1.001) {
            ticks.push({ value, label: labelled.includes(m) && (power >= 0 || decades < 0) });
          }
        }
      }
      return ticks.sort((a, b) => a.value - b.value);
    };
    return scale;
  }

  // Latencies from `least` to `most` us. The logarithmic scale begins at 1 us: below
  // that cyclictest does not resolve anything.
  function latencyScale(view, left, right) {
    if (view.log) return logScale(Math.max(1, view.least * 0.9), view.most * 1.12, left, right);
    return linearScale(0, view.most * 1.04, left, right);
  }

  // --- axes -----------------------------------------------------------------------

  const MARGIN = { left: 60, right: 14, top: 16, bottom: 36 };

  function latencyAxis(x, view, bottom) {
    const group = svg("g", { class: "axis" });
    let free = -Infinity;
    for (const tick of x.ticks(view.width / 90)) {
      const at = x(tick.value);
      const text = number(tick.value);
      const half = text.length * 3.6 + 4;
      const labelled = tick.label && at - half > free && at + half < view.width;
      group.append(svg("line", { x1: at, x2: at, y1: bottom, y2: bottom + (labelled ? 5 : 3) }));
      if (!labelled) continue;
      free = at + half;
      group.append(svg("line", { class: "grid", x1: at, x2: at, y1: MARGIN.top, y2: bottom }));
      group.append(svg("text", { x: at, y: bottom + 17, "text-anchor": "middle" }, text));
    }
    group.append(svg("line", { class: "base", x1: MARGIN.left, x2: view.width - MARGIN.right, y1: bottom, y2: bottom }));
    group.append(svg("text", { class: "title", x: view.width - MARGIN.right, y: bottom + 31, "text-anchor": "end" }, "latency, µs"));
    return group;
  }

  function valueAxis(y, ticks, view, title) {
    const group = svg("g", { class: "axis" });
    for (const { value, label } of ticks) {
      const at = y(value);
      group.append(svg("line", { class: "grid", x1: MARGIN.left, x2: view.width - MARGIN.right, y1: at, y2: at }));
      group.append(svg("text", { x: MARGIN.left - 7, y: at + 4, "text-anchor": "end" }, label));
    }
    group.append(svg("text", { class: "title", x: 0, y: 9 }, title));
    return group;
  }

  function limitLines(x, view, bottom) {
    const group = svg("g", { class: "limit" });
    for (const limit of view.limits) {
      if (limit > view.most * 1.04 && !view.log) continue;
      const at = x(limit);
      if (at > view.width - MARGIN.right) continue;
      const left = at > view.width - 90;
      group.append(svg("line", { x1: at, x2: at, y1: MARGIN.top, y2: bottom }));
      group.append(svg("text", { x: at + (left ? -4 : 4), y: MARGIN.top + 9, "text-anchor": left ? "end" : "start" }, `limit ${number(limit)}`));
    }
    return group;
  }

  // Where each line of a histogram ends: its maximum.
  function maximumMarks(lines, x, bottom) {
    return lines.filter((line) => line.max !== null).map((line) =>
      svg("path", { d: `M${x(line.max)} ${bottom}l-4 -7h8z`, class: "mark", style: `--c:var(--s${line.colour})`, "data-line": line.key }));
  }

  // The maxima as numbers beside the ends of the tails, where there is room for them.
  function maximumLabels(ends, view) {
    const dots = ends.map(({ line, x, y }) => ({ line, y: y + 4, from: x - 5, to: x + 5 }));
    const taken = [];
    const labels = [];
    for (const { line, x, y } of [...ends].sort((a, b) => b.x - a.x)) {
      const text = number(line.max);
      const width = text.length * 7 + 4;
      const left = x + 7 + width > view.width;
      const box = left ? { x: x - width / 2, y: y - 9, from: x - width, to: x } : { x: x + 7, y: y + 4, from: x + 5, to: x + 7 + width };
      const others = [...taken, ...dots.filter((dot) => dot.line !== line)];
      if (others.some((other) => Math.abs(other.y - box.y) < 12 && box.from < other.to && other.from < box.to)) continue;
      taken.push(box);
      labels.push(svg("text", { x: box.x, y: box.y, "text-anchor": left ? "middle" : "start", style: `--c:var(--s${line.colour})`, "data-line": line.key }, text));
    }
    return svg("g", { class: "maxima" }, ...labels);
  }

  function frame(view, title, label) {
    const root = svg("svg", {
      width: view.width, height: view.height, viewBox: `0 0 ${view.width} ${view.height}`,
      role: "img", tabindex: 0, "aria-label": label,
    });
    const cursor = svg("line", { class: "cursor", y1: MARGIN.top, y2: view.height - MARGIN.bottom, visibility: "hidden" });
    const x = latencyScale(view, MARGIN.left, view.width - MARGIN.right);
    const show = (us) => {
      cursor.setAttribute("visibility", us === null ? "hidden" : "visible");
      if (us === null) return;
      cursor.setAttribute("x1", x(us));
      cursor.setAttribute("x2", x(us));
    };
    return { root, x, cursor, show, bottom: view.height - MARGIN.bottom };
  }

  const strokeOf = (line) => ({
    style: `--c:var(--s${line.colour})`, "stroke-dasharray": line.dash || null, "data-line": line.key,
  });

  // --- histogram: samples per bucket of 1 us, logarithmic ----------------------------

  // Buckets narrower than half a pixel share it: the highest one shows.
  function bars(counts, x) {
    const bars = [];
    for (const [us, n] of counts) {
      const left = x(us);
      const right = Math.max(x(us + 1), left + 0.5);
      const last = bars[bars.length - 1];
      if (last && left < last.left + 0.5) {
        last.n = Math.max(last.n, n);
        last.right = Math.max(last.right, right);
      } else {
        bars.push({ left, right, n });
      }
    }
    return bars;
  }

  function outline(counts, x, y, bottom) {
    let path = "";
    let end = -Infinity;
    for (const bar of bars(counts, x)) {
      const top = y(bar.n).toFixed(1);
      if (bar.left - end > 0.75) {
        if (path) path += `V${bottom}`;
        path += `M${bar.left.toFixed(1)} ${bottom}`;
      }
      path += `V${top}H${bar.right.toFixed(1)}`;
      end = bar.right;
    }
    return path && `${path}V${bottom}`;
  }

  const superscript = (power) => [...String(power)].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"[d]).join("");

  function countTicks(most) {
    const ticks = [];
    const decades = Math.ceil(Math.log10(most));
    const step = Math.max(1, Math.ceil(decades / 6));
    for (let power = 0; 10 ** power <= most * 1.5; power += step) {
      ticks.push({ value: 10 ** power, label: power < 4 ? number(10 ** power) : `10${superscript(power)}` });
    }
    return ticks;
  }

  function histogram(lines, view) {
    const { root, x, cursor, show, bottom } = frame(view, "histogram", `Histogram: ${view.name}`);
    const most = Math.max(1, ...lines.map((line) => line.highest));
    const y = logScale(0.6, most * 1.6, bottom, MARGIN.top);
    root.append(valueAxis(y, countTicks(most), view, "samples per µs"), latencyAxis(x, view, bottom));
    for (const line of lines) {
      const path = outline(line.counts, x, y, bottom);
      if (path) root.append(svg("path", { class: lines.length > 2 ? "histogram" : "histogram filled", d: path, ...strokeOf(line) }));
    }
    root.append(limitLines(x, view, bottom), ...maximumMarks(lines, x, bottom), cursor);
    return { root, x, show };
  }

  // --- tail: share of the samples at or above a latency, logarithmic ------------------

  function tailPaths(line, x, y) {
    let left = line.samples;
    let path = `M${x(line.counts.length ? line.counts[0][0] : line.end).toFixed(1)} ${y(1).toFixed(1)}`;
    for (const [us, n] of line.counts) {
      const share = left / line.samples;
      path += `V${y(share).toFixed(1)}H${x(us).toFixed(1)}`;
      left -= n;
    }
    if (left > 0) path += `V${y(left / line.samples).toFixed(1)}H${x(line.end).toFixed(1)}`;
    // Past the histogram only the maximum is known, and that one sample had it.
    const past = left > 0 && line.max !== null
      ? `M${x(line.end).toFixed(1)} ${y(left / line.samples).toFixed(1)}H${x(line.max).toFixed(1)}V${y(1 / line.samples).toFixed(1)}`
      : "";
    return { path, past };
  }

  function shareTicks(least) {
    const ticks = [];
    const decades = Math.ceil(-Math.log10(least));
    const step = decades > 7 ? 2 : 1;
    for (let power = 0; 10 ** -power >= least; power += step) {
      const label = power === 0 ? "all" : power === 1 ? "p90" : power === 2 ? "p99" : `p99.${"9".repeat(power - 2)}`;
      ticks.push({ value: 10 ** -power, label });
    }
    return ticks;
  }

  function tail(lines, view) {
    const { root, x, cursor, show, bottom } = frame(view, "tail", `Tail: ${view.name}`);
    const least = Math.min(0.1, ...lines.map((line) => 1 / line.samples));
    const y = logScale(least / 1.8, 1.3, bottom, MARGIN.top);
    root.append(valueAxis(y, shareTicks(least), view, "share at or above"), latencyAxis(x, view, bottom));
    const ends = [];
    for (const line of lines) {
      const { path, past } = tailPaths(line, x, y);
      root.append(svg("path", { class: "tail", d: path, ...strokeOf(line) }));
      if (past) root.append(svg("path", { class: "tail past", d: past, ...strokeOf(line), "stroke-dasharray": "2 3" }));
      if (line.max !== null) ends.push({ line, x: x(line.max), y: y(1 / line.samples) });
    }
    root.append(limitLines(x, view, bottom), ...ends.map(({ line, x: cx, y: cy }) =>
      svg("circle", { class: "end", cx, cy, r: 3.5, style: `--c:var(--s${line.colour})`, "data-line": line.key })),
      maximumLabels(ends, view), cursor);
    return { root, x, show };
  }

  // --- heat map: one square for each trial ------------------------------------------

  // `value` of each trial is null where it has none; `heat` is 0 to 1.
  function heatSquare(trial, size, x, y) {
    const link = svg("a", { href: `#trial-${trial.id}`, class: `square ${trial.class}`, "aria-label": trial.title });
    link.append(svg("title", {}, trial.title));
    link.append(svg("rect", { x, y, width: size.width - 2, height: size.height - 2, rx: 2, style: trial.value === null ? null : `--heat:${Math.round(trial.heat * 100)}%` }));
    const text = trial.value === null ? trial.sign : number(trial.value);
    if (text.length * 6.6 + 4 <= size.width) {
      link.append(svg("text", { x: x + size.width / 2 - 1, y: y + size.height / 2 + 3, "text-anchor": "middle" }, text));
    }
    return link;
  }

  // rows: [{label, cells: [[trial]]}] with one list of trials for each of `columns`.
  function heatMap(columns, rows, available) {
    const widest = columns.map((_, c) => Math.max(1, ...rows.map((row) => row.cells[c].length)));
    const squares = widest.reduce((sum, n) => sum + n, 0);
    const stacked = available < 620;
    const nameWidth = (name) => Math.min(name.length, 24) * 7.4 + 6;
    const labels = stacked ? 0 : Math.min(300, 16 + 7 * Math.max(...rows.map((row) => row.label.length)));
    const gap = 10;
    const room = (available - labels - gap * columns.length) / squares;
    const size = { width: Math.max(12, Math.min(64, Math.floor(room))), height: 26 };
    const pitch = size.height + (stacked ? 18 : 2);
    const spans = columns.map((name, c) => Math.max(widest[c] * size.width, nameWidth(name)));
    const width = labels + spans.reduce((sum, span) => sum + span, 0) + gap * columns.length;
    const top = 22;
    const height = top + rows.length * pitch + 4;
    const root = svg("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": "Every trial" });
    let left = labels;
    columns.forEach((column, c) => {
      const span = spans[c];
      const text = column.length > 24 ? `${column.slice(0, 23)}…` : column;
      root.append(svg("text", { class: "column", x: left, y: 14 }, text, svg("title", {}, column)));
      rows.forEach((row, r) => {
        const y = top + r * pitch + (stacked ? 16 : 0);
        if (c === 0) {
          const at = stacked ? { x: 0, y: y - 4 } : { x: labels - 10, y: y + 15, "text-anchor": "end" };
          const most = stacked ? 60 : 42;
          const label = row.label.length > most ? `${row.label.slice(0, most - 1)}…` : row.label;
          root.append(svg("text", { class: "row", ...at }, label, svg("title", {}, row.label)));
        }
        row.cells[c].forEach((trial, i) => root.append(heatSquare(trial, size, left + i * size.width, y)));
      });
      left += span + gap;
    });
    return root;
  }

  return { COLOURS, DASHES, number, svg, html, histogram, tail, heatMap };
})();
