
#include "base/json.hpp"
#include "bound/lower_bound.hpp"

namespace espalier::bound {
namespace {

using Kind = Witness::Kind;

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::Nothing:
      return "nothing";
    case Kind::Way:
      return "way";
    case Kind::Fan:
      return "fan";
    case Kind::Cut:
      return "cut";
    case Kind::Backbone:
      return "backbone";
    case Kind::Processor:
      return "processor";
    case Kind::Combining:
      break;
  }
  return "combining";
}

std::string_view name_of(Witness::Direction direction) {
  switch (direction) {
    case Witness::Direction::Out:
      return "out";
    case Witness::Direction::In:
      return "in";
    case Witness::Direction::Both:
      break;
  }
  return "both";
}

std::string_view name_of(Witness::Through through) {
  switch (through) {
    case Witness::Through::Uplink:
      return "uplink";
    case Witness::Through::Flows:
      return "flows";
    case Witness::Through::Pairs:
      break;
  }
  return "pairs";
}

Json hops_of(const std::vector<Rank>& path, const topology::Machine& machine) {
  Json hops = Json::array();
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const Rank from = path[i], to = path[i + 1];
    hops.push_back({{"from", from},
                    {"to", to},
                    {"send_ps", machine.costs(from).send.fixed.picoseconds},
                    {"latency_ps", machine.path(from, to).latency.picoseconds},
                    {"recv_ps", machine.costs(to).recv.fixed.picoseconds}});
  }
  return hops;
}

void put_part(Json& json, const Witness& witness, const topology::Machine& machine) {
  if (witness.part_is_leaf) {
    json["depth"] = machine.depth(machine.rank_at(witness.part));
  } else {
    json["part"] = machine.clusters()[witness.part].name;
    json["depth"] = machine.clusters()[witness.part].depth;
  }
  if (!witness.members.empty()) json["members"] = witness.members;
  json["ranks"] = ranks_of_part(witness, machine);
}

void put_time(Json& json, const Witness& witness) {
  json["before_ps"] = witness.before.picoseconds;
  json["after_ps"] = witness.after.picoseconds;
}

void put_passing(Json& json, const Witness& witness) {
  json["bytes"] = witness.bytes.value;
  json["capacity_bits_per_second"] = witness.capacity.bits_per_second;
  put_time(json, witness);
}

}  // namespace

Json to_json(const LowerBound& bound, const topology::Machine& machine) {
  const Witness& witness = bound.witness;
  Json json = {{"kind", name_of(witness.kind)}, {"value_ps", bound.value.picoseconds}};
  switch (witness.kind) {
    case Kind::Nothing:
      break;
    case Kind::Way:
      json["hops"] = hops_of(witness.path, machine);
      break;
    case Kind::Fan:
      json["direction"] = name_of(witness.direction);
      json["rank"] = witness.rank;
      json["others"] = witness.reached;
      json["own_ps"] = witness.own.picoseconds;
      json["send_ps"] = witness.send.picoseconds;
      json["latency_ps"] = witness.latency.picoseconds;
      json["recv_ps"] = witness.recv.picoseconds;
      break;
    case Kind::Cut:
      json["through"] = name_of(witness.through);
      json["direction"] = name_of(witness.direction);
      put_part(json, witness, machine);
      put_passing(json, witness);
      break;
    case Kind::Backbone:
      put_part(json, witness, machine);
      put_passing(json, witness);
      break;
    case Kind::Processor:
      json["direction"] = name_of(witness.direction);
      json["rank"] = witness.rank;
      json["bytes_out"] = witness.bytes.value;
      json["bytes_in"] = witness.bytes_in.value;
      put_time(json, witness);
      break;
    case Kind::Combining:
      put_passing(json, witness);
      break;
  }
  return json;
}

}  // namespace espalier::bound
