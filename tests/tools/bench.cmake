# backplane bench: rows, ratios, and a peer that isn't there.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

set(row_keys name device mode precision value unit median min max)
set(peak_keys threads fma_flop_per_second copy_bytes_per_second)
set(few --device onednn:0 --quick)

function(write_python text)
  file(WRITE ${WORK}/python "#!/bin/sh\n${text}")
  file(CHMOD ${WORK}/python PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
endfunction()

set(ENV{BACKPLANE_PYTHON} /nonexistent)
run(0 bench mnist ${few} --batch 8,4 --modes compiled/f32/strict,eager/f32/standard
  --json mnist.json)
expect("${out}" "mnist/onednn:0/eager/f32/standard" "mnist/onednn:0/compiled/f32/strict"
  "peer absent: torch" "/nonexistent" "BACKPLANE_PYTHON" "of FMA peak")
file(READ ${WORK}/mnist.json json)
expect_keys("${json}" "" benchmark rows ratios peaks)
expect_keys("${json}" "rows;0" ${row_keys})
expect_keys("${json}" "peaks" ${peak_keys})
expect_json("${json}" mnist benchmark)
expect_json("${json}" mnist/onednn:0/compiled/f32/strict rows 0 name)
expect("${json}" mnist-batch4/onednn:0/eager/f32/standard)

set(ENV{BACKPLANE_PYTHON} ${WORK}/python)
write_python([[echo '{"error": "No module named torch"}']])
run(0 bench mnist ${few} --batch 4 --numerics strict --model mlp)
expect("${out}" "mnist-mlp/onednn:0/eager/f32/strict" "peer absent: torch" "No module named torch")
write_python("echo hello")
run(0 bench infer ${few} --batch 1 --modes eager/f32/standard)
expect("${out}" "infer-batch1/onednn:0/eager/f32/standard" "infer-batch1-p99/" "images/s"
  "must greet with a line of JSON")

# A peer that is there, played by a script that speaks the protocol.
write_python([[
echo '{"libraries": {"PyTorch": "9.9"}, "absent": {"onnxruntime": "not here"},
"training": ["torch/eager/f32", "torch/channels_last/f32", "torch/compile/f32", "torch/graph/f32"],
"inference": ["torch/eager/f32"]}' | tr '\n' ' '
echo
while read -r line; do
  case $line in
    *inference*) echo '{"seconds": [1000, 2000, 4000, 8000]}';;
    *torch/graph/f32*) echo '{"error": "no graph here"}';;
    *'"average_pool":true'*) echo '{"seconds": [3000]}';;
    *torch/eager/f32*) echo '{"seconds": [1000]}';;
    *) echo '{"seconds": [2000]}';;
  esac
done
]])
set(one ${few} --modes eager/f32/standard)
run(0 bench mnist ${one} --batch 8 --json mnist.json)
expect("${out}" "PyTorch 9.9 of ${WORK}/python on cpu" "peer absent: onnxruntime: not here"
  "mode left out: compile: it takes minutes"
  "mode left out: torch/graph/f32: peer: it fails, no graph here")
file(READ ${WORK}/mnist.json json)
expect_json("${json}" mnist/torch/eager/f32 rows 1 name)
expect_json("${json}" cpu rows 1 device)
expect_json("${json}" mnist/onednn:0/eager/f32/standard:torch/eager/f32 ratios 0 name)
expect_json("${json}" mnist/torch/channels_last/f32 rows 2 name)
expect_json("${json}" 2000.0 rows 2 median)

run(0 bench mnist ${one} --batch 4 --variant average_pool,kernel5 --json -)
expect_json("${out}" mnist-kernel5/onednn:0/eager/f32/standard rows 0 name)
expect_json("${out}" mnist-average_pool/torch/eager/f32 rows 4 name)
expect_json("${out}" 3000.0 rows 4 median)
run(0 bench infer ${one} --batch 128 --json -)
expect_json("${out}" infer-batch128/torch/eager/f32 rows 1 name)
expect_json("${out}" images/s rows 1 unit)
expect_json("${out}" infer-batch128-p50/torch/eager/f32 rows 3 name)
expect_json("${out}" 2000.0 rows 3 value)
expect_json("${out}" infer-batch128-p99/torch/eager/f32 rows 5 name)
expect_json("${out}" 8000.0 rows 5 value)

# One that dies on the way.
write_python([[
echo '{"libraries": {}, "absent": {}, "training": ["a/b/c"], "inference": []}'
read -r line
]])
run(1 bench mnist ${one} --batch 4)
expect("${err}" "must answer with a line")

run(0 bench mnist ${one} --batch 4 --no-peers --model mlp)
expect("${out}" "mnist-mlp/onednn:0/eager/f32/standard")
run(0 bench resnet ${one} --batch 1 --no-peers)
expect("${out}" "resnet/onednn:0/eager/f32/standard")
run(0 bench batch ${one} --batch 1,4 --no-peers --picture batch.svg --json -)
expect_json("${out}" batch-4/onednn:0/eager/f32/standard rows 1 name)
expect("${err}" "steps/s")
file(READ ${WORK}/batch.svg picture)
expect("${picture}" "<svg" "batch-4/onednn:0" "steps/s")

run(0 bench ops ${few} --batch 4 --explain --json -)
expect("${err}" "conv2d[4x1x28x28,32x1x3x3,32]: runs as" "cycles")
expect_keys("${out}" "ratios;0" name value)
expect("${out}" "ops-conv2d[4x1x28x28,32x1x3x3,32]/onednn:0/eager/f32/standard:peak/fma/f32"
  "ops-adam_step" ":peak/copy/f32")
run(0 bench ops ${few} --batch 4 --compiled --explain --json -)
expect("${err}" "conv2d_relu_max_pool[4x32x26x26,64x32x3x3,64,...]: runs as" "winograd F(6x6, 3x3)"
  "conv2d_relu_max_pool_backward_data[4x64x12x12,4x64x12x12,64x32x3x3]: runs as")
expect("${out}" "ops-conv2d_relu_max_pool_backward_weight" "/onednn:0/compiled/f32/standard")

run(0 bench matmul --quick --devices onednn:0,reference:0 --sizes 8,16 --picture matmul.svg
  --json -)
expect_json("${out}" matmul-8/onednn:0/eager/f32/standard rows 0 name)
expect_json("${out}" matmul-8/onednn:0/eager/f32/standard:reference:0/eager/f32/standard ratios 0
  name)
file(READ ${WORK}/matmul.svg picture)
expect("${picture}" "16 reference:0" "GFLOP/s")

run(0 bench dispatch ${few} --json -)
expect_keys("${out}" "" benchmark rows ratios peaks)
expect_keys("${out}" "rows;0" ${row_keys})
expect_keys("${out}" "ratios;0" name value)
expect_json("${out}" NUMBER ratios 0 value)
expect_files(mnist.json python batch.svg matmul.svg)
