#include <libxml/HTMLparser.h>
#include <libxml/tree.h>

// A variable that holds a function, which Swift does not call.
static inline void lanyard_xml_free(void *text) { xmlFree(text); }
