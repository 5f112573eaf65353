// The caching allocator: reuse, splitting, statistics, limit, streams and threads.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <memory>
#include <thread>

#include "backplane/buffer.hpp"
#include "backplane/stream.hpp"
#include "core_support.hpp"
#include "memory/size_class.hpp"
#include "memory/storage.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

constexpr std::uint64_t mib = 1 << 20;

// Starts from an empty cache and takes its limit away again.
struct Fresh {
  Fresh() { empty_cache(reference()); }
  ~Fresh() {
    set_memory_limit(reference(), 0);
    empty_cache(reference());
  }
  [[nodiscard]] std::uint64_t allocated() const {
    return memory_stats(reference()).allocated_bytes - before.allocated_bytes;
  }
  [[nodiscard]] std::uint64_t from_device() const {
    return memory_stats(reference()).device_allocations - before.device_allocations;
  }
  MemoryStats before = memory_stats(reference());
};

}  // namespace

TEST_CASE("allocator: size classes grow by at most a quarter and hold what they promise") {
  using namespace detail;
  std::uint64_t last = 0;
  for (std::uint64_t bytes = 1; bytes <= largest_small; bytes += 509) {
    const std::uint64_t size = size_of_class(class_of(bytes));
    CHECK(size >= bytes);
    CHECK(size % (least_block / 4) == 0);
    CHECK(size >= last);
    if (bytes > least_block) CHECK(size <= bytes + bytes / 4 + 1);
    last = size;
  }
}

TEST_CASE("allocator: a freed block is the next one of its size") {
  const Fresh fresh;
  std::uint64_t offset = 0;
  {
    const Buffer buffer(reference(), 1000);
    offset = buffer.storage()->block_offset;
    CHECK(fresh.allocated() == 1024);
  }
  CHECK(fresh.allocated() == 0);
  const std::uint64_t segments = fresh.from_device();
  const Buffer again(reference(), 900);
  CHECK(again.storage()->block_offset == offset);
  CHECK(fresh.from_device() == segments);
}

TEST_CASE("allocator: large segments split, and merge when all is freed") {
  const Fresh fresh;
  {
    const Buffer a(reference(), 4 * mib), b(reference(), 6 * mib), c(reference(), 2 * mib);
    CHECK(fresh.from_device() == 1);
    CHECK(a.storage()->buffer == c.storage()->buffer);
    CHECK(a.storage()->block_offset != b.storage()->block_offset);
    CHECK(fresh.allocated() == 12 * mib);
  }
  const Buffer whole(reference(), 32 * mib);
  CHECK(fresh.from_device() == 1);
}

TEST_CASE("allocator: freed neighbours merge in every order") {
  for (const auto& order : {std::array{0, 1, 2}, std::array{0, 2, 1}, std::array{1, 0, 2},
                            std::array{1, 2, 0}, std::array{2, 0, 1}, std::array{2, 1, 0}}) {
    const Fresh fresh;
    std::array<std::unique_ptr<Buffer>, 3> parts;
    for (auto& part : parts) part = std::make_unique<Buffer>(reference(), 8 * mib);
    for (const int i : order) parts[static_cast<std::size_t>(i)].reset();
    const Buffer whole(reference(), 32 * mib);
    CHECK(fresh.from_device() == 1);
  }
}

TEST_CASE("allocator: statistics") {
  const Fresh fresh;
  reset_peak_memory(reference());
  { const Buffer a(reference(), 2 * mib), b(reference(), 3 * mib); }
  const MemoryStats now = memory_stats(reference());
  CHECK(now.peak_allocated_bytes - fresh.before.allocated_bytes == 5 * mib);
  CHECK(now.allocations - fresh.before.allocations == 2);
  CHECK(now.reserved_bytes >= 32 * mib);
  reset_peak_memory(reference());
  CHECK(memory_stats(reference()).peak_allocated_bytes == now.allocated_bytes);
}

TEST_CASE("allocator: empty_cache keeps what is in use") {
  const Fresh fresh;
  const Tensor kept = full({1000}, 7, on_reference());
  { const Buffer dropped(reference(), 40 * mib); }
  const std::uint64_t cached = memory_stats(reference()).reserved_bytes;
  empty_cache(reference());
  CHECK(memory_stats(reference()).reserved_bytes <= cached - 40 * mib);
  CHECK(values_of(kept) == std::vector<float>(1000, 7));
}

TEST_CASE("allocator: out of memory says who holds what, and the program goes on") {
  const Fresh fresh;
  const std::uint64_t reserved = memory_stats(reference()).reserved_bytes;
  set_memory_limit(reference(), reserved + 20 * mib);
  CHECK(memory_stats(reference()).limit_bytes == reserved + 20 * mib);
  const Buffer held(reference(), 16 * mib);
  const std::string error = error_of([] { return Buffer(reference(), 8 * mib); });
  CHECK(error.starts_with("out_of_memory: reference:0: no room for 8192.0 KiB, "));
  CHECK(error.find("(the largest: 16.0 MiB") != std::string::npos);
  CHECK(error.ends_with("; use smaller batches or free tensors"));
  CHECK(error_of([] { return Buffer(reference(), 2 * mib); }) == "no error");
}

TEST_CASE("allocator: a request gets the memory that is cached under the limit") {
  const Fresh fresh;
  set_memory_limit(reference(), memory_stats(reference()).reserved_bytes + 34 * mib);
  { const Buffer large(reference(), 30 * mib); }
  { const Buffer larger(reference(), 33 * mib); }  // the cached segment had to go first
  CHECK(error_of([] { return Buffer(reference(), 35 * mib); }).starts_with("out_of_memory: "));
}

TEST_CASE("allocator: what another stream has cached serves under the limit, once it is idle") {
  const Fresh fresh;
  const Stream other(reference());
  std::unique_ptr<Buffer> pin;
  {
    const StreamGuard guard(other);
    pin = std::make_unique<Buffer>(reference(), 2 * mib);  // its segment can't go back
    const Buffer freed(reference(), 20 * mib);
  }
  set_memory_limit(reference(), memory_stats(reference()).reserved_bytes);
  const std::uint64_t segments = fresh.from_device();
  const Buffer here(reference(), 20 * mib);
  CHECK(fresh.from_device() == segments);
  CHECK(here.storage()->buffer == pin->storage()->buffer);
}

TEST_CASE("allocator: sizes that no device has") {
  CHECK(error_of([] {
          return Buffer(reference(), ~std::uint64_t{0});
        }).starts_with("out_of_memory: reference:0: no room for "));
  CHECK(error_of([] {
          return empty({std::int64_t{1} << 40, std::int64_t{1} << 40});
        }) ==
        "invalid_argument: empty: shape [1099511627776,1099511627776] has more elements than any "
        "device can address; use smaller sizes");
}

TEST_CASE("allocator: memory that another stream still uses isn't given away") {
  const Stream other(reference());
  for (int round = 0; round < 50; ++round) {
    Tensor result;
    {
      Tensor x = full({512}, round, on_reference());
      Event filled(reference());
      filled.record(Stream::current(reference()));
      other.wait(filled);
      const StreamGuard guard(other);
      result = x + 1.0;
    }  // x is freed while its reader may still wait on the other stream
    const Tensor next = full({512}, -1, on_reference());
    const StreamGuard guard(other);
    CHECK(values_of(result) == std::vector<float>(512, static_cast<float>(round + 1)));
  }
}

TEST_CASE("allocator: many streams and two threads at once") {
  std::atomic<int> wrong{0};
  const auto work = [&wrong](int seed) {
    for (int round = 0; round < 20; ++round) {
      const Stream stream(reference());
      const StreamGuard guard(stream);
      std::vector<Tensor> held;
      for (int i = 1; i < 12; ++i) {
        held.push_back(full({i * 700 + seed}, i, on_reference()));
        if (i % 3 == 0) held.erase(held.begin());
      }
      if (round % 7 == 0) empty_cache(reference());
      for (const Tensor& x : held) {
        const auto values = values_of(x);
        for (const float value : values) wrong += value == values.front() ? 0 : 1;
      }
    }
  };
  const std::uint64_t before = memory_stats(reference()).allocated_bytes;
  std::thread first(work, 1), second(work, 2);
  first.join();
  second.join();
  CHECK(wrong == 0);
  reference().synchronize();
  CHECK(memory_stats(reference()).allocated_bytes == before);
}

TEST_CASE("buffer: bytes up and down") {
  Buffer buffer(reference(), 8);
  CHECK(buffer.device() == reference());
  CHECK(buffer.bytes() == 8);
  const std::array<std::byte, 4> source{std::byte{1}, std::byte{2}, std::byte{3}, std::byte{4}};
  buffer.upload(source, 4);
  buffer.upload(source, 0);
  std::array<std::byte, 6> target{};
  buffer.download(target, 2);
  CHECK(target == std::array<std::byte, 6>{std::byte{3}, std::byte{4}, std::byte{1}, std::byte{2},
                                           std::byte{3}, std::byte{4}});
  const TransferStats before = transfer_stats(reference());
  buffer.upload(source);
  buffer.download(target);
  const TransferStats now = transfer_stats(reference());
  CHECK(now.bytes_to_device - before.bytes_to_device == 4);
  CHECK(now.bytes_from_device - before.bytes_from_device == 6);
  CHECK(now.uploads - before.uploads == 1);
  CHECK(now.downloads - before.downloads == 1);
}

TEST_CASE("buffer: ranges outside are refused") {
  Buffer buffer(reference(), 8);
  std::array<std::byte, 4> four{};
  CHECK(error_of([&] { return buffer.upload(four, 5), 0; }) ==
        "out_of_range: buffer: bytes [5, 9) are outside its 8 bytes; use a smaller range");
  CHECK(error_of([&] { return buffer.download(four, 9), 0; }) ==
        "out_of_range: buffer: bytes [9, 13) are outside its 8 bytes; use a smaller range");
  CHECK(error_of([&] { return buffer.download(four, 4), 0; }) == "no error");
}

TEST_CASE("buffer: moves, on the host too, and may be empty") {
  Buffer first(Device::host(), 16);
  void* memory = first.native_handle();
  const Buffer second(std::move(first));
  CHECK(second.native_handle() == memory);
  CHECK(second.device().is_host());
  Buffer none(reference(), 0);
  CHECK(none.bytes() == 0);
  none.upload({});
}
