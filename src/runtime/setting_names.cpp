#include "runtime/setting_names.hpp"

namespace espalier::runtime {

std::vector<std::string> setting_names() {
  return {"ESPALIER_MACHINE",      "ESPALIER_DISCOVER",  "ESPALIER_CACHE",  "ESPALIER_TRIAL",
          "ESPALIER_VERDICTS",     "ESPALIER_ALGORITHM", "ESPALIER_MEMORY", "ESPALIER_FORCE",
          "ESPALIER_REPRODUCIBLE", "ESPALIER_EXPLAIN",   "ESPALIER_LOG",    "ESPALIER_DISABLE",
          "ESPALIER_REORDER",      "ESPALIER_PROFILE"};
}

}  // namespace espalier::runtime
