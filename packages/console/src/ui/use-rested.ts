import { useDeferredValue, useEffect, useState } from "react";

/** Returns the value once it hasn't changed for some time, such as when a person stops typing. */
export function useRested<T>(value: T, restMs = 400): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value, restMs]);
  return useDeferredValue(rested);
}
