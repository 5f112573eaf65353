# What every test of a sanitized build runs under; ctest reads this before it starts the first.
set(ENV{UBSAN_OPTIONS} "halt_on_error=1:print_stacktrace=1:$ENV{UBSAN_OPTIONS}")
# The leak check of GCC 12 may read two words in front of a thread's variables that older versions
# of glibc kept there, follow them, and crash. It finds these variables without, through malloc.
set(ENV{ASAN_OPTIONS} "intercept_tls_get_addr=0:$ENV{ASAN_OPTIONS}")
