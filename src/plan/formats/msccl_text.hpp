#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/expected.hpp"
#include "schedule/collective.hpp"

namespace espalier::formats {

enum class MscclKind : std::uint8_t {
  Send,                // s
  Recv,                // r
  RecvCopySend,        // rcs
  RecvReduceCopy,      // rrc
  RecvReduceSend,      // rrs
  RecvReduceCopySend,  // rrcs
  Reduce,              // re
  Copy,                // cpy
  Nothing,             // nop
};

struct MscclSlice {
  char buffer = 'i';  ///< i (input), o (output) or s (scratch)
  std::uint64_t offset = 0;
};

struct MscclStep {
  MscclKind kind = MscclKind::Nothing;
  MscclSlice src, dst;
  std::uint64_t count = 0;  ///< number of chunks
  std::int64_t dep_block = -1;
  std::int64_t dep_step = -1;
  bool announced = false;  ///< "hasdep": other steps may wait for this one

  [[nodiscard]] bool sends() const {
    return kind == MscclKind::Send || kind == MscclKind::RecvCopySend ||
           kind == MscclKind::RecvReduceSend || kind == MscclKind::RecvReduceCopySend;
  }
  [[nodiscard]] bool receives() const {
    return kind == MscclKind::Recv || kind == MscclKind::RecvCopySend ||
           kind == MscclKind::RecvReduceCopy || kind == MscclKind::RecvReduceSend ||
           kind == MscclKind::RecvReduceCopySend;
  }
  [[nodiscard]] bool reads_src() const {
    return kind != MscclKind::Recv && kind != MscclKind::RecvCopySend && kind != MscclKind::Nothing;
  }
  [[nodiscard]] bool writes_dst() const {
    return kind != MscclKind::Send && kind != MscclKind::RecvReduceSend &&
           kind != MscclKind::Nothing;
  }
};

struct MscclBlock {
  std::int64_t send = -1;
  std::int64_t recv = -1;
  std::uint32_t channel = 0;
  std::vector<MscclStep> steps;
};

struct MscclGpu {
  std::string where;
  std::uint64_t scratch = 0;
  std::vector<MscclBlock> blocks;  ///< thread blocks, indexed by id
};

/// An MSCCL-XML file with everything in its bounds: buffers, peers, channels, dependencies.
struct MscclText {
  std::string name;
  schedule::Collective call;  ///< the collective; one chunk is one element
  bool in_place = false;
  bool both_places = false;  ///< the file claims to work out of place as well as in place
  std::uint32_t channels = 1;
  std::vector<MscclGpu> gpus;  ///< indexed by id
};

/// MSCCL's word for an operation, or nothing.
[[nodiscard]] std::string_view msccl_name(schedule::Operation operation);
/// Chunks of MSCCL's "loop": the whole of what a rank contributes or gets.
[[nodiscard]] std::uint64_t msccl_chunks_per_loop(const schedule::Collective& call);
/// Chunks of the buffers i and o of every GPU, as MSCCL counts them.
[[nodiscard]] std::uint64_t msccl_input_chunks(const schedule::Collective& call);
[[nodiscard]] std::uint64_t msccl_output_chunks(const schedule::Collective& call);

Expected<MscclText> parse_msccl_text(std::string_view text, const std::string& file);

}  // namespace espalier::formats
