#pragma once
#include <string>

#include "advice/plan.h"
#include "report/messages/render.h"

namespace pagoda {

/// The plan as one self-contained page: no request leaves it, scripts and styles are allowed by their hashes
/// only, and names from a profile are text whatever they look like. Tables and bars need no JavaScript; the
/// roofline, sorting and filtering do.
std::string plan_html(const Plan& plan, Language language = Language::english);

}  // namespace pagoda
