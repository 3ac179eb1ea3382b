"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const tip = document.getElementById("tip");
  const show = (event, text) => {
    tip.textContent = text;
    tip.style.opacity = 1;
    const box = tip.getBoundingClientRect();
    tip.style.left = Math.min(event.clientX + 14, innerWidth - box.width - 8) + "px";
    tip.style.top = Math.max(8, event.clientY - box.height - 10) + "px";
  };
  const hide = () => { tip.style.opacity = 0; };

  const table = document.getElementById("operators");
  if (table) {
    const body = table.tBodies[0];
    const value = (row, column) => {
      const cell = row.cells[column];
      return cell.dataset.v !== undefined ? Number(cell.dataset.v) : cell.textContent.toLowerCase();
    };
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      head.classList.add("sortable");
      let down = false;
      head.addEventListener("click", () => {
        down = !down;
        const rows = [...body.rows].sort((a, b) => {
          const x = value(a, column), y = value(b, column);
          return (x < y ? -1 : x > y ? 1 : 0) * (down ? -1 : 1);
        });
        body.append(...rows);
      });
    });
    const box = document.createElement("input");
    box.type = "search";
    box.placeholder = table.dataset.filter;
    box.setAttribute("aria-label", table.dataset.filter);
    box.addEventListener("input", () => {
      const wanted = box.value.toLowerCase();
      for (const row of body.rows) row.hidden = !row.textContent.toLowerCase().includes(wanted);
    });
    table.parentElement.before(box);
  }

  const place = document.getElementById("roofline");
  const points = data.operators.filter(o => o.intensity > 0 && o.flops_per_s > 0);
  if (!place || !points.length) return;
  place.textContent = "";
  const width = 1000, height = 430, left = 74, bottom = 46, top = 16, right = 20;
  const roof = data.peak_flops > 0 && data.bytes_per_s > 0;
  const ridge = roof ? data.peak_flops / data.bytes_per_s : null;
  const xs = points.map(o => o.intensity).concat(ridge ? [ridge] : []);
  const ys = points.map(o => o.flops_per_s).concat(roof ? [data.peak_flops] : []);
  const x = d3.scaleLog().domain([d3.min(xs) / 3, d3.max(xs) * 4]).range([left, width - right]);
  const y = d3.scaleLog().domain([d3.min(ys) / 3, d3.max(ys) * 2]).range([height - bottom, top]);
  const svg = d3.select(place).append("svg").attr("class", "chart").attr("viewBox", `0 0 ${width} ${height}`).attr("role", "img")
    .attr("aria-label", place.dataset.label);
  const power = d3.format("~s");
  for (const t of x.ticks(6).filter(t => Math.log10(t) % 1 === 0)) {
    svg.append("line").attr("class", "axis").attr("x1", x(t)).attr("x2", x(t)).attr("y1", top).attr("y2", height - bottom);
    svg.append("text").attr("class", "dim").attr("x", x(t)).attr("y", height - bottom + 18).attr("text-anchor", "middle").text(t < 1 ? t : power(t));
  }
  for (const t of y.ticks(6).filter(t => Math.abs(Math.log10(t) - Math.round(Math.log10(t))) < 1e-9)) {
    svg.append("line").attr("class", "axis").attr("x1", left).attr("x2", width - right).attr("y1", y(t)).attr("y2", y(t));
    svg.append("text").attr("class", "dim").attr("x", left - 8).attr("y", y(t) + 4).attr("text-anchor", "end").text(power(t));
  }
  svg.append("text").attr("class", "dim").attr("x", (left + width) / 2).attr("y", height - 8).attr("text-anchor", "middle").text("FLOP / byte");
  svg.append("text").attr("class", "dim").attr("x", 4).attr("y", 12).text("FLOP/s");
  if (roof) {
    const [x0, x1] = x.domain();
    const line = d3.line().x(p => x(p[0])).y(p => y(Math.max(p[1], y.domain()[0])));
    const start = Math.max(x0, y.domain()[0] / data.bytes_per_s);
    svg.append("path").attr("class", "roof").attr("d", line([[start, start * data.bytes_per_s], [ridge, data.peak_flops], [x1, data.peak_flops]]));
  }
  const area = d3.scaleSqrt().domain([0, d3.max(points, o => o.time_ns)]).range([2.5, 24]);
  svg.append("g").selectAll("circle").data(points.slice().sort((a, b) => b.time_ns - a.time_ns)).join("circle")
    .attr("class", o => "b-" + o.bound).attr("fill-opacity", 0.72)
    .attr("cx", o => x(o.intensity)).attr("cy", o => y(o.flops_per_s)).attr("r", o => area(o.time_ns))
    .on("mousemove", (event, o) => show(event, o.text)).on("mouseleave", hide)
    .append("title").text(o => o.text);
})();
