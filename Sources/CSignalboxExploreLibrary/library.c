// library.c: nothing but the place of a setting for the linker (Package.swift): the library is made of CSignalboxExplorePreload.
#include "csignalbox_explore_library.h"
