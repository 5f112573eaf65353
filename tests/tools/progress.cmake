# backplane train on a terminal: one line that is redrawn, never wider than the window.
#   -DSCRIPT=<script of util-linux, which makes the terminal>
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

# train_on_terminal(<columns>): sets `screen` to what the terminal was sent, without ESC [K.
function(train_on_terminal columns)
  set(command "stty cols ${columns} && '${PROGRAM}' train --model linear --device reference:0 \
--images 64 --batch 16 >result.txt")
  execute_process(COMMAND ${SCRIPT} -qec "${command}" /dev/null WORKING_DIRECTORY ${WORK}
    RESULT_VARIABLE code OUTPUT_VARIABLE screen ERROR_VARIABLE screen)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${columns} columns: exit code ${code}\n${screen}")
  endif()
  string(ASCII 27 escape)
  string(REPLACE "${escape}[K" "" screen "${screen}")
  string(REPEAT "[^\r\n]" ${columns} full_line)
  if(screen MATCHES "${full_line}")
    message(FATAL_ERROR "a line fills all ${columns} columns, so it may wrap:\n${screen}")
  endif()
  if(NOT screen MATCHES "100 %[^\r\n]*\n$")
    message(FATAL_ERROR "${columns} columns: the last line must be whole, and be ended:\n${screen}")
  endif()
  set(screen "${screen}" PARENT_SCOPE)
endfunction()

train_on_terminal(200)
expect("${screen}" "\rreference:0 epoch 1/1 [========================] 100 %  "
  "images/s, 0 s left")
train_on_terminal(62)
if(NOT screen MATCHES "\rreference:0 epoch 1/1 \\[=+\\] 100 %  [0-9]+ images/s, 0 s left\n")
  message(FATAL_ERROR "62 columns have room for a short bar and the whole text:\n${screen}")
endif()
train_on_terminal(32)
expect("${screen}" "\rreference:0 epoch 1/1 100 %")
expect_files(result.txt)
