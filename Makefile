# The front door. Everything here also works by hand through CMake's presets.
#   make          the tool and its libraries, without tests -> build/release/bin/espalier
#   make demo     see what it does: plans, and an MPI program without Espalier and with it
#   make check    build, format check, include rule, all tests, some of them with sanitizers, every reader fed with wrong input
#   make check-quick  the tests of single rooms, without any MPI: the inner loop
#   make check-sanitized  executors, buffers and readers under AddressSanitizer and UndefinedBehaviorSanitizer
#   make check-single every source by itself (preset dev), as developers compile: does each include what it uses?
#   make build-times  what the build costs: processor time by room, the ten worst units (SOURCES="OLD NEW": side by side)
#   make bench-smpi   simulated times on a grid beside bounds and the algorithms of MPI libraries
#   make bench-scale  1,024 and 4,096 simulated ranks beside the choices of MPI libraries
#   make league   the library beside four MPIs' choices on ten simulated machines -> build/league.html
#   make bench-view  what the page of espalier view costs: answers, and script time a frame
#   make bench-commands  time and memory of the tool's commands, from 16 to 4,096 ranks
#   make bench-lab  both MPIs, their peers and Espalier on emulated sites (needs root and TUN)
#   make bench-export  tuning files of espalier export beside native calls and the preload, on emulated sites (needs root and TUN)
#   make bench-programs  PETSc, LAMMPS, ScaLAPACK and others, native and with Espalier, on emulated sites (needs root and TUN; PROGRAMS="--quick")
#   make bench-training  PyTorch's gradients by Gloo, MPI and plans, on emulated sites (needs root, TUN and python3-torch)
#   make bench-discovery  what the machine finds about itself, on emulated sites (needs root and TUN)
#   make bench-many   256 real ranks on emulated sites: start, calls, messages (needs root and TUN)
#   make bench-never-slower   every collective of both MPIs on this host, with and without the library
#   make bench-shared         the same through the memory of this host
#   make bench-drift      plans that follow a network which changes in mid-run, on emulated sites (needs root and TUN)
#   make bench-wrong-machine  what a wrong description of the machine costs, on emulated sites (needs root and TUN)
#   make install PREFIX=...  libraries, headers, tool, manual pages, completions (default /usr/local; DESTDIR too)
#   make uninstall PREFIX=...  all of that again; make deb   Debian packages in build/release/deb
#   make tarball  the same to unpack anywhere: build/portable/espalier-VERSION-linux-ARCH.tar.gz
#   make bench    benchmarks       make fuzz   long fuzzing (FUZZ_SECONDS=600), then random MPI programs (SECTIONS=20000)
#   make format   make lint        make check-long   sanitizers and Debian 13 too        make clean
.DEFAULT_GOAL := build
.PHONY: build build-times check-quick check-sanitized sanitized check-single install uninstall deb tarball demo check check-long check-debian13 bench bench-smpi bench-view league bench-never-slower bench-shared bench-lab bench-export bench-programs bench-training bench-scale bench-many bench-commands bench-discovery bench-drift bench-wrong-machine fuzz fuzz-readers fuzz-sections format format-check include-check lint packages tools format-tool clean
SHELL := /bin/bash
JOBS ?= $(shell nproc 2>/dev/null || echo 2)
# Many tests wait for others, so twice as many as there are processors are under way.
TEST_JOBS ?= $(shell echo $$(( 2 * $(JOBS) )))
FUZZ_SECONDS ?= 600
ESPALIER := build/release/bin/espalier

# What has to be there (packages.debian): demo, build or check; each has all of the ones before it.
PURPOSE := build
demo: PURPOSE := demo
check check-quick check-sanitized sanitized check-single check-long build-times bench bench-never-slower bench-shared bench-smpi bench-scale bench-many bench-view bench-discovery bench-drift bench-wrong-machine lint: PURPOSE := check

packages:
	@scripts/install_packages.sh $(PURPOSE)

# $(call preset,NAME[,targets]): install and configure once for the purpose, build always (Ninja decides what there is to do).
define preset
	@scripts/install_packages.sh $(PURPOSE)
	@scripts/configure.sh $(1) $(PURPOSE)
	@cmake --build build/$(1) -j $(JOBS) $(if $(2),--target $(2))
endef

build: packages
	$(call preset,release,installed)

PREFIX ?= /usr/local
install: packages
	$(call preset,release,installed)
	@cmake --install build/release --prefix "$(PREFIX)" >build/release/install.log || { cat build/release/install.log >&2; exit 1; }
	@echo "installed in $(DESTDIR)$(PREFIX): PATH=$(PREFIX)/bin:\$$PATH, or module use $(PREFIX)/share/modulefiles; documents in $(PREFIX)/share/doc/espalier"

uninstall:
	@python3 scripts/uninstall.py "$(DESTDIR)$(PREFIX)"

deb: packages
	$(call preset,release,installed)
	@cd build/release && cpack -G DEB >deb.log || { cat deb.log >&2; exit 1; }
	@ls build/release/deb/*.deb

tarball: packages
	$(call preset,portable,installed)
	@scripts/make_tarball.sh build/portable

demo: packages
	$(call preset,release,demo)
	@scripts/demo.sh build/release

check: packages format-check include-check
	$(call preset,release)
	@ctest --test-dir build/release --output-on-failure -j $(TEST_JOBS)
	@$(MAKE) --no-print-directory check-sanitized

check-quick: packages format-check include-check
	$(call preset,release,unit_tests)
	@ctest --test-dir build/release -L '^unit$$' --output-on-failure -j $(TEST_JOBS)

# Few enough to be part of `make check`; check-long runs all tests so.
check-sanitized: packages
	@! scripts/can_sanitize.sh || $(MAKE) --no-print-directory sanitized

# Looking for leaks takes seconds a process, and CMake asks each program for its tests.
sanitized check-long: export ASAN_OPTIONS := detect_leaks=0
sanitized:
	$(call preset,asan,sanitized_tests)
	@ctest --test-dir build/asan -L '^sanitized$$' --output-on-failure -j $(TEST_JOBS)

check-single: packages
	@scripts/configure.sh dev $(PURPOSE)
	@python3 scripts/check_single.py build/dev --jobs $(JOBS)

# From nothing, without a compiler cache, in folders of its own.
build-times: packages
	@python3 scripts/build_times.py $(SOURCES)

# Thirty times as many random calls under real MPI, all cases of the other tests; MPICH's own tests and programs of Debian, with us and without; the same tests
# under AddressSanitizer + UndefinedBehaviorSanitizer, and under ThreadSanitizer.
check-long: check
	@ctest --test-dir build/release -C Long -L '_long$$' --output-on-failure
	@LONG_TESTS=1 ctest --test-dir build/release -E '^(run|lab|docs|install|python)' --output-on-failure -j $(TEST_JOBS)
	@$(MAKE) --no-print-directory tarball
	@python3 tests/install/tarball_test.py build/portable/espalier-*-linux-*.tar.gz .
	@python3 tests/long/mpich_suite.py build/release build/long
	@python3 tests/long/mpich_suite.py build/release build/long --parts coll --blocks-first
	@python3 tests/long/mpich_suite.py build/release build/long --parts coll --blocks-first --how measured
	@python3 tests/long/applications.py build/release build/long
	$(call preset,asan)
	@ctest --test-dir build/asan --output-on-failure -j $(TEST_JOBS)
	$(call preset,tsan)
	@ctest --test-dir build/tsan --output-on-failure -j $(TEST_JOBS)
	@$(MAKE) --no-print-directory check-debian13

# `make demo` and `make check` from nothing on Debian 13, in a root that debootstrap makes. Needs root; else a line says so.
check-debian13:
	@scripts/debian_root.sh --release trixie || [ $$? -eq 77 ]

bench: packages
	$(call preset,release,benchmarks)
	@scripts/bench.sh build/release/bin
	@scripts/bench_fresh_duplicates.sh build/release

bench-smpi: packages
	$(call preset,release,smpi_times smpi_bounds write_platform)
	@python3 tests/smpi/table.py build/release

# Ranks, seconds and selectors: SCALE="--ranks 1024 --seconds 60". Goes on where it was interrupted.
bench-scale: packages
	$(call preset,release,smpi_times write_platform)
	@python3 tests/smpi/scale.py build/release --resume build/scale.jsonl $(SCALE)

bench-view: packages
	$(call preset,release,espalier)
	@python3 tests/view/browser_test.py $(ESPALIER) $(CURDIR)/build/web bench/view/view_bench.mjs || [ $$? -eq 77 ]

bench-commands: packages
	$(call preset,release,espalier)
	@python3 scripts/bench_commands.py $(ESPALIER)

# Goes on where it was interrupted; LEAGUE=--single for all single algorithms of SMPI too.
league: packages
	$(call preset,release,espalier smpi_times)
	@$(ESPALIER) bench --on smpi $(LEAGUE) --resume build/league.jsonl --html build/league.html

bench-never-slower: packages
	$(call preset,release)
	$(call preset,release,benchmarks)
	@scripts/bench_never_slower.sh build/release

bench-shared: packages
	$(call preset,release)
	$(call preset,release,benchmarks)
	@scripts/bench_shared.sh build/release

bench-lab: packages
	$(call preset,release)
	@scripts/bench_lab.sh $(ESPALIER)

bench-many: packages
	$(call preset,release)
	@python3 tests/lab/many_ranks.py build/release $(MANY)

bench-export: packages
	$(call preset,release)
	@python3 scripts/bench_export.py $(ESPALIER)

# Programs that are not installed are skipped, with a line that names their package.
bench-programs: packages
	$(call preset,release)
	@python3 scripts/bench_programs.py build/release --json build/programs.json --svg build/programs.svg $(PROGRAMS)

bench-training: packages
	$(call preset,release)
	@python3 scripts/bench_training.py build/release

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

# Lint and fuzz need tools of LLVM, of any recent version; where there is none a line says so. `make fuzz` then fails.
tools:
	@scripts/install_packages.sh tools

format-tool:
	@scripts/install_packages.sh format

fuzz: fuzz-readers
	@$(MAKE) --no-print-directory fuzz-sections

fuzz-readers: tools
	@scripts/can_fuzz.sh
	$(call preset,fuzz)
	@scripts/fuzz.sh build/fuzz/bin $(FUZZ_SECONDS)

# Random MPI programs, natively and preloaded: SECTIONS for each MPI and each of the settings, from SEED on.
SECTIONS ?= 20000
THREAD_KINDS := plain,world,repeated,tried,starts,empty_types,between,neighbours,info,many,session,copies,returns,ahead,deletes,threads
SEED ?= $(shell date +%s)
fuzz-sections: PURPOSE := check
fuzz-sections: packages
	$(call preset,release,espalier-front espalier-mpich espalier-openmpi give_way naps sections.mpich sections.openmpi)
	@for mpi in mpich openmpi; do \
	  time python3 tests/mpi/sections/sections_test.py $$mpi build/release/lib/libespalier.so build/release/mpi/sections.$$mpi \
	    --sections $(SECTIONS) --seed $(SEED) --levels all --slow 8 --alone all || exit 1; \
	  time python3 tests/mpi/sections/sections_test.py $$mpi build/release/lib/libespalier.so build/release/mpi/sections.$$mpi \
	    --sections $(SECTIONS) --seed $(SEED) --levels none,single,funneled,serialized --settings thread --kinds $(THREAD_KINDS) || exit 1; \
	done

format: format-tool
	@scripts/format.sh write

format-check: format-tool
	@scripts/format.sh check

include-check: packages
	@python3 scripts/check_includes.py
	@python3 scripts/check_local_names.py

lint: tools
	$(call preset,release,espalier_wrappers espalier_recorder_wrappers)
	@scripts/lint.sh build/release

clean:
	rm -rf build
