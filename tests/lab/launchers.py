"""How programs are started on a lab by its MPIs' own launchers."""


def launchers(state, shim=""):
    """What the lab itself would say to mpiexec (espalier lab run --print), but for the hosts."""
    return {
        "openmpi": ["mpiexec.openmpi", "--allow-run-as-root", "--mca", "plm_rsh_agent", f"{state}/rsh", "--mca", "pml", "ob1",
                    "--mca", "btl", "self,vader,tcp", "--mca", "btl_tcp_if_include", "eth0", "--mca", "oob_tcp_if_include", "eth0",
                    "--mca", "mpi_yield_when_idle", "1"],
        "mpich": ["mpiexec.mpich", "-launcher", "ssh", "-iface", "eth0", "-launcher-exec", f"{state}/rsh", "-genv", "LD_PRELOAD",
                  str(shim), "-genv", "UCX_TLS", "self,sm,tcp", "-genv", "UCX_NET_DEVICES", "eth0"],
    }
