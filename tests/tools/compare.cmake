# backplane compare: a small run has the table, the schema, and numbers that agree.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

run(0 compare --devices onednn:0,reference:0 --images 32 --batch 16 --steps 2
  --json result.json --picture result.svg)
expect("${out}" "mnist_cnn, batch 16" "speed-up against onednn:0" "onednn:0: agrees" "yes"
  "reference:0: * extrapolated from 32 images" "####")
expect("${err}" "onednn:0 epoch 1/1" "100 %")
expect_files(result.json result.svg)

file(READ ${WORK}/result.svg svg)
expect("${svg}" "<svg" "onednn:0" "</svg>")

file(READ ${WORK}/result.json json)
expect_keys("${json}" "" model seed threads batch numerics results absent)
set(row_keys device mode precision images epochs seconds_per_epoch extrapolated images_per_second
  speedup test_accuracy final_loss peak_memory_bytes process_peak_bytes bytes_to_device
  bytes_from_device agreement)
expect_keys("${json}" "results;0" ${row_keys})
expect_keys("${json}" "results;1" ${row_keys})
expect_keys("${json}" "results;0;agreement" steps max_relative_loss_difference operations_checked
  worst_operation worst_error_over_bound agrees)

expect_json("${json}" onednn:0 results 0 device)
expect_json("${json}" eager results 0 mode)
expect_json("${json}" f32 results 0 precision)
expect_json("${json}" 32 results 0 images)
expect_json("${json}" OFF results 0 extrapolated)
expect_json("${json}" 1.0 results 0 speedup)
expect_json("${json}" NUMBER results 0 test_accuracy)
expect_json("${json}" 2 results 0 agreement steps)
expect_json("${json}" ON results 0 agreement agrees)

expect_json("${json}" reference:0 results 1 device)
expect_json("${json}" ON results 1 extrapolated)
expect_json("${json}" NULL results 1 test_accuracy)
expect_json("${json}" NULL results 1 agreement)
expect_json("${json}" NUMBER results 1 speedup)

# Compiled steps on the device; the reference stays what it is.
run(0 compare --model linear --devices onednn:0,reference:0 --images 32 --batch 16 --steps 4
  --compile --json compiled.json)
expect("${out}" "linear, compiled, batch 16" "onednn:0: agrees")
file(READ ${WORK}/compiled.json json)
expect_json("${json}" compiled results 0 mode)
expect_json("${json}" ON results 0 agreement agrees)
expect_json("${json}" eager results 1 mode)
file(REMOVE ${WORK}/compiled.json)

# With JSON on the standard output nothing else is there.
run(0 compare --model linear --devices reference:0 --images 32 --batch 16 --json -)
expect_keys("${out}" "" model seed threads batch numerics results absent)
expect("${err}" "reference:0")
