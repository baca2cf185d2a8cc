#include "base/contract.hpp"
#include "group_mpi/runtime.hpp"

namespace espalier {
namespace {

std::optional<GroupParcel> outer(std::optional<group::Parcel> parcel) {
  if (!parcel) return std::nullopt;
  return GroupParcel{parcel->from, std::move(parcel->data)};
}

}  // namespace

void Group::send_bytes(GroupRank to, std::span<const std::byte> data) const {
  expects(member(), "send: a group that one is not in");
  const group::Group group = runtime_->group(tag_);
  expects(to < group.size(), "send: no such rank in the group");
  runtime_->until([&] { return runtime_->process.can_send(tag_, to); });
  group.send(to, data);
  runtime_->progress();
}

GroupParcel Group::await(std::optional<GroupRank> from) const {
  expects(member(), "receive: a group that one is not in");
  const group::Group group = runtime_->group(tag_);
  expects(!from || *from < group.size(), "receive: no such rank in the group");
  std::optional<GroupParcel> parcel;
  runtime_->until([&] { return (parcel = outer(group.receive(from))).has_value(); });
  return std::move(parcel).value_or(GroupParcel{});
}

GroupParcel Group::receive() const { return await(std::nullopt); }
GroupParcel Group::receive(GroupRank from) const { return await(from); }

std::optional<GroupParcel> Group::try_receive() const {
  expects(member(), "receive: a group that one is not in");
  runtime_->progress();
  return outer(runtime_->group(tag_).receive());
}

}  // namespace espalier
