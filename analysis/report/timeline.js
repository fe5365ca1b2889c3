// SPDX-License-Identifier: GPL-2.0-or-later
//
// The timeline of an outlier: CPUs as rows, what they did as blocks, the latency marked.
// Zoom with the buttons, + and -, or the wheel with Ctrl; pan by dragging or with the arrows.
"use strict";

const Timelines = (() => {
  const { svg, html } = Plots;
  const KINDS = [
    { css: "task", name: "task", lane: 3 },
    { css: "idle", name: "idle", lane: 3 },
    { css: "softirq", name: "softirq", lane: 2 },
    { css: "irq", name: "hard interrupt", lane: 1 },
    { css: "irqs-off", name: "interrupts off", lane: 0 },
    { css: "preempt-off", name: "preemption off", lane: 0 },
  ];
  const VICTIM = 1, CUT_BEGIN = 2, CUT_END = 4;
  const LEFT = 58, RIGHT = 10, TOP = 26, LANE = 18, TASK_LANE = 24, ROW_GAP = 10, SEGMENTS = 26;
  const LEAST_NS = 200; // across the whole picture

  const us = (ns) => `${(ns / 1000).toLocaleString("en-US", { minimumFractionDigits: 1, maximumFractionDigits: ns < 10000 ? 3 : 1 })} µs`;

  function blockOf([kind, begin, length, name, priority, flags]) {
    return { kind: KINDS[kind] ?? KINDS[0], begin, end: begin + length, name, priority,
      victim: (flags & VICTIM) !== 0, cut: (flags & (CUT_BEGIN | CUT_END)) !== 0 };
  }

  // Where each row and each of its lanes lies; lanes that hold nothing take no room.
  function layOut(rows) {
    let y = TOP;
    return rows.map((row) => {
      const blocks = row.blocks.map(blockOf);
      const lanes = [0, 1, 2, 3].map((lane) => lane === 3 || blocks.some((block) => block.kind.lane === lane));
      const tops = [];
      for (let lane = 0; lane < 4; ++lane) {
        tops.push(y);
        if (lanes[lane]) y += lane === 3 ? TASK_LANE : LANE;
      }
      const placed = { cpu: row.cpu, blocks, tops, bottom: y };
      y += ROW_GAP;
      return placed;
    });
  }

  function ticksOf(from, to, most) {
    const raw = (to - from) / most;
    const power = 10 ** Math.floor(Math.log10(raw));
    const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
    const ticks = [];
    for (let i = Math.ceil(from / step); i * step <= to; ++i) ticks.push(i * step);
    return ticks;
  }

  // `fits` is how many characters there is room for.
  const fitting = (text, width) => {
    const fits = Math.floor((width - 8) / 6.4);
    if (text.length <= fits) return text;
    return fits < 5 ? "" : `${text.slice(0, fits - 1)}…`;
  };

  class Timeline {
    constructor(container, picture) {
      this.picture = picture;
      this.rows = layOut(picture.rows);
      this.bottom = this.rows[this.rows.length - 1].bottom + 4;
      this.tip = html("div", { class: "tip", hidden: true });
      this.root = svg("svg", { class: "timeline", role: "img", tabindex: 0,
        "aria-label": `${picture.headline} Latency ${us(picture.latency_ns)} on CPU ${picture.cpu}. Arrows pan, plus and minus zoom.` });
      container.replaceChildren(this.buttons(), html("div", { class: "timeline-box" }, this.root, this.tip), this.legend());
      this.box = container.querySelector(".timeline-box");
      this.fit();
      this.listen();
      // Also when a part of the page that was not laid out comes into view.
      new ResizeObserver(() => { if (this.box.clientWidth !== this.drawnFor) this.draw(); }).observe(this.box);
    }

    buttons() {
      const button = (text, label, pressed) => {
        const made = html("button", { type: "button", "aria-label": label }, text);
        made.addEventListener("click", pressed);
        return made;
      };
      return html("div", { class: "controls" },
        button("+", "Zoom in", () => this.zoom(0.5)), button("−", "Zoom out", () => this.zoom(2)),
        button("latency", "Show the latency", () => this.show(-0.03 * this.picture.latency_ns, 1.03 * this.picture.latency_ns)),
        button("all", "Show all", () => this.fit()),
        html("span", { class: "note" }, "drag to pan; Ctrl and wheel, or + and −, to zoom"));
    }

    legend() {
      const used = new Set(this.rows.flatMap((row) => row.blocks.map((block) => (block.victim ? "victim" : block.kind.css))));
      const names = [["victim", "the late thread"], ...KINDS.map((kind) => [kind.css, kind.css === "task" ? "another task" : kind.name])];
      const entries = names.filter(([css]) => used.has(css)).map(([css, name]) => html("span", {}, html("i", { class: `block ${css}` }), name));
      const left = this.picture.left_out > 0 ? [html("span", {}, `${Plots.number(this.picture.left_out)} short blocks are left out`)] : [];
      return html("div", { class: "timeline-legend" }, ...entries, ...left);
    }

    get span() { return this.to - this.from; }
    x(ns) { return LEFT + ((ns - this.from) / this.span) * (this.width - LEFT - RIGHT); }

    fit() { this.show(this.picture.begin_ns, this.picture.end_ns); }

    // Stays within the picture, and above what can be told apart.
    show(from, to) {
      const { begin_ns: begin, end_ns: end } = this.picture;
      const span = Math.min(Math.max(to - from, LEAST_NS), end - begin);
      this.from = Math.min(Math.max(from, begin), end - span);
      this.to = this.from + span;
      this.draw();
    }

    zoom(factor, at = (this.from + this.to) / 2) {
      this.show(at - (at - this.from) * factor, at + (this.to - at) * factor);
    }
    pan(part) { this.show(this.from + part * this.span, this.to + part * this.span); }

    draw() {
      this.drawnFor = this.box.clientWidth;
      this.width = Math.max(280, this.drawnFor);
      const height = this.bottom + 22 + SEGMENTS + 6;
      this.root.setAttribute("viewBox", `0 0 ${this.width} ${height}`);
      this.root.setAttribute("width", this.width);
      this.root.setAttribute("height", height);
      this.root.replaceChildren(...this.latencyGround(), ...this.axis(), ...this.rows.flatMap((row) => this.row(row)), ...this.latencyLines(), ...this.segments());
      this.tip.hidden = true;
    }

    clamped(ns) { return this.x(Math.min(Math.max(ns, this.from), this.to)); }

    latencyGround() {
      const left = this.clamped(0);
      const width = this.clamped(this.picture.latency_ns) - left;
      return width > 0 ? [svg("rect", { class: "latency-ground", x: left, y: TOP - 6, width, height: this.bottom - TOP + 6 })] : [];
    }

    latencyLines() {
      const shown = [0, this.picture.latency_ns].filter((ns) => ns >= this.from && ns <= this.to);
      const lines = shown.map((ns) => svg("line", { class: "latency-line", x1: this.x(ns), x2: this.x(ns), y1: TOP - 12, y2: this.bottom }));
      const left = this.clamped(0);
      const right = this.clamped(this.picture.latency_ns);
      if (right - left < 20) return lines;
      const middle = Math.min(Math.max((left + right) / 2, LEFT + 60), this.width - 70);
      return [...lines, svg("text", { class: "latency-text", x: middle, y: TOP - 12, "text-anchor": "middle" }, `latency ${us(this.picture.latency_ns)}`)];
    }

    axis() {
      const ticks = ticksOf(this.from / 1000, this.to / 1000, Math.max(3, this.width / 90));
      return [
        ...ticks.map((tick) => svg("line", { class: "grid-line", x1: this.x(tick * 1000), x2: this.x(tick * 1000), y1: TOP - 6, y2: this.bottom })),
        ...ticks.map((tick) => svg("text", { x: this.x(tick * 1000), y: this.bottom + 14, "text-anchor": "middle" }, String(Math.round(tick * 1e6) / 1e6))),
        svg("text", { x: 4, y: this.bottom + 14 }, "µs"),
      ];
    }

    row(row) {
      const label = svg("text", { class: row.cpu === this.picture.cpu ? "row-name here" : "row-name", x: 4, y: row.tops[3] + 16 }, `CPU ${row.cpu}`);
      const seen = row.blocks.filter((block) => block.end > this.from && block.begin < this.to);
      return [label, ...seen.flatMap((block) => this.block(block, row.tops[block.kind.lane]))];
    }

    // Never thinner than a hair: a short interrupt must be seen.
    block(block, top) {
      const height = (block.kind.lane === 3 ? TASK_LANE : LANE) - 3;
      const left = this.clamped(block.begin);
      const width = Math.max(this.clamped(block.end) - left, 0.8);
      const css = block.victim ? "victim" : block.kind.css;
      const shape = svg("rect", { class: `block ${css}`, x: left, y: top + 1, width, height });
      const lines = [block.name, [block.kind.name, block.priority].filter(Boolean).join(", "),
        `${us(block.end - block.begin)}${block.cut ? " and more" : ""}, from ${us(block.begin)}`];
      this.explain(shape, lines);
      const text = fitting(block.name, width);
      return text ? [shape, svg("text", { class: `block-name ${css}`, x: left + 4, y: top + height / 2 + 4.5 }, text)] : [shape];
    }

    segments() {
      const y = this.bottom + 22;
      return this.picture.segments.filter(([begin, length]) => begin + length > this.from && begin < this.to).flatMap(([begin, length, name]) => {
        const left = this.clamped(begin);
        const width = Math.max(this.clamped(begin + length) - left, 0.8);
        const shape = svg("rect", { class: "segment", x: left, y, width, height: SEGMENTS - 5 });
        this.explain(shape, [name, "part of the latency", us(length)]);
        const text = fitting(`${name} ${us(length)}`, width);
        return text ? [shape, svg("text", { class: "segment-name", x: left + 4, y: y + 15 }, text)] : [shape];
      });
    }

    explain(shape, lines) {
      shape.addEventListener("pointermove", (event) => {
        this.tip.replaceChildren(...lines.map((line, i) => html(i === 0 ? "b" : "div", {}, line)));
        this.tip.hidden = false;
        const box = this.box.getBoundingClientRect();
        const at = event.clientX - box.left;
        this.tip.style.left = `${Math.max(0, Math.min(at + 12, box.width - this.tip.offsetWidth))}px`;
        this.tip.style.top = `${event.clientY - box.top + 16}px`;
      });
      shape.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    }

    listen() {
      this.root.addEventListener("wheel", (event) => {
        if (!event.ctrlKey) return;
        event.preventDefault();
        const at = this.from + ((event.clientX - this.box.getBoundingClientRect().left - LEFT) / (this.width - LEFT - RIGHT)) * this.span;
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, at);
      }, { passive: false });
      this.root.addEventListener("keydown", (event) => {
        const act = { ArrowLeft: () => this.pan(-0.2), ArrowRight: () => this.pan(0.2), "+": () => this.zoom(0.5), "-": () => this.zoom(2), Home: () => this.fit() }[event.key];
        if (!act) return;
        event.preventDefault();
        act();
      });
      this.root.addEventListener("pointerdown", (event) => {
        this.dragged = { x: event.clientX, from: this.from, span: this.span };
        this.root.setPointerCapture(event.pointerId);
      });
      this.root.addEventListener("pointermove", (event) => {
        if (!this.dragged) return;
        const moved = ((event.clientX - this.dragged.x) / (this.width - LEFT - RIGHT)) * this.dragged.span;
        this.show(this.dragged.from - moved, this.dragged.from - moved + this.dragged.span);
      });
      for (const end of ["pointerup", "pointercancel"]) this.root.addEventListener(end, () => { this.dragged = null; });
    }
  }

  // Each when its trial is opened first: a closed one has no width.
  function attach(entries) {
    for (const { trial, outlier, picture } of entries) {
      const container = document.querySelector(`#trial-${trial} [data-timeline="${outlier}"]`);
      const details = container?.closest("details");
      if (!details) continue;
      const draw = () => {
        if (details.open && container.childElementCount === 0) new Timeline(container, picture);
      };
      details.addEventListener("toggle", draw);
      draw();
    }
  }

  return { attach };
})();
