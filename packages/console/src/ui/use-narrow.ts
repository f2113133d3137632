import { useSyncExternalStore } from "react";

/** The same width as in the styles of tables. */
const narrow = window.matchMedia("(max-width: 40rem)");

function subscribe(listen: () => void): () => void {
  narrow.addEventListener("change", listen);
  return () => narrow.removeEventListener("change", listen);
}

/** Returns true on screens as narrow as a phone's. */
export function useNarrow(): boolean {
  return useSyncExternalStore(subscribe, () => narrow.matches);
}
