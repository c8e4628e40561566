// Shows a pair, sends the vote, and asks for the next pair. A vote is sent until it is answered:
// the same vote twice counts once.
const API = "/api/v1";
const WORDS = { a: "A", b: "B", tie: "tie", bad: "both bad", skip: "skipped" };
const page = document.getElementById("vote");
const message = document.getElementById("message");
const shown = document.getElementById("pair");
const progress = document.getElementById("progress");
const undoButton = document.getElementById("undo");
const help = document.getElementById("help");
const choices = [...document.querySelectorAll("[data-choice]")];
let pair = null; // what can be voted on now
let latest = null; // the vote that can be undone
let nVotes = 0;
let shownAt = 0;
let isBusy = false;
let timer = 0;

const pause = (seconds) => new Promise((done) => setTimeout(done, 1000 * seconds));

function say(text, isWrong = false) {
  message.textContent = text;
  message.classList.toggle("wrong", isWrong);
}

function set(state) {
  page.dataset.state = state;
  const canVote = state === "pair" && pair !== null && !isBusy;
  choices.forEach((button) => button.setAttribute("aria-disabled", String(!canVote)));
  undoButton.setAttribute("aria-disabled", String(latest === null || isBusy));
}

async function send(method, path, body) {
  for (;;) {
    let wait = 1;
    try {
      const answer = await fetch(API + path, {
        method,
        cache: "no-store",
        headers: body ? { "Content-Type": "application/json" } : {},
        body: body && JSON.stringify(body),
      });
      wait = Number(answer.headers.get("Retry-After")) || wait;
      if (answer.status < 500 && answer.status !== 429) {
        const text = await answer.text();
        return { status: answer.status, wait, body: text ? JSON.parse(text) : {} };
      }
    } catch {
      // The service is away.
    }
    say("The service cannot be reached. Trying again; nothing is lost.", true);
    await pause(wait);
  }
}

async function load(key) {
  const answer = await fetch(`/vote/${key}`, { cache: "no-store" });
  if (!answer.ok) {
    throw new Error(key);
  }
  shown.innerHTML = await answer.text();
  await Promise.all([...shown.querySelectorAll("img")].map((image) => image.decode()));
}

function count(votes) {
  nVotes = votes;
  progress.textContent = votes === 1 ? "1 vote" : `${votes} votes`;
}

async function show(found, note) {
  pair = null;
  latest = found.latest;
  count(found.votes);
  try {
    await load(found.pair);
  } catch {
    say("The pair could not be loaded. Trying again.", true);
    await pause(2);
    return next(note);
  }
  pair = found.pair;
  isBusy = false;
  shownAt = performance.now();
  say(note);
  set("pair");
  scrollTo(0, 0);
  document.getElementById("prompt").focus({ preventScroll: true }); // a screen reader reads it
}

async function next(note = "") {
  clearTimeout(timer);
  isBusy = true;
  pair = null;
  const answer = await send("POST", "/pairs");
  if (answer.status === 200) {
    return show(answer.body, note);
  }
  isBusy = false;
  if (answer.status === 204) {
    say("There is nothing for you to compare now: you have seen what is open, or others have it. This page asks again by itself.");
    timer = setTimeout(next, 1000 * answer.wait);
  } else if (answer.status === 410) {
    say(`Thank you: ${answer.body.detail}.`);
    timer = setTimeout(next, 30000); // a correction may open it again
  } else if (answer.status === 401) {
    say("You need an invitation to vote: open the link that you were given.", true);
  } else if (answer.status === 403) {
    say(`You cannot vote: ${answer.body.detail}.`, true);
  } else {
    say(answer.body.detail ?? "Something went wrong.", true);
    timer = setTimeout(next, 10000);
  }
  set("idle");
}

async function vote(choice) {
  if (isBusy || pair === null) {
    return;
  }
  const key = pair;
  isBusy = true;
  set("pair");
  const ms = Math.round(performance.now() - shownAt);
  const answer = await send("PUT", `/pairs/${key}/vote`, { choice, ms });
  if (answer.status === 200 || answer.status === 201) {
    latest = key;
    count(nVotes + (choice !== "skip"));
    return next(`Your last vote: ${WORDS[choice]}.`);
  }
  return next(`Your vote does not count: ${answer.body.detail ?? answer.status}. Here is another pair.`);
}

async function undo() {
  if (isBusy || latest === null) {
    return;
  }
  const key = latest;
  isBusy = true;
  set(page.dataset.state);
  const answer = await send("DELETE", `/pairs/${key}/vote`);
  latest = null;
  return next(answer.status === 204 ? "Undone. Vote again on this pair." : `Not undone: ${answer.body.detail}.`);
}

async function join() {
  const invitation = location.hash.slice(1);
  if (invitation) {
    history.replaceState(null, "", location.pathname); // so that nobody reads it in the address
    const answer = await send("POST", "/voters/join", { invitation });
    if (answer.status !== 204) {
      say("This invitation is not valid. Ask whoever sent it for another one.", true);
      set("idle");
      return;
    }
  }
  next();
}

const keys = Object.fromEntries(choices.map((button) => [button.getAttribute("aria-keyshortcuts"), button]));
addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || help.open) {
    return;
  }
  const button = { ...keys, u: undoButton, "?": document.getElementById("keys") }[event.key.toLowerCase()];
  if (button) {
    event.preventDefault();
    button.click();
  }
});
choices.forEach((button) => button.addEventListener("click", () => vote(button.dataset.choice)));
undoButton.addEventListener("click", undo);
document.getElementById("keys").addEventListener("click", () => help.showModal());
addEventListener("hashchange", join);
join();
