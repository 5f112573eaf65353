// What a translated PTX file includes: the whole of the device support.
#pragma once

#include "device/arithmetic.h"
#include "device/bits.h"
#include "device/convert.h"
#include "device/memory.h"
#include "device/warp.h"
