#pragma once
#include <string>

#include "advice/plan.h"

namespace pagoda {

enum class Language : std::uint8_t { english, chinese };

/// "zh_CN.UTF-8" is Chinese; everything else English. `chosen` ("en", "zh") wins over the locale.
Language language_of(std::string_view chosen, std::string_view locale);

/// The sentence with its arguments filled in: names that end in _ns, _fraction, _bytes... are quantities,
/// '@id' is another sentence. Text from a profile is made printable(). A message without text shows its id.
std::string message_text(const Message& message, Language language);
/// The same for a message without arguments of its own.
std::string message_text(std::string_view id, Language language);

/// Names of things, from the same catalogue.
std::string operator_text(std::string_view operator_name, Language language);
std::string tier_text(Tier tier, Language language);
std::string bucket_text(Bucket bucket, Language language);
std::string bound_text(Bound bound, Language language);

/// "33.0 ms (31.2 .. 35.4)"
std::string range_text(const NanosRange& range);
/// "0.5-1 d"
std::string days_text(double low, double high);

}  // namespace pagoda
