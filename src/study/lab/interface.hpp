#pragma once

#include "base/expected.hpp"
#include "base/file_descriptor.hpp"
#include "lab/frame.hpp"
#include "lab/hosts.hpp"

namespace espalier::lab {

/// Makes eth0 in the network namespace this process is in, or takes hold of the one that is there,
/// and sets up addresses and routes. What the host sends can be read from the result, and what is
/// written to it the host receives: frames with a virtio header, TCP in pieces of up to 64 KiB.
///
/// The interface stays when its holder ends, so that connections outlive a router.
Expected<FileDescriptor> open_interface(std::uint32_t address, const MacAddress& mac);

/// One line if this computer cannot hold a lab, else nothing.
[[nodiscard]] std::optional<Error> why_no_lab();

}  // namespace espalier::lab
