#include "formats/msccl_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "base/located_xml.hpp"
#include "base/utf8.hpp"
#include "schedule/json.hpp"

namespace espalier::formats {
namespace {

using schedule::Collective;
using schedule::Operation;

constexpr std::int64_t kMaxChunks = std::numeric_limits<std::int32_t>::max();  // int, in MSCCL
constexpr std::int64_t kMaxChannels = 1024;
constexpr std::array<std::string_view, 9> kStepKinds{"s",    "r",  "rcs", "rrc", "rrs",
                                                     "rrcs", "re", "cpy", "nop"};

/// Thrown and caught in this file only.
struct MscclRefused {
  Error error;
};

class Reader {
 public:
  explicit Reader(const LocatedXml& xml) : xml_(xml) {}

  MscclText read() {
    const pugi::xml_node algo = xml_.root();
    if (std::string_view(algo.name()) != "algo") {
      refuse(algo, fmt::format("the root element is <{}>", shortened(algo.name())),
             "an MSCCL file has <algo>");
    }
    text_.name = algo.attribute("name").value();
    if (!is_utf8(text_.name)) {
      refuse(algo, "the name of the algorithm is not UTF-8", "save the file as UTF-8");
    }
    read_call(algo);
    text_.channels = static_cast<std::uint32_t>(number(algo, "nchannels", 1, kMaxChannels));
    const bool in_place = number_or(algo, "inplace", 0, 0, 1) == 1;
    const bool out_of_place = number_or(algo, "outofplace", in_place ? 0 : 1, 0, 1) == 1;
    text_.in_place = in_place && !out_of_place;
    text_.both_places = in_place && out_of_place;
    read_gpus(algo);
    return std::move(text_);
  }

 private:
  static std::string shortened(std::string_view text) { return std::string(text.substr(0, 100)); }
  [[noreturn]] void refuse(pugi::xml_node node, std::string what, std::string hint) const {
    throw MscclRefused{{xml_.where(node), std::move(what), std::move(hint)}};
  }
  std::int64_t number(pugi::xml_node node, const char* key, std::int64_t least,
                      std::int64_t most) const {
    const pugi::xml_attribute attribute = node.attribute(key);
    if (!attribute) {
      refuse(node, fmt::format("<{}> has no {}", node.name(), key),
             fmt::format("give {}=\"...\", a whole number", key));
    }
    const std::string_view value = attribute.value();
    std::int64_t n = 0;
    const char* end = value.data() + value.size();
    const auto [at, code] = std::from_chars(value.data(), end, n);
    if (code != std::errc() || at != end || n < least || n > most) {
      refuse(node, fmt::format("{} is \"{}\"", key, value.substr(0, 40)),
             fmt::format("here it is a whole number from {} to {}", least, most));
    }
    return n;
  }
  std::int64_t number_or(pugi::xml_node node, const char* key, std::int64_t fallback,
                         std::int64_t least, std::int64_t most) const {
    return node.attribute(key) ? number(node, key, least, most) : fallback;
  }

  [[nodiscard]] Operation operation(pugi::xml_node algo) const {
    std::string name = shortened(algo.attribute("coll").value());
    if (name == "reduce_scatter") name = "reducescatter";
    std::vector<std::string_view> known;
    for (int o = 0; o < schedule::kOperationCount; ++o) {
      const auto operation = static_cast<Operation>(o);
      if (msccl_name(operation).empty()) continue;
      if (msccl_name(operation) == name) return operation;
      known.push_back(msccl_name(operation));
    }
    refuse(algo, fmt::format("coll is \"{}\"", name),
           fmt::format("what it computes is known of: {}", fmt::join(known, ", ")));
  }

  void read_call(pugi::xml_node algo) {
    Collective& call = text_.call;
    call.operation = operation(algo);
    call.size = static_cast<Rank>(number(algo, "ngpus", 1, schedule::kMaxScheduleRanks));
    call.root = static_cast<Rank>(number_or(algo, "root", 0, 0, call.size - 1));
    const std::int64_t loop = number(algo, "nchunksperloop", 1, kMaxChunks);
    call.count = 1;  // a count of 1 asks how many chunks a loop has for each
    const std::uint64_t each = msccl_chunks_per_loop(call);
    if (static_cast<std::uint64_t>(loop) % each != 0) {
      refuse(algo, fmt::format("{} chunks for {} blocks", loop, each),
             "nchunksperloop is a multiple of ngpus for this collective");
    }
    call.count = static_cast<std::uint64_t>(loop) / each;
    // A file for one size tells how long a chunk is.
    constexpr std::int64_t kMaxBytes = std::int64_t{1} << 62;
    const std::int64_t least = number_or(algo, "minBytes", 0, 0, kMaxBytes);
    const std::int64_t most = number_or(algo, "maxBytes", 0, 0, kMaxBytes);
    if (least == most && least > 0 && least % loop == 0) {
      call.element.value = static_cast<std::uint64_t>(least / loop);
    }
  }

  void read_gpus(pugi::xml_node algo) {
    std::map<Rank, MscclGpu> gpus;
    for (const pugi::xml_node node : algo.children("gpu")) {
      const auto id = static_cast<Rank>(number(node, "id", 0, text_.call.size - 1));
      if (gpus.contains(id))
        refuse(node, fmt::format("GPU {} stands twice", id), "give it one <gpu>");
      gpus.emplace(id, read_gpu(node, id));
    }
    for (auto& [id, gpu] : gpus) {
      if (id == text_.gpus.size()) text_.gpus.push_back(std::move(gpu));
    }
    if (text_.gpus.size() != text_.call.size) {
      refuse(algo, fmt::format("{} GPUs, but none with id {}", text_.call.size, text_.gpus.size()),
             "each has one <gpu>, also if it is idle");
    }
  }

  MscclGpu read_gpu(pugi::xml_node node, Rank id) {
    MscclGpu gpu;
    gpu.where = xml_.where(node);
    chunks_ = {chunks(node, "i_chunks", msccl_input_chunks(text_.call)),
               chunks(node, "o_chunks", msccl_output_chunks(text_.call)),
               static_cast<std::uint64_t>(number(node, "s_chunks", 0, kMaxChunks))};
    gpu.scratch = chunks_[2];
    senders_.clear();
    receivers_.clear();
    std::vector<pugi::xml_node> nodes;
    for (const pugi::xml_node block : node.children("tb")) {
      if (number(block, "id", 0, kMaxChunks) != static_cast<std::int64_t>(nodes.size())) {
        refuse(
            block,
            fmt::format("thread block {} at place {}", block.attribute("id").value(), nodes.size()),
            "thread blocks are numbered 0, 1, ... in order");
      }
      nodes.push_back(block);
      gpu.blocks.push_back(read_block(block, id));
    }
    for (std::size_t b = 0; b < nodes.size(); ++b) check_dependencies(gpu, nodes[b], b);
    return gpu;
  }
  std::uint64_t chunks(pugi::xml_node node, const char* key, std::uint64_t most) const {
    const auto n = static_cast<std::uint64_t>(number(node, key, 0, kMaxChunks));
    if (n > most) {
      refuse(
          node, fmt::format("{} is {}", key, n),
          fmt::format("{} with {} chunks a loop has at most {}", msccl_name(text_.call.operation),
                      msccl_chunks_per_loop(text_.call), most));
    }
    return n;
  }

  MscclBlock read_block(pugi::xml_node node, Rank gpu) {
    MscclBlock block;
    const std::int64_t last = std::int64_t{text_.call.size} - 1;
    block.send = number(node, "send", -1, last);
    block.recv = number(node, "recv", -1, last);
    block.channel = static_cast<std::uint32_t>(number(node, "chan", 0, text_.channels - 1));
    if (block.send == gpu || block.recv == gpu) {
      refuse(node, fmt::format("GPU {} is its own peer", gpu), "a local copy is a step \"cpy\"");
    }
    for (const pugi::xml_node step : node.children("step")) {
      if (number(step, "s", 0, kMaxChunks) != static_cast<std::int64_t>(block.steps.size())) {
        refuse(step,
               fmt::format("step {} at place {}", step.attribute("s").value(), block.steps.size()),
               "steps are numbered 0, 1, ... in order");
      }
      block.steps.push_back(read_step(step, block));
    }
    claim(node, block);
    return block;
  }
  /// Two thread blocks on one connection would have no order between them.
  void claim(pugi::xml_node node, const MscclBlock& block) {
    const auto any = [&](bool (MscclStep::*does)() const) {
      return std::any_of(block.steps.begin(), block.steps.end(),
                         [&](const MscclStep& s) { return (s.*does)(); });
    };
    const bool sends = any(&MscclStep::sends);
    const bool receives = any(&MscclStep::receives);
    if ((sends && !senders_.emplace(block.send, block.channel).second) ||
        (receives && !receivers_.emplace(block.recv, block.channel).second)) {
      refuse(node, "two thread blocks use one connection (peer and channel)",
             "give one of them another channel");
    }
  }

  MscclStep read_step(pugi::xml_node node, const MscclBlock& block) const {
    MscclStep step;
    const std::string_view kind = node.attribute("type").value();
    const auto* const found = std::find(kStepKinds.begin(), kStepKinds.end(), kind);
    if (found == kStepKinds.end()) {
      refuse(node, fmt::format("the type of a step is \"{}\"", kind.substr(0, 40)),
             fmt::format("it is one of {}", fmt::join(kStepKinds, ", ")));
    }
    step.kind = static_cast<MscclKind>(found - kStepKinds.begin());
    step.dep_block = number_or(node, "depid", -1, -1, kMaxChunks);
    step.dep_step = number_or(node, "deps", -1, -1, kMaxChunks);
    step.announced = number_or(node, "hasdep", 0, 0, 1) == 1;
    if (step.kind == MscclKind::Nothing) return step;
    step.count = static_cast<std::uint64_t>(number(node, "cnt", 0, kMaxChunks));
    if (step.reads_src()) step.src = slice(node, "srcbuf", "srcoff", step.count);
    if (step.writes_dst()) step.dst = slice(node, "dstbuf", "dstoff", step.count);
    if ((step.sends() && block.send < 0) || (step.receives() && block.recv < 0)) {
      refuse(node, fmt::format("a step \"{}\" in a thread block without such a peer", kind),
             "give the <tb> its send and recv");
    }
    if (is_reduction(step.kind) && !reduces(text_.call.operation)) {
      refuse(node, fmt::format("a step \"{}\" in {}", kind, msccl_name(text_.call.operation)),
             "this collective combines nothing");
    }
    return step;
  }
  static bool is_reduction(MscclKind kind) {
    return kind == MscclKind::Reduce || kind == MscclKind::RecvReduceCopy ||
           kind == MscclKind::RecvReduceSend || kind == MscclKind::RecvReduceCopySend;
  }
  MscclSlice slice(pugi::xml_node node, const char* buffer, const char* offset,
                   std::uint64_t count) const {
    const std::string_view name = node.attribute(buffer).value();
    const std::size_t which = std::string_view("ios").find(name);
    if (name.size() != 1 || which == std::string_view::npos) {
      refuse(node, fmt::format("{} is \"{}\"", buffer, name.substr(0, 40)),
             "it is i, o or s: input, output, scratch");
    }
    const auto at = static_cast<std::uint64_t>(number(node, offset, 0, kMaxChunks));
    if (at + count > chunks_[which]) {
      refuse(node, fmt::format("chunks {} to {} of {}", at, at + count, name),
             fmt::format("this GPU has {} there", chunks_[which]));
    }
    return {name[0], at};
  }

  void check_dependencies(const MscclGpu& gpu, pugi::xml_node node, std::size_t b) const {
    std::size_t s = 0;
    for (const pugi::xml_node step_node : node.children("step")) {
      const MscclStep& step = gpu.blocks[b].steps[s++];
      if (step.dep_block < 0) continue;
      const auto block = static_cast<std::size_t>(step.dep_block);
      const auto other = static_cast<std::size_t>(std::max<std::int64_t>(step.dep_step, 0));
      if (block >= gpu.blocks.size() || step.dep_step < 0 ||
          other >= gpu.blocks[block].steps.size()) {
        refuse(step_node,
               fmt::format("waits for step {} of thread block {}", step.dep_step, step.dep_block),
               "this GPU has no such step");
      }
      if (!gpu.blocks[block].steps[other].announced) {
        refuse(step_node,
               fmt::format("waits for step {} of thread block {}, which does not announce its end",
                           step.dep_step, step.dep_block),
               "give that step hasdep=\"1\"");
      }
    }
  }

  const LocatedXml& xml_;
  MscclText text_;
  // Of the GPU that is read:
  std::array<std::uint64_t, 3> chunks_{};
  std::set<std::pair<std::int64_t, std::uint32_t>> senders_, receivers_;
};

}  // namespace

Expected<MscclText> parse_msccl_text(std::string_view text, const std::string& file) {
  const auto xml = LocatedXml::parse(text, file);
  if (!xml) return xml.error();
  try {
    return Reader(*xml).read();
  } catch (const MscclRefused& refused) {
    return refused.error;
  }
}

}  // namespace espalier::formats
