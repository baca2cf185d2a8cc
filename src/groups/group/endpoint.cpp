#include "group/endpoint.hpp"

#include <array>

#include "base/contract.hpp"
#include "group/message.hpp"

namespace espalier::group {

void Endpoint::refuse_call() {
  expects(false, "a collective: the members' calls differ in kind or length");
}

std::string_view name(Kind kind) {
  static constexpr std::array<std::string_view, kKinds> kNames{
      "begin",  "up",       "down",   "down_empty", "list",    "announce", "relay",
      "parent", "children", "fill",   "graft",      "grafted", "ask",      "answer",
      "adopt",  "forward",  "placed", "gather",     "scan",    "sort",     "table",
      "finish", "data",     "find",   "found",      "traffic"};
  return kNames[static_cast<std::size_t>(kind)];
}

namespace {

constexpr std::uint32_t kHead = 5;  // target, tag (low, high), kind, whom it is from

}  // namespace

void send_routed(const GroupView& group, Rank target, Message message, Endpoint& endpoint) {
  const Id next = next_hop(group, endpoint.self(), target);
  if (group.numbering == Numbering::World || next == endpoint.self()) {
    return endpoint.send(next, std::move(message));
  }
  Words words{target, static_cast<std::uint32_t>(message.tag),
              static_cast<std::uint32_t>(message.tag >> 32U),
              static_cast<std::uint32_t>(message.kind), endpoint.self()};
  words.append(message.words);
  endpoint.send(next, {group.tag, 0, Kind::Relay, message.ids, std::move(words)});
}

std::optional<Message> take_relay(const GroupView& group, const Message& relay,
                                  Endpoint& endpoint) {
  const Words& words = relay.words;
  const Id next = next_hop(group, endpoint.self(), words[0]);
  if (next != endpoint.self()) {
    endpoint.send(next, relay);
    return std::nullopt;
  }
  Message inside{
      words[1] | Tag{words[2]} << 32U, words[4], static_cast<Kind>(words[3]), relay.ids, {}};
  inside.words.append(std::span<const std::uint32_t>(words).subspan(kHead));
  return inside;
}

}  // namespace espalier::group
