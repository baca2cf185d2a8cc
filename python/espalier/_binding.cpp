// The C++ interface without MPI as a Python module. Times become seconds, sizes bytes, rates bits a
// second; errors become exceptions.
#include <pybind11/pybind11.h>
#include <pybind11/stl.h>

#include <espalier/drawing.hpp>
#include <espalier/espalier.hpp>
#include <espalier/units.hpp>
#include <stdexcept>
#include <variant>

namespace py = pybind11;

namespace espalier {
namespace {

/// Something wrong in the outside world; a ValueError in Python.
struct BadInput : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "where: what; hint": Python says itself that it is an error.
std::string in_one_line(const Error& error) {
  std::string text = to_string(error);
  const auto replace = [&](const std::string& words, const std::string& by) {
    if (const std::size_t at = text.find(words); at != text.npos) {
      text.replace(at, words.size(), by);
    }
  };
  replace("error: ", "");
  replace("\n  hint: ", "; ");
  return text;
}

template <typename T>
T checked(Expected<T> result) {
  if (!result) throw BadInput(in_one_line(result.error()));
  return *std::move(result);
}

/// Work that makes all messages of a plan is refused as the tool refuses it.
const Plan& with_at_most(const Plan& plan, std::uint64_t most, const char* done) {
  if (plan.messages() <= most) return plan;
  throw BadInput("plan: " + plan.name() + " has " + std::to_string(plan.messages()) +
                 " messages; up to " + std::to_string(most) + " are " + done +
                 "; take a shorter message or a smaller machine");
}

/// Other threads run meanwhile: none of what is called touches Python.
using WithoutGil = py::call_guard<py::gil_scoped_release>;

double in_seconds(Time time) { return to_seconds(time); }

std::optional<std::uint64_t> in_bits(Bandwidth rate) {
  if (rate.unlimited()) return std::nullopt;
  return rate.bits_per_second;
}

std::uint64_t bytes_from(const py::object& size) {
  try {
    if (py::isinstance<py::str>(size)) return checked(parse_bytes(size.cast<std::string>())).value;
    return size.cast<std::uint64_t>();
  } catch (const py::cast_error&) {
    throw BadInput("size: " + std::string(py::repr(size)) +
                   " is no number of bytes; give a whole one of 0 or more, or text (\"64KiB\")");
  }
}

std::string all_operations() {
  std::string names;
  for (int o = 0; o <= static_cast<int>(Operation::Exscan); ++o) {
    names += (o == 0 ? "" : ", ") + std::string(name_of(static_cast<Operation>(o)));
  }
  return names;
}

/// A machine, or the file or line that describes one.
using MachineOrText = std::variant<std::string, Machine>;

Machine machine_from(const MachineOrText& given) {
  if (const Machine* machine = std::get_if<Machine>(&given)) return *machine;
  return checked(load_machine(std::get<std::string>(given)));
}

/// A call of so many bytes: its elements are bytes, in reductions numbers of eight.
Call call_from(const std::string& operation, const py::object& size, Rank root, bool commutative) {
  const auto found = operation_named(operation);
  if (!found) {
    throw BadInput("operation: there is no operation \"" + operation +
                   "\"; the operations are: " + all_operations() + ", and MPI's names of them");
  }
  Call call{.operation = *found, .root = root, .commutative = commutative};
  const std::uint64_t bytes = bytes_from(size);
  const bool adds = *found == Operation::Reduce || *found == Operation::Allreduce ||
                    *found == Operation::ReduceScatter || *found == Operation::Scan ||
                    *found == Operation::Exscan;
  call.element = Bytes{adds && bytes % 8 == 0 ? 8U : 1U};
  call.count = *found == Operation::Barrier ? 0 : bytes / call.element.value;
  return call;
}

std::vector<double> in_seconds_all(const std::vector<Time>& times) {
  std::vector<double> result;
  for (const Time time : times) result.push_back(in_seconds(time));
  return result;
}

void bind_machines(py::module_& module) {
  py::class_<Path>(module, "Path")
      .def_readonly("level", &Path::level)
      .def_property_readonly("latency", [](const Path& path) { return in_seconds(path.latency); })
      .def_property_readonly("bandwidth", [](const Path& path) { return in_bits(path.bandwidth); });
  py::class_<Cluster>(module, "Cluster")
      .def_readonly("name", &Cluster::name)
      .def_readonly("level", &Cluster::level)
      .def_readonly("parent", &Cluster::parent)
      .def_readonly("ranks", &Cluster::ranks)
      .def_property_readonly("latency",
                             [](const Cluster& cluster) { return in_seconds(cluster.latency); });
  py::class_<Machine>(module, "Machine")
      .def(py::init([](const std::string& text) { return checked(load_machine(text)); }),
           py::arg("file_or_line"))
      .def_static(
          "from_json", [](const std::string& text) { return checked(parse_machine(text)); },
          py::arg("text"))
      .def_property_readonly("name", &Machine::name)
      .def_property_readonly(
          "levels",
          [](const Machine& machine) {
            std::vector<std::pair<std::string, std::string>> levels;
            for (const Level& level : machine.levels()) {
              levels.emplace_back(level.channel, level.members);
            }
            return levels;
          },
          "(name of the channel, what it joins) of each level, the slowest "
          "first. Channels may have no name.")
      .def_property_readonly("clusters", &Machine::clusters)
      .def_property_readonly("notes", &Machine::notes)
      .def("__len__", &Machine::size)
      .def(
          "__eq__", [](const Machine& a, const Machine& b) { return a == b; }, py::is_operator())
      .def(
          "describe",
          [](const Machine& machine, Rank rank) {
            if (rank >= machine.size()) throw py::index_error("there is no such rank");
            return machine.describe(rank);
          },
          py::arg("rank"), "Where a rank is: its clusters, the outermost first.")
      .def(
          "path",
          [](const Machine& machine, Rank from, Rank to) {
            if (std::max(from, to) >= machine.size())
              throw py::index_error("there is no such rank");
            return machine.path(from, to);
          },
          py::arg("source"), py::arg("target"))
      .def(
          "part",
          [](const Machine& machine, const std::vector<Rank>& ranks) {
            return checked(machine.part(ranks));
          },
          py::arg("ranks"))
      .def("to_json", &Machine::to_json)
      .def("to_svg", [](const Machine& machine) { return to_svg(machine); })
      .def("_repr_svg_", [](const Machine& machine) { return to_svg(machine); })
      .def("__repr__", [](const Machine& machine) {
        return "<Machine of " + std::to_string(machine.size()) + " processes>";
      });
}

void bind_simulations(py::module_& module) {
  py::class_<Verdict>(module, "Verdict")
      .def_readonly("findings", &Verdict::findings)
      .def_readonly("messages", &Verdict::messages)
      .def_property_readonly("bytes", [](const Verdict& verdict) { return verdict.bytes.value; })
      .def("__bool__", &Verdict::ok);
  py::class_<Simulation>(module, "Simulation")
      .def_property_readonly("finish", [](const Simulation& s) { return in_seconds(s.finish); })
      .def_property_readonly("rank_finish",
                             [](const Simulation& s) { return in_seconds_all(s.rank_finish); })
      .def_property_readonly("levels",
                             [](const Simulation& s) {
                               std::vector<std::pair<std::uint64_t, std::uint64_t>> levels;
                               for (const auto& level : s.levels) {
                                 levels.emplace_back(level.messages, level.bytes.value);
                               }
                               return levels;
                             })
      .def_readonly("bottleneck", &Simulation::bottleneck)
      .def_readonly("exact", &Simulation::exact);
  py::class_<LowerBound>(module, "LowerBound")
      .def_property_readonly("time", [](const LowerBound& bound) { return in_seconds(bound.time); })
      .def_readonly("why", &LowerBound::why);
}

void bind_plans(py::module_& module) {
  py::class_<Plan>(module, "Plan")
      .def_property_readonly("name", &Plan::name)
      .def_property_readonly("machine", &Plan::machine)
      .def_property_readonly(
          "operation", [](const Plan& plan) { return std::string(name_of(plan.call().operation)); })
      .def_property_readonly("root", [](const Plan& plan) { return plan.call().root; })
      .def_property_readonly(
          "size", [](const Plan& plan) { return plan.call().count * plan.call().element.value; })
      .def_property_readonly("knows_topology", &Plan::knows_topology)
      .def_property_readonly("per_level", &Plan::per_level)
      .def_property_readonly("predicted",
                             [](const Plan& plan) -> std::optional<double> {
                               const auto time = plan.predicted();
                               if (!time) return std::nullopt;
                               return in_seconds(*time);
                             })
      .def_property_readonly("messages", &Plan::messages)
      .def(
          "verify",
          [](const Plan& plan) { return with_at_most(plan, kMostWritten, "verified").verify(); },
          WithoutGil())
      .def(
          "simulate", [](const Plan& plan) { return checked(plan.simulate()); }, WithoutGil())
      .def(
          "to_json",
          [](const Plan& plan) { return with_at_most(plan, kMostWritten, "written").to_json(); },
          WithoutGil())
      .def(
          "to_svg",
          [](const Plan& plan) { return to_svg(with_at_most(plan, kMostDrawn, "drawn")); },
          WithoutGil())
      // A notebook asks for it by itself: a note instead of an error.
      .def(
          "_repr_svg_", [](const Plan& plan) { return to_svg(plan); }, WithoutGil())
      .def(
          "__hash__",
          [](const Plan& plan) { return with_at_most(plan, kMostWritten, "hashed").hash(); },
          WithoutGil())
      .def(
          "__eq__",
          [](const Plan& a, const Plan& b) {
            if (a.inside() == b.inside()) return true;
            return with_at_most(a, kMostWritten, "compared").hash() ==
                   with_at_most(b, kMostWritten, "compared").hash();
          },
          py::is_operator(), WithoutGil())
      .def("__repr__", [](const Plan& plan) {
        return "<Plan " + plan.name() + " of a " + std::string(name_of(plan.call().operation)) +
               ">";
      });
  const auto size = py::arg("size") = py::int_(0);
  module.def(
      "plan",
      [](const MachineOrText& given, const std::string& operation, const py::object& bytes,
         Rank root, bool commutative, const std::optional<std::string>& name) {
        const Call call = call_from(operation, bytes, root, commutative);
        const Machine machine = machine_from(given);
        const py::gil_scoped_release others_run;
        return checked(name ? plan_named(machine, call, *name) : choose_plan(machine, call));
      },
      py::arg("machine"), py::arg("operation"), size, py::arg("root") = 0,
      py::arg("commutative") = true, py::arg("name") = py::none(),
      "The plan that the tool takes for a call, or the one of this name. The machine may be a file "
      "or a line.");
  module.def(
      "plans",
      [](const MachineOrText& given, const std::string& operation, const py::object& bytes,
         Rank root, bool commutative) {
        const Call call = call_from(operation, bytes, root, commutative);
        const Machine machine = machine_from(given);
        const py::gil_scoped_release others_run;
        return checked(all_plans(machine, call));
      },
      py::arg("machine"), py::arg("operation"), size, py::arg("root") = 0,
      py::arg("commutative") = true,
      "All plans for a call: first the one that plan() takes, then the others by predicted time.");
  module.def(
      "lower_bound",
      [](const MachineOrText& given, const std::string& operation, const py::object& bytes,
         Rank root, bool commutative) {
        const Call call = call_from(operation, bytes, root, commutative);
        const Machine machine = machine_from(given);
        const py::gil_scoped_release others_run;
        return checked(lower_bound(machine, call));
      },
      py::arg("machine"), py::arg("operation"), size, py::arg("root") = 0,
      py::arg("commutative") = true, "A time that no plan for this call can beat, and why.");
}

}  // namespace
}  // namespace espalier

PYBIND11_MODULE(_binding, module) {
  py::register_exception<espalier::BadInput>(module, "Error", PyExc_ValueError);
  espalier::bind_machines(module);
  espalier::bind_simulations(module);
  espalier::bind_plans(module);
}
