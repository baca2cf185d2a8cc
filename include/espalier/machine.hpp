#pragma once

// Machines as values: read one, ask it. No MPI is needed. Link with libespalier-core
// (espalier::core). docs/machine.md has the forms in which machines are written.
//
//   espalier::Expected<espalier::Machine> machine =
//       espalier::load_machine("site:2(30ms,100Mbit/s) proc:8(5us)");
//   if (!machine) return complain(machine.error());
//   machine->path(0, 15).latency;  // 30 ms

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "espalier/expected.hpp"
#include "espalier/types.hpp"

namespace espalier {

namespace topology {
class Machine;  // internal
}

/// One level of a machine: the channel ("wan") and what it joins ("site"). Level 0 is the slowest.
struct Level {
  std::string channel;
  std::string members;
  friend bool operator==(const Level&, const Level&) = default;
};

/// Some processes that are nearer to each other than to all others.
struct Cluster {
  std::string name;                   ///< may be empty
  std::uint32_t level = 0;            ///< level of the channel that joins its members
  std::uint32_t parent = 0;           ///< index into Machine::clusters(); of the first: itself
  Time latency;                       ///< latency between two members
  Bandwidth backbone = kUnlimited;    ///< bandwidth that all messages between members share
  Bandwidth uplink_out = kUnlimited;  ///< bandwidth from this cluster to the one around it
  Bandwidth uplink_in = kUnlimited;
  std::vector<Rank> ranks;  ///< all processes in the cluster, ascending
  friend bool operator==(const Cluster&, const Cluster&) = default;
};

/// How two processes reach each other when nobody else is sending.
struct Path {
  std::uint32_t level = 0;           ///< level of the channel that joins the two
  Time latency;                      ///< end to end
  Bandwidth bandwidth = kUnlimited;  ///< bandwidth of the narrowest resource on the path
  friend bool operator==(const Path&, const Path&) = default;
};

/// What a message costs a process itself, as opposed to the network.
struct ProcessCosts {
  Time send;                            ///< time that sending a message takes, however short
  Time recv;                            ///< the same at its receiver
  Bandwidth send_rate = kUnlimited;     ///< rate at which the sender handles a message's bytes
  Bandwidth recv_rate = kUnlimited;     ///< the same at its receiver
  Bandwidth combine_rate = kUnlimited;  ///< operand bytes of reductions
  friend bool operator==(const ProcessCosts&, const ProcessCosts&) = default;
};

/// A machine: a tree of clusters of any depth whose leaves carry one process each. Never changes;
/// copies are cheap and share it.
class [[gnu::visibility("default")]] Machine {
 public:
  [[nodiscard]] const std::string& name() const;
  /// Number of processes; at least 1.
  [[nodiscard]] Rank size() const;
  /// The levels, slowest first: as many as the deepest process has.
  [[nodiscard]] std::vector<Level> levels() const;
  /// All clusters in depth-first order; the first is the whole machine. O(processes * depth).
  [[nodiscard]] std::vector<Cluster> clusters() const;
  /// Number of levels of this process. @pre rank < size(), as for all that follow
  [[nodiscard]] std::uint32_t depth(Rank rank) const;
  /// For each level of this process the number of its cluster among those of that level: processes
  /// with the same colour at a level reach each other over it or over a faster one. At level 0 all
  /// have 0. (The topology attributes of karonis2000; as espalier.h has them.)
  [[nodiscard]] std::vector<std::uint32_t> colours(Rank rank) const;
  /// "anl.m1.3": of names where there are names, else of indices.
  [[nodiscard]] std::string describe(Rank rank) const;
  /// The path between two ranks. A rank reaches itself without latency, at unlimited bandwidth.
  [[nodiscard]] Path path(Rank from, Rank to) const;
  [[nodiscard]] ProcessCosts costs(Rank rank) const;

  /// The part that some processes see: rank i of it is ranks[i]. An error where ranks are none,
  /// not of the machine, or stand there twice.
  [[nodiscard]] Expected<Machine> part(std::span<const Rank> ranks) const;
  /// The JSON form of docs/machine.md; parse_machine() gives back an equal one.
  [[nodiscard]] std::string to_json() const;
  /// What could not be taken over from its description, and what was assumed, a sentence each.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }

  /// Everything but the notes.
  friend bool operator==(const Machine& a, const Machine& b) { return a.equals(b); }

  /// Internal.
  explicit Machine(std::shared_ptr<const topology::Machine> inside,
                   std::vector<std::string> notes = {})
      : inside_(std::move(inside)), notes_(std::move(notes)) {}
  [[nodiscard]] const std::shared_ptr<const topology::Machine>& inside() const { return inside_; }

 private:
  [[nodiscard]] bool equals(const Machine& other) const;

  std::shared_ptr<const topology::Machine> inside_;
  std::vector<std::string> notes_;
};

/// Reads what a user names on the command line: a file (our JSON, SimGrid platform XML, hwloc XML,
/// Slurm's topology.conf, a line; told apart by content), a line itself ("site:2(30ms) proc:16"),
/// or "random:SEED[:PROCESSES]". The error says where in the file, what and what to do. Latencies
/// that are not there are assumed as `espalier plan` does (docs/machine.md), and notes() says so.
[[nodiscard, gnu::visibility("default")]] Expected<Machine> load_machine(
    const std::string& file_or_line);

/// The same from text that is already there. @param file only named in errors
[[nodiscard, gnu::visibility("default")]] Expected<Machine> parse_machine(
    const std::string& text, const std::string& file = "machine");

}  // namespace espalier
