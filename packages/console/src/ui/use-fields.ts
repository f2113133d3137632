import { useState } from "react";

/** The texts of a small form, and for each field what `TextField` and the like take. */
export function useFields<T extends Readonly<Record<string, string>>>(blank: T) {
  const [values, setValues] = useState(blank);
  const field = (name: keyof T) => ({
    value: values[name] as string,
    onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
  });
  return { values, field, clear: () => setValues(blank) };
}
