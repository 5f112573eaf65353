// The order of an epoch's samples.
#include "data/order.hpp"

#include <numeric>
#include <utility>

#include "backplane/plugin/philox.hpp"

namespace backplane::detail {

namespace {

// Random calls of a training step count their sites from 0 on; the order takes the last site, so
// that one seed for both draws different numbers.
constexpr std::uint32_t order_site = 0xFFFFFF;

// Uniform in [0, bound): Lemire, "Fast random integer generation in an interval", 2019. Rejects the
// few words that would favour small numbers; each attempt is a draw of its own.
std::uint64_t below(std::uint64_t bound, const op::PhiloxScalars& draw, std::uint64_t element) {
  for (std::uint32_t attempt = 0;; ++attempt) {
    const std::uint64_t product = philox::word(draw, element, attempt) * bound;
    if (const std::uint64_t low = product & 0xFFFFFFFFu;
        low >= bound || low >= (std::uint64_t{1} << 32) % bound) {
      return product >> 32;
    }
  }
}

}  // namespace

std::vector<std::int64_t> given_order(std::int64_t count) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  return order;
}

// Fisher and Yates, in the form of Durstenfeld 1964.
std::vector<std::int64_t> shuffled_order(std::int64_t count, std::uint64_t seed,
                                         std::uint32_t epoch) {
  const op::PhiloxScalars draw{.seed_low = static_cast<std::uint32_t>(seed),
                               .seed_high = static_cast<std::uint32_t>(seed >> 32),
                               .site = order_site,
                               .step = epoch,
                               .first_sample = 0};
  std::vector<std::int64_t> order = given_order(count);
  for (std::size_t i = order.size(); i > 1; --i) {
    std::swap(order[i - 1], order[below(i, draw, i)]);
  }
  return order;
}

}  // namespace backplane::detail
