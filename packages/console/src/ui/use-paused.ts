import { useEffect, useState } from "react";

const pauseMs = 250;

/** Returns a text once it has not changed for a moment, so that not every key asks a server. */
export function usePaused(text: string): string {
  const [paused, setPaused] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setPaused(text), pauseMs);
    return () => clearTimeout(timer);
  }, [text]);
  return paused;
}
