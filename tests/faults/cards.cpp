// Cards that two back ends see; run by CTest with no other plug-in in reach.
#include <doctest/doctest.h>

#include "backplane/backplane.hpp"

using namespace backplane;  // NOLINT: the tests are a consumer of the API

TEST_CASE("device: a card under two back ends counts once, however its bus id is written" *
          doctest::skip()) {
  const Device first = device("cards_a:0"), again = device("cards_b:0");
  CHECK(first.unique_id() == "0000:ab:00.0");
  CHECK(again.unique_id() == first.unique_id());
  CHECK(device("gpu:0") == first);
  CHECK(device("gpu:1") == device("cards_a:1"));  // without an id: nobody knows, so it counts
  CHECK(device("gpu:2") == device("cards_b:1"));
  CHECK(device("gpu:3") == device("cards_b:2"));
  CHECK_THROWS_WITH_AS((void)device("gpu:4"), doctest::Contains("4 GPUs found"), Error);
}
