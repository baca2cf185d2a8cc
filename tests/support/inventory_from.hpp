#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "place/load_inventory.hpp"

namespace espalier::place {

/// Of text that is right.
inline map::Inventory inventory_from(const std::string& text) {
  auto inventory = load_inventory(text);
  EXPECT_TRUE(inventory.has_value()) << inventory.error();
  return std::move(*inventory);
}

}  // namespace espalier::place
