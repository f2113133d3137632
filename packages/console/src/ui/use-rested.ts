import { useDeferredValue, useEffect, useState } from "react";

const restMs = 300;

/** Returns the value once it hasn't changed for some time, such as when a person stops typing. */
export function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), restMs);
    return () => clearTimeout(timer);
  }, [value]);
  return useDeferredValue(rested);
}
