#include <libxml/HTMLparser.h>
#include <libxml/tree.h>

// xmlFree is a variable with a function pointer, which Swift cannot call safely.
static inline void lanyard_xml_free(void *text) { xmlFree(text); }
