#pragma once

#include <optional>

#include "formats/msccl_text.hpp"
#include "schedule/program_builder.hpp"

namespace espalier::formats {

struct LocalCopy {
  schedule::Region from;
  schedule::Region to;
};

/// Where MSCCL's buffers of a GPU are among ours. Out of place i is In, o is Out. In place both are
/// parts of one buffer (NCCL: sendbuff == recvbuff, or the rank's own part of the larger one),
/// which is Out or, where Out is the smaller one, Scratch; then a copy comes before all steps and
/// maybe one after them. A broadcast has no In of ours: the root's Out is there from the start.
class MscclBuffers {
 public:
  MscclBuffers(const MscclText& text, Rank rank);

  [[nodiscard]] schedule::Region region(const MscclSlice& slice, std::uint64_t count) const;
  /// Units of Scratch that are taken.
  [[nodiscard]] std::uint64_t scratch() const { return scratch_; }
  [[nodiscard]] const std::optional<LocalCopy>& before() const { return before_; }
  [[nodiscard]] const std::optional<LocalCopy>& after() const { return after_; }

 private:
  void put_in_place(const schedule::Collective& call, Rank rank);
  /// Everything in Scratch, `units` of it; the rank's own part of the result begins at `own`.
  void work_in_scratch(const schedule::Collective& call, Rank rank, std::uint64_t units,
                       std::uint64_t own);

  struct BufferStart {
    schedule::Buffer buffer;
    std::uint64_t offset = 0;
  };
  BufferStart input_{schedule::Buffer::In, 0};
  BufferStart output_{schedule::Buffer::Out, 0};
  std::uint64_t scratch_ = 0;
  std::optional<LocalCopy> before_, after_;
};

}  // namespace espalier::formats
