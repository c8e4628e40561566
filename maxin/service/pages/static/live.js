// Keeps the page as it is on the server. The server sends an event when the board has changed, and
// the page then asks for its own content again. A browser opens only six connections to a host, so
// of all tabs one listens, and tells the others.
const shown = document.getElementById("shown");
const lamp = document.getElementById("lamp");
const channel = new BroadcastChannel("maxin");
let etag = shown.dataset.etag;
let isAsking = false;
let isLate = false; // an event came while we were asking
let isStale = false; // an event came while somebody was typing

function show(state) {
  lamp.hidden = false;
  lamp.dataset.state = state;
  lamp.textContent = state === "live" ? "live" : "connecting";
}

function isBusy() {
  // What somebody types would be lost.
  const active = document.activeElement;
  return shown.contains(active) && active.matches("input:not(.fold), select, textarea");
}

async function refresh() {
  if (isAsking || isBusy()) {
    isLate = isAsking;
    isStale = !isAsking;
    return;
  }
  isAsking = true;
  try {
    const answer = await fetch(location.pathname + location.search, {
      headers: { Accept: "text/html", "X-Part": "shown", "If-None-Match": etag },
      cache: "no-store",
    });
    if (answer.status === 200) {
      etag = answer.headers.get("ETag");
      const scrolled = [...shown.querySelectorAll(".scroll")].map((box) => [box.scrollLeft, box.scrollTop]);
      const isUnfolded = shown.querySelector("input.fold")?.checked ?? false;
      shown.innerHTML = await answer.text();
      const fold = shown.querySelector("input.fold");
      if (fold) {
        fold.checked = isUnfolded;
      }
      shown.dataset.etag = etag;
      document.title = shown.querySelector("h1")?.textContent ?? document.title;
      shown.querySelectorAll(".scroll").forEach((box, place) => {
        [box.scrollLeft, box.scrollTop] = scrolled[place] ?? [0, 0];
      });
    }
  } catch {
    show("away"); // an event comes when the server is back
  } finally {
    isAsking = false;
  }
  if (isLate) {
    isLate = false;
    refresh();
  }
}

// A link to another part of this page is followed in place, and keeps the focus.
async function step(link) {
  history.replaceState(null, "", link.href);
  etag = "";
  await refresh();
  document.getElementById(link.id)?.focus({ preventScroll: true });
}

shown.addEventListener("click", (event) => {
  const link = event.target.closest("a[data-step]");
  if (link && !(event.ctrlKey || event.metaKey || event.shiftKey)) {
    event.preventDefault();
    step(link);
  }
});
addEventListener("keydown", (event) => {
  const name = { ArrowLeft: "previous", ArrowRight: "next" }[event.key];
  const links = shown.querySelectorAll(`a[data-step="${name}"]`);
  if (links.length === 1 && !isBusy() && !(event.ctrlKey || event.altKey || event.metaKey)) {
    event.preventDefault();
    step(links[0]);
  }
});

function hear(news) {
  show(news.state);
  if (news.etag && news.etag !== etag) {
    refresh();
  }
}

channel.onmessage = (event) => hear(event.data);

function listen() {
  const source = new EventSource("/api/v1/events");
  const tell = (news) => {
    hear(news);
    channel.postMessage(news);
  };
  source.addEventListener("board", (event) => {
    tell({ state: "live", etag: JSON.parse(event.data).etag });
  });
  source.onopen = () => tell({ state: "live" });
  source.onerror = () => {
    tell({ state: "away" });
    if (source.readyState === EventSource.CLOSED) {
      setTimeout(listen, 3000); // refused, say by a proxy while the server was away
    }
  };
}

// Holds the lock until the tab is closed; then the next tab gets it and listens.
navigator.locks
  ? navigator.locks.request("maxin-events", () => {
      listen();
      return new Promise(() => {});
    })
  : listen();
addEventListener("focusout", () => {
  if (isStale) {
    isStale = false;
    setTimeout(refresh, 0); // when the focus has moved
  }
});
