#include "reproduce/paper.hpp"

#include "reproduce/park.hpp"

namespace espalier::reproduce {

const std::vector<Paper>& papers() {
  static const std::vector<Paper> kAll{karonis(), banikazemi(), dichev(), langer(), park()};
  return kAll;
}

}  // namespace espalier::reproduce
