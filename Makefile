# The front door. Everything here also works by hand through CMake's presets.
#   make          build            -> build/release/bin/espalier
#   make demo     see what it does: plans, and an MPI program without Espalier and with it
#   make check    build, format check, include rule, all tests, a short fuzz of every reader
#   make bench-smpi   simulated times on a grid beside bounds and the algorithms of MPI libraries
#   make league   the library beside four MPIs' choices on ten simulated machines -> build/league.html
#   make bench-lab  both MPIs, their peers and Espalier on emulated sites (needs root and TUN)
#   make bench-discovery  what the machine finds about itself, on emulated sites (needs root and TUN)
#   make bench-never-slower   every collective of both MPIs on this host, with and without the library
#   make bench-drift      plans that follow a network which changes in mid-run, on emulated sites (needs root and TUN)
#   make bench-wrong-machine  what a wrong description of the machine costs, on emulated sites (needs root and TUN)
#   make install PREFIX=...  libraries, headers, tool, manual pages, completions (default /usr/local; DESTDIR too)
#   make uninstall PREFIX=...  all of that again; make deb   Debian packages in build/release/deb
#   make tarball  the same to unpack anywhere: build/portable/espalier-VERSION-linux-ARCH.tar.gz
#   make bench    benchmarks       make fuzz   long fuzzing (FUZZ_SECONDS=600)
#   make format   make lint        make check-long   sanitizers too        make clean
.DEFAULT_GOAL := build
.PHONY: build install uninstall deb tarball demo check check-long bench bench-smpi league bench-never-slower bench-lab bench-discovery bench-drift bench-wrong-machine fuzz fuzz-short format format-check include-check lint packages clean
SHELL := /bin/bash
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
FUZZ_SECONDS ?= 600
ESPALIER := build/release/bin/espalier
SOURCES = $(shell git ls-files --cached --others --exclude-standard '*.cpp' '*.hpp' '*.h' '*.c')

packages:
	@scripts/install_packages.sh

# $(call preset,NAME[,targets]): configure once, build always (Ninja decides what there is to do).
define preset
	@test -f build/$(1)/build.ninja || cmake --preset $(1) >build-$(1).log 2>&1 || { cat build-$(1).log >&2; exit 1; }
	@rm -f build-$(1).log
	@cmake --build build/$(1) -j $(JOBS) $(if $(2),--target $(2))
endef

build: packages
	$(call preset,release)

PREFIX ?= /usr/local
install: packages
	$(call preset,release,installed)
	@cmake --install build/release --prefix $(PREFIX) >build/release/install.log || { cat build/release/install.log >&2; exit 1; }

uninstall:
	@python3 scripts/uninstall.py $(DESTDIR)$(PREFIX)

deb: packages
	$(call preset,release,installed)
	@cd build/release && cpack -G DEB >deb.log || { cat deb.log >&2; exit 1; }
	@ls build/release/deb/*.deb

tarball: packages
	$(call preset,portable,installed)
	@scripts/make_tarball.sh build/portable

demo: packages
	$(call preset,release,espalier espalier-mpich steps.mpich steps.smpi write_platform)
	@scripts/demo.sh build/release

check: packages format-check include-check
	$(call preset,release)
	@ctest --test-dir build/release --output-on-failure -j $(JOBS)
	@$(MAKE) --no-print-directory fuzz-short

# Ten times as many random calls under real MPI; MPICH's own tests and programs of Debian, with us and without; the same tests
# under AddressSanitizer + UndefinedBehaviorSanitizer, and under ThreadSanitizer.
check-long: check
	@ctest --test-dir build/release -C Long -L 'mpi_long|docs_long' --output-on-failure
	@$(MAKE) --no-print-directory tarball
	@python3 tests/install/tarball_test.py build/portable/espalier-*-linux-*.tar.gz .
	@python3 tests/long/mpich_suite.py build/release build/long
	@python3 tests/long/applications.py build/release build/long
	$(call preset,asan)
	@ctest --test-dir build/asan --output-on-failure -j $(JOBS)
	$(call preset,tsan)
	@ctest --test-dir build/tsan --output-on-failure -j $(JOBS)

bench: packages
	$(call preset,release,benchmarks)
	@scripts/bench.sh build/release/bin

bench-smpi: packages
	$(call preset,release,smpi_times smpi_bounds write_platform)
	@python3 tests/smpi/table.py build/release

# Goes on where it was interrupted; LEAGUE=--single for all single algorithms of SMPI too.
league: packages
	$(call preset,release,espalier smpi_times)
	@$(ESPALIER) bench --on smpi $(LEAGUE) --resume build/league.jsonl --html build/league.html

bench-never-slower: packages
	$(call preset,release)
	$(call preset,release,benchmarks)
	@scripts/bench_never_slower.sh build/release

bench-lab: packages
	$(call preset,release)
	@scripts/bench_lab.sh $(ESPALIER)

bench-discovery: packages
	$(call preset,release)
	@python3 tests/lab/discovery.py build/release

bench-drift: packages
	$(call preset,release)
	$(call preset,release,benchmarks)
	@python3 tests/lab/drift.py build/release

bench-wrong-machine: packages
	$(call preset,release)
	$(call preset,release,benchmarks)
	@python3 tests/lab/wrong_machine.py build/release

fuzz-short: packages
	$(call preset,fuzz)
	@scripts/fuzz.sh build/fuzz/bin 4

fuzz: packages
	$(call preset,fuzz)
	@scripts/fuzz.sh build/fuzz/bin $(FUZZ_SECONDS)

format: packages
	@clang-format-14 -i $(SOURCES)

format-check: packages
	@clang-format-14 --dry-run --Werror $(SOURCES) || { echo "error: run 'make format'" >&2; exit 1; }

include-check: packages
	@python3 scripts/check_includes.py

lint: packages
	$(call preset,dev)
	@scripts/lint.sh build/dev

clean:
	rm -rf build
