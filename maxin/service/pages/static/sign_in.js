// Gives a token to the server once, which sets a cookie that no script can read. A link may carry
// the token behind "#", which browsers do not send. Every page loads this: a token leaves the address
// at once, and replaces the one that the browser had.
const refused = document.getElementById("refused");

async function session(method, body) {
  try {
    const answer = await fetch("/api/v1/session", {
      method,
      headers: { "Content-Type": "application/json" },
      body: body && JSON.stringify(body),
    });
    if (answer.ok) {
      return true;
    }
    refused.textContent = (await answer.json()).detail;
  } catch {
    refused.textContent = "The service cannot be reached. Try again.";
  }
  return false;
}

async function signIn(token) {
  if (!(await session("POST", { token }))) {
    return;
  }
  if (token.startsWith("mx_voter_")) {
    location.assign("/vote"); // all that an invitation is for
  } else {
    location.reload();
  }
}

function takeFromAddress() {
  if (location.hash.startsWith("#mx_")) {
    const token = location.hash.slice(1);
    history.replaceState(null, "", location.pathname + location.search);
    signIn(token);
  }
}

document.getElementById("sign-in")?.addEventListener("submit", (event) => {
  event.preventDefault();
  signIn(event.target.elements.token.value.trim());
});
document.getElementById("sign-out")?.addEventListener("submit", async (event) => {
  event.preventDefault();
  if (await session("DELETE")) {
    location.reload();
  }
});
addEventListener("hashchange", takeFromAddress);
takeFromAddress();
