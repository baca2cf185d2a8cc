#pragma once

// All of Espalier that needs no MPI. To be read in this order:
//
//   types.hpp     how long, how much, how fast; units.hpp reads and writes these
//   expected.hpp  a value, or the error that stands in its way
//   machine.hpp   what there is
//   model.hpp     what a message costs on it
//   tree.hpp      who sends to whom
//   call.hpp      what is asked for
//   plan.hpp      how it runs
//   drawing.hpp   how it looks
//
// With MPI: communicator.hpp, topology.hpp and group.hpp.

#include "espalier/call.hpp"
#include "espalier/drawing.hpp"
#include "espalier/expected.hpp"
#include "espalier/machine.hpp"
#include "espalier/model.hpp"
#include "espalier/plan.hpp"
#include "espalier/tree.hpp"
#include "espalier/types.hpp"
#include "espalier/units.hpp"
