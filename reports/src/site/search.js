// The only script of a site: it hides rows that lack a word of the search.
"use strict";
const field = document.querySelector("#search");
const rows = [...document.querySelectorAll("[data-words]")];
const left = document.querySelector("#left");
function search() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  let count = 0;
  for (const row of rows) {
    const found = words.every((word) => row.dataset.words.includes(word));
    row.hidden = !found;
    count += found;
  }
  left.textContent = words.length ? `${count} of ${rows.length} rows` : "";
  history.replaceState(null, "", words.length ? "#q=" + encodeURIComponent(field.value) : " ");
}
field.closest("p").hidden = false;
field.addEventListener("input", search);
if (location.hash.startsWith("#q=")) {
  field.value = decodeURIComponent(location.hash.slice(3));
  search();
}
