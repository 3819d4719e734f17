#include "site/pack.h"

#include <memory>

#include <nlohmann/json.hpp>
#include <zstd.h>

#include "base/base64.h"
#include "base/error.h"

namespace lectern {
namespace {

constexpr int kLevel = 19, kWindow = 24;  // as small as goes; repetitions within 16 MiB are found

std::size_t checked(std::size_t result) {
  if (ZSTD_isError(result) != 0)
    throw Error(std::string("a page cannot be compressed: ") + ZSTD_getErrorName(result));
  return result;
}

std::string compressed(const std::string& bytes) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) throw Error("a page cannot be compressed: out of memory");
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel, kLevel));
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindow));
  checked(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1));
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(checked(ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size())));
  return out;
}

}  // namespace

std::string pack(const Packed& packed) {
  nlohmann::json index = {
      {"files", nlohmann::json::array()}, {"scripts", packed.scripts}, {"parts", packed.parts}};
  std::string contents;
  for (const auto& [name, content] : packed.files) {
    index["files"].push_back(nlohmann::json::array({name, content.size()}));
    contents += content;
  }
  const std::string text = index.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  std::string bytes;
  for (unsigned shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(text.size() >> shift & 0xFFU);
  return base64(compressed(bytes + text + contents));
}

}  // namespace lectern
