// SPDX-License-Identifier: GPL-2.0-or-later
//
// The lines of the plots: histograms of trials and CPUs, pooled by name. Values in,
// values out; knows nothing of the page.
"use strict";

const Lines = (() => {
  function decoded(cpu) {
    const counts = [];
    for (let i = 0, us = 0; i < cpu.counts.length; i += 2) {
      us += cpu.counts[i];
      counts.push([us, cpu.counts[i + 1]]);
    }
    return counts;
  }

  // The narrowest histogram of a line says from where on only the number is known.
  function finish(line) {
    const sorted = [...line.counts].sort((a, b) => a[0] - b[0]);
    const past = sorted.filter(([us]) => us >= line.end);
    line.overflows += past.reduce((sum, [, n]) => sum + n, 0);
    line.counts = sorted.filter(([us]) => us < line.end);
    line.samples = line.overflows + line.counts.reduce((sum, [, n]) => sum + n, 0);
    line.highest = line.counts.reduce((most, [, n]) => Math.max(most, n), 0);
    return line;
  }

  function addCpu(line, cpu) {
    for (const [us, n] of decoded(cpu)) line.counts.set(us, (line.counts.get(us) || 0) + n);
    line.overflows += cpu.over;
    line.end = Math.min(line.end, cpu.end);
    if (cpu.max !== null) line.max = Math.max(line.max ?? cpu.max, cpu.max);
  }

  // One line for each name: `namesOf(trial)` has one for each of its CPUs.
  function linesOf(trials, namesOf, styles) {
    const lines = new Map();
    for (const trial of trials) {
      const names = namesOf(trial);
      trial.cpus.forEach((cpu, i) => {
        const name = names[i];
        if (!lines.has(name)) {
          lines.set(name, { key: name, ...styles.get(name), counts: new Map(), overflows: 0, end: Infinity, max: null, trials: new Set() });
        }
        if (cpu.counts.length === 0 && cpu.over === 0) return;
        lines.get(name).trials.add(trial.id);
        addCpu(lines.get(name), cpu);
      });
    }
    return [...lines.values()].map(finish).filter((line) => line.samples > 0);
  }

  // Samples of one line at a latency, and at or above it. Past the histogram's end
  // only an upper bound is known.
  function readingOf(line, us) {
    let here = 0;
    let above = line.overflows;
    for (const [at, n] of line.counts) {
      if (at === us) here = n;
      if (at >= us) above += n;
    }
    return { here, above, share: above / line.samples, exact: us <= line.end || line.overflows === 0 };
  }

  function shareText(share) {
    if (share === 0) return "0";
    return share >= 0.001 ? `${(share * 100).toPrecision(3)} %` : share.toExponential(1);
  }

  function limitsOf(trials) {
    return [...new Set(trials.map((trial) => trial.limit).filter((limit) => limit !== null))].slice(0, 3);
  }

  // The latencies of the trials; `wide` is better read on a logarithmic axis.
  function extentOf(trials) {
    let least = Infinity;
    let most = 1;
    for (const trial of trials) {
      for (const cpu of trial.cpus) {
        if (cpu.counts.length === 0) continue;
        least = Math.min(least, cpu.counts[0]);
        const last = cpu.counts.reduce((us, value, i) => (i % 2 === 0 ? us + value : us), 0);
        most = Math.max(most, cpu.max ?? last, last, cpu.over > 0 ? cpu.end : 0);
      }
    }
    least = Math.min(least, most);
    return { least, most, wide: most > 12 * Math.max(1, least) };
  }

  return { linesOf, readingOf, shareText, limitsOf, extentOf };
})();
