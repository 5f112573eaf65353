// What a recorded step needs of the program around it.
#include "compile/recorded_host.hpp"

#include <algorithm>

namespace backplane::detail {

bool RecordedHost::modes_hold() const {
  const auto has_mode = [](const auto& layer) { return layer.first->training() == layer.second; };
  if (!std::ranges::all_of(layers, has_mode)) return false;
  return std::ranges::all_of(gradients, [](const LeafGradient& known) {
    const auto leaf = known.leaf.lock();
    if (leaf == nullptr) return false;
    if (known.kind == LeafGradient::Before::any) return true;
    if (known.kind == LeafGradient::Before::none) return leaf->grad == nullptr;
    return leaf->grad != nullptr && leaf->grad->storage == known.before;
  });
}

bool RecordedHost::tensors_hold() const {
  return std::ranges::all_of(found, [](const FoundTensor& known) {
    const auto tensor = known.tensor.lock();
    return tensor != nullptr && tensor->storage == known.memory;
  });
}

bool RecordedHost::requests_hold() const {
  return std::ranges::all_of(found, [](const FoundTensor& known) {
    const auto tensor = known.tensor.lock();
    return tensor != nullptr && tensor->requires_grad == known.requires_grad;
  });
}

void RecordedHost::leave_gradients() const {
  for (const LeafGradient& known : gradients) {
    if (const auto leaf = known.leaf.lock()) leaf->grad = known.after;
  }
}

HostNotes::Note& HostNotes::note_of(const std::shared_ptr<TensorImpl>& tensor) {
  const auto known = std::ranges::find_if(notes_, [&](const Note& note) {
    return note.name == tensor.get() && !note.tensor.expired();
  });
  if (known != notes_.end()) return *known;
  const std::shared_ptr<Storage> before = tensor->grad == nullptr ? nullptr : tensor->grad->storage;
  const auto kind = before == nullptr ? LeafGradient::Before::none : LeafGradient::Before::kept;
  return notes_.emplace_back(Note{tensor.get(), tensor, kind, before});
}

void HostNotes::note_set_gradient(const std::shared_ptr<TensorImpl>& leaf, bool touched) {
  Note& note = note_of(leaf);
  if (!note.is_set && !touched) note.kind = LeafGradient::Before::any;
  note.is_set = true;
}

void HostNotes::finish(RecordedHost& host,
                       const std::function<bool(const Storage&)>& touched) const {
  for (const Note& note : notes_) {
    const auto tensor = note.tensor.lock();
    if (tensor == nullptr) continue;  // a handle of the step's own
    if (note.found) host.found.push_back({tensor, tensor->storage, tensor->requires_grad});
    if (!note.is_leaf && !note.is_set) continue;
    const auto before = note.before.lock();
    const auto after = tensor->grad == nullptr ? nullptr : tensor->grad->storage;
    const bool changed = note.is_set || after != before || (after != nullptr && touched(*after));
    if (changed) host.gradients.push_back({tensor, note.kind, before, tensor->grad});
  }
}

}  // namespace backplane::detail
