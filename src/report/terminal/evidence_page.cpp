#include "report/terminal/evidence_page.h"

#include <array>
#include <cstdio>

#include "report/terminal/page.h"
#include "report/text/quantities.h"
#include "report/text/utf8.h"

namespace pagoda {

std::string evidence_page(const std::vector<EvidenceRow>& rows, std::string_view operator_name, bool colour) {
  Page page(colour, 0);
  Table table({{"operator"},
               {"dir"},
               {"dtype"},
               {"shape"},
               {"tier"},
               {"implementation"},
               {"median", Align::right},
               {"rate", Align::right},
               {"of ceiling", Align::right},
               {"host", Align::right},
               {"device"},
               {"date"}});
  const auto micros = [](double us) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f us", us);
    return us < 0 ? std::string("-") : std::string(text.data());
  };
  for (const EvidenceRow& row : rows) {
    if (!operator_name.empty() && row.operator_name != operator_name) continue;
    table.add({printable(row.operator_name), printable(row.direction), printable(row.dtype),
               printable(row.shape), printable(row.tier), printable(row.implementation),
               micros(row.median_us), rate_text(row.bytes / row.median_us * 1e6),
               row.ceiling_fraction < 0 ? "-" : percent_text(row.ceiling_fraction, 1), micros(row.host_us),
               printable(row.device), printable(row.date)});
  }
  if (table.empty()) return "no rows\n";
  page.table(table);
  return page.take();
}

}  // namespace pagoda
