#include "cli/run.hpp"

int main(int argc, char** argv) { return espalier::cli::run(argc, argv); }
