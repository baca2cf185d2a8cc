# Read by ctest before it runs the tests: variables for all of them.
# Open MPI 5.0.7 prefers the IPv6 address of a host that has one, and then says "Unable to find reachable pairing" and cannot
# spawn, on one host and with us or without.
set(ENV{OMPI_MCA_btl_tcp_disable_family} 6)
