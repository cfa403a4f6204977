#pragma once  // everything is in cuemu/prelude.h, which every file sees first
