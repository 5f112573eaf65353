// The one lock on teams of threads, and the vendor's share in it.
#include "parallel.hpp"

namespace backplane::onednn {

std::mutex& team_mutex() {
  static std::mutex mutex;
  return mutex;
}

VendorTeam::VendorTeam(std::uint32_t threads) : before_(omp_get_max_threads()) {
  const int wanted = threads < 1 ? 1 : static_cast<int>(threads);
  if (wanted > 1) lock_ = std::unique_lock(team_mutex());
  if (wanted != before_) omp_set_num_threads(wanted);
}

VendorTeam::~VendorTeam() {
  if (omp_get_max_threads() != before_) omp_set_num_threads(before_);
}

}  // namespace backplane::onednn
