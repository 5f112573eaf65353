# Wrong usage is refused with exit code 2 and a text that names what is wrong; help isn't wrong.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

run(0 --help)
expect("${out}" devices train compare bench)
run(0 --version)
run(0 compare --help)
expect("${out}" --devices --baseline --epochs --batch --images --steps --seed --threads --numerics
  --model --data --json --picture)

run(2)
run(2 fly)
expect("${err}" "backplane: " fly "--help")
run(2 train --speed 3)
expect("${err}" "--speed")
run(2 train --epochs 0)
expect("${err}" "--epochs")
run(2 train --epochs many)
run(2 train --numerics loose)
expect("${err}" "--numerics" loose)
run(2 train --threads 0)
run(2 train --autocast f64)
expect("${err}" "--autocast" f64 bf16)

run(2 train --device warp:0)
expect("${err}" "warp:0" "reference:0")
run(2 compare --devices reference:0,warp:0)
expect("${err}" "warp:0" "reference:0")
run(2 train --model perceptron)
expect("${err}" perceptron mnist_cnn linear)
run(2 compare --model perceptron)
expect("${err}" perceptron mnist_cnn linear)
run(2 compare --devices reference:0 --baseline onednn:0)
expect("${err}" "--baseline" "--devices")
run(2 bench mnist --device warp:0 --quick)

# A batch that the images can't fill.
run(2 train --model linear --images 8 --batch 16)
expect("${err}" 8 16)
run(2 compare --model linear --images 8 --batch 16)
expect("${err}" 8 16)

# A result that couldn't be kept is refused before the run.
run(2 train --model linear --json no/such/folder/result.json)
expect("${err}" "no/such/folder/result.json" "No such file")
run(2 train --data ${WORK}/nothing)
expect("${err}" nothing)
expect_files()
