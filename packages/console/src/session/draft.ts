import { useState } from "react";
import { useSession } from "./use-session.ts";

const prefix = "disburse.draft:";

/**
 * Returns input that survives a reload, how to change it, how to forget it, and whether it would be
 * lost. It is in the tab's session storage until it is sent or the person signs out.
 */
export function useDraft<T>(name: string, initial: T) {
  const { person } = useSession();
  const key = `${prefix}${person.id}:${name}`;
  const [value, setValue] = useState<T>(() => {
    const stored = sessionStorage.getItem(key);
    return stored === null ? initial : (JSON.parse(stored) as T);
  });
  const [isLost, setLost] = useState(false);
  const change = (next: T) => {
    setValue(next);
    setLost(false);
    try {
      sessionStorage.setItem(key, JSON.stringify(next));
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== "QuotaExceededError") throw error;
      // Too large for the browser's storage. An older version would be worse than none.
      sessionStorage.removeItem(key);
      setLost(true);
    }
  };
  return [value, change, () => sessionStorage.removeItem(key), isLost] as const;
}

/** Removes the drafts of everyone but the person, if one is given. */
export function forgetDrafts(exceptOf?: string): void {
  for (const key of Object.keys(sessionStorage)) {
    const isKept = exceptOf !== undefined && key.startsWith(`${prefix}${exceptOf}:`);
    if (key.startsWith(prefix) && !isKept) sessionStorage.removeItem(key);
  }
}
