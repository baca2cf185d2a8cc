#pragma once

#include <optional>

#include "group/endpoint.hpp"
#include "group/group_view.hpp"

namespace espalier::group {

/// Sends a message to a rank of a group: at once where the id is known, else on a way of several
/// hops, wrapped as a Relay in the group's own name. Who is on that way need not know of what is
/// inside: it passes relays on as long as it is in the group, whatever it is done with.
void send_routed(const GroupView& group, Rank target, Message message, Endpoint& endpoint);

/// Passes a Relay on. @return the message inside, if it has arrived here
std::optional<Message> take_relay(const GroupView& group, const Message& relay, Endpoint& endpoint);

}  // namespace espalier::group
