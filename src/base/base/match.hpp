#pragma once

namespace espalier {

/// One function for each alternative of a variant: std::visit(Match{...}, variant).
template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Match(Cases...) -> Match<Cases...>;

}  // namespace espalier
