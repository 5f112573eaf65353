// The families of mutants, and the search for one by its name.
#include "mutant.hpp"

namespace mutants {

std::vector<Family> all_families() {
  return {
#define BACKPLANE_FAMILY(name) {#name, name##_mutants()},
      BACKPLANE_MUTANT_FAMILIES(BACKPLANE_FAMILY)
#undef BACKPLANE_FAMILY
  };
}

const Mutant* find_mutant(std::string_view name) {
  for (const Family& family : all_families()) {
    for (const Mutant& mutant : family.mutants) {
      if (name == mutant.name) return &mutant;
    }
  }
  return nullptr;
}

}  // namespace mutants
