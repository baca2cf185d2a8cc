#include "reproduce/paper.hpp"

#include "reproduce/banikazemi.hpp"
#include "reproduce/karonis.hpp"

namespace espalier::reproduce {

const std::vector<Paper>& papers() {
  static const std::vector<Paper> kAll{karonis(), banikazemi()};
  return kAll;
}

}  // namespace espalier::reproduce
