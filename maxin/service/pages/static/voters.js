// Makes invitations, and shows their links once; the rest of the page is that of organisers.
import "./admin.js";

const shown = document.getElementById("shown");

async function invite(form) {
  const fields = Object.fromEntries(new FormData(form));
  const answer = await fetch("/api/v1/voters", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ ...fields, n: Number(fields.n) }),
  });
  const found = await answer.json();
  if (!answer.ok) {
    document.getElementById("done").textContent = found.detail;
    return;
  }
  const page = await fetch(location.href, { headers: { "X-Part": "shown" }, cache: "no-store" });
  shown.innerHTML = await page.text();
  const links = document.getElementById("links");
  links.hidden = false;
  links.replaceChildren(
    ...found.map((one) => {
      const line = document.createElement("li");
      const link = document.createElement("code");
      link.textContent = `${location.origin}/vote#${one.invitation}`;
      line.append(link);
      return line;
    }),
  );
  document.getElementById("done").textContent = "Send each link to one person. Links are shown only this once.";
}

shown.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-invite]");
  if (form) {
    event.preventDefault();
    invite(form);
  }
});
