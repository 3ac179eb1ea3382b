#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace pagoda {

/// SHA-256 of some bytes (FIPS 180-4).
std::array<std::uint8_t, 32> sha256(std::string_view bytes);
/// "sha256-" and the hash in base 64: how a Content-Security-Policy names the one script or style it allows.
std::string content_security_hash(std::string_view bytes);

}  // namespace pagoda
