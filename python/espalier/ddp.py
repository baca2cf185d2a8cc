"""Gradients of data-parallel training, averaged by MPI collectives.

    averager = espalier.ddp.Averager()            # over MPI_COMM_WORLD of mpi4py
    model.register_comm_hook(averager, espalier.ddp.hook)

`hook` is a communication hook of PyTorch's DistributedDataParallel. Programs without PyTorch call `Averager.average()` on their arrays. Run the program
under `espalier run` and the sums go along plans for the machine; without it they are the MPI library's own.
"""


class Averager:
    """Averages arrays over the ranks of a communicator, in place.

    Every rank must pass arrays of the same lengths in the same order, as for MPI_Allreduce.
    """

    def __init__(self, communicator=None):
        from mpi4py import MPI  # not at the top: importing it starts MPI
        self.communicator = MPI.COMM_WORLD if communicator is None else communicator
        self._in_place, self._sum = MPI.IN_PLACE, MPI.SUM

    @property
    def size(self):
        return self.communicator.Get_size()

    def average(self, array):
        """The mean over all ranks, written to `array`: a contiguous numpy array of float32 or float64.

        Each rank divides first, then all add, as PyTorch's own hook does: sums stay in range.
        """
        if array.dtype.name not in ("float32", "float64"):
            raise TypeError(f"espalier.ddp: an array of {array.dtype.name}; MPI adds float32 and float64: convert it")
        if not array.flags.c_contiguous:
            raise ValueError("espalier.ddp: an array with gaps; copy it (numpy.ascontiguousarray)")
        array /= self.size
        self.communicator.Allreduce(self._in_place, array, self._sum)
        return array


def hook(averager, bucket):
    """For register_comm_hook(): averages a bucket of gradients before backward() goes on.

    Tensors on a device other than the CPU go through a copy on the host.
    """
    import torch
    gradients = bucket.buffer()
    if gradients.device.type == "cpu":
        averager.average(gradients.numpy())
    else:
        on_host = gradients.cpu()
        averager.average(on_host.numpy())
        gradients.copy_(on_host)
    done = torch.futures.Future()
    done.set_result(gradients)
    return done
