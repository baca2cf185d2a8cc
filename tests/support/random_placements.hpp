#pragma once

// Random programs and machines to place them on.
#include <string>

#include "base/random.hpp"
#include "profile/trace_writer.hpp"

namespace espalier::map {

/// A random trace whose processes send and receive in rounds, so that it ends.
inline profile::Profile random_profile(Random& rng, Rank size) {
  profile::Profile profile = profile::silent_profile("random", size);
  const auto rounds = 1 + rng.below(4);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    const auto messages = 1 + rng.below(2 * size);
    for (std::uint64_t m = 0; m < messages && size > 1; ++m) {
      const auto from = static_cast<Rank>(rng.below(size));
      const auto to = static_cast<Rank>((from + 1 + rng.below(size - 1)) % size);
      const auto bytes = rng.below(rng.chance(30) ? 60'000 : 200);
      profile::TraceWriter(profile.processes[from].actions).send(to, bytes);
      profile::TraceWriter(profile.processes[to].actions).recv(from, bytes);
    }
    for (profile::Process& p : profile.processes) {
      if (rng.chance(50)) {
        profile::TraceWriter(p.actions).compute(microseconds(rng.between(1, 3000)));
      }
    }
  }
  count_pairs(profile);
  return profile;
}

/// A machine of one to four clusters of workstations, some twice as fast.
inline std::string random_inventory(Random& rng, Rank slots) {
  const auto clusters = 1 + rng.below(4);
  const auto each = (slots + clusters - 1) / clusters + rng.below(2);
  std::string speeds;
  for (std::uint64_t i = 0; i < clusters * each; ++i) {
    speeds += (i == 0 ? "" : "|") + std::string(rng.chance(30) ? "2" : "1");
  }
  return "cluster:" + std::to_string(clusters) + "(" + std::to_string(rng.between(1, 20)) + "ms," +
         std::to_string(rng.between(1, 50)) + "Mbit/s) node:" + std::to_string(each) +
         "(50us,100Mbit/s,send=10us,recv=10us,speed=" + speeds + ")";
}

}  // namespace espalier::map
