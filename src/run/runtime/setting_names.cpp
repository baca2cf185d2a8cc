#include "runtime/setting_names.hpp"

namespace espalier::runtime {

std::vector<std::string> setting_names() {
  return {"ESPALIER_MACHINE",       "ESPALIER_DISCOVER",
          "ESPALIER_CACHE",         "ESPALIER_TRIAL",
          "ESPALIER_NONBLOCKING",   "ESPALIER_VERDICTS",
          "ESPALIER_ALGORITHM",     "ESPALIER_MEMORY",
          "ESPALIER_FORCE",         "ESPALIER_REPRODUCIBLE",
          "ESPALIER_EXPLAIN",       "ESPALIER_TRACE",
          "ESPALIER_LOG",           "ESPALIER_DISABLE",
          "ESPALIER_REORDER",       "ESPALIER_PROFILE",
          "ESPALIER_SITE",          "ESPALIER_LAN",
          "ESPALIER_LAB",           "ESPALIER_LAB_SLEEP_US",
          "ESPALIER_LAB_PRIORITY",  "ESPALIER_LAB_RANKS",
          "ESPALIER_LAB_RUN",       "ESPALIER_SHARED",
          "ESPALIER_SHARED_MEMORY", "ESPALIER_LAB_TIMES",
          "ESPALIER_CLUSTERS",      "ESPALIER_PROGRESS_THREAD",
          "ESPALIER_ONE_COPY",      "ESPALIER_SIGN"};
}

}  // namespace espalier::runtime
