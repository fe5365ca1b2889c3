// SPDX-License-Identifier: GPL-2.0-or-later

#include "analysis/statistics/anova.h"

#include <algorithm>
#include <cmath>

#include "analysis/statistics/distributions.h"

namespace rtsweep::statistics {
namespace {

using Column = std::vector<double>;

double dot(const Column& a, const Column& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The directions that the model has used so far, orthogonal and of length 1 (modified
// Gram-Schmidt, done twice, which is as good as Householder's QR).
class Basis {
 public:
  explicit Basis(size_t runs) { add(Column(runs, 1.0)); }

  // False when the earlier directions already explain the column.
  bool add(Column column) {
    const double length = std::sqrt(dot(column, column));
    for (int pass = 0; pass < 2; ++pass) remove_explained(column);
    const double left = std::sqrt(dot(column, column));
    if (!(left > 1e-9 * length)) return false;
    for (double& value : column) value /= left;
    directions_.push_back(std::move(column));
    return true;
  }

  void remove_explained(Column& column) const {
    for (const Column& direction : directions_) {
      const double along = dot(column, direction);
      for (size_t i = 0; i < column.size(); ++i) column[i] -= along * direction[i];
    }
  }

  const Column& last() const { return directions_.back(); }

 private:
  std::vector<Column> directions_;
};

// One 0/1 column for each combination of levels of the term's factors that occurs.
std::vector<Column> columns_of(const Term& term, std::span<const Factor> factors, size_t runs) {
  std::vector<std::vector<size_t>> combinations(runs);
  for (const size_t factor : term) {
    for (size_t run = 0; run < runs; ++run) {
      combinations[run].push_back(factors[factor].levels[run]);
    }
  }
  auto distinct = combinations;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  std::vector<Column> columns;
  for (const auto& combination : distinct) {
    Column column;
    for (const auto& of_run : combinations) column.push_back(of_run == combination ? 1 : 0);
    columns.push_back(std::move(column));
  }
  return columns;
}

std::string name_of(const Term& term, std::span<const Factor> factors) {
  std::string name;
  for (const size_t factor : term) name += (name.empty() ? "" : ":") + factors[factor].name;
  return name;
}

AnovaRow explain(const Term& term, std::span<const Factor> factors, const Column& responses,
                 Basis& basis) {
  AnovaRow row{.term = name_of(term, factors)};
  for (Column& column : columns_of(term, factors, responses.size())) {
    if (!basis.add(std::move(column))) continue;
    const double along = dot(responses, basis.last());
    ++row.degrees;
    row.sum_of_squares += along * along;
  }
  return row;
}

Result<void> check_sizes(std::span<const double> responses, std::span<const Factor> factors) {
  for (const Factor& factor : factors) {
    if (factor.levels.size() == responses.size()) continue;
    return Error(Errc::kBadData, "factor " + factor.name + " has " +
                                     std::to_string(factor.levels.size()) + " levels for " +
                                     std::to_string(responses.size()) + " runs");
  }
  return {};
}

void test(AnovaRow& row, double mean_square, size_t degrees) {
  if (row.degrees == 0) return;
  row.f = row.sum_of_squares / static_cast<double>(row.degrees) / mean_square;
  row.p_value = f_upper(row.f, static_cast<double>(row.degrees), static_cast<double>(degrees));
}

}  // namespace

Result<Anova> analyse_variance(std::span<const double> responses, std::span<const Factor> factors,
                               std::span<const Term> terms) {
  RTSWEEP_CHECK_OK(check_sizes(responses, factors));
  const Column values(responses.begin(), responses.end());
  Basis basis(values.size());
  Anova anova;
  size_t used = 1;
  for (const Term& term : terms) {
    anova.rows.push_back(explain(term, factors, values, basis));
    used += anova.rows.back().degrees;
  }
  if (used >= values.size()) {
    return Error(Errc::kBadData, "no run is left to tell the scatter: more blocks are needed");
  }
  Column residuals = values;
  basis.remove_explained(residuals);
  anova.residual_degrees = values.size() - used;
  const double squares = dot(residuals, residuals);
  anova.residual_mean_square = squares / static_cast<double>(anova.residual_degrees);
  for (AnovaRow& row : anova.rows) test(row, anova.residual_mean_square, anova.residual_degrees);
  anova.rows.push_back({"Residuals", anova.residual_degrees, squares});
  return anova;
}

std::vector<Term> main_effects_and_pairs(size_t factors, size_t block) {
  std::vector<Term> terms = {{block}};
  for (size_t i = 0; i < factors; ++i) {
    if (i != block) terms.push_back({i});
  }
  for (size_t i = 0; i < factors; ++i) {
    for (size_t j = i + 1; j < factors; ++j) {
      if (i != block && j != block) terms.push_back({i, j});
    }
  }
  return terms;
}

}  // namespace rtsweep::statistics
