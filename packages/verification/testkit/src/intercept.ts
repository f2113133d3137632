/** Replaces a method. `proceed` calls the original with the given arguments. */
export type Interception = (proceed: () => Promise<unknown>) => unknown;

/** Intercepts some methods, to inject a fault or a concurrent write. */
export function intercepted<T extends object>(
  of: T,
  methods: readonly string[],
  interception: Interception,
): T {
  return new Proxy(of, {
    get: (target, name) => {
      const found: unknown = Reflect.get(target, name, target);
      if (typeof found !== "function") return found;
      if (!methods.includes(String(name))) return found.bind(target);
      return (...given: unknown[]) => interception(async () => Reflect.apply(found, target, given));
    },
  });
}
