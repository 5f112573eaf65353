// Ranges, vector clocks and the search for races between operations.
#include "runtime/footprint.h"

#include <algorithm>

namespace backplane::sim {
namespace {

void sort_and_join(std::vector<Range>& ranges) {
  const auto earlier = [](const Range& a, const Range& b) { return a.begin < b.begin; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), earlier)) {
    std::sort(ranges.begin(), ranges.end(), earlier);
  }
  std::size_t kept = 0;
  for (const Range& range : ranges) {
    if (range.begin == range.end) continue;
    if (kept > 0 && range.begin <= ranges[kept - 1].end) {
      ranges[kept - 1].end = std::max(ranges[kept - 1].end, range.end);
    } else {
      ranges[kept++] = range;
    }
  }
  ranges.resize(kept);
}

Range overlap(const std::vector<Range>& a, const std::vector<Range>& b) {
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const uint64_t begin = std::max(a[i].begin, b[j].begin);
    const uint64_t end = std::min(a[i].end, b[j].end);
    if (begin < end) return {begin, end};
    if (a[i].end < b[j].end)
      ++i;
    else
      ++j;
  }
  return {0, 0};
}

// Memory of a program that never waits must stay bounded; what is dropped can only hide a race.
constexpr std::size_t kMostEntries = 4096;

}  // namespace

void Footprint::sort() {
  sort_and_join(reads);
  sort_and_join(writes);
}

void Footprint::append(const Footprint& other) {
  reads.insert(reads.end(), other.reads.begin(), other.reads.end());
  writes.insert(writes.end(), other.writes.begin(), other.writes.end());
}

Range clash(const Footprint& a, const Footprint& b) {
  for (const auto& [x, y] : {std::pair{&a.writes, &b.writes}, std::pair{&a.writes, &b.reads},
                             std::pair{&a.reads, &b.writes}}) {
    const Range range = overlap(*x, *y);
    if (range.begin < range.end) return range;
  }
  return {0, 0};
}

uint64_t VectorClock::operator[](int stream) const {
  const auto found = counts_.find(stream);
  return found == counts_.end() ? 0 : found->second;
}

void VectorClock::join(const VectorClock& other) {
  for (const auto& [stream, count] : other.counts_) {
    uint64_t& mine = counts_[stream];
    mine = std::max(mine, count);
  }
}

std::string History::add(Entry entry, const VectorClock& clock) {
  std::string message;
  for (const Entry& earlier : entries_) {
    if (earlier.stream == entry.stream || clock[earlier.stream] >= earlier.count) continue;
    const Range range = clash(entry.footprint, earlier.footprint);
    if (range.begin == range.end) continue;
    message = "RACE between '" + entry.what + "' on stream " + std::to_string(entry.stream) +
              " and '" + earlier.what + "' on stream " + std::to_string(earlier.stream) + ": " +
              std::to_string(range.end - range.begin) +
              " bytes are written by one and used by the other, with no event or wait between";
    break;
  }
  if (entries_.size() == kMostEntries) entries_.erase(entries_.begin(), entries_.begin() + 1024);
  entries_.push_back(std::move(entry));
  return message;
}

// An operation that is queued already can still race with what the host has waited for, so both
// the host's clock and the first queued operation of each stream must lie after an entry.
void History::prune(const VectorClock& host, const std::vector<const VectorClock*>& queued) {
  std::erase_if(entries_, [&](const Entry& entry) {
    if (host[entry.stream] < entry.count) return false;
    return std::all_of(queued.begin(), queued.end(), [&](const VectorClock* clock) {
      return (*clock)[entry.stream] >= entry.count;
    });
  });
}

}  // namespace backplane::sim
