#include "site/policy_hash.h"

#include <array>

#include <openssl/evp.h>

#include "base/base64.h"
#include "base/error.h"

namespace lectern {

std::string policy_hash(std::string_view text) {
  std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
  unsigned size = 0;
  if (EVP_Digest(text.data(), text.size(), digest.data(), &size, EVP_sha256(), nullptr) != 1)
    throw Error("OpenSSL has no SHA-256 here, which the policy of a single file needs");
  return "'sha256-" + base64({reinterpret_cast<const char*>(digest.data()), size}) + "'";
}

}  // namespace lectern
