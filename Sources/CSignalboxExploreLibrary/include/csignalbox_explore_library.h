// csignalbox_explore_library.h: the preloaded library has no functions but those of csignalbox_explore_preload.h.
#ifndef CSIGNALBOX_EXPLORE_LIBRARY_H
#define CSIGNALBOX_EXPLORE_LIBRARY_H
#endif
