// own_code.h: Signalbox's C code lies in a section of its own, by whose range reports tell it from the program's
// (code.c). Each file of the module includes it before all others, so that what headers define lies there as well.
#pragma clang section text = "signalbox_text"
