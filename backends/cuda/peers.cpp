// Access to a peer is asked for once: it holds for the process, for all memory on both cards.
#include "peers.hpp"

#include <mutex>
#include <set>
#include <utility>

#include "handles.hpp"

namespace backplane::cuda {

void reach_peer(int ordinal, int peer) {
  static std::mutex mutex;
  static std::set<std::pair<int, int>> asked;
  const std::scoped_lock lock(mutex);
  if (!asked.insert({ordinal, peer}).second) return;
  int direct = 0;
  check(cudaDeviceCanAccessPeer(&direct, ordinal, peer), "asking which cards reach each other");
  if (direct == 0) return;
  const cudaError_t code = cudaDeviceEnablePeerAccess(peer, 0);
  if (code == cudaErrorPeerAccessAlreadyEnabled) {
    cudaGetLastError();  // the program has done it
    return;
  }
  check(code, "letting one card read another's memory");
}

}  // namespace backplane::cuda
