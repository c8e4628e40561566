// Buttons and forms that call the API: `data-call` is a method and a path, whose parts in braces are
// fields of the form; the other fields are the body. `data-ask` is asked first. What the server
// answers is shown on top.
const shown = document.getElementById("shown");

function say(words) {
  document.getElementById("done").textContent = words;
}

async function call(line, body) {
  const [method, path] = line.split(" ");
  const rest = { ...body };
  const filled = path.replace(/\{(\w+)\}/g, (_, name) => {
    const value = encodeURIComponent(rest[name]);
    delete rest[name];
    return value;
  });
  say("");
  try {
    const answer = await fetch(filled, {
      method,
      headers: { "Content-Type": "application/json" },
      body: method === "DELETE" ? undefined : JSON.stringify(rest),
    });
    const text = await answer.text();
    if (answer.ok) {
      await showAgain(news(text ? JSON.parse(text) : {}));
    } else {
      say(reason(text) ?? `The service refused this with status ${answer.status}.`);
    }
  } catch {
    say("The service cannot be reached, so it is not known whether this was done. Reload the page when it is back, and look.");
  }
}

function reason(text) {
  try {
    return JSON.parse(text).detail;
  } catch {
    return undefined; // a proxy answered
  }
}

async function showAgain(words) {
  const headers = { "X-Part": "shown" };
  const page = await fetch(location.pathname + location.search, { headers, cache: "no-store" });
  if (page.status === 401 || page.status === 403) {
    location.reload(); // our own token was revoked: the page that says so has a form to sign in
  } else if (page.ok) {
    shown.innerHTML = await page.text();
    say(words);
  } else {
    say(`${words}\nThe rest of this page is old: reload it.`);
  }
}

function news(found) {
  if (Array.isArray(found)) {
    const links = found.map((one) => `${one.name}: ${location.origin}/vote#${one.invitation}`);
    return `Invitations, shown only once:\n${links.join("\n")}`;
  }
  return found.token ? `The token, shown only once: ${found.token}` : "Done.";
}

function body(form) {
  const fields = [...form.elements].filter((one) => one.name);
  return Object.fromEntries(
    fields.map((one) => [one.name, one.type === "number" ? one.valueAsNumber : one.value]),
  );
}

shown.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-call]");
  if (button && (!button.dataset.ask || confirm(button.dataset.ask))) {
    call(button.dataset.call, JSON.parse(button.dataset.body ?? "{}"));
  }
});

shown.addEventListener("submit", (event) => {
  const form = event.target.closest("form[data-call]");
  if (form) {
    event.preventDefault();
    call(form.dataset.call, body(form));
  }
});
