// The optional slots: what the core makes of them, and of a back end that leaves them out.
#include <doctest/doctest.h>

#include <cmath>
#include <cstdlib>

#include "backplane/buffer.hpp"
#include "backplane/data/data_loader.hpp"
#include "backplane/observe/observer.hpp"
#include "backplane/stream.hpp"
#include "device/device_state.hpp"
#include "stream/stream_state.hpp"
#include "unit/core_support.hpp"

using namespace backplane;
using namespace backplane::test;

namespace {

Device thrower(int index) {
  return device("thrower:" + std::to_string(index));
}

struct Faulty {
  Faulty(const char* slot, const char* how) {
    setenv("BACKPLANE_TEST_FAULTY", slot, 1);
    setenv("BACKPLANE_TEST_THROWS", how, 1);
  }
  ~Faulty() {
    unsetenv("BACKPLANE_TEST_FAULTY");
    unsetenv("BACKPLANE_TEST_THROWS");
  }
};

struct Transfers final : Observer {
  void on_transfer(const TransferEvent& event) override {
    using enum TransferEvent::Direction;
    names += event.direction == between_devices ? "b" : event.direction == to_device ? "t" : "f";
  }
  std::string names;
};

std::string transfers_of(auto&& body) {
  Transfers observer;
  const ObserverGuard guard(observer);
  body();
  return observer.names;
}

TensorDataset four_rows() {
  const TensorOptions host{.device = Device::host()};
  return {tensor(std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8}, {4, 2}, host),
          tensor(std::vector<std::int64_t>{1, 2, 3, 4}, {4}, host)};
}

}  // namespace

TEST_CASE("peer copies: straight from device to device, counted at the target") {
  const Tensor x = counting({3}, thrower(0));
  const TransferStats before = transfer_stats(thrower(1));
  Tensor there;
  CHECK(transfers_of([&] { there = x.to(thrower(1)); }) == "b");
  CHECK(values_of(there) == std::vector<float>{0, 1, 2});
  const TransferStats after = transfer_stats(thrower(1));
  CHECK(after.peer_copies == before.peer_copies + 1);
  CHECK(after.bytes_from_peers == before.bytes_from_peers + 12);
  CHECK(after.uploads == before.uploads);
}

TEST_CASE("peer copies: by way of the host where the device declines or there is no such slot") {
  const Tensor x = counting({3}, thrower(0));
  const TransferStats before = transfer_stats(thrower(1));
  {
    const Faulty faulty("copy_peer", "unsupported");
    CHECK(transfers_of([&] {
            CHECK(values_of(x.to(thrower(1))) == std::vector<float>{0, 1, 2});
          }) == "ftbf");
  }
  CHECK(transfer_stats(thrower(1)).peer_copies == before.peer_copies);
  CHECK(transfer_stats(thrower(1)).uploads == before.uploads + 1);
  CHECK(transfers_of([&] { static_cast<void>(x.to(reference())); }) == "ftb");
  const Faulty faulty("copy_peer", "exception");
  CHECK(error_of([&] { return x.to(thrower(1)); }) ==
        "backend_failure: thrower:1: copy_peer is broken");
}

TEST_CASE("monitor: what the device knows, and nothing where it doesn't look") {
  const auto read = thrower(0).monitor();
  REQUIRE(read.has_value());
  CHECK(read->utilization == 25);
  CHECK(read->temperature == 60.5);
  CHECK(std::isnan(read->power));
  CHECK(read->clock == 1410);
  {
    const Faulty faulty("device_monitor", "unsupported");
    CHECK(!thrower(0).monitor().has_value());
  }
  CHECK(!reference().monitor().has_value());
  CHECK(!Device::host().monitor().has_value());
  const Faulty faulty("device_monitor", "exception");
  CHECK(error_of([] { return thrower(0).monitor().has_value(); }) ==
        "backend_failure: thrower:0: device_monitor is broken");
}

TEST_CASE("pinned memory: a loader's batches are uploaded from it, and it is used again") {
  const DeviceGuard guard(thrower(0));
  DataLoader loader(four_rows(), {.batch_size = 2, .pin_memory = true});
  const auto upload = [&] {
    std::vector<float> all;
    for (const Batch& batch : loader) {
      CHECK(batch.inputs.device().is_host());
      CHECK(batch.inputs.storage_offset() == 0);
      const auto values = values_of(batch.inputs.to(thrower(0)));
      all.insert(all.end(), values.begin(), values.end());
    }
    return all;
  };
  CHECK(upload() == std::vector<float>{1, 2, 3, 4, 5, 6, 7, 8});
  const Faulty faulty("upload_pinned", "exception");
  CHECK(error_of(upload) == "backend_failure: thrower:0: upload_pinned is broken");
  // To another device the batch goes as any other host memory.
  const Batch batch = *loader.begin();
  CHECK(values_of(batch.inputs.to(reference())) == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("pinned memory: failures arrive at the loop; devices without it change nothing") {
  DataLoader loader(four_rows(), {.batch_size = 2, .prefetch = false, .pin_memory = true});
  const auto first = [&] { return values_of((*loader.begin()).inputs); };
  {
    const DeviceGuard guard(thrower(1));
    empty_cache(thrower(1));
    const Faulty faulty("host_alloc", "exception");
    CHECK(error_of(first) == "backend_failure: thrower:1: host_alloc is broken");
  }
  const DeviceGuard guard(reference());
  CHECK(first() == std::vector<float>{1, 2, 3, 4});
}

TEST_CASE("pinned memory: the host writes when the device has read") {
  const DeviceGuard guard(thrower(0));
  DataLoader loader(four_rows(), {.batch_size = 4, .prefetch = false, .pin_memory = true});
  Tensor inputs = (*loader.begin()).inputs;
  static_cast<void>(inputs.to(thrower(0)));
  {
    const Faulty faulty("event_synchronize", "exception");
    const auto wait = [&] { return inputs.data<float>()[0] = 9; };
    CHECK(error_of(wait) == "backend_failure: thrower:0: event_synchronize is broken");
    CHECK(error_of([&] { return inputs.fill(1), 0; }) ==
          "backend_failure: thrower:0: event_synchronize is broken");
    CHECK(std::as_const(inputs).data<float>()[0] == 1);  // to read it needs no wait
  }
  inputs.data<float>()[0] = 9;
  CHECK(values_of(inputs.to(thrower(0)))[0] == 9);
}

TEST_CASE("sequences: begin, end, run and destroy") {
  const Stream stream(thrower(0));
  const bp_backend& table = thrower(0).state().table();
  bp_queue* queue = stream.state()->queue;
  bp_sequence* sequence = nullptr;
  CHECK(table.sequence_begin(queue) == BP_OK);
  CHECK(table.sequence_end(queue, &sequence) == BP_OK);
  REQUIRE(sequence != nullptr);
  CHECK(table.sequence_run(sequence, queue, nullptr, 0) == BP_OK);
  const Faulty faulty("sequence_run", "exception");
  CHECK(table.sequence_run(sequence, queue, nullptr, 0) == BP_FAILED);
  CHECK(table.last_error() == std::string("sequence_run is broken"));
  table.sequence_destroy(sequence);
}

TEST_CASE("optional slots: a back end that offers none leaves them empty") {
  const bp_backend& table = device("mirror:0").state().table();
  CHECK(!table.copy_peer);
  CHECK(!table.device_monitor);
  CHECK(!table.host_alloc);
  CHECK(!table.sequence_begin);
}
