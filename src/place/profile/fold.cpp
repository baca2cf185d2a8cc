#include "profile/fold.hpp"

#include <algorithm>

namespace espalier::profile {
namespace {

std::uint64_t mixed(std::uint64_t seed, std::uint64_t value) {
  std::uint64_t z = seed ^ (value + 0x9e3779b97f4a7c15ULL + (seed << 6) + (seed >> 2));
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return z ^ (z >> 27);
}

std::uint64_t hash_of(const Action& a) {
  std::uint64_t h = static_cast<std::uint64_t>(a.kind) + 1;
  if (a.kind == ActionKind::Compute) return mixed(h, 0);
  h = mixed(h, static_cast<std::uint64_t>(a.operation));
  h = mixed(h, a.peer);
  h = mixed(h, a.communicator);
  return mixed(h, a.bytes);
}

}  // namespace

/// A loop that ran another number of times is another loop.
bool Folder::equal(const FoldedItem& a, const FoldedItem& b) {
  if (a.hash != b.hash || a.action.kind != b.action.kind || a.body.size() != b.body.size()) {
    return false;
  }
  if (a.action.kind == ActionKind::Compute) return true;
  if (a.action.kind != ActionKind::Loop) {
    return a.action.operation == b.action.operation && a.action.peer == b.action.peer &&
           a.action.communicator == b.action.communicator && a.action.bytes == b.action.bytes;
  }
  return a.action.times == b.action.times &&
         std::equal(a.body.begin(), a.body.end(), b.body.begin(), equal);
}

/// Adds up what computations took. @pre equal(into, from)
void Folder::absorb(FoldedItem& into, const FoldedItem& from) {
  into.action.takes += from.action.takes;
  into.times += from.times;
  for (std::size_t i = 0; i < into.body.size(); ++i) absorb(into.body[i], from.body[i]);
}

void Folder::drop(std::size_t count) {
  items_.resize(items_.size() - count);
  keys_.resize(items_.size());
}

void Folder::push(FoldedItem item) {
  keys_.push_back({item.hash, item.body.empty() ? 0 : item.body.back().hash, item.body.size()});
  items_.push_back(std::move(item));
}

bool Folder::fold_once() {
  const std::size_t n = items_.size();
  const std::uint64_t newest = keys_.back().hash;
  for (std::size_t length = 1; length <= window_ && length < n; ++length) {
    // Whatever the last items repeat ends like them: the body of the loop before, or the items.
    const ItemKey& key = keys_[n - 1 - length];
    if (key.hash != newest && (key.body != length || key.last_of_body != newest)) continue;
    const auto last = items_.end() - static_cast<std::ptrdiff_t>(length);
    // One more round of the loop before?
    FoldedItem& before = items_[n - length - 1];
    if (before.action.kind == ActionKind::Loop && before.body.size() == length &&
        std::equal(before.body.begin(), before.body.end(), last, equal)) {
      for (std::size_t i = 0; i < length; ++i) absorb(before.body[i], items_[n - length + i]);
      ++before.action.times;
      drop(length);
      return true;
    }
    if (2 * length > n) continue;
    const auto first = last - static_cast<std::ptrdiff_t>(length);
    if (!std::equal(first, last, last, equal)) continue;
    FoldedItem loop;
    loop.action.kind = ActionKind::Loop;
    loop.action.times = 2;
    loop.body.assign(first, last);
    loop.hash = static_cast<std::uint64_t>(ActionKind::Loop);
    for (std::size_t i = 0; i < length; ++i) {
      absorb(loop.body[i], items_[n - length + i]);
      loop.hash = mixed(loop.hash, loop.body[i].hash);
      loop.depth = std::max(loop.depth, loop.body[i].depth + 1);
    }
    if (loop.depth == 0) loop.depth = 1;
    if (loop.depth > kMaxLoopDepth) continue;
    drop(2 * length);
    push(std::move(loop));
    return true;
  }
  return false;
}

void Folder::add(const Action& action) {
  FoldedItem item;
  item.action = action;
  item.hash = hash_of(action);
  // Two computations in a row are one.
  if (action.kind == ActionKind::Compute && !items_.empty() &&
      items_.back().action.kind == ActionKind::Compute) {
    items_.back().action.takes += action.takes;
    return;
  }
  push(std::move(item));
  while (fold_once()) {
  }
}

void Folder::append(const FoldedItem& item, std::vector<Action>& out) {
  const Time mean{item.action.takes.picoseconds / static_cast<std::int64_t>(item.times)};
  if (item.action.kind != ActionKind::Loop && mean > Time{}) {
    Action before;
    before.takes = mean;
    out.push_back(before);
  }
  if (item.action.kind == ActionKind::Compute) return;
  const std::size_t at = out.size();
  out.push_back(item.action);
  out[at].takes = Time{};
  for (const FoldedItem& inner : item.body) append(inner, out);
  if (item.action.kind != ActionKind::Loop) return;
  out[at].body = static_cast<std::uint32_t>(out.size() - at - 1);
}

std::vector<Action> Folder::finish() const {
  std::vector<Action> actions;
  for (const FoldedItem& item : items_) append(item, actions);
  return actions;
}

}  // namespace espalier::profile
