# backplane train: progress, result line and JSON; the same numbers when run twice.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

set(arguments train --model linear --device reference:0 --images 64 --batch 16 --epochs 2)
run(0 ${arguments} --json first.json)
expect("${out}" "linear on reference:0" "images/s" "loss")
expect("${err}" "reference:0 epoch 1/2" "100 %" "left")
file(READ ${WORK}/first.json json)
expect_keys("${json}" "" model device seed threads batch numerics autocast images epochs
  seconds_per_epoch images_per_second test_accuracy final_loss peak_memory_bytes bytes_to_device bytes_from_device)
expect_json("${json}" 64 images)
expect_json("${json}" 2 epochs)
expect_json("${json}" NUMBER seconds_per_epoch)
expect_json("${json}" NULL test_accuracy)
expect_json("${json}" NULL autocast)

run(0 ${arguments} --json -)
string(JSON first GET "${json}" final_loss)
expect_json("${out}" ${first} final_loss)
run(0 ${arguments} --seed 2 --json -)
string(JSON other GET "${out}" final_loss)
if(other STREQUAL first)
  message(FATAL_ERROR "seeds 1 and 2 gave the same loss ${first}")
endif()

# The learning rate reaches the optimizer: with none the loss differs.
run(0 ${arguments} --lr 0 --json -)
string(JSON other GET "${out}" final_loss)
if(other STREQUAL first)
  message(FATAL_ERROR "--lr 0 gave the loss ${first} of the default")
endif()

# So does the type of the products.
run(0 ${arguments} --autocast bf16 --json -)
expect_json("${out}" bf16 autocast)
string(JSON other GET "${out}" final_loss)
if(other STREQUAL first)
  message(FATAL_ERROR "--autocast bf16 gave the loss ${first} of the default")
endif()

# Recorded and repeated, the steps are the same ones.
run(0 ${arguments} --numerics strict --json -)
string(JSON eager GET "${out}" final_loss)
run(0 ${arguments} --numerics strict --compile --json -)
expect_json("${out}" ${eager} final_loss)
expect_files(first.json)
