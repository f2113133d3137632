import { useSyncExternalStore } from "react";
import { t } from "../catalogue/texts.ts";
import { Button } from "./button.tsx";

/** Long enough to read a sentence twice. */
const shownMs = 8_000;

type Toast = { readonly id: number; readonly text: string };

let shown: readonly Toast[] = [];
let last = 0;
const listeners = new Set<() => void>();

function set(next: readonly Toast[]): void {
  shown = next;
  for (const listen of listeners) listen();
}

const remove = (id: number) => set(shown.filter((each) => each.id !== id));

/**
 * Reports a success that leaves the page or changes a list. Errors stay where they happened, and
 * are never only in a toast.
 */
export function toast(text: string): void {
  last += 1;
  const id = last;
  set([...shown, { id, text }]);
  setTimeout(() => remove(id), shownMs);
}

function subscribe(listen: () => void): () => void {
  listeners.add(listen);
  return () => listeners.delete(listen);
}

export function Toasts() {
  const all = useSyncExternalStore(subscribe, () => shown);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {all.map(({ id, text }) => (
        <div key={id} className="toast row between">
          {text}
          <Button kind="plain" onClick={() => remove(id)}>
            {t.actions.close}
          </Button>
        </div>
      ))}
    </div>
  );
}
