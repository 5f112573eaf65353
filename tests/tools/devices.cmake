# backplane devices: the table and the JSON have every device and every absent back end.
include(${CMAKE_CURRENT_LIST_DIR}/check.cmake)

run(0 devices)
expect("${out}" device kind driver memory "reference:0")

run(0 devices --json -)
expect_keys("${out}" "" threads devices absent)
expect_keys("${out}" "devices;0" device backend kind name driver unique_id memory_bytes compute_units
            monitor)
expect("${err}" "reference:0")

# A library that isn't one is listed with the reason, and does no harm.
file(WRITE ${WORK}/plugins/libbackplane-broken.so "no library")
set(ENV{BACKPLANE_BACKEND_PATH} ${WORK}/plugins)
run(0 devices --json devices.json)
expect("${out}" "broken")
file(READ ${WORK}/devices.json json)
expect_keys("${json}" "absent;0" backend device code reason repair)
expect_json("${json}" NULL absent 0 device)
expect_files(devices.json plugins)
