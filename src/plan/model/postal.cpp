#include "model/postal.hpp"

#include "base/contract.hpp"

namespace espalier::model {

Postal::Postal(Rank size, Time unit, Time delivered)
    : size_(size), unit_(unit), delivered_(delivered) {
  expects(Time{0} <= unit && unit <= delivered, "Postal: lambda is below 1");
}

}  // namespace espalier::model
