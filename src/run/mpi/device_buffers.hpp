#pragma once

namespace espalier::mpi {

/// Whether this process's MPI library says that it takes buffers in the memory of devices (GPUs).
/// Calls through shared memory copy from and to buffers themselves, which would fail there.
[[nodiscard]] bool takes_device_buffers();

}  // namespace espalier::mpi
