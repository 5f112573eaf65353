# The program that README.md shows is the one that is compiled and run.
cmake_minimum_required(VERSION 3.25)
file(READ ${ROOT}/README.md readme)
file(READ ${ROOT}/tests/consumer/readme/readme_example.cpp example)
string(FIND "${readme}" "```cpp\n${example}```" position)
if(position EQUAL -1)
  message(FATAL_ERROR
    "README.md must show tests/consumer/readme/readme_example.cpp as it is; copy it there")
endif()
