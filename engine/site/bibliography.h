#pragma once

#include <map>
#include <string>
#include <vector>

#include "site/summary.h"
#include "trace/trace.h"

namespace lectern {

/// The works that a page refers to, each once, numbered from 1 in the order of their first mention.
class Bibliography {
 public:
  /// `site` is the statement that refers to it.
  int number(const rendering::Link& link, int site = -1);

  /// A section of the page; empty when nothing was referred to.
  std::string html() const;

  /// As the other pages of the site need them.
  std::vector<CitedWork> cited(const Trace& trace) const;

 private:
  struct Work {
    rendering::Link link;
    std::vector<int> sites;
  };
  std::map<std::string, int> numbers_;
  std::vector<Work> works_;
};

/// By which two mentions are of one work, whatever their keys.
std::string work_identity(const rendering::Link& work);

/// The id of a work in a page's section.
std::string reference_id(int number);

/// "ACL, 2018": where and when a work appeared.
std::string work_source(const rendering::Link& work);

/// "Ashish Vaswani, Noam Shazeer et al. ": all authors that are named, before a title; empty without any.
std::string work_authors(const rendering::Link& work);

/// Where a list of works leads for it: its address on the web. Empty when it has none: lists stand on several
/// pages, and a relative link means another file on each.
std::string work_address(const rendering::Link& work);

/// "Authors. Title. Organization, date." as HTML.
std::string work_html(const rendering::Link& work);

/// "[Sennrich+ 2016]" when there are authors, else the title, else the address.
std::string reference_label(const rendering::Link& link);

/// Names for a reader: at most three, then "et al.".
std::string author_list(const std::vector<std::string>& authors);

/// What the card of a reference says, as HTML.
std::string reference_card(const rendering::Link& link);

}  // namespace lectern
