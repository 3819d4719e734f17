#include "site/single_file.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/characters.h"
#include "base/error.h"
#include "base/files.h"
#include "base/html.h"
#include "base/media_type.h"
#include "base/path_url.h"
#include "site/calculator.h"
#include "site/html_tags.h"
#include "site/inline_fonts.h"
#include "site/pack.h"
#include "site/policy_hash.h"
#include "site/taken_parts.h"
#include "site/used_rules.h"

namespace lectern {
namespace {

namespace fs = std::filesystem;

constexpr const char *kPlots = "plots.js", *kLicenses = "licenses.txt", *kMathStyle = "katex.css",
                     *kSource = "source.js";

bool has_plot(std::string_view html) {
  return html.find("class=\"chart\"") != html.npos;
}

/// Whether an address is relative to the page's, and leads out of it.
bool leads_to_file(std::string_view address) {
  if (address.empty() || address.starts_with('#') || address.starts_with("//")) return false;
  const std::size_t end = address.find_first_of(":/?#");
  return end == address.npos || address[end] != ':';
}

/// Inside an element, nothing may end it.
const std::string& inert_in(const char* element, const std::string& text) {
  const std::string end = std::string("</") + element;
  const auto same = [](char a, char b) { return to_lower(a) == to_lower(b); };
  if (std::search(text.begin(), text.end(), end.begin(), end.end(), same) != text.end() ||
      text.find("<!--") != text.npos)
    throw Error(std::string("a page in a single file cannot have \"") + end + "\" or \"<!--\" in a " +
                element);
  return text;
}

std::string file_name(std::string_view path) {
  return std::string(path.substr(path.rfind('/') + 1));
}

/// A page on its way into a single file.
class SingleFile {
 public:
  SingleFile(const fs::path& site, const std::string& lecture, const fs::path& templates,
             const std::string& base_url)
      : folder_(site / lecture),
        own_(templates / "single"),
        site_assets_(site / "assets"),
        lecture_(path_url(lecture)),
        base_url_(base_url),
        page_(read_file(folder_ / "index.html")) {
    for (const fs::path& file : files_below(folder_ / "assets"))
      assets_.emplace("assets/" + path_url(file.generic_string()), folder_ / "assets" / file);
  }

  std::string html(bool with_plots) {
    const std::size_t head_end = page_.find("</head>"), body_end = page_.rfind("</body>");
    if (head_end == page_.npos || body_end == page_.npos)
      throw Error(Place{(folder_ / "index.html").string()}, "is not a page of a lecture");
    pack_files_of_lecture();
    const std::string head = own_head(page_.substr(0, head_end));
    const std::string body = own_body(page_.substr(head_end, body_end - head_end));
    const bool draws = with_plots && has_plot(body);
    if (draws) add_packed_script(kPlots, read_file(site_assets_ / kPlots));
    for (const auto& [url, file] : assets_) {
      if (!inlined_.contains(url)) packed_.files[url] = data_url(read_file(file));
    }
    packed_.files[kLicenses] = read_file((draws ? site_assets_ : own_) / kLicenses);
    const std::string styles = own_styles();
    const std::string opening = inline_script(read_file(own_ / "open.js"));
    std::string out = head;
    out.replace(out.find(kPolicyPlace), kPolicyPlace.size(), policy());
    return out + styles + first_scripts_ + body + "<script type=\"text/plain\" id=\"packed\">" +
           pack(packed_) + "</script>\n" + opening + page_.substr(body_end);
  }

 private:
  static constexpr std::string_view kPolicyPlace = "{policy}";

  std::string inline_script(const std::string& text) {
    script_hashes_ += " " + policy_hash(text);
    return "<script>" + inert_in("script", text) + "</script>\n";
  }

  void add_packed_script(const std::string& name, const std::string& text) {
    script_hashes_ += " " + policy_hash(text);
    packed_.files[name] = text;
  }

  /// Steps, fragments and costs; modules as the bytes that they are.
  void pack_files_of_lecture() {
    for (const fs::path& file : files_below(folder_)) {
      if (file.extension() != ".js") continue;
      const std::string text = read_file(folder_ / file);
      if (*file.begin() == "calculators") {
        packed_.files[fs::path(file).replace_extension().generic_string()] = module_bytes(text);
        continue;
      }
      if (file == kSource) {
        text_.add_code(text);
      } else {
        text_.add(text);
      }
      add_packed_script(file.generic_string(), text);
    }
  }

  /// Without what the page loads: that is in `styles_`, `first_scripts_` and `packed_`.
  std::string own_head(std::string_view head) {
    std::string out;
    std::size_t at = 0;
    for (auto tag = next_tag(head, 0); tag; tag = next_tag(head, at)) {
      out += head.substr(at, tag->begin - at);
      at = tag->end;
      const std::string relation(tag->attribute("rel").value_or(""));
      if (tag->attribute("http-equiv") == "Content-Security-Policy") {
        calculates_ = tag->text.find("'wasm-unsafe-eval'") != tag->text.npos;
        out += with_attribute(std::string(tag->text), "content", std::string(kPolicyPlace));
      } else if (tag->name == "script") {
        add_script(*tag);
        at = element_end(head, *tag);
      } else if (relation == "stylesheet") {
        styles_.push_back(file_name(tag->attribute("href").value_or("")));
      } else if (relation == "icon") {
        const std::string icon = file_name(tag->attribute("href").value_or(""));
        out += with_attribute(std::string(tag->text), "href", data_url(read_file(site_assets_ / icon)));
      } else if (!leads_to_file(tag->attribute("href").value_or("")) || tag->name != "link") {
        out += tag->text;
      }
    }
    return out.append(head.substr(at));
  }

  void add_script(const HtmlTag& tag) {
    const std::string src(tag.attribute("src").value_or(""));
    const std::string name = file_name(src);
    if (tag.text.find(" defer") == tag.text.npos) {
      first_scripts_ += inline_script(read_file(site_assets_ / name));
      return;
    }
    packed_.scripts.push_back(name);
    if (src.starts_with("../")) add_packed_script(name, read_file(site_assets_ / name));
  }

  /// Takes out what only scripts show: specifications of plots, the account of costs.
  std::string without_parts(std::string_view body) {
    std::size_t plot_end = 0;
    TakenParts taken = take_parts(body, "<template class=\"packed\"></template>", [&](const HtmlTag& tag) {
      if (tag.name == "figure" && tag.is_a("plot")) plot_end = element_end(body, tag);
      return tag.name == "details" && (tag.is_a("costs") || tag.begin < plot_end);
    });
    packed_.parts = std::move(taken.parts);
    return std::move(taken.html);
  }

  /// With the files that it shows in it, and without the scripts that it loads and links to other files.
  std::string with_own_files(std::string_view html) {
    std::string out;
    std::size_t at = 0;
    for (auto tag = next_tag(html, 0); tag; tag = next_tag(html, at)) {
      out += html.substr(at, tag->begin - at);
      if (tag->name == "script") {
        add_script(*tag);
        at = element_end(html, *tag);
        continue;
      }
      std::string text(tag->text);
      for (const char* attribute : {"src", "poster"}) {
        if (const auto address = tag->attribute(attribute); address && leads_to_file(*address))
          text = with_attribute(text, attribute, own_file(attribute, std::string(*address)));
      }
      if (const auto address = tag->attribute("href"); address && leads_to_file(*address))
        text = own_target(*tag, text, std::string(*address));
      out += text;
      at = tag->end;
    }
    return out.append(html.substr(at));
  }

  /// What is shown of the lecture's files: as data, and under its name, by which scripts find it.
  std::optional<std::string> own_file(const std::string& attribute, const std::string& address) {
    const auto found = assets_.find(address);
    if (found == assets_.end()) return std::nullopt;
    inlined_.insert(address);
    const char* name = attribute == "poster" ? "data-poster" : "data-file";
    return data_url(read_file(found->second)) + "\" " + name + "=\"" + address;
  }

  /// Where a link to another page leads: to the site's address if it has one.
  std::optional<std::string> own_link(const std::string& address) const {
    const std::size_t end = std::min(address.find_first_of("?#"), address.size());
    if (base_url_.empty() || address.starts_with('/')) return std::nullopt;
    const std::string path =
        (fs::path(lecture_) / address.substr(0, end)).lexically_normal().generic_string();
    if (!inside_folder(path)) return std::nullopt;
    return escape_html(base_url_) + path + address.substr(end);
  }

  /// The tag of a link out of the page. One to a file of the lecture has the file, for keeping. What is in
  /// the page already would be there once more, as an image that a link around it opens large: such links
  /// get their address from the script.
  std::string own_target(const HtmlTag& tag, std::string text, const std::string& address) {
    if (tag.is_a("enlarge")) return with_attribute(text, "href", std::nullopt);
    const auto found = assets_.find(address.substr(0, address.find_first_of("?#")));
    if (found == assets_.end()) return with_attribute(text, "href", own_link(address));
    const auto& [name, file] = *found;
    std::string attributes = " data-file=\"" + name + "\"";
    if (!tag.attribute("download")) attributes += " download=\"" + file_name(name) + "\"";
    text.insert(text.size() - 1, attributes);
    const bool is_new = inlined_.insert(name).second;
    return with_attribute(text, "href", is_new ? std::optional(data_url(read_file(file))) : std::nullopt);
  }

  std::string own_body(std::string_view body) {
    text_.add(body);
    const std::string own = with_own_files(without_parts(body));
    for (std::string& part : packed_.parts) part = with_own_files(part);
    return own;
  }

  std::string own_styles() {
    std::vector<std::pair<fs::path, std::string>> sheets;
    for (const std::string& name : styles_) sheets.emplace_back(site_assets_, name);
    // Most characters are in small faces, which come last, and prevail.
    sheets.emplace_back(own_, "fonts.css");
    std::vector<std::string> styles;
    std::set<char32_t> covered;
    for (auto sheet = sheets.rbegin(); sheet != sheets.rend(); ++sheet) {
      const auto& [folder, name] = *sheet;
      std::string css = read_file(folder / name);
      if (name == kMathStyle) css = with_used_rules(css, text_.classes);
      styles.push_back(with_inline_fonts(css, folder, text_, covered));
    }
    std::string out;
    for (auto style = styles.rbegin(); style != styles.rend(); ++style) {
      style_hashes_ += " " + policy_hash(*style);
      out += "<style>" + inert_in("style", *style) + "</style>\n";
    }
    return out;
  }

  std::string policy() const {
    return "default-src 'none'; script-src" + script_hashes_ + (calculates_ ? " 'wasm-unsafe-eval'" : "") +
           "; style-src" + style_hashes_ +
           "; style-src-attr 'unsafe-inline'; img-src data:; font-src data:; media-src data:";
  }

  const fs::path folder_, own_, site_assets_;
  const std::string lecture_, base_url_, page_;
  std::map<std::string, fs::path> assets_;  ///< the files that the lecture showed, by their addresses
  std::set<std::string> inlined_;           ///< of them, what stands in the body
  std::vector<std::string> styles_;         ///< files of the site's
  SetText text_;
  Packed packed_;
  std::string first_scripts_, script_hashes_, style_hashes_;
  bool calculates_ = false;
};

}  // namespace

std::string single_file_html(const fs::path& site, const std::string& lecture, const fs::path& templates,
                             const std::string& base_url) {
  std::string html;
  for (const bool with_plots : {true, false}) {
    html = SingleFile(site, lecture, templates, base_url).html(with_plots);
    if (html.size() <= kMostOfSingleFile || !has_plot(html)) break;
  }
  return html;
}

}  // namespace lectern
