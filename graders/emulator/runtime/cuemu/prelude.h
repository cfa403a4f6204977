// What every learner's file sees first; also the precompiled header.
#pragma once
#include "types.h"
#include "device.h"
#include "math.h"
#include "api.h"
#include "entry.h"
