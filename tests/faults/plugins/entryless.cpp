// A library that exports something, but not the entry of a plug-in.
extern "C" __attribute__((visibility("default"))) int backplane_backdoor() {
  return 0;
}
