#include "mpi/node_level.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "mpi/node_combine.hpp"
#include "mpi/staging.hpp"

namespace espalier::mpi {

using runtime::LeadersPart;
using schedule::Buffer;
using schedule::Collective;
using schedule::Operation;

/// One call, as this rank does it.
class NodeLevel::Call {
 public:
  Call(NodeLevel& level, const runtime::CachedPlan& plan, const ElementCall& elements)
      : level_(level),
        call_(plan.call),
        part_(*plan.over_memory),
        signature_(plan.signature),
        element_(call_.element.value),
        member_(level.segment_ ? &(*level.segment_)->member : nullptr),
        leader_(static_cast<std::uint32_t>(
            std::lower_bound(level.mates_.begin(), level.mates_.end(), part_.leader) -
            level.mates_.begin())),
        leads_(part_.leader == level.channel_.rank()),
        reduces_(schedule::reduces(call_.operation)),
        in_(elements.buffers.base[static_cast<std::size_t>(Buffer::In)]),
        out_(elements.buffers.base[static_cast<std::size_t>(Buffer::Out)]) {
    pieces_ = call_.operation == Operation::Barrier ? 1
              : call_.count == 0                    ? 0
                                                    : (call_.count + part_.piece - 1) / part_.piece;
    sent_.signature = signature_;
    sent_.reduction = elements.reduction;
    sent_.buffers.layout = elements.buffers.layout;
    if (reduces_) combine_.emplace(elements.reduction, elements.buffers.layout);
    if (leads_) make_room();
  }

  int run(const Layout& layout) {
    number_ = level_.channel_.take_number();
    // Others take no part in messages; what was agreed on meanwhile is taken here.
    if (!leads_) static_cast<void>(level_.channel_.may_begin(number_));
    if (call_.operation == Operation::Broadcast && !layout.dense) return run_packed(layout);
    return run_pieces();
  }
  /// Leaves memory to MPI, which may still use it.
  void abandon() {
    scratch_.abandon();
    for (ElementMemory& partial : partial_) partial.abandon();
    static_cast<void>(packed_.release());
  }

 private:
  /// Only a root has elements with gaps here; others take bytes.
  int run_packed(const Layout& layout) {
    const std::uint64_t count = call_.count / static_cast<std::uint64_t>(layout.size);
    packed_.reset(new std::byte[call_.count]);
    code_ = pack(layout, out_, count, packed_.get(), level_.channel_.self());
    const int packed = std::exchange(code_, MPI_SUCCESS);
    sent_.buffers.layout = byte_layout();
    sent_.buffers.units_per_element = 1;
    out_ = packed_.get();
    const int code = run_pieces();
    return packed != MPI_SUCCESS ? packed : code;
  }

  int run_pieces() {
    for (std::uint64_t k = 0; k <= pieces_; ++k) {
      if (k < pieces_) in(k);
      if (leads_) {
        end_send();
        if (k < pieces_) begin_send(k);
      }
      if (k > 0) out(k - 1);
    }
    if (code_ != MPI_SUCCESS || is_right_) return code_;
    return MPI_ERR_TRUNCATE;
  }

  [[nodiscard]] std::uint64_t at(std::uint64_t k) const { return k * part_.piece * element_; }
  [[nodiscard]] std::uint64_t elements_of(std::uint64_t k) const {
    return std::min(part_.piece, call_.count - k * part_.piece);
  }
  [[nodiscard]] std::uint64_t bytes_of(std::uint64_t k) const { return elements_of(k) * element_; }
  [[nodiscard]] bool has_failed() const { return !is_right_ || code_ != MPI_SUCCESS; }

  /// Whoever saw another call waits for nobody any more.
  void in(std::uint64_t k) {
    if (member_ == nullptr || call_.operation == Operation::Broadcast) return;
    if (is_lost_ || !is_right_)
      return member_->skip(reduces_ ? member_->steps_of_reduce(bytes_of(k), element_) : 1);
    if (!reduces_) {
      is_right_ &= member_->report(signature_, leader_);
      return;
    }
    is_right_ &= member_->reduce(signature_, leader_, in_ + at(k), partial_[k % 2].address(),
                                 bytes_of(k), element_, combine_->get());
  }

  void out(std::uint64_t k) {
    if (member_ == nullptr || call_.operation == Operation::Reduce) return;
    const bool is_barrier = call_.operation == Operation::Barrier;
    const std::uint64_t steps = is_barrier ? 1 : member_->steps_of(bytes_of(k), false);
    if (is_lost_ || (!leads_ && !is_right_)) {
      member_->skip(steps);
    } else if (leads_ && has_failed()) {
      member_->refuse(signature_, steps, is_right_);
    } else {
      is_right_ &= is_barrier ? member_->release(signature_, leader_)
                              : member_->broadcast(signature_, leader_, out_ + at(k), bytes_of(k));
    }
    is_lost_ = has_failed();
  }

  /// Memory of a leader: two partial results, one of which is sent while the next is made, and
  /// scratch of the plan.
  void make_room() {
    const Layout& layout = sent_.buffers.layout;
    const bool has_partial = reduces_ && (member_ != nullptr || in_ == out_);
    const std::uint64_t room = has_partial ? std::min(part_.piece, call_.count) : 0;
    partial_[0] = ElementMemory(layout, room);
    partial_[1] = ElementMemory(layout, pieces_ > 1 ? room : 0);
    const std::uint64_t units =
        std::max(part_.whole.program.scratch_units, part_.last.program.scratch_units);
    scratch_ = ElementMemory(reduces_ ? layout : byte_layout(), units);
    sent_.buffers.base[static_cast<std::size_t>(Buffer::Scratch)] = scratch_.address();
  }

  /// The leader's input of a piece: what its node came to.
  std::byte* input_of(std::uint64_t k) {
    if (!reduces_) return nullptr;
    std::byte* const partial = partial_[k % 2].address();
    if (member_ != nullptr) return partial;
    if (in_ != out_) return in_ + at(k);
    std::copy_n(in_ + at(k), bytes_of(k), partial);
    return partial;
  }

  /// What this node came to is of another call: others must not take it for this one's.
  void tell_other_nodes() {
    std::vector<Rank> told;
    for (const runtime::Lane& lane : part_.whole.lanes) {
      if (std::find(told.begin(), told.end(), lane.peer) != told.end()) continue;
      told.push_back(lane.peer);
      level_.channel_.tell_other_call(lane.peer, number_, signature_);
    }
    code_ = MPI_ERR_TRUNCATE;
  }

  void begin_send(std::uint64_t k) {
    if (code_ != MPI_SUCCESS) return;
    if (!is_right_) return tell_other_nodes();
    const bool is_short_last =
        k + 1 == pieces_ && call_.count % std::max<std::uint64_t>(part_.piece, 1) != 0;
    sent_.program = is_short_last ? &part_.last : &part_.whole;
    auto& base = sent_.buffers.base;
    base[static_cast<std::size_t>(Buffer::In)] = input_of(k);
    base[static_cast<std::size_t>(Buffer::Out)] = out_ == nullptr ? nullptr : out_ + at(k);
    Channel& channel = level_.channel_;
    if (pieces_ == 1 && is_short(sent_) && channel.is_idle()) {
      bool left = false;
      code_ = run_short(channel, sent_, number_, left);
      level_.left_messages_ |= left;
      return;
    }
    level_.payload_.take(sent_, number_);
    level_.execution_.begin(*sent_.program, level_.payload_, number_, signature_);
    is_sending_ = true;
  }
  void end_send() {
    if (!std::exchange(is_sending_, false)) return;
    code_ = level_.execution_.finish();
    level_.left_messages_ |= level_.execution_.left_messages();
  }

  NodeLevel& level_;
  const Collective& call_;
  const LeadersPart& part_;
  const std::uint64_t signature_;
  const std::uint64_t element_;
  SharedSegment::Member* const member_;  // nullptr: this rank is alone on its node
  const std::uint32_t leader_;           // of this node, as a member of its segment
  const bool leads_;
  const bool reduces_;
  std::byte* in_;
  std::byte* out_;
  std::uint64_t pieces_ = 0;
  std::uint64_t number_ = 0;
  std::optional<NodeCombine> combine_;
  ElementCall sent_;  // what the leader sends of a piece
  std::array<ElementMemory, 2> partial_;
  ElementMemory scratch_;
  std::unique_ptr<std::byte[]> packed_;
  bool is_sending_ = false;
  bool is_right_ = true;  // nobody was seen to make another call
  bool is_lost_ = false;  // the ranks of this node know that the call failed: they only count steps
  int code_ = MPI_SUCCESS;
};

std::unique_ptr<NodeLevel> NodeLevel::make(Channel& channel, SegmentStore& store,
                                           const SegmentWanted& wanted,
                                           const select::Nodes& nodes) {
  std::vector<Rank> mates = nodes.ranks_of(nodes.node_of(channel.rank()));
  AgreedSegment agreed = agree_on_segment(channel, store, wanted, mates);
  if (!agreed.is_there) return nullptr;
  return std::unique_ptr<NodeLevel>(
      new NodeLevel(channel, nodes, std::move(mates), std::move(agreed)));
}

NodeLevel::NodeLevel(Channel& channel, const select::Nodes& nodes, std::vector<Rank> mates,
                     AgreedSegment agreed)
    : channel_(channel),
      nodes_(nodes),
      mates_(std::move(mates)),
      segment_(std::move(agreed.segment)),
      payload_(channel),
      execution_(channel) {
  if (segment_ == nullptr) return;
  SharedSegment& segment = **segment_;
  segment.member = segment.member.again(access_to(segment, agreed.is_crowded, {go_on, this}));
}

void NodeLevel::go_on(void* of) {
  NodeLevel& level = *static_cast<NodeLevel*>(of);
  let_go_on(level.channel_);
  level.execution_.step();
}

int NodeLevel::run(const runtime::CachedPlan& plan, const ElementCall& elements) {
  left_messages_ = false;
  Call call(*this, plan, elements);
  const int code = call.run(elements.buffers.layout);
  if (left_messages_) call.abandon();
  return code;
}

}  // namespace espalier::mpi
