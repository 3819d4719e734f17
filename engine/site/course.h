#pragma once

#include "site/mustache.h"
#include "site/templates.h"

namespace lectern {

/// Fills in what a lecture is for and what it builds on; lectures of the site are links.
void set_aims(mustache::data& data, const Website& site, const LectureSummary& lecture);

/// Fills in the course of the site's settings, for its home page. Returns whether there is one.
bool set_course(mustache::data& data, const Website& site);

}  // namespace lectern
