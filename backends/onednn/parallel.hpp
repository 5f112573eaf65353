// Teams of threads: how much work deserves one, and one team at a time.
#pragma once

#include <omp.h>

#include <cstdint>
#include <mutex>

namespace backplane::onednn {

// Below this many elements a team costs more than it brings (a fork and a join take 1-3 us).
inline constexpr std::int64_t elements_worth_a_team = 32 * 1024;

// In how many parts to cut work on so many elements.
[[nodiscard]] constexpr unsigned parts_for(std::int64_t elements, std::uint32_t threads) {
  return elements < elements_worth_a_team || threads < 2 ? 1 : threads;
}

// The same for products, which cost more than elements: a hundred thousand take 1-2 us.
[[nodiscard]] constexpr std::uint32_t team_for_products(std::int64_t products,
                                                        std::uint32_t threads) {
  return products < 256 * 1024 ? 1 : threads;
}

// Held while a team runs, so that host threads that arrive together don't share the cores among
// more threads than there are.
[[nodiscard]] std::mutex& team_mutex();

// Calls body(part) for every part. Which part does what never depends on the size of the team that
// OpenMP really grants, so that results don't either.
template <class Body>
void in_parallel(unsigned parts, const Body& body) {
  if (parts < 2) {
    body(0u);
    return;
  }
  const std::scoped_lock lock(team_mutex());
#pragma omp parallel num_threads(parts)
  for (auto part = static_cast<unsigned>(omp_get_thread_num()); part < parts;
       part += static_cast<unsigned>(omp_get_num_threads())) {
    body(part);
  }
}

// The share of `part` in `count` items, as even as can be.
struct Share {
  std::int64_t begin, end;
};
[[nodiscard]] constexpr Share share_of(std::int64_t count, unsigned part, unsigned parts) {
  return {count * part / parts, count * (part + 1) / parts};
}

// While it lives, the vendor's library uses so many threads on this thread's calls, and no other
// team of ours runs. One thread inside a team of ours is what the library uses there anyway: then
// nothing is locked and nothing set, so that the threads of a team may all call it at once.
class VendorTeam {
 public:
  explicit VendorTeam(std::uint32_t threads);
  ~VendorTeam();
  VendorTeam(const VendorTeam&) = delete;
  VendorTeam& operator=(const VendorTeam&) = delete;

 private:
  int before_ = 0;  // 0: nothing was set
  std::unique_lock<std::mutex> lock_;
};

}  // namespace backplane::onednn
