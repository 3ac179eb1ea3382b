#pragma once
#include <span>
#include <string_view>

namespace pagoda {

/// One sentence in every language. {name} stands for an argument of the Message; an argument that begins with
/// '@' is itself the id of a message.
struct MessageText {
  std::string_view id;
  std::string_view en;
  std::string_view zh;
};

/// All sentences that a plan can say, by id. Reports render them; nothing else holds text for users.
std::span<const MessageText> message_texts();
/// nullptr: no such id.
const MessageText* find_message_text(std::string_view id);

}  // namespace pagoda
