// SPDX-License-Identifier: GPL-2.0-or-later

#include <algorithm>
#include <random>

#include "runner/plan/plan.h"

namespace rtsweep {
namespace {

// splitmix64: neighbouring inputs give unrelated outputs.
uint64_t mixed(uint64_t value) {
  value += 0x9e3779b97f4a7c15;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9;
  value = (value ^ (value >> 27)) * 0x94d049bb133111eb;
  return value ^ (value >> 31);
}

// The guest's seed depends on plan seed and repetition alone, so that in one block
// every kernel meets the same random numbers. 32 bits: exact in every JSON reader.
uint64_t guest_seed(uint64_t plan_seed, int repetition) {
  return mixed(mixed(plan_seed) + static_cast<uint64_t>(repetition)) >> 32;
}

// A number in [0, count), each equally likely. Written out, since the distributions
// of the standard library differ from one library to another.
uint64_t below(uint64_t count, std::mt19937_64& random) {
  const uint64_t fair = std::mt19937_64::max() - std::mt19937_64::max() % count;
  uint64_t drawn = random();
  while (drawn >= fair) drawn = random();
  return drawn % count;
}

// Fisher and Yates.
void shuffle(std::vector<Cell>& cells, std::mt19937_64& random) {
  for (size_t left = cells.size(); left > 1; --left) {
    std::swap(cells[left - 1], cells[below(left, random)]);
  }
}

bool matches(const Cell& cell, const Cell& rule) {
  return std::ranges::all_of(rule, [&cell](const auto& level) {
    const auto found = cell.find(level.first);
    return found != cell.end() && found->second == level.second;
  });
}

// All combinations of levels that no rule excludes; the last factor varies fastest.
std::vector<Cell> cells_of(const Plan& plan) {
  std::vector<Cell> cells = {{}};
  for (const Factor& factor : plan.factors) {
    std::vector<Cell> longer;
    for (const Cell& cell : cells) {
      for (const std::string& level : factor.levels) {
        longer.push_back(cell);
        longer.back()[factor.name] = level;
      }
    }
    cells = std::move(longer);
  }
  std::erase_if(cells, [&plan](const Cell& cell) {
    return std::ranges::any_of(plan.exclude,
                               [&cell](const Cell& rule) { return matches(cell, rule); });
  });
  return cells;
}

}  // namespace

std::vector<PlannedTrial> order_trials(const Plan& plan) {
  const std::vector<Cell> cells = cells_of(plan);
  std::mt19937_64 random(plan.seed);
  std::vector<PlannedTrial> trials;
  for (int repetition = 1; repetition <= plan.repetitions; ++repetition) {
    std::vector<Cell> block = cells;
    shuffle(block, random);
    for (Cell& cell : block) {
      trials.push_back({.id = static_cast<int>(trials.size()) + 1,
                        .cell = std::move(cell),
                        .repetition = repetition,
                        .seed = guest_seed(plan.seed, repetition)});
    }
  }
  return trials;
}

}  // namespace rtsweep
