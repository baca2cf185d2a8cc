#include "reproduce/figures_of.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "base/contract.hpp"

namespace espalier::reproduce {

namespace {
constexpr double kNoNumber = std::numeric_limits<double>::quiet_NaN();
}

std::size_t FiguresOf::column(std::string_view key) const {
  const auto it = std::find_if(table_.columns.begin(), table_.columns.end(),
                               [&](const report::Column& c) { return c.key == key; });
  expects(it != table_.columns.end(), "reproduce: a sentence about a column that there is not");
  return static_cast<std::size_t>(it - table_.columns.begin());
}

bool FiguresOf::has(std::string_view key) const {
  return std::any_of(table_.columns.begin(), table_.columns.end(),
                     [&](const report::Column& c) { return c.key == key; });
}

const std::string& FiguresOf::text(std::size_t row, std::string_view key) const {
  return table_.rows[row][column(key)].raw();
}

double FiguresOf::number(std::size_t row, std::string_view key) const {
  const report::Cell& cell = table_.rows[row][column(key)];
  return cell.kind() == report::Cell::Kind::Number ? std::strtod(cell.raw().c_str(), nullptr)
                                                   : kNoNumber;
}

std::vector<double> FiguresOf::numbers(std::string_view key) const {
  std::vector<double> all;
  for (std::size_t row = 0; row < rows(); ++row) {
    const double value = number(row, key);
    if (!std::isnan(value)) all.push_back(value);
  }
  return all;
}

const std::string& FiguresOf::title(std::string_view key) const {
  return table_.columns[column(key)].title;
}

double largest_of(const std::vector<double>& values) {
  double largest = kNoNumber;
  for (const double value : values) largest = std::fmax(largest, value);
  return largest;
}
double smallest_of(const std::vector<double>& values) {
  double smallest = kNoNumber;
  for (const double value : values) smallest = std::fmin(smallest, value);
  return smallest;
}

}  // namespace espalier::reproduce
