// Device functions that the toolkit declares and the card provides: printf and assert.
#pragma once

#include <cstdio>
#include <string>

#include "device/memory.h"

namespace backplane::sim::device {

inline std::string device_text(Thread& thread, u64 address, int line) {
  std::string text;
  for (char c; (c = fetch<char>(global<char>(thread, address, Access::read, line))) != 0;
       ++address) {
    text += c;
  }
  return text;
}

template <class T>
inline T next_argument(Thread& thread, u64& at, int line) {
  at = (at + sizeof(T) - 1) / sizeof(T) * sizeof(T);
  const T value = fetch<T>(global<T>(thread, at, Access::read, line));
  at += sizeof(T);
  return value;
}

// One conversion such as "%5.2f", printed with the next argument of the packed list.
inline void print_one(Thread& thread, const std::string& format, u64& arguments, int line) {
  const char kind = format.back();
  const bool wide = format.find('l') != std::string::npos || kind == 'p';
  const char* text = format.c_str();
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
  if (kind == 'f' || kind == 'e' || kind == 'g') {
    std::printf(text, next_argument<f64>(thread, arguments, line));
  } else if (kind == 's') {
    std::printf(text,
                device_text(thread, next_argument<u64>(thread, arguments, line), line).c_str());
  } else if (wide) {
    std::printf(text, next_argument<u64>(thread, arguments, line));
  } else {
    std::printf(text, next_argument<u32>(thread, arguments, line));
  }
#pragma GCC diagnostic pop
}

// int vprintf(const char* format, void* arguments)
inline void print_formatted(Thread& thread, Parameter result, Parameter format_at,
                            Parameter arguments_at, int line) {
  const std::string format = device_text(thread, fetch<u64>(format_at.begin), line);
  u64 arguments = fetch<u64>(arguments_at.begin);
  for (std::size_t i = 0; i < format.size(); ++i) {
    const std::size_t end =
        format[i] == '%' ? format.find_first_of("diouxXcsfegp%", i + 1) : std::string::npos;
    if (end == std::string::npos) {
      std::putchar(format[i]);
    } else if (format[end] == '%') {
      std::putchar('%');
      i = end;
    } else {
      print_one(thread, format.substr(i, end - i + 1), arguments, line);
      i = end;
    }
  }
  store<u32>(result.begin, 0);
}

// void __assertfail(message, file, line, function, character size)
inline void assertion_failed(Thread& thread, Parameter message, Parameter, Parameter, Parameter,
                             Parameter, int line) {
  const std::string text = device_text(thread, fetch<u64>(message.begin), line);
  thread.block->services->fail(thread, Fault::assertion, text.c_str(), line);
}

}  // namespace backplane::sim::device
