// Learns which points lie inside a circle, on the first GPU if there is one, else on the CPU.
#include <backplane/backplane.hpp>
#include <iostream>
using namespace backplane;

int main() try {
  const DeviceGuard guard(try_gpu());  // or device("onednn:0"): `backplane devices` lists them
  manual_seed(1);
  Sequential model(Linear(2, 64), ReLU(), Linear(64, 2));
  Adam optimizer(model.parameters(), {.learning_rate = 0.01f});

  std::vector<float> points = uniform({1024, 2}, -1, 1).to_vector<float>();
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < points.size(); i += 2)
    labels.push_back(points[i] * points[i] + points[i + 1] * points[i + 1] < 0.64f);
  const Tensor inputs = tensor(points, {1024, 2}), targets = tensor(labels, {1024});

  for (int step = 0; step <= 200; ++step) {
    const Tensor loss = cross_entropy(model(inputs), targets);
    loss.backward();
    optimizer.step();
    optimizer.zero_grad();
    if (step % 50 == 0) std::cout << "step " << step << ": loss " << loss.item() << '\n';
  }
} catch (const Error& error) {
  std::cerr << error.what() << '\n';
  return 1;
}
