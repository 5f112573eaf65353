// The one lock on teams of threads, and the vendor's share in it.
#include "parallel.hpp"

namespace backplane::onednn {

std::mutex& team_mutex() {
  static std::mutex mutex;
  return mutex;
}

VendorTeam::VendorTeam(std::uint32_t threads) {
  const int wanted = threads < 1 ? 1 : static_cast<int>(threads);
  if (wanted > 1) {
    lock_ = std::unique_lock(team_mutex());
  } else if (omp_in_parallel() != 0) {
    return;
  }
  const int now = omp_get_max_threads();
  if (now == wanted) return;
  before_ = now;
  omp_set_num_threads(wanted);
}

VendorTeam::~VendorTeam() {
  if (before_ != 0) omp_set_num_threads(before_);
}

}  // namespace backplane::onednn
