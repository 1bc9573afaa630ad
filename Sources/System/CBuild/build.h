#pragma once

// The commit from which the package of this program was built, in hexadecimal; empty for a program that was built otherwise.
const char *lanyard_build_commit(void);
