// Gives the token to the server once, which sets a cookie that no script can read. A link may carry
// the token behind "#", which browsers do not send.
const form = document.getElementById("sign-in");
const refused = document.getElementById("refused");

async function signIn(token) {
  const answer = await fetch("/api/v1/session", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ token }),
  });
  if (answer.ok) {
    location.reload();
  } else {
    refused.textContent = (await answer.json()).detail;
  }
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(form.elements.token.value.trim());
});

if (location.hash.startsWith("#mx_")) {
  const token = location.hash.slice(1);
  history.replaceState(null, "", location.pathname + location.search);
  signIn(token);
}
