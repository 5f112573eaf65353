// Which bytes an operation reads and writes, and the clocks that say what is ordered before what.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace backplane::sim {

struct Range {
  uint64_t begin;
  uint64_t end;
};

struct Footprint {
  std::vector<Range> reads;
  std::vector<Range> writes;
  void read(uint64_t begin, uint64_t bytes) { reads.push_back({begin, begin + bytes}); }
  void write(uint64_t begin, uint64_t bytes) { writes.push_back({begin, begin + bytes}); }
  void sort();  // and joins ranges that touch
  void append(const Footprint& other);
};

// The bytes in which two sorted footprints clash: one writes what the other reads or writes.
// Length zero when there is no clash.
Range clash(const Footprint& a, const Footprint& b);

// For each stream, up to which of its operations everything has happened before.
class VectorClock {
 public:
  uint64_t operator[](int stream) const;
  void set(int stream, uint64_t count) { counts_[stream] = count; }
  void join(const VectorClock& other);

 private:
  std::map<int, uint64_t> counts_;
};

// Operations that ran and with which later ones may still race.
class History {
 public:
  struct Entry {
    int stream;
    uint64_t count;
    std::string what;
    Footprint footprint;
  };
  // The message of a race, or "". Keeps the entry for later ones.
  std::string add(Entry entry, const VectorClock& clock);
  // Forgets what is ordered before everything that can still come.
  void prune(const VectorClock& host, const std::vector<const VectorClock*>& queued);

 private:
  std::vector<Entry> entries_;
};

}  // namespace backplane::sim
