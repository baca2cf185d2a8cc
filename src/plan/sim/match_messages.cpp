#include <algorithm>

#include "sim/task_graph.hpp"

namespace espalier::sim {
namespace {

bool by_name(const MessageEnd& a, const MessageEnd& b) { return a.name < b.name; }

/// Plans mostly write their messages in this order already.
void sort_by_name(std::span<MessageEnd> ends) {
  if (std::is_sorted(ends.begin(), ends.end(), by_name)) return;
  // Tasks are in program order and tell equal names apart.
  std::sort(ends.begin(), ends.end(), [](const MessageEnd& a, const MessageEnd& b) {
    return a.name != b.name ? a.name < b.name : a.task < b.task;
  });
}

/// The sends of each receiver side by side, and where each receiver's begin.
struct ByReceiver {
  std::vector<MessageEnd> ends;
  std::vector<std::size_t> first;
};

ByReceiver group_by_receiver(const TaskGraph& graph, std::span<const SendEnd> sends) {
  const Rank ranks = graph.ranks();
  ByReceiver sorted;
  sorted.first.assign(std::size_t{ranks} + 1, 0);
  for (const SendEnd& send : sends) {
    if (send.to < ranks) ++sorted.first[send.to + 1];
  }
  for (Rank r = 0; r < ranks; ++r) sorted.first[r + 1] += sorted.first[r];
  sorted.ends.resize(sorted.first[ranks]);
  std::vector<std::size_t> fill(sorted.first.begin(), sorted.first.end() - 1);
  for (const SendEnd& send : sends) {
    if (send.to >= ranks) continue;
    const Rank sender = graph.ops[graph.tasks[send.task].op].rank;
    sorted.ends[fill[send.to]++] = {name_of_message(sender, send.tag), send.task};
  }
  return sorted;
}

void join(TaskGraph& graph, std::span<const MessageEnd> sends, std::span<const MessageEnd> recvs) {
  auto send = sends.begin();
  auto recv = recvs.begin();
  while (send != sends.end() && recv != recvs.end()) {
    if (send->name < recv->name) {
      ++send;
    } else if (recv->name < send->name) {
      ++recv;
    } else {
      graph.tasks[send->task].partner = recv->task;
      graph.tasks[recv->task].partner = send->task;
      ++send;
      ++recv;
    }
  }
}

void number_connections(TaskGraph& graph, std::span<const MessageEnd> sends) {
  std::uint64_t sender = ~std::uint64_t{0};
  for (const MessageEnd& send : sends) {
    if (send.name >> 32 != sender) {
      sender = send.name >> 32;
      ++graph.connections;
    }
    graph.tasks[send.task].connection = graph.connections - 1;
  }
}

}  // namespace

void match_messages(TaskGraph& graph, std::span<const SendEnd> sends, std::span<MessageEnd> recvs,
                    std::span<const std::size_t> first_recv) {
  ByReceiver sorted = group_by_receiver(graph, sends);
  for (Rank r = 0; r < graph.ranks(); ++r) {
    const auto to_r =
        std::span(sorted.ends).subspan(sorted.first[r], sorted.first[r + 1] - sorted.first[r]);
    const auto at_r = recvs.subspan(first_recv[r], first_recv[r + 1] - first_recv[r]);
    sort_by_name(to_r);
    sort_by_name(at_r);
    join(graph, to_r, at_r);
    number_connections(graph, to_r);
  }
  const auto alone = [&](const auto& end) { return graph.tasks[end.task].partner == kNone; };
  graph.unmatched = static_cast<std::uint64_t>(std::count_if(sends.begin(), sends.end(), alone) +
                                               std::count_if(recvs.begin(), recvs.end(), alone));
}

}  // namespace espalier::sim
