#include "site/zstandard.h"

#include <array>
#include <cstddef>
#include <memory>

#include <zstd.h>

#include "base/error.h"

namespace lectern {
namespace {

constexpr std::array kLevels{3, 12, 19};  // by Effort
constexpr int kWindow = 24;               // repetitions within 16 MiB are found

std::size_t checked_zstd(std::size_t result) {
  if (ZSTD_isError(result) != 0)
    throw Error(std::string("a page cannot be compressed: ") + ZSTD_getErrorName(result));
  return result;
}

}  // namespace

std::string zstandard(const std::string& bytes, Effort effort) {
  const std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)> context(ZSTD_createCCtx(), ZSTD_freeCCtx);
  if (!context) throw Error("a page cannot be compressed: out of memory");
  checked_zstd(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_compressionLevel,
                                      kLevels[static_cast<std::size_t>(effort)]));
  checked_zstd(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_windowLog, kWindow));
  checked_zstd(ZSTD_CCtx_setParameter(context.get(), ZSTD_c_enableLongDistanceMatching, 1));
  std::string out(ZSTD_compressBound(bytes.size()), '\0');
  out.resize(checked_zstd(ZSTD_compress2(context.get(), out.data(), out.size(), bytes.data(), bytes.size())));
  return out;
}

}  // namespace lectern
