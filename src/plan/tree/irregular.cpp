#include "tree/irregular.hpp"

#include "base/contract.hpp"

namespace espalier::tree {

Participants with_blocks(std::span<const Bytes> bytes, Rank root) {
  Participants all = everybody(static_cast<Rank>(bytes.size()), root);
  std::erase_if(all.others, [&](Rank r) { return bytes[r].value == 0; });
  return all;
}

void expects_valid(const IrregularRequest& request) {
  expects_valid(request.who);
  expects(request.bytes.size() == request.who.machine_size,
          "irregular tree: not one length for each rank");
  expects(request.model.size() == request.who.machine_size,
          "irregular tree: model and machine differ in size");
  expects(request.kinds.empty() || request.kinds.size() == request.who.machine_size,
          "irregular tree: not one kind for each rank");
}

}  // namespace espalier::tree
