import { useState } from "react";

/**
 * The texts of a small form, what a person has changed of them, and for each field what `TextField`
 * and the like take. `initial` may change, such as when a record is read again.
 */
export function useFields<T extends Readonly<Record<string, string>>>(initial: T) {
  const [changed, setChanged] = useState<Partial<T>>({});
  const values: T = { ...initial, ...changed };
  const field = (name: keyof T) => ({
    value: values[name] as string,
    onChange: (value: string) => setChanged((before) => ({ ...before, [name]: value })),
  });
  return { values, changed, field, clear: () => setChanged({}) };
}
